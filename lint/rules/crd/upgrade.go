package crd

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
)

// crdName returns "the CRD" and its name, if it has one.
func crdName(name string) string {
	if name == "" {
		return "a CRD without a name"
	}
	return "the CRD " + name
}

// causeOf returns the cause of a finding about a fault of a CRD. The path has names of versions instead of indexes.
func causeOf(c *preflight.CRD, f *crd.Fault) []string {
	path := f.Path
	if c.Outline != nil {
		for i, v := range c.Versions {
			path = strings.Replace(path, fmt.Sprintf("spec.versions[%d]", i), "spec.versions["+v.Name+"]", 1)
		}
	}
	return []string{lint.FieldPath(path), f.Type, f.Value}
}

// versionPath returns the path of a version of a CRD, or that of all versions.
func versionPath(c *preflight.CRD, version string) string {
	if i := c.VersionIndex(version); i >= 0 {
		return fmt.Sprintf("spec.versions[%d]", i)
	}
	return "spec.versions"
}

// eachCRDUpgrade returns a Check that calls check for each CRD before and after each upgrade.
func eachCRDUpgrade(check func(p *lint.Pass, s *preflight.Upgrade, old, new *preflight.CRD)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		steps := p.Preflight().Upgrades()
		for i := range steps {
			s := &steps[i]
			for _, old := range p.Preflight().CRDs(s.From) {
				if new := p.Preflight().ReadableCRD(s.To, old.Manifest.Name); new != nil && old.Outline != nil {
					check(p, s, old, new)
				}
			}
		}
	}
}

// releaseSuffix returns ", a patch release" for upgrades that change nothing else than the patch version, otherwise "".
func releaseSuffix(s *preflight.Upgrade) string {
	from, to := s.From.Semver(), s.To.Semver()
	if from == nil || to == nil || from.Major != to.Major || from.Minor != to.Minor || from.Major == 0 || len(from.Pre) > 0 {
		return ""
	}
	return ", a patch release"
}

// isAlpha reports whether an API version is alpha, and so without guarantees (Kubernetes: API versioning).
func isAlpha(version string) bool { return strings.Contains(version, "alpha") }

// relatedBefore returns the position in the CRD that an upgrade replaces.
func relatedBefore(old *preflight.CRD, at string) lint.Related {
	return lint.Related{Pos: old.Manifest.At(at), Message: "before"}
}
