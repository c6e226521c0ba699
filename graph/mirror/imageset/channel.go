package imageset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// channel is the graph of a channel by the rules of oc-mirror, in which a name that is replaced or skipped is an entry even if the channel
// has none of this name (catalog-filter: newChannel).
type channel struct {
	head     string
	replaces map[string]string
	skips    map[string][]string
	incoming map[string]map[string]bool // by entry, the entries that replace or skip it
}

// newChannel returns the graph of a channel, and an error where oc-mirror has one: without exactly one head, with a cycle, and with an entry
// that is there twice or leads to itself.
func newChannel(ch *catalogs.Channel) (*channel, error) {
	if len(ch.Entries) == 0 {
		return nil, errors.New("it has no entries")
	}
	c := &channel{replaces: map[string]string{}, skips: map[string][]string{}, incoming: map[string]map[string]bool{}}
	var first error
	seen := map[string]bool{}
	for i := range ch.Entries {
		e := &ch.Entries[i]
		if seen[e.Name.Value] {
			first = cmp.Or(first, fmt.Errorf("entry %q is listed twice", e.Name.Value))
			continue
		}
		seen[e.Name.Value] = true
		first = cmp.Or(first, c.add(e))
	}
	var heads []string
	for i := range ch.Entries {
		if name := ch.Entries[i].Name.Value; len(c.incoming[name]) == 0 {
			heads = append(heads, name)
		}
	}
	if len(heads) != 1 {
		slices.Sort(heads)
		first = cmp.Or(first, fmt.Errorf("it has %d heads%s", len(heads), list(heads)))
	}
	if first != nil {
		return nil, first
	}
	if c.head = heads[0]; c.cyclic() {
		return nil, errors.New("replaces and skips form a cycle")
	}
	return c, nil
}

func list(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// add adds the edges of an entry. It is an error if one leads to the entry itself.
func (c *channel) add(e *catalogs.Entry) (err error) {
	name := e.Name.Value
	into := func(target string) {
		if target == name {
			err = fmt.Errorf("entry %q replaces or skips itself", name)
		}
		if c.incoming[target] == nil {
			c.incoming[target] = map[string]bool{}
		}
		c.incoming[target][name] = true
	}
	if e.Replaces.Value != "" {
		c.replaces[name] = e.Replaces.Value
		into(e.Replaces.Value)
	}
	for _, skip := range e.Skips {
		if !slices.Contains(c.skips[name], skip.Value) {
			c.skips[name] = append(c.skips[name], skip.Value)
		}
		into(skip.Value)
	}
	return err
}

// cyclic reports whether an edge remains when entries without incoming edges are taken away one after the other, the head first. It uses up
// the incoming edges.
func (c *channel) cyclic() bool {
	for queue := []string{c.head}; len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		targets := c.skips[name]
		if r, ok := c.replaces[name]; ok {
			targets = append([]string{r}, targets...)
		}
		for _, target := range targets {
			if c.incoming[target] == nil {
				continue
			}
			if delete(c.incoming[target], name); len(c.incoming[target]) == 0 {
				delete(c.incoming, target)
				queue = append(queue, target)
			}
		}
	}
	return len(c.incoming) > 0
}

// chain returns the names from the head along replaces.
func (c *channel) chain() []string {
	names := []string{c.head}
	for name, ok := c.replaces[c.head]; ok; name, ok = c.replaces[name] {
		names = append(names, name)
	}
	return names
}

// keptSegment returns what a range keeps: the shortest segment of the chain below which, skipped entries included, everything in the range is; of
// the skipped ones those in the range (catalog-filter: filterByVersionRange). A name without a bundle has no version, and is in no range.
func (c *channel) keptSegment(in func(name string) bool) map[string]bool {
	chain := c.chain()
	counts := make([]int, len(chain)+1) // of what is in the range at an entry or below it
	seen := map[string]bool{}
	for i, name := range slices.Backward(chain) {
		counts[i] = counts[i+1]
		for _, one := range append([]string{name}, c.skips[name]...) {
			if !seen[one] && in(one) {
				seen[one] = true
				counts[i]++
			}
		}
	}
	head, tail := 0, len(chain)
	for i := range chain {
		if counts[i] >= counts[head] {
			head = i
		}
		if counts[i] == 0 {
			tail = i
			break
		}
	}
	kept := map[string]bool{}
	for i := head; i < tail; i++ {
		kept[chain[i]] = true
		for _, skip := range c.skips[chain[i]] {
			if in(skip) {
				kept[skip] = true
			}
		}
	}
	return kept
}
