package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// crdName names a CRD, if it has a name.
func crdName(m *catalogs.Manifest) string {
	if m.Name == "" {
		return "a CRD without a name"
	}
	return "the CRD " + m.Name
}

// causeOf are the parts by which a fault of a CRD is known. Versions are named, since their places move.
func causeOf(c *preflight.CRD, f *crd.Fault) []string {
	path := f.Path
	if c.Outline != nil {
		for i, v := range c.Versions {
			path = strings.Replace(path, fmt.Sprintf("spec.versions[%d]", i), "spec.versions["+v.Name+"]", 1)
		}
	}
	return []string{lint.FieldPath(path), f.Type, f.Value}
}

// eachSchemaChange makes a Check that reports what OLM v1's preflight finds by some of its checks: a change once, where it comes
// first.
func eachSchemaChange(checks ...string) func(*lint.Pass) {
	return func(p *lint.Pass) {
		f := contents.NewFindingGroups(p)
		eachCRDUpgrade(func(p *lint.Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
			if old.Manifest.Object == new.Manifest.Object || new.APIVersion != crd.V1 {
				return
			}
			all, err := p.Preflight().Changes(s.From, s.To, old, new)
			if err != nil && slices.Contains(checks, "unhandled") {
				f.Add(new.Manifest.Name+err.Error(), schemasNotCompared(s, new, err))
			}
			for _, c := range all {
				key := strings.Join([]string{new.Manifest.Name, c.Version, c.Path, c.Check, c.Message}, " ")
				if slices.Contains(checks, c.Check) && !f.Seen(key) {
					f.Add(key, schemaChange(s, old, new, c))
				}
			}
		})(p)
		f.Report("upgrade")
	}
}

func schemasNotCompared(s *preflight.Upgrade, new *preflight.CRD, err error) lint.Finding {
	return lint.Finding{
		Severity: lint.Info, Gates: lint.GateAdvice,
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
		Cause:   []string{new.Manifest.Name},
		Pos:     new.Manifest.At("spec.versions"),
		Message: fmt.Sprintf("%s in %q and %q is not compared: %v", new.Manifest.Name, s.From.Name.Value, s.To.Name.Value, err),
		Fix:     "test the upgrade on a cluster, or make the CRD smaller",
	}
}

// schemaChange words a change. OLM v0 minds only what can make objects invalid.
func schemaChange(s *preflight.Upgrade, old, new *preflight.CRD, c crd.Change) lint.Finding {
	finding := lint.Finding{
		Severity: lint.Error, Gates: lint.GateOLMv1,
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
		Cause:   []string{new.Manifest.Name, c.Version, c.Path, c.Check},
		Pos:     new.Manifest.At(c.At),
		Message: fmt.Sprintf("%s %s: %s, from %q to %q%s", new.Manifest.Name, c.Version, c.Message, s.From.Name.Value, s.To.Name.Value, releaseSuffix(s)),
		Fix:     "revert the change, or ship it as a new version of the API",
		Related: []lint.Related{relatedBefore(old, c.At)},
	}
	if c.Narrows && s.V0 {
		finding.Gates |= lint.GateOLMv0
		finding.WarningGates = lint.GateOLMv0
	}
	if isAlpha(c.Version) {
		finding.Severity = lint.Warning
	}
	return finding
}

// versionPath is the path of a version of a CRD, or that of its versions.
func versionPath(c *preflight.CRD, version string) string {
	if i := c.VersionIndex(version); i >= 0 {
		return fmt.Sprintf("spec.versions[%d]", i)
	}
	return "spec.versions"
}

// eachCRDUpgrade makes a Check of a question about a CRD before and after an upgrade.
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

// releaseSuffix says what kind of release an upgrade is, if it should not break anything: " in a patch release".
func releaseSuffix(s *preflight.Upgrade) string {
	from, to := s.From.Semver(), s.To.Semver()
	switch {
	case from == nil || to == nil || from.Major != to.Major || from.Major == 0 || len(from.Pre) > 0:
		return ""
	case from.Minor != to.Minor:
		return ", in a minor release"
	}
	return ", in a patch release"
}

// isAlpha reports whether a version promises nothing (Kubernetes: API versioning).
func isAlpha(version string) bool { return strings.Contains(version, "alpha") }

// relatedBefore is the place of the CRD that an upgrade replaces.
func relatedBefore(old *preflight.CRD, at string) lint.Related {
	return lint.Related{Pos: old.Manifest.At(at), Message: "as it was before"}
}
