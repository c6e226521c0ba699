package judge

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
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
	sum        crd.Sum
	size       int // of its JSON
	definition *crd.Definition
	err        error
}

// decode decodes a CRD, unless it is cached.
func (d *decodedCache) decode(sum crd.Sum, o *bundled.Object) (*crd.Definition, error) {
	i := slices.IndexFunc(d.entries, func(c decodedCRD) bool { return c.sum == sum })
	if i < 0 {
		i = len(d.entries)
		text := o.JSON()
		one := decodedCRD{sum: sum, size: len(text)}
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

// Results are what is known of CRDs, by what is judged of their texts: for all packages and catalogs of a run. It is safe for concurrent use. The zero
// value is ready.
type Results struct {
	outlines memo.Shared[crd.Sum, readOutline]
	faults   memo.Shared[crd.Sum, faults]
	changes  memo.Shared[[2]renderedCRD, changes]
	unseen   memo.Shared[[2]*crd.Outline, changes]
	rejected memo.Shared[[2]*crd.Outline, faults]
}

// Cache has what is known of manifests, which depends on their texts only: objects, what is decoded of them, and results of Checks. A
// Package and its base, which have most texts in common, can use it one after the other. It is not safe for concurrent use. The zero
// value is ready.
type Cache struct {
	reader  bundled.Manifests
	csvs    memo.Map[*bundled.Object, *csv.Document]
	decoded decodedCache
	byName  memo.Map[string, *sameName]
	results *Results
}

// Bytes returns the size of the JSON of the objects, as it is kept.
func (c *Cache) Bytes() int { return c.reader.Bytes() }

// sameName has what is known of the CRDs of one name.
type sameName struct {
	decoded *decodedCache
	sums    memo.Map[*bundled.Object, crd.Sum]
	broken  memo.Map[upgradedCRD, []BrokenExample]
}

// crdNamed returns what is known of the CRDs of a name.
func (k *Cache) crdNamed(crd string) *sameName {
	return k.byName.Get(crd, func() *sameName { return &sameName{decoded: &k.decoded} })
}

func (n *sameName) sum(o *bundled.Object) crd.Sum {
	return n.sums.Get(o, func() crd.Sum { return crd.NewSum(o.JSON()) })
}

// definition returns a CRD that can be read, with its schemas.
func (k *Cache) definition(c *CRD) *crd.Definition {
	of := k.crdNamed(c.Manifest.Name)
	whole, _ := of.decoded.decode(of.sum(c.Manifest.Object), c.Manifest.Object) // it was read before
	return whole
}
