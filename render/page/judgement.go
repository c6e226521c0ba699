package page

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/readiness"
)

// Judgement is what a page says of the CRDs of a package and of OLM v1, which takes long to find.
type Judgement struct {
	// Failing are the upgrades that fail, by the names of both bundles.
	Failing   map[[2]string][]judge.Reason
	histories map[*catalogs.Channel][]judge.CRDHistory
	readiness *readiness.Package // for the newest release of OLM v1; nil if it is not of a catalog with edges, or has no bundle
	err       error
}

// NewJudgement checks a package of a catalog, of whose manifests something is known already. For what was before a change the catalog is nil.
func NewJudgement(of *catalogs.Catalog, p *catalogs.Package, known *judge.Package) *Judgement {
	checked := &Judgement{Failing: known.FailingUpgrades(), histories: map[*catalogs.Channel][]judge.CRDHistory{}}
	for _, c := range p.Channels {
		if p.Channel(c.Name.Value) == c {
			checked.histories[c] = known.VersionHistories(c)
		}
	}
	if of == nil || of.Edgeless() {
		return checked
	}
	one, err := readiness.NewestRelease().Package(&readiness.Source{Catalog: of}, p, known)
	if checked.err = err; err == nil && one.Choice != nil {
		checked.readiness = one
	}
	return checked
}

// judge checks the packages of a page that were not yet, and those before a change, several at a time.
func (p *Page) judge() {
	var todo []func()
	add := func(checked **Judgement, of *catalogs.Catalog, p *catalogs.Package) {
		if *checked == nil {
			todo = append(todo, func() { *checked = NewJudgement(of, p, judge.New(p, judge.Options{})) })
		}
	}
	for i := range p.Packages {
		one := &p.Packages[i]
		add(&one.Judgement, p.Catalog, one.PackageGraph.Package)
		if one.Before != nil {
			add(&one.Before.Judgement, nil, one.Before.PackageGraph.Package)
		}
		for _, other := range one.Others {
			add(&other.Judgement, nil, other.PackageGraph.Package)
		}
	}
	parallel.Each(len(todo), func(i int) { todo[i]() })
}
