package edit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// path is the path from the root to a value: the index of the field in an object, of the item in a list.
type path []int

func (p path) parent() path { return p[:len(p)-1] }
func (p path) last() int    { return p[len(p)-1] }

// parentOrRoot is parent, or the root.
func (p path) parentOrRoot() path { return p[:max(len(p)-1, 0)] }

// key returns a path as the key of a map.
func (p path) key() string {
	var b strings.Builder
	for _, i := range p {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte('/')
	}
	return b.String()
}

// nodeByPath returns the value at the end of a path.
func nodeByPath(n *tree.Node, p path) *tree.Node {
	for _, i := range p {
		if n.Kind == tree.Map {
			n = &n.Fields[i].Value
		} else {
			n = &n.Items[i]
		}
	}
	return n
}

// scalarAt is a scalar by its offset and its value: a string, or "" for null.
type scalarAt struct {
	off int
	was string
}

// findAll returns the paths of the scalars that changes are about, at most two for each.
func (d *document) findAll(changes []*pending) map[scalarAt][]path {
	wanted := map[scalarAt]bool{}
	for _, c := range changes {
		wanted[scalarAt{c.Off, c.Was}] = true
	}
	found := map[scalarAt][]path{}
	walk(&d.root, nil, func(n *tree.Node, p path) {
		at := scalarAt{n.Off, n.Text}
		if n.Kind == tree.Null {
			at.was = ""
		}
		if (n.Kind == tree.String || n.Kind == tree.Null) && wanted[at] && len(p) > 0 && len(found[at]) < 2 {
			found[at] = append(found[at], slices.Clone(p))
		}
	})
	return found
}

// uniquePath returns the path of the scalar that a change is about, of those that findAll returns for it.
func (d *document) uniquePath(c *pending, found []path) (path, error) {
	switch {
	case len(found) == 0:
		return nil, ErrChanged
	case len(found) > 1:
		return nil, errShared
	case c.Kind == Append && nodeByPath(&d.root, found[0].parent()).Kind != tree.Map:
		return nil, ErrForm
	case c.Kind == Replace && len(c.Texts) == 0:
		return nil, ErrForm
	}
	return found[0], nil
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

// fields returns the indexes of the fields that opm takes for a key, in any case.
func fields(n *tree.Node, key string) []int {
	var found []int
	for i := range n.Fields {
		if strings.EqualFold(n.Fields[i].Key, key) {
			found = append(found, i)
		}
	}
	return found
}

// equalNodes reports whether two values are equal except for their places.
func equalNodes(a, b *tree.Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Source != b.Source || len(a.Fields) != len(b.Fields) || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Fields {
		if a.Fields[i].Key != b.Fields[i].Key || !equalNodes(&a.Fields[i].Value, &b.Fields[i].Value) {
			return false
		}
	}
	for i := range a.Items {
		if !equalNodes(&a.Items[i], &b.Items[i]) {
			return false
		}
	}
	return true
}
