package edit

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Kind says what a Change does.
type Kind int

const (
	// Remove removes the value from a list, or its field from an object. A list without other items is removed with its key.
	Remove Kind = iota
	// Replace replaces the string by Texts[0].
	Replace
	// Append adds Texts to the list under Key of the object that has the string as a field. Those that the list has already are left
	// out; if there is no such list it is created.
	Append
)

// Change is what to do with a value. It is rejected if the value is not Was.
type Change struct {
	Kind  Kind
	Was   string // "" for an empty string or null
	Key   string // of the list to append to
	Texts []string
}

// ChangeAt is a Change of the value that starts at an offset of a document.
type ChangeAt struct {
	Off int
	Change
}

// Apply applies changes to one document, which is JSON or YAML. It returns the new text, and for each change nil or why it was rejected.
// The text that it gets is not modified.
func Apply(text []byte, json bool, changes []ChangeAt) ([]byte, []error) {
	refused := make([]error, len(changes))
	d, err := read(text, json)
	if err != nil {
		for i := range refused {
			refused[i] = err
		}
		return text, refused
	}
	order := make([]int, len(changes))
	for i := range order {
		order[i] = i
	}
	// From the last one to the first, as if they were made one after the other and none moved the value of another one.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(changes[b].Off, changes[a].Off) })
	b := batch{document: d, refused: refused}
	repeated := map[int]int{}
	for n, i := range order {
		switch {
		case n > 0 && repeats(changes[order[n-1]], changes[i]):
			repeated[i] = order[n-1]
		case n > 0 && clash(changes[order[n-1]], changes[i]):
			refused[i] = ErrChanged
		default:
			b.all = append(b.all, &pending{ChangeAt: changes[i], index: i})
		}
	}
	b.attempt(b.all)
	for _, i := range order {
		if first, ok := repeated[i]; ok {
			refused[i] = refused[first]
		}
	}
	return d.text, refused
}

// repeats reports whether two changes are the same.
func repeats(a, b ChangeAt) bool {
	return a.Off == b.Off && a.Kind == b.Kind && a.Key == b.Key && slices.Equal(a.Texts, b.Texts)
}

// clash reports whether the second of two changes does not find its value after the first one.
func clash(a, b ChangeAt) bool { return a.Off == b.Off && (a.Kind != Append || b.Kind != Append) }

// batch applies changes to a document.
type batch struct {
	*document
	all     []*pending
	refused []error
	checked int // bytes that were parsed to check texts
}

// pending is a change, with the offset that its value has by now.
type pending struct {
	ChangeAt
	index int // of the change
	path  path
}

// maxChecked bounds how much text is parsed for one document while changes fail, in bytes.
const maxChecked = 256 << 20

// attempt applies changes together, so that a document with thousands of them is parsed once. If that fails, those that cannot be made with
// the others are made alone, and each half if these are not known.
func (b *batch) attempt(some []*pending) {
	to, some := b.changed(some)
	if len(some) == 0 {
		return
	}
	r := b.revision(&to)
	if len(r.faults) > 0 {
		b.apart(r, some)
		return
	}
	b.checked += len(b.text)
	if b.commit(r.splices, r.root) == nil {
		b.move(r.splices)
		return
	}
	if len(some) == 1 || b.checked > maxChecked {
		for _, c := range some {
			b.refused[c.index] = ErrUnsure
		}
		return
	}
	half := len(some) / 2
	b.attempt(some[:half])
	b.attempt(some[half:])
}

// apart applies those changes that have no fault together, and then each of the others.
func (b *batch) apart(r *revision, some []*pending) {
	if len(some) == 1 {
		b.refused[some[0].index] = r.faults[0].err
		return
	}
	about := map[string]bool{}
	for _, f := range r.faults {
		about[f.path.key()] = true
	}
	var good, others []*pending
	for _, c := range some {
		found := false
		for i := 0; i <= len(c.path) && !found; i++ {
			found = about[c.path[:i].key()]
		}
		if found {
			others = append(others, c)
		} else {
			good = append(good, c)
		}
	}
	b.attempt(good)
	for _, c := range others {
		b.attempt([]*pending{c})
	}
}

// move moves the offsets of the changes as splices have moved their values.
func (b *batch) move(splices []splice) {
	by, next := 0, 0
	for _, c := range slices.Backward(b.all) { // their order is from the last one to the first
		for next < len(splices) && splices[next].to <= c.Off {
			by += len(splices[next].text) - (splices[next].to - splices[next].from)
			next++
		}
		c.Off += by
	}
}

// changed returns the value of the document after some changes, and those that can be made.
func (b *batch) changed(some []*pending) (tree.Node, []*pending) {
	found := b.findAll(some)
	c := changer{batch: b, at: map[scalarAt][]*pending{}}
	for _, one := range some {
		at := scalarAt{one.Off, one.Was}
		if one.path, b.refused[one.index] = b.pathOf(one, found[at]); b.refused[one.index] == nil {
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

// of returns the changes of a scalar.
func (c *changer) of(n *tree.Node) []*pending {
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
	for _, one := range c.of(n) {
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
			kept = ErrRepeat
		case len(n.Fields) == 1:
			kept = ErrForm
		}
		f := &n.Fields[i]
		if c.scalar(&f.Value, kept) || c.value(&f.Value, kept) {
			n.Fields = slices.Delete(n.Fields, i, i+1)
		}
	}
	for i := range slices.Backward(was.Fields) {
		for _, one := range c.of(&was.Fields[i].Value) {
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
		return ErrRepeat
	case len(found) == 0:
		n.Fields = append(n.Fields, tree.Field{Key: key, Value: tree.Node{Kind: tree.List}})
		found = []int{len(n.Fields) - 1}
	}
	list := &n.Fields[found[0]].Value
	if list.Kind != tree.List {
		return ErrForm
	}
	err := ErrDone
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
