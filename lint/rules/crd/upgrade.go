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

// crdName returns "the CRD" and its name, if it has one.
func crdName(m *catalogs.Manifest) string {
	if m.Name == "" {
		return "a CRD without a name"
	}
	return "the CRD " + m.Name
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

// eachSchemaChange returns a Check that reports what some checks of the CRD upgrade safety preflight reject: each change once, in
// the first upgrade that has it.
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

// schemasNotCompared returns the finding that two schemas were not compared.
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

// schemaChange returns the finding about a change. OLM v0 is affected only by changes that can invalidate objects.
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

// releaseSuffix returns ", in a patch release" or ", in a minor release" for upgrades that should not break anything, otherwise
// "".
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

// isAlpha reports whether an API version is alpha, and so without guarantees (Kubernetes: API versioning).
func isAlpha(version string) bool { return strings.Contains(version, "alpha") }

// relatedBefore returns the position in the CRD that an upgrade replaces.
func relatedBefore(old *preflight.CRD, at string) lint.Related {
	return lint.Related{Pos: old.Manifest.At(at), Message: "as it was before"}
}
