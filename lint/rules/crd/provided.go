package crd

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
)

// provided has the versions of the kinds that a bundle provides, by Kind.group: from olm.gvk if the catalog has no manifests
// (operator-registry: all versions of an owned CRD, served or not).
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

// providedKinds caches the provided kinds of bundles.
type providedKinds struct {
	memo.Map[*catalogs.Bundle, provided]
}

// cachedProvided returns providedBy for a bundle, computed once for all rules.
func cachedProvided(p *lint.Pass, b *catalogs.Bundle) provided {
	return lint.Shared[providedKinds](p).Get(b, func() provided { return providedBy(p.Dependencies(b)) })
}

func (k provided) sorted() []string {
	var all []string
	for kind := range k {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

// eachKindUpgrade calls do for each kind that the old bundle of an upgrade provides, if one of the bundles has no manifests.
func eachKindUpgrade(p *lint.Pass, do func(s *preflight.Upgrade, kind string, old, new []string)) {
	steps := p.Preflight().Upgrades()
	for i := range steps {
		s := &steps[i]
		if s.From.HasManifests() && s.To.HasManifests() {
			continue
		}
		before, after := cachedProvided(p, s.From), cachedProvided(p, s.To)
		if len(after) == 0 {
			continue // its kinds are not known
		}
		for _, kind := range before.sorted() {
			do(s, kind, before[kind], after[kind])
		}
	}
}
