package page

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/readiness"
)

// Study is what a page says of the CRDs of a package and of OLM v1, which takes long to find.
type Study struct {
	histories map[*catalogs.Channel][]preflight.CRDHistory
	readiness *readiness.Package // for the newest release of OLM v1; nil if it is not of a catalog with edges, or has no bundle
	err       error
}

// NewStudy studies a package of a catalog, of whose manifests something is known already. For what was before a change the catalog is nil.
func NewStudy(of *catalogs.Catalog, p *catalogs.Package, known *preflight.Package) *Study {
	s := &Study{histories: map[*catalogs.Channel][]preflight.CRDHistory{}}
	for _, c := range p.Channels {
		if p.Channel(c.Name.Value) == c {
			s.histories[c] = known.VersionHistories(c)
		}
	}
	if of == nil || of.Edgeless() {
		return s
	}
	one, err := readiness.Newest().Package(&readiness.Source{Catalog: of}, p, known)
	if s.err = err; err == nil && one.Choice != nil {
		s.readiness = one
	}
	return s
}

// study studies the packages of a page that are not yet, and what they were before a change, several at a time.
func (p *Page) study() {
	var todo []func()
	add := func(s **Study, of *catalogs.Catalog, p *catalogs.Package) {
		if *s == nil {
			todo = append(todo, func() { *s = NewStudy(of, p, preflight.New(p, preflight.Options{})) })
		}
	}
	for i := range p.Packages {
		one := &p.Packages[i]
		add(&one.Study, p.Catalog, one.PackageGraph.Package)
		if one.Before != nil {
			add(&one.Before.Study, nil, one.Before.PackageGraph.Package)
		}
	}
	parallel.Each(len(todo), func(i int) { todo[i]() })
}
