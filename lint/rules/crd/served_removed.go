package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var servedRemoved = lint.Rule{
	ID: "crd/served-removed", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `an upgrade drops a served version of an API
Clients, manifests in git and other operators that use the version fail immediately, without a deprecation. OLM does not reject
it. For an alpha version it is an info.
Mark the version as deprecated, then ship it with served: false, and only then drop it.`,
	Reference: "Kubernetes: versions in CustomResourceDefinitions, removing a version",
	Check:     checkServedRemoved,
}

// removedVersions returns the versions that are in old and not in new.
func removedVersions(old, new []string) []string {
	return slices.DeleteFunc(slices.Clone(old), func(v string) bool { return slices.Contains(new, v) })
}

// versionsRemoved returns the finding that versions of a kind are no longer provided. It is not known whether they were served.
func versionsRemoved(s *preflight.Upgrade, kind string, gone []string) lint.Finding {
	return lint.Finding{
		Severity: lint.Info,
		Subject:  lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		Cause:    append([]string{kind}, gone...),
		Pos:      s.To.Pos,
		Message: fmt.Sprintf("the upgrade from %[3]q to %[4]q removes %[1]s of %[2]s%[5]s: clients that use it fail, and the upgrade is refused where objects are stored in it",
			strings.Join(gone, " and "), kind, s.From.Name.Value, s.To.Name.Value, releaseSuffix(s)),
		Fix:     "give the manifests with --bundles FOLDER to check; before a version is removed, it is no longer served, then no longer stored",
		Related: []lint.Related{{Pos: s.From.Pos, Message: "this one has it"}},
	}
}

// checkServedRemoved reports each served version that an upgrade removes, once for each CRD.
func checkServedRemoved(p *lint.Pass) {
	f := contents.NewFindingGroups(p)
	eachCRDUpgrade(func(p *lint.Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
		for i, v := range old.Versions {
			key := new.Manifest.Name + " " + v.Name
			if !v.Served || new.Has(v.Name) || f.Seen(key) {
				continue
			}
			severity := lint.Warning
			if isAlpha(v.Name) {
				severity = lint.Info
			}
			f.Add(key, lint.Finding{
				Severity: severity,
				Subject:  lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
				Cause:    []string{new.Manifest.Name, v.Name},
				Pos:      new.Manifest.At("spec.versions"),
				Message: fmt.Sprintf("the upgrade from %[3]q to %[4]q removes %[1]s of %[2]s, which was served until then%[5]s: its clients fail immediately",
					v.Name, new.Manifest.Name, s.From.Name.Value, s.To.Name.Value, releaseSuffix(s)),
				Fix:     fmt.Sprintf("deprecate %s first, then ship it with served: false, and only then drop it", v.Name),
				Related: []lint.Related{relatedBefore(old, fmt.Sprintf("spec.versions[%d]", i))},
			})
		}
	})(p)
	eachKindUpgrade(p, func(s *preflight.Upgrade, kind string, old, new []string) {
		if gone := removedVersions(old, new); len(gone) > 0 && len(new) > 0 {
			f.Add(kind+" "+strings.Join(gone, " "), versionsRemoved(s, kind, gone))
		}
	})
	f.Report("upgrade")
}
