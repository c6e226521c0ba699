package open

import (
	"context"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Pulled has the bundle images of catalogs, which are pulled once a bundle of their package is asked for.
type Pulled struct {
	// Pull pulls the image of a bundle, and reports whether it is there. It is called once for each image, several times at once.
	Pull func(image string) bool

	store *ImageStore
	tried memo.Shared[string, bool] // by the reference of the image
}

// NewPulled returns what reads the images that a Puller has.
func NewPulled(ctx context.Context, dir string, images *image.Puller, o form.Options) *Pulled {
	return &Pulled{store: newStore(ctx, "oci:"+dir, images.Open, o)}
}

// WithFirst returns a Supply that asks another one first, which may be nil.
func (p *Pulled) WithFirst(first catalogs.Supply) catalogs.Supply {
	return &pulledAfter{Pulled: p, first: first}
}

type pulledAfter struct {
	*Pulled
	first    catalogs.Supply
	packages memo.Shared[*catalogs.Package, struct{}] // that have been pulled for
}

// Bundle implements catalogs.Supply.
func (p *pulledAfter) Bundle(pkg *catalogs.Package, b *catalogs.Bundle) (with *catalogs.Bundle, misfit string) {
	if with, misfit = p.askFirst(pkg, b); with != nil {
		return with, misfit
	}
	p.packages.Get(pkg, func() (done struct{}) { p.pullFor(pkg); return done })
	if !p.pull(b.Image.Value) {
		return nil, misfit
	}
	return p.store.Bundle(pkg, b)
}

func (p *pulledAfter) askFirst(pkg *catalogs.Package, b *catalogs.Bundle) (with *catalogs.Bundle, misfit string) {
	if p.first == nil {
		return nil, ""
	}
	return p.first.Bundle(pkg, b)
}

// pullFor pulls the images of all bundles of a package that have no manifests.
func (p *pulledAfter) pullFor(pkg *catalogs.Package) {
	var lacking []*catalogs.Bundle
	for _, b := range pkg.Bundles {
		if b.HasOwnManifests() {
			continue
		}
		if with, _ := p.askFirst(pkg, b); with == nil {
			lacking = append(lacking, b)
		}
	}
	parallel.EachOn(image.PulledAtOnce, len(lacking), func(i int) { p.pull(lacking[i].Image.Value) })
}

// ImageBundle pulls an image, and returns the bundle in it; nil if it could not be had.
func (p *Pulled) ImageBundle(ref string) *catalogs.Bundle {
	if !p.pull(ref) {
		return nil
	}
	return p.store.ImageBundle(ref)
}

// pull pulls the image of a bundle unless that was tried before, and reports whether it is there.
func (p *Pulled) pull(ref string) bool {
	return ref != "" && p.tried.Get(ref, func() bool { return p.Pull(ref) })
}

// Sources implements catalogs.Supply.
func (p *pulledAfter) Sources() []*source.Source {
	all := p.store.Sources()
	if p.first != nil {
		all = append(p.first.Sources(), all...)
	}
	return all
}
