package preflight

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// mostDecoded is how many bytes of JSON are held as decoded CRDs at most; decoded they are ten times as large. The two that are
// compared are always held.
const mostDecoded = 2 << 20

// decodedCRDs are the CRDs that were asked for last, with their schemas.
type decodedCRDs struct {
	held  []decodedCRD // the last one last
	bytes int
}

type decodedCRD struct {
	object *catalogs.Object
	size   int // of its JSON
	whole  *crd.Definition
	err    error
}

// of decodes a CRD, unless it was asked for lately.
func (d *decodedCRDs) of(o *catalogs.Object) (*crd.Definition, error) {
	i := slices.IndexFunc(d.held, func(c decodedCRD) bool { return c.object == o })
	if i < 0 {
		i = len(d.held)
		text := o.JSON()
		one := decodedCRD{object: o, size: len(text)}
		one.whole, one.err = crd.Parse(text)
		d.held = append(d.held, one)
		d.bytes += one.size
	}
	one := d.held[i]
	d.held = append(slices.Delete(d.held, i, i+1), one)
	for d.bytes > mostDecoded && len(d.held) > 2 {
		d.bytes -= d.held[0].size
		d.held = slices.Delete(d.held, 0, 1)
	}
	return one.whole, one.err
}

// forget lets go of all.
func (d *decodedCRDs) forget() { *d = decodedCRDs{} }

// whole returns a CRD that can be read, with its schemas.
func (p *Package) whole(c *CRD) *crd.Definition {
	whole, _ := p.decoded.of(c.Manifest.Object) // it was read before
	return whole
}
