package crd

import (
	"cmp"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// compareRejected orders upgrades: first from the newest entry, then to the oldest.
func compareRejected(a, b preflight.Rejected) int {
	from := func(r *preflight.Rejected) *catalogs.Bundle { return r.Graph.Channel.Entries[r.From].Bundle }
	to := func(r *preflight.Rejected) *catalogs.Bundle { return r.Graph.Channel.Entries[r.To].Bundle }
	return cmp.Or(versions.CompareKnown(from(&b), from(&a)), versions.CompareKnown(to(&a), to(&b)))
}

// reportRejected reports r for all upgrades that remove the version. Empty fields of f are set.
func reportRejected(p *lint.Pass, s *preflight.StoredVersion, r *preflight.Rejected, all []preflight.Rejected, f lint.Finding) {
	from, to := s.At(r.Graph, r.From), s.At(r.Graph, r.To)
	pairs := map[[2]string]bool{}
	f.Channel, f.Gates = r.Graph.Channel.Name.Value, lint.GateAPIServer
	for i := range all {
		pairs[[2]string{all[i].Graph.Name(all[i].From), all[i].Graph.Name(all[i].To)}] = true
		f.Gates |= lint.OLMGates(all[i].V0, all[i].V1)
		if all[i].Graph != r.Graph {
			f.Channel = ""
		}
	}
	f.Bundle, f.CRD = r.Graph.Name(r.To), s.CRD
	f.Cause = []string{s.CRD, s.Version}
	f.Pos = to.Manifest.At("spec.versions")
	f.Message += words.AndMore(len(pairs)-1, "upgrade")
	f.Fix = fmt.Sprintf("keep %s in %q, with served: false, until no cluster has it in status.storedVersions: OLM never removes it there",
		s.Version, f.Bundle)
	f.Related = []lint.Related{{Pos: from.Manifest.At(versionPath(from, from.StorageVersion())), Message: "upgraded from here"}}
	p.Report(f)
}
