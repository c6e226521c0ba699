package catalogs

import (
	"encoding/base64"
	"hash/maphash"
	"strconv"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// clean remembers the heavy values in which no fault was found: the same one stands in dozens of bundles.
type clean struct {
	seed maphash.Seed
	seen sync.Map // of uint64
}

// Check reads the heavy properties of the bundle again and returns what opm would refuse in them.
func (b *Bundle) Check() []Problem {
	heavy := false
	for i := range b.Properties {
		heavy = heavy || b.Properties[i].heavy != nil
	}
	if !heavy {
		return nil
	}
	buffer := b.raw.file.source.buffers.Get()
	defer b.raw.file.source.buffers.Put(buffer)
	text, err := b.raw.read(buffer)
	d := partDecoder(b.raw.file, b.raw.json)
	d.pkg, d.bundle = b.Package.Value, b.Name.Value
	if err != nil {
		d.problem(ParseProblem, b.raw.at, "cannot be read a second time: %v", err)
		return d.problems
	}
	for i := range b.Properties {
		if p := &b.Properties[i]; p.heavy != nil {
			d.checkHeavy(p, b.raw, text)
		}
	}
	return d.problems
}

func (d *decoder) checkHeavy(p *Property, doc document, text []byte) {
	memo := &doc.file.source.clean
	shape := propertyShapes[p.Type.Value]
	var key uint64
	if p.heavy.Kind == tree.Raw {
		value := text[p.heavy.Off:p.heavy.End]
		key = maphash.Bytes(memo.seed, value) ^ uint64(len(p.Type.Value))
		if _, ok := memo.seen.Load(key); ok {
			return
		}
		if doc.fits(text, *p.heavy, shape) {
			memo.seen.Store(key, nil)
			return
		}
	}
	found := len(d.problems)
	n, err := doc.expand(text, *p.heavy)
	if err != nil {
		d.syntax(err)
		return
	}
	if p.Type.Value == TypeBundleObject {
		d.checkObject(&n)
	} else {
		d.shape(&n, shape, &where{key: p.Type.Value})
	}
	if len(d.problems) == found && key != 0 {
		memo.seen.Store(key, nil)
	}
}

// checkObject wants the data of an olm.bundle.object to be base64 of something that converts to JSON. opm converts only
// what does not begin with a brace, and looks at its first document only.
func (d *decoder) checkObject(n *tree.Node) {
	at := &where{key: TypeBundleObject}
	if !d.objectAt(n, at) {
		return
	}
	for v := range d.values(n, "data") {
		found := len(d.problems)
		if d.checkBytes(v, &where{up: at, key: "data"}); len(d.problems) > found {
			continue
		}
		data := bytesOf(v)
		if stream.LooksLikeObject(data) {
			continue
		}
		if _, _, err := tree.ParseYAML(data, tree.Place{Line: 1, Col: 1}, nil); err != nil {
			d.problem(BundleObject, v.Place, "line %d of the object that this holds in base64: %s", err.Line, err.Msg)
		}
	}
}

// bytesOf decodes what checkBytes finds right.
func bytesOf(n *tree.Node) []byte {
	if n.Kind != tree.List {
		data, _ := base64.StdEncoding.DecodeString(n.Text)
		return data
	}
	data := make([]byte, len(n.Items))
	for i := range n.Items {
		b, _ := strconv.ParseUint(n.Items[i].Text, 10, 8) // null is 0
		data[i] = byte(b)
	}
	return data
}
