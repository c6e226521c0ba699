package release

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// need is what the release must also do in a channel, so that the package is right: names by the kind of an option.
type need [forwards][]string

func (n need) key() string {
	var parts [len(n)]string
	for i, names := range n {
		parts[i] = strings.Join(slices.Sorted(slices.Values(names)), "\x00")
	}
	return strings.Join(parts[:], "\x01")
}

// option is something that helps a package that lacks something.
type option struct {
	kind    optionKind
	channel string // "" of avoid is all
	name    string
	forward *Edit // of a channel that was not requested
}

type optionKind uint8

const (
	leads    optionKind = iota // the name, too, is upgraded to the head under OLM v0
	covers                     // the release replaces, skips or covers it
	avoids                     // the release does not
	keeps                      // the entry keeps what it replaces
	forwards                   // an entry of another channel skips the release or a head
)

// node is needs of the requested channels, and edits of others. The best edits of each channel with which its needs are met cost no more
// than any right answer that does what led to the node: for each lack of a package some option is part of every right answer.
type node struct {
	needs   map[string]need
	forward []Edit
	best    *solution
	depth   int
	order   int // in which they were found
}

func (n *node) key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(n.needs)) {
		b.WriteString(name + "\x02" + n.needs[name].key() + "\x03")
	}
	for _, e := range n.forward {
		b.WriteString(e.Channel + "\x02" + e.Entry + "\x03")
	}
	return b.String()
}

// with returns the node with one more need or edit; nil if it has that already.
func (n *node) with(o option, channels []*channel) *node {
	next := &node{needs: maps.Clone(n.needs), forward: n.forward, depth: n.depth + 1}
	if o.kind == forwards {
		if slices.ContainsFunc(n.forward, func(e Edit) bool { return e.Channel == o.forward.Channel && e.Entry == o.forward.Entry }) {
			return nil
		}
		next.forward = append(slices.Clip(n.forward), *o.forward)
		slices.SortFunc(next.forward, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Entry, b.Entry)) })
		return next
	}
	changed := false
	for _, c := range channels {
		if o.channel != "" && o.channel != c.name {
			continue
		}
		in := next.needs[c.name]
		if !slices.Contains(in[o.kind], o.name) {
			in[o.kind] = append(slices.Clone(in[o.kind]), o.name)
			next.needs[c.name], changed = in, true
		}
	}
	if !changed {
		return nil
	}
	return next
}

// maxNodes bounds the search of all channels together.
const maxNodes = 400

// joint is the search for the best edits of all channels together: always the cheapest node is checked first, so that the first that lacks
// nothing is the best.
type joint struct {
	*planner
	open []*node
	met  map[string]bool
	why  *Refusal // why there is none, of the first that was tried
}

// solve returns the best edits of all channels, and whether they are certain to be.
func (p *planner) solve() (*solution, bool, *Refusal) {
	j := &joint{planner: p, met: map[string]bool{}}
	j.add(&node{needs: map[string]need{}})
	for range maxNodes {
		if len(j.open) == 0 || p.work <= 0 {
			break
		}
		n := j.pop()
		options := j.options(n)
		if options == nil && n.best != nil {
			return n.best, p.work > 0, nil
		}
		for _, o := range options {
			j.add(n.with(o, p.channels))
		}
	}
	if len(j.open) > 0 {
		if found := j.dive(); found != nil {
			return found, false, nil
		}
	}
	if j.why == nil || len(j.open) > 0 {
		j.why = cmp.Or(j.why, &Refusal{Constraint: "the release needs more edits in other channels than olmgraph tries", Change: "plan it for one channel at a time"})
	}
	return nil, false, j.why
}

// dive follows the first option that there is, from the best node on.
func (j *joint) dive() *solution {
	n := j.pop()
	for range maxNodes {
		options := j.options(n)
		if options == nil && n.best != nil {
			return n.best
		}
		at := n
		for _, o := range options {
			if next := n.with(o, j.channels); next != nil && j.price(next) {
				at = next
				break
			}
		}
		if at == n {
			return nil
		}
		n = at
	}
	return nil
}

// add adds a node, if it is new and there are edits with which its needs are met.
func (j *joint) add(n *node) {
	if n == nil || j.met[n.key()] {
		return
	}
	j.met[n.key()] = true
	n.order = len(j.met)
	if j.price(n) {
		j.open = append(j.open, n)
	}
}

// price sets the best edits of a node; false if there are none.
func (j *joint) price(n *node) bool {
	total := &solution{}
	for _, c := range j.channels {
		s, refusal := j.solved1(c, n.needs[c.name])
		if refusal != nil {
			j.why = cmp.Or(j.why, refusal)
			return false
		}
		total = &solution{slices.Concat(total.edits, s.edits), total.plus(&s.cost)}
	}
	for i := range n.forward {
		total.edits = append(total.edits, n.forward[i])
		total.names += j.weights.change + 1
	}
	n.best = total
	return true
}

// pop takes the cheapest node; of equal ones that with the most needs, and of these the first found.
func (j *joint) pop() *node {
	best := 0
	for i, n := range j.open {
		of := j.open[best]
		if cmp.Or(n.best.compare(&of.best.cost), of.depth-n.depth, n.order-of.order) < 0 {
			best = i
		}
	}
	n := j.open[best]
	j.open = slices.Delete(j.open, best, best+1)
	return n
}

// options returns what helps a node, nil if it lacks nothing; of one that nothing helps it has no best edits then.
func (j *joint) options(n *node) []option {
	l := j.lack(n)
	if l == nil {
		return nil
	}
	if len(l.options) == 0 {
		n.best = nil
	}
	j.why = cmp.Or(j.why, l.refusal)
	return l.options
}

// solved1 is solveChannel, remembered.
func (p *planner) solved1(c *channel, n need) (*solution, *Refusal) {
	key := c.name + "\x02" + n.key()
	s, known := p.solved[key]
	if !known {
		s.solution, s.refusal = p.solveChannel(c, n)
		p.solved[key] = s
	}
	return s.solution, s.refusal
}

// solved is what solveChannel returns.
type solved struct {
	solution *solution
	refusal  *Refusal
}
