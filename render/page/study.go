package page

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/readiness"
)

// study is what the data of a package needs and takes long to find.
type study struct {
	histories [][]preflight.CRDHistory // by channel
	readiness *readiness.Package       // for the newest release of OLM v1; nil if it is not of a catalog with edges, or has no bundle
	err       error
}

// studies studies the packages of a page, and what they were before a change, several at a time.
func studies(p *Page) map[*graph.PackageGraph]*study {
	all, of := map[*graph.PackageGraph]*study{}, []*graph.PackageGraph{}
	catalog := map[*graph.PackageGraph]*catalogs.Catalog{}
	for i := range p.Packages {
		one := &p.Packages[i]
		of, all[one.PackageGraph], catalog[one.PackageGraph] = append(of, one.PackageGraph), &study{}, p.Catalog
		if one.Before != nil {
			of, all[one.Before.PackageGraph] = append(of, one.Before.PackageGraph), &study{}
		}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(of), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(of); i = int(next.Add(1)) - 1 {
				all[of[i]].read(of[i], catalog[of[i]])
			}
		})
	}
	wg.Wait()
	return all
}

// read studies a package of a catalog, which is nil for what was before a change.
func (s *study) read(a *graph.PackageGraph, of *catalogs.Catalog) {
	crds := preflight.New(a.Package, preflight.Options{})
	for _, c := range a.Graphs {
		s.histories = append(s.histories, crds.VersionHistories(c.Channel))
	}
	if of == nil || of.Edgeless() {
		return
	}
	all, err := readiness.Newest().Packages([]readiness.Source{{Catalog: of}}, a.Package.Name.Value)
	if s.err = err; err == nil && len(all) > 0 && all[0].Choice != nil {
		s.readiness = all[0]
	}
}
