package crd

import (
	"strings"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var schemaUnseen = lint.Rule{
	ID: "crd/schema-unseen", Severity: lint.Warning, Gates: lint.GateOLMv0,
	Doc: `an upgrade narrows a schema in a way that OLM v1 does not check
OLM v1's comparison takes the last part of an anyOf or allOf for the whole, and compares new fields with nothing. So OLM v1
accepts the upgrade; but an object that does not match any more is rejected when it is next written, and OLM v0 fails the
InstallPlan if one exists.
Let the new schema accept what the old one accepted, or ship it as a new version of the API.`,
	Reference: "sigs.k8s.io/crdify flattening; OLM catalog operator validateExistingCRs",
	Check:     checkUnseen,
	Asks:      preflight.CheckUnseen,
}

// checkUnseen reports schema changes that can invalidate objects and that OLM v1 does not check.
func checkUnseen(p *lint.Pass) {
	f := contents.NewFindingGroups(p)
	eachCRDUpgrade(func(p *lint.Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
		if old.Manifest.Object == new.Manifest.Object || !s.V0 {
			return
		}
		all, err := p.Preflight().Unseen(old, new)
		if err != nil {
			return // reported by crd/schema-other
		}
		for _, c := range all {
			key := strings.Join([]string{new.Manifest.Name, c.Version, c.Path, c.Message}, " ")
			if f.Seen(key) {
				continue
			}
			finding := schemaChange(s, old, new, c)
			finding.Severity, finding.Gates, finding.WarningGates = lint.Warning, lint.GateOLMv0, 0
			if isAlpha(c.Version) {
				finding.Severity = lint.Info
			}
			f.Add(key, finding)
		}
	})(p)
	f.Report("upgrade")
}
