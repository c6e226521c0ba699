package edit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// splicer finds the splices of a text after which the document has another value.
type splicer struct {
	*document
	root    tree.Node // the value, with keys as they are written
	splices []splice  // sorted
	faults  []fault
}

// fault is why something at a path, or in what is there, cannot be changed.
type fault struct {
	path path
	err  error
}

// spliceTo compares the document with the value that it is to have.
func (d *document) spliceTo(to *tree.Node) *splicer {
	r := &splicer{document: d}
	r.root = r.value(&d.root, to, nil)
	slices.SortStableFunc(r.splices, func(a, b splice) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return r
}

// note adds a splice, or why there is none.
func (r *splicer) note(s splice, err error, at path) {
	if err != nil {
		r.faults = append(r.faults, fault{slices.Clone(at), err})
	} else {
		r.splices = append(r.splices, s)
	}
}

// value compares two values, and returns the new one as it is written. Splices at one offset are in the order of the text.
func (r *splicer) value(old, to *tree.Node, p path) tree.Node {
	switch {
	case equalNodes(old, to):
	case old.Kind == tree.Map && to.Kind == tree.Map && len(old.Fields) > 0:
		return r.object(old, to, p)
	case old.Kind == tree.List && to.Kind == tree.List:
		return r.list(old, to, p)
	case (old.Kind == tree.String || old.Kind == tree.Null) && to.Kind == tree.String && len(p) > 0:
		s, err := r.scalar(old, r.flow(nodeByPath(&r.document.root, p.parent())))
		s2 := splice{s.from, s.to, r.quote(to.Text, r.quoteByte(old))}
		r.note(s2, err, p)
	default:
		r.note(splice{}, ErrForm, p)
	}
	return *to
}

func (r *splicer) object(old, to *tree.Node, p path) tree.Node {
	kept := map[int]*tree.Field{} // by the offset of the key
	added := map[int][]tree.Field{}
	var models []*tree.Node
	for i := range to.Fields {
		f := &to.Fields[i]
		if !isNew(f.Place) {
			kept[f.Off] = f
			continue
		}
		if models == nil {
			models = r.siblingModels(old, p)
		}
		if len(fields(old, f.Key)) > 0 {
			r.note(splice{}, errRepeat, p)
		}
		one := tree.Field{Key: spellKey(f.Key, models), Value: f.Value}
		behind := r.insertIndex(old, one.Key, models)
		added[behind] = append(added[behind], one)
	}
	out := *old
	out.Fields = make([]tree.Field, 0, len(to.Fields))
	for i := range old.Fields {
		f := old.Fields[i]
		if stays := kept[f.Off]; stays != nil {
			f.Value = r.value(&f.Value, &stays.Value, append(p, i))
			out.Fields = append(out.Fields, f)
		} else {
			s, err := r.cutField(old, i)
			r.note(s, err, append(p, i))
		}
		for j := range added[i] {
			s, err := r.insertField(old, i, &added[i][j], models)
			r.note(s, err, p)
		}
		out.Fields = append(out.Fields, added[i]...)
	}
	return out
}

// siblingModels returns an object and those beside it, the nearest first: what is new in it is written as they are.
func (r *splicer) siblingModels(object *tree.Node, p path) []*tree.Node {
	models := []*tree.Node{object}
	if len(p) > 0 {
		if list := nodeByPath(&r.document.root, p.parent()); list.Kind == tree.List {
			for _, m := range nearestItems(list.Items, p.last()) {
				if m != object {
					models = append(models, m)
				}
			}
		}
	}
	return models
}

func (r *splicer) list(old, to *tree.Node, p path) tree.Node {
	switch object := r.parent(p); {
	case len(old.Items) == 0 && object != nil && r.flow(old):
		s, err := r.fill(object, p.last(), to.Items)
		r.note(s, err, p.parentOrRoot())
		return *to
	case len(old.Items) > 0 && len(to.Items) > 0 && areNew(to.Items):
		return r.otherList(old, to, p)
	}
	out := *old
	out.Items = make([]tree.Node, 0, len(to.Items))
	var gone []int
	next := 0 // of the old items
	for i := range to.Items {
		item := &to.Items[i]
		if isNew(item.Place) {
			if areNew(to.Items[i:]) { // they are added behind what is removed
				for ; next < len(old.Items); next++ {
					gone = append(gone, next)
				}
			}
			s, value, err := r.insertItem(old, next, item, r.parent(p))
			r.note(s, err, p.parentOrRoot())
			out.Items = append(out.Items, value)
			continue
		}
		for ; next < len(old.Items) && old.Items[next].Off != item.Off; next++ {
			gone = append(gone, next)
		}
		if next == len(old.Items) {
			r.note(splice{}, ErrChanged, p)
			return *to
		}
		out.Items = append(out.Items, r.value(&old.Items[next], item, append(p, next)))
		next++
	}
	for ; next < len(old.Items); next++ {
		gone = append(gone, next)
	}
	cut := r.cutter(old)
	for _, i := range slices.Backward(gone) {
		s, err := cut.removeItem(i)
		r.note(s, err, append(p, i))
	}
	return out
}

// otherList writes a list of which no item stays.
func (r *splicer) otherList(old, to *tree.Node, p path) tree.Node {
	value := r.respell(*to, []*tree.Node{old})
	made := r.applyStyle(&value, []*tree.Node{old}, r.flow(old))
	first, end := old.Items[0].Off, lineBreakAt(r.text, old.Off)
	var s splice
	var err error
	before, inLine := r.beforeItem(first)
	switch {
	case r.flow(old):
		s = splice{old.Off, max(r.bracketEnd(old.Off), old.Off), made.text(end)}
	case inLine:
		indent := before[:len(before)-len(strings.TrimLeft(before, " "))]
		s = splice{lineStart(r.text, first), r.itemEnd(old.Items[len(old.Items)-1].Off), made.indent(indent, end)}
		if r.text[s.to-1] == '\n' {
			s.text += end
		}
	default:
		err = ErrForm
	}
	if err == nil && bytes.IndexByte(r.text[s.from:s.to], '#') >= 0 && !r.json {
		err = errComment
	}
	r.note(s, err, p)
	return value
}

// parent returns the object that has the value at a path as a field, or nil.
func (r *splicer) parent(p path) *tree.Node {
	if len(p) > 0 {
		if object := nodeByPath(&r.document.root, p.parent()); object.Kind == tree.Map {
			return object
		}
	}
	return nil
}

// isNew reports whether a value is not in the text.
func isNew(p tree.Place) bool { return p.Line == 0 }

func areNew(items []tree.Node) bool {
	return !slices.ContainsFunc(items, func(n tree.Node) bool { return !isNew(n.Place) })
}
