package preflight

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// maxDecoded bounds the JSON of the CRDs that are cached decoded, in bytes; decoded they are ten times as large. The two that are
// compared are always cached.
const maxDecoded = 2 << 20

// decodedCache has the CRDs that were used last, with their schemas.
type decodedCache struct {
	entries []decodedCRD // the last one last
	bytes   int
}

type decodedCRD struct {
	object     *catalogs.Object
	size       int // of its JSON
	definition *crd.Definition
	err        error
}

// get decodes a CRD, unless it is cached.
func (d *decodedCache) get(o *catalogs.Object) (*crd.Definition, error) {
	i := slices.IndexFunc(d.entries, func(c decodedCRD) bool { return c.object == o })
	if i < 0 {
		i = len(d.entries)
		text := o.JSON()
		one := decodedCRD{object: o, size: len(text)}
		one.definition, one.err = crd.Parse(text)
		d.entries = append(d.entries, one)
		d.bytes += one.size
	}
	one := d.entries[i]
	d.entries = append(slices.Delete(d.entries, i, i+1), one)
	for d.bytes > maxDecoded && len(d.entries) > 2 {
		d.bytes -= d.entries[0].size
		d.entries = slices.Delete(d.entries, 0, 1)
	}
	return one.definition, one.err
}

// clear removes all CRDs.
func (d *decodedCache) clear() { *d = decodedCache{} }

// definition returns a CRD that can be read, with its schemas.
func (p *Package) definition(c *CRD) *crd.Definition {
	whole, _ := p.decoded.get(c.Manifest.Object) // it was read before
	return whole
}
