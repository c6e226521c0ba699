package page

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/readiness"
)

// Preflight is what a page says of the CRDs of a package and of OLM v1, which takes long to find.
type Preflight struct {
	// Failing are the upgrades that fail, by the names of both bundles.
	Failing   map[[2]string][]judge.Reason
	histories map[*catalogs.Channel][]judge.CRDHistory
	readiness *readiness.Package // for the newest release of OLM v1; nil if it is not of a catalog with edges, or has no bundle
	err       error
}

// NewPreflight checks a package of a catalog, of whose manifests something is known already. For what was before a change the catalog is nil.
func NewPreflight(of *catalogs.Catalog, p *catalogs.Package, known *judge.Package) *Preflight {
	checked := &Preflight{Failing: known.Failing(), histories: map[*catalogs.Channel][]judge.CRDHistory{}}
	for _, c := range p.Channels {
		if p.Channel(c.Name.Value) == c {
			checked.histories[c] = known.VersionHistories(c)
		}
	}
	if of == nil || of.Edgeless() {
		return checked
	}
	one, err := readiness.Newest().Package(&readiness.Source{Catalog: of}, p, known)
	if checked.err = err; err == nil && one.Choice != nil {
		checked.readiness = one
	}
	return checked
}

// preflight checks the packages of a page that were not yet, and those before a change, several at a time.
func (p *Page) preflight() {
	var todo []func()
	add := func(checked **Preflight, of *catalogs.Catalog, p *catalogs.Package) {
		if *checked == nil {
			todo = append(todo, func() { *checked = NewPreflight(of, p, judge.New(p, judge.Options{})) })
		}
	}
	for i := range p.Packages {
		one := &p.Packages[i]
		add(&one.Preflight, p.Catalog, one.PackageGraph.Package)
		if one.Before != nil {
			add(&one.Before.Preflight, nil, one.Before.PackageGraph.Package)
		}
	}
	parallel.Each(len(todo), func(i int) { todo[i]() })
}
