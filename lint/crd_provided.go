package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph/preflight"
)

// provided are the kinds that a bundle provides, as Kind.group, with their versions: what olm.gvk says where the catalog has no
// manifests (operator-registry: every version of an owned CRD, served or not).
type provided map[string][]string

// providedBy returns the kinds that a bundle provides.
func providedBy(deps *catalogs.Dependencies) provided {
	kinds := provided{}
	for _, api := range deps.Provides {
		key := api.Kind + "." + api.Group
		kinds[key] = append(kinds[key], api.Version)
	}
	return kinds
}

// providedKinds are the kinds that bundles provide.
type providedKinds struct {
	memo.Map[*catalogs.Bundle, provided]
}

// provides is providedBy that remembers.
func provides(p *Pass, b *catalogs.Bundle) provided {
	return Shared[providedKinds](p).Get(b, func() provided { return providedBy(p.dependencies(b)) })
}

func (k provided) sorted() []string {
	var all []string
	for kind := range k {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

// eachKindUpgrade calls do for each kind that the older bundle of an upgrade provides, where the catalog lacks the manifests of
// one of the two.
func eachKindUpgrade(p *Pass, do func(s *preflight.Upgrade, kind string, old, new []string)) {
	steps := p.Preflight().Upgrades()
	for i := range steps {
		s := &steps[i]
		if s.From.HasManifests() && s.To.HasManifests() {
			continue
		}
		before, after := provides(p, s.From), provides(p, s.To)
		if len(after) == 0 {
			continue // nobody knows what it provides, if anything
		}
		for _, kind := range before.sorted() {
			do(s, kind, before[kind], after[kind])
		}
	}
}

// droppedKind words that a kind is no longer provided.
func droppedKind(s *preflight.Upgrade, kind string) Finding {
	return Finding{
		Subject: Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		Cause:   []string{kind},
		Pos:     s.To.Pos,
		Message: fmt.Sprintf("%q no longer provides %s, which %q does: OLM v0 leaves its objects without an operator, OLM v1 deletes them",
			s.To.Name.Value, kind, s.From.Name.Value),
		Fix:     "keep the CRD, or document before the upgrade what to do with the objects",
		Related: []Related{{Pos: s.From.Pos, Message: "this one does"}},
	}
}

// goneVersions returns the versions of a kind that are not provided any more.
func goneVersions(old, new []string) []string {
	return slices.DeleteFunc(slices.Clone(old), func(v string) bool { return slices.Contains(new, v) })
}

// goneVersion words that versions of a kind are not provided any more. Whether they were served nobody can tell.
func goneVersion(s *preflight.Upgrade, kind string, gone []string) Finding {
	return Finding{
		Severity: Info,
		Subject:  Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		Cause:    append([]string{kind}, gone...),
		Pos:      s.To.Pos,
		Message: fmt.Sprintf("the upgrade from %[3]q to %[4]q removes %[1]s of %[2]s%[5]s: clients that use it fail, and the upgrade is refused where objects are stored in it",
			strings.Join(gone, " and "), kind, s.From.Name.Value, s.To.Name.Value, leap(s)),
		Fix:     "give the manifests with --bundles FOLDER to check; before a version is removed, it is no longer served, then no longer stored",
		Related: []Related{{Pos: s.From.Pos, Message: "this one has it"}},
	}
}
