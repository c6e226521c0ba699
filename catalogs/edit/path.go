package edit

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// path leads from the root to a value: at an object the index of the field, at a list that of the item.
type path []int

func (p path) parent() path { return p[:len(p)-1] }
func (p path) last() int    { return p[len(p)-1] }

// at returns the value at the end of a path.
func at(n *tree.Node, p path) *tree.Node {
	for _, i := range p {
		if n.Kind == tree.Map {
			n = &n.Fields[i].Value
		} else {
			n = &n.Items[i]
		}
	}
	return n
}

// find returns the path to the one scalar that a change means.
func (d *document) find(c At) (path, error) {
	var found []path
	walk(&d.root, nil, func(n *tree.Node, p path) {
		if n.Off == c.Off && means(n, c.Was) && len(p) > 0 {
			found = append(found, slices.Clone(p))
		}
	})
	switch {
	case len(found) == 0:
		return nil, ErrGone
	case len(found) > 1:
		return nil, ErrShared
	case c.Kind == Append && at(&d.root, found[0].parent()).Kind != tree.Map:
		return nil, ErrForm
	case c.Kind == Replace && len(c.Texts) == 0:
		return nil, ErrForm
	}
	return found[0], nil
}

// means reports whether a scalar is the string was.
func means(n *tree.Node, was string) bool {
	return n.Kind == tree.String && n.Text == was || n.Kind == tree.Null && was == ""
}

func walk(n *tree.Node, p path, visit func(*tree.Node, path)) {
	visit(n, p)
	for i := range n.Fields {
		walk(&n.Fields[i].Value, append(p, i), visit)
	}
	for i := range n.Items {
		walk(&n.Items[i], append(p, i), visit)
	}
}

// fields returns the indexes of the fields that opm would take for a key, whatever their case.
func fields(n *tree.Node, key string) []int {
	var found []int
	for i := range n.Fields {
		if strings.EqualFold(n.Fields[i].Key, key) {
			found = append(found, i)
		}
	}
	return found
}

// with returns the root with the value at a path changed; the rest is shared.
func with(n tree.Node, p path, change func(*tree.Node)) tree.Node {
	if len(p) == 0 {
		change(&n)
		return n
	}
	if n.Kind == tree.Map {
		n.Fields = slices.Clone(n.Fields)
		n.Fields[p[0]].Value = with(n.Fields[p[0]].Value, p[1:], change)
	} else {
		n.Items = slices.Clone(n.Items)
		n.Items[p[0]] = with(n.Items[p[0]], p[1:], change)
	}
	return n
}

// same reports whether two values say the same, wherever they stand.
func same(a, b *tree.Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Source != b.Source {
		return false
	}
	return slices.EqualFunc(a.Fields, b.Fields, func(f, g tree.Field) bool { return f.Key == g.Key && same(&f.Value, &g.Value) }) &&
		slices.EqualFunc(a.Items, b.Items, func(x, y tree.Node) bool { return same(&x, &y) })
}
