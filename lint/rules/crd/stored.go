package crd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// compareRejected orders upgrades: first from the newest entry, then to the oldest.
func compareRejected(a, b preflight.Rejected) int {
	from := func(r *preflight.Rejected) *catalogs.Bundle { return r.Graph.Channel.Entries[r.From].Bundle }
	to := func(r *preflight.Rejected) *catalogs.Bundle { return r.Graph.Channel.Entries[r.To].Bundle }
	return cmp.Or(versions.CompareKnown(from(&b), from(&a)), versions.CompareKnown(to(&a), to(&b)))
}

// lostVersion is a version in which objects may be stored, and the upgrades that are rejected because they remove it.
type lostVersion struct {
	stored       *preflight.StoredVersion
	upgrade      preflight.Rejected   // the one that is told
	all          []preflight.Rejected // of all channels
	severity     lint.Severity
	warningGates lint.Gates
	path         string // from the entry that stores it; "" for the upgraded one itself
	migrated     bool   // unless an operator on the way removes it from status.storedVersions, which it may
}

// name returns the version and the CRD.
func (l *lostVersion) name() string { return l.stored.Version + " of " + l.stored.CRD }

// byVersion lists CRDs by the version that they lose.
func byVersion(lost []lostVersion) string {
	names := map[string][]string{}
	for i := range lost {
		v := lost[i].stored.Version
		names[v] = append(names[v], lost[i].stored.CRD)
	}
	return listByVersion(names)
}

// reportLost reports the versions that are lost in the same upgrade together, with the message for them.
func reportLost(p *lint.Pass, lost []lostVersion, message func(*preflight.Rejected, []lostVersion) string) {
	type key struct {
		from, to string
		severity lint.Severity
		migrated bool
	}
	together := map[key][]lostVersion{}
	var order []key
	for _, l := range lost {
		r := &l.upgrade
		k := key{r.Graph.Name(r.From), r.Graph.Name(r.To), l.severity, l.migrated}
		if together[k] == nil {
			order = append(order, k)
		}
		together[k] = append(together[k], l)
	}
	for _, k := range order {
		f := lostFinding(together[k])
		f.Message = message(&together[k][0].upgrade, together[k]) + words.AndMore(len(f.Also), "upgrade")
		p.Report(f)
	}
}

// lostFinding returns the finding about versions that are lost in the same upgrade, without a message.
func lostFinding(lost []lostVersion) lint.Finding {
	r := &lost[0].upgrade
	f := lint.Finding{
		Severity: lost[0].severity, Gates: lint.GateAPIServer, WarningGates: lint.GateOLMv0 | lint.GateOLMv1,
		Subject: lint.Subject{Channel: r.Graph.Channel.Name.Value, Bundle: r.Graph.Name(r.To)},
		Cause:   lint.OncePerPackage(),
	}
	var versions []string
	told := map[[2]string]bool{{r.Graph.Name(r.From), r.Graph.Name(r.To)}: true}
	for i := range lost {
		l := &lost[i]
		f.Faults = append(f.Faults, l.stored.CRD+"/"+l.stored.Version)
		f.WarningGates &= l.warningGates
		to := l.stored.At(r.Graph, r.To)
		f.Details = append(f.Details, lint.Related{Pos: to.Manifest.At("spec.versions"), Message: cmp.Or(l.path, l.name())})
		versions = append(versions, l.stored.Version)
		for j := range l.all {
			other := &l.all[j]
			f.Gates |= lint.OLMGates(other.V0, other.V1)
			if other.Graph != r.Graph {
				f.Channel = ""
			}
			if pair := [2]string{other.Graph.Name(other.From), other.Graph.Name(other.To)}; !told[pair] {
				told[pair] = true
				f.Also = append(f.Also, atEntry(other, l.stored.CRD))
			}
		}
	}
	slices.Sort(versions)
	f.Fix = lostFix(r, words.Some(slices.Compact(versions)), lost[0].migrated)
	f = f.At(lost[0].stored.At(r.Graph, r.To).Manifest, "spec.versions")
	from := lost[0].stored.At(r.Graph, r.From)
	f.Related = []lint.Related{{Pos: from.Manifest.At(versionPath(from, from.StorageVersion())), Message: "upgraded from here"}}
	if len(lost) == 1 {
		f.CRD, f.Details = lost[0].stored.CRD, nil
	}
	return f
}

// lostFix returns the fix for versions that an upgrade removes.
func lostFix(r *preflight.Rejected, versions string, migrated bool) string {
	keep := fmt.Sprintf("keep %s in %q, with served: false, until no cluster has it in status.storedVersions", versions, r.Graph.Name(r.To))
	if migrated {
		return keep + "; if the operator removes it there, add migratesStorage to the configuration"
	}
	return keep + ": OLM never removes it there"
}

// atEntry returns the place of another rejected upgrade: its target.
func atEntry(r *preflight.Rejected, crd string) lint.Occurrence {
	at := contents.AtBundle(r.Graph.Channel.Entries[r.To].Bundle, crd)
	at.Channel = r.Graph.Channel.Name.Value
	return at
}
