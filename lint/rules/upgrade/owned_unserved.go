package upgrade

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// checkOwnedUnserved reports upgrades that stop serving versions which the older ClusterServiceVersion owns, the same versions once.
func checkOwnedUnserved(p *lint.Pass) {
	same := contents.NewFindingGroups(p)
	for _, u := range upgradesOf(p) {
		owned := ownedUnserved(p.Preflight(), u.From, u.To)
		if len(owned) == 0 || !u.V0 {
			continue
		}
		c := p.Preflight().CRD(u.To, owned[0].Name)
		var names []string
		for _, o := range owned {
			names = append(names, o.Name+"/"+o.Version)
		}
		f := lint.Finding{
			Gates:   lint.GateOLMv0,
			Subject: lint.Subject{Channel: u.Channel, Bundle: u.To.Name.Value, CRD: owned[0].Name},
			From:    u.From.Name.Value,
			Cause:   lint.OncePerPackage(), Faults: names,
			Message: fmt.Sprintf("%q stops serving %s, which %q owns: if OLM v0 looks at the old ClusterServiceVersion before it is being replaced, the upgrade may hang",
				u.To.Name.Value, words.AllOf(names), u.From.Name.Value),
			Fix: "serve it until all that upgrade to this bundle own only newer versions",
		}
		if !decides(p, u.To) {
			f.Severity = lint.Info
		}
		same.Add(strings.Join(names, " "), f.At(c.Manifest, "spec.versions"))
	}
	same.Report("upgrade")
}

// ownedUnserved returns what the older ClusterServiceVersion owns and the CRDs of the newer bundle have and do not serve. What they do not
// have is told by crd/served-removed.
func ownedUnserved(p *preflight.Package, from, to *catalogs.Bundle) (all []csv.CRDDescription) {
	old := p.CSV(from)
	if old == nil || old.Err != nil || !to.HasManifests() {
		return nil
	}
	for _, owned := range old.Spec.CRDs.Owned {
		before, after := p.ReadableCRD(from, owned.Name), p.ReadableCRD(to, owned.Name)
		if before != nil && after != nil && before.Serves(owned.Version) && after.Has(owned.Version) && !after.Serves(owned.Version) {
			all = append(all, owned)
		}
	}
	return all
}
