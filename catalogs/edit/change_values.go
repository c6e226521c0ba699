package edit

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// applyChanges returns the value of the document after some changes, and those that can be made.
func (b *batch) applyChanges(some []*pending) (tree.Node, []*pending) {
	found := b.findAll(some)
	c := changer{batch: b, at: map[scalarAt][]*pending{}}
	for _, one := range some {
		at := scalarAt{one.Off, one.Was}
		if one.path, b.refused[one.index] = b.uniquePath(one, found[at]); b.refused[one.index] == nil {
			c.at[at] = append(c.at[at], one)
		}
	}
	root := clone(&b.root)
	c.value(&root, ErrForm)
	return root, slices.DeleteFunc(slices.Clone(some), func(one *pending) bool { return b.refused[one.index] != nil })
}

// changer changes a value.
type changer struct {
	*batch
	at map[scalarAt][]*pending
}

// scalarChanges returns the changes of a scalar.
func (c *changer) scalarChanges(n *tree.Node) []*pending {
	switch n.Kind {
	case tree.String:
		return c.at[scalarAt{n.Off, n.Text}]
	case tree.Null:
		return c.at[scalarAt{n.Off, ""}]
	}
	return nil
}

// value makes the changes in a value, and reports whether it is a list that lost all items. kept is why it must not.
func (c *changer) value(n *tree.Node, kept error) (emptied bool) {
	switch n.Kind {
	case tree.Map:
		c.object(n)
	case tree.List:
		return c.list(n, kept)
	}
	return false
}

// scalar makes the changes of one scalar, and reports whether it is removed. kept is why it must not be.
func (c *changer) scalar(n *tree.Node, kept error) (gone bool) {
	for _, one := range c.scalarChanges(n) {
		switch one.Kind {
		case Replace:
			*n = tree.Node{Kind: tree.String, Text: one.Texts[0], Place: n.Place}
		case Remove:
			c.refused[one.index] = kept
			gone = kept == nil
		}
	}
	return gone
}

func (c *changer) object(n *tree.Node) {
	was := *n
	was.Fields = slices.Clone(n.Fields)
	for i := range slices.Backward(was.Fields) {
		var kept error
		switch {
		case len(fields(&was, was.Fields[i].Key)) > 1:
			kept = errRepeat
		case len(n.Fields) == 1:
			kept = ErrForm
		}
		f := &n.Fields[i]
		if c.scalar(&f.Value, kept) || c.value(&f.Value, kept) {
			n.Fields = slices.Delete(n.Fields, i, i+1)
		}
	}
	for i := range slices.Backward(was.Fields) {
		for _, one := range c.scalarChanges(&was.Fields[i].Value) {
			if one.Kind == Append {
				c.refused[one.index] = appendTexts(n, one.Key, one.Texts)
			}
		}
	}
}

// appendTexts adds strings to the list under a key of an object.
func appendTexts(n *tree.Node, key string, texts []string) error {
	found := fields(n, key)
	switch {
	case len(found) > 1:
		return errRepeat
	case len(found) == 0:
		n.Fields = append(n.Fields, tree.Field{Key: key, Value: tree.Node{Kind: tree.List}})
		found = []int{len(n.Fields) - 1}
	}
	list := &n.Fields[found[0]].Value
	if list.Kind != tree.List {
		return ErrForm
	}
	err := errDone
	for _, text := range texts {
		if !slices.ContainsFunc(list.Items, func(n tree.Node) bool { return n.Kind == tree.String && n.Text == text }) {
			list.Items, err = append(list.Items, tree.Node{Kind: tree.String, Text: text}), nil
		}
	}
	return err
}

// list makes the changes of items, from the last one to the first.
func (c *changer) list(n *tree.Node, kept error) (emptied bool) {
	left := len(n.Items)
	if left == 0 {
		return false
	}
	items := make([]tree.Node, 0, left)
	for i := range slices.Backward(n.Items) {
		item := &n.Items[i]
		var why error
		if left == 1 {
			why = kept
		}
		if c.scalar(item, why) {
			left--
			continue
		}
		c.value(item, ErrForm)
		items = append(items, *item)
	}
	slices.Reverse(items)
	n.Items = items
	return left == 0
}
