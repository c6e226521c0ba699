package edit

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// patchItems removes and replaces items of a list, of which at least one is kept.
func (d *document) patchItems(list path, steps []step, errs []error) patch {
	n := at(&d.root, list)
	a := patch{path: list}
	gone, texts := map[int]bool{}, map[int]string{}
	var removals []int // of steps
	for i, s := range steps {
		if s.change.Kind == Remove {
			removals = append(removals, i)
			continue
		}
		var one patch
		if one, errs[i] = d.replace(s.path, s.change.Texts[0]); errs[i] == nil {
			texts[s.path.last()] = s.change.Texts[0]
			a.splices = append(a.splices, one.splices...)
		}
	}
	slices.SortFunc(removals, func(i, j int) int { return cmp.Compare(steps[j].path.last(), steps[i].path.last()) })
	c := d.cutter(n)
	for _, i := range removals {
		var s splice
		if s, errs[i] = c.cut(steps[i].path.last(), len(gone)); errs[i] == nil {
			gone[steps[i].path.last()] = true
			a.splices = append(a.splices, s)
		}
	}
	a.apply = func(n *tree.Node) {
		kept := make([]tree.Node, 0, len(n.Items))
		for i, item := range n.Items {
			if text, ok := texts[i]; ok {
				item = tree.Node{Kind: tree.String, Text: text}
			}
			if !gone[i] {
				kept = append(kept, item)
			}
		}
		n.Items = kept
	}
	return a
}

// cutter removes items from one list, from the last to the first.
type cutter struct {
	*document
	list  *tree.Node
	spans []span  // of the items of a list in brackets
	err   error   // why they are not known
	open  *splice // the last cut, if it reaches the end of a text without a final line break
	gone  int     // objects that are cut
}

func (d *document) cutter(list *tree.Node) *cutter {
	c := &cutter{document: d, list: list}
	if d.flow(list) {
		c.spans, c.err = d.items(list)
	}
	return c
}

// cut returns the splice that removes an item; gone is how many items after it are removed.
func (c *cutter) cut(i, gone int) (splice, error) {
	switch {
	case c.err != nil:
		return splice{}, c.err
	case c.flow(c.list):
		return c.flowCut(c.spans, i, i+1+gone == len(c.spans))
	}
	item, err := c.scalar(&c.list.Items[i], false)
	if err != nil {
		return splice{}, err
	}
	if _, ok := c.beforeItem(item.from); !ok || !endsLine(c.text, item.to) {
		return splice{}, ErrForm
	}
	s := c.lines(item.from, item.to)
	if c.open != nil && s.to > c.open.from && s.from > 0 { // the line break between them is removed already
		s = splice{from: s.from - len(lineBreakAt(c.text, s.from-1)), to: c.open.from}
	}
	if c.open = nil; c.text[s.from] == '\n' || c.text[s.from] == '\r' {
		c.open = &s
	}
	return s, nil
}
