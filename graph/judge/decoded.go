package judge

import (
	"crypto/sha256"
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
	object     *bundled.Object
	size       int // of its JSON
	definition *crd.Definition
	err        error
}

// decode decodes a CRD, unless it is cached.
func (d *decodedCache) decode(o *bundled.Object) (*crd.Definition, error) {
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

// Cache has what is known of manifests, which depends on their texts only: objects, what is decoded of them, and results of Checks. A
// Package and its base, which have most texts in common, can use it one after the other. It is not safe for concurrent use. The zero
// value is ready.
type Cache struct {
	reader  bundled.Manifests
	csvs    memo.Map[*bundled.Object, *csv.Document]
	decoded decodedCache
	byName  memo.Map[string, *sameName]
}

// Bytes returns the size of the JSON of the objects, as it is kept.
func (c *Cache) Bytes() int { return c.reader.Bytes() }

// sameName has what is known of the CRDs of one name. Those that differ in descriptions only share it.
type sameName struct {
	decoded  *decodedCache
	firsts   memo.Map[*bundled.Object, *bundled.Object]
	bySum    memo.Map[[sha256.Size]byte, *bundled.Object]
	outlines memo.Map[*bundled.Object, readOutline]
	faults   memo.Map[*bundled.Object, faults]
	changes  memo.Map[[2]renderedCRD, changes]
	unseen   memo.Map[[2]*crd.Outline, changes]
	rejected memo.Map[[2]*crd.Outline, faults]
	broken   memo.Map[upgradedCRD, []BrokenExample]
}

// crdNamed returns what is known of the CRDs of a name.
func (k *Cache) crdNamed(crd string) *sameName {
	return k.byName.Get(crd, func() *sameName { return &sameName{decoded: &k.decoded} })
}

// first returns the first of the CRDs that are as this one but for descriptions.
func (n *sameName) first(o *bundled.Object) *bundled.Object {
	return n.firsts.Get(o, func() *bundled.Object {
		return n.bySum.Get(crd.Sum(o.JSON()), func() *bundled.Object { return o })
	})
}

// definition returns a CRD that can be read, with its schemas.
func (k *Cache) definition(c *CRD) *crd.Definition {
	of := k.crdNamed(c.Manifest.Name)
	whole, _ := of.decoded.decode(of.first(c.Manifest.Object)) // it was read before
	return whole
}
