package release

import (
	"cmp"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

// answer is a release in a channel with its edges.
type answer struct {
	above    string // the entry that is to replace the release; "" if none is to be changed
	replaces string
	bridges  []Edit // entries that replace and skip otherwise
	skips    []string
	low      *semver.Version // where its skipRange begins; nil if it has none
}

// shape is a way to write a release. They are tried in this order.
type shape uint8

const (
	byConvention shape = iota // as the entries of the channel are, with the skips that it needs besides
	withBridges               // it replaces the head, and entries above withdrawn and dropped ones replace what is below these
	withSkips                 // it replaces the head, and skips what would be stranded
	withRange                 // it replaces the head, and covers that with a skipRange
	shapes
)

// manySkips are more than an entry should skip instead of others.
const manySkips = 10

// solve returns the edits of the first shapes with which nobody is worse off, or why there are none.
func (p *planner) solve() ([]Edit, *Refusal) {
	var why *Refusal
	for from := range shapes {
		found, refusal := p.editsFrom(from, nil)
		if refusal == nil {
			return found, nil
		}
		why = cmp.Or(why, refusal)
	}
	return nil, why
}

// upgradingPublished returns edits that also upgrade published bundles that the channels no longer have, or do not have yet; the given ones if there are
// none, or if somebody would be worse off. Bundles of another major version may have been left behind on purpose: see Plan.Frees.
func (p *planner) upgradingPublished(edits []Edit) []Edit {
	var wanted []option
	for _, c := range p.channels {
		if c.graph == nil {
			continue
		}
		for _, o := range p.origins.Stuck(c.graph) {
			if p.older(o.Name, p.request.Name) && p.version(o.Name).Major == p.release.Major {
				wanted = append(wanted, option{channel: c.name, name: o.Name})
			}
		}
		for _, o := range p.origins.ForChannel(c.graph) { // who came with an update of OpenShift, and waits for a newer version than the head
			if o.Place == graph.InBase && p.older(o.Name, p.request.Name) {
				wanted = append(wanted, option{channel: c.name, name: o.Name})
			}
		}
	}
	if len(wanted) > 0 {
		if more, refusal := p.editsFrom(byConvention, wanted); refusal == nil {
			return more
		}
	}
	return edits
}

// editsFrom returns the edits of all channels that do what was chosen for the package, and what helps with all that it lacks then. Shapes before one
// are not tried.
func (p *planner) editsFrom(from shape, chosen []option) ([]Edit, *Refusal) {
	var edits []Edit
	for _, c := range p.channels {
		in, refusal := p.first(c, from, chosen)
		if refusal != nil {
			return nil, refusal
		}
		edits = append(edits, in...)
	}
	edits = append(edits, forwardEdits(chosen)...)
	l := p.findLack(edits)
	if l == nil {
		return edits, nil
	}
	for _, o := range l.options {
		if p.work <= 0 {
			break
		}
		if slices.ContainsFunc(chosen, o.equal) {
			continue
		}
		if found, _ := p.editsFrom(from, append(slices.Clip(chosen), o)); found != nil {
			return found, nil
		}
	}
	return nil, l.refusal
}

// first returns the edits of the first shape that is right for a channel, or why none is.
func (p *planner) first(c *channel, from shape, chosen []option) ([]Edit, *Refusal) {
	var covers []string
	for _, o := range chosen {
		if o.channel == c.name {
			covers = append(covers, o.name)
		}
	}
	var why *Refusal
	for s := from; s < shapes; s++ {
		a := p.initialAnswer(c, s, covers)
		if a == nil {
			continue
		}
		found, refusal := p.complete(c, *a, s, covers)
		if found != nil {
			return p.editsFor(c, found), nil
		}
		why = cmp.Or(why, refusal)
	}
	if why == nil {
		why = &Refusal{Constraint: "no edges of the release upgrade all installed bundles", Change: "change the other entries first"}
	}
	why.Channel = c.name
	return nil, why
}

// initialAnswer returns the answer with which a shape begins; nil if there is none in a channel.
func (p *planner) initialAnswer(c *channel, s shape, covers []string) *answer {
	if s == byConvention {
		return p.customary(c)
	}
	a := &answer{low: c.ranged}
	a.above, a.replaces = p.place(c, covers)
	if s != withBridges {
		return a
	}
	if c.graph != nil {
		a.bridges = slices.DeleteFunc(p.bridges(c.graph), func(e Edit) bool { return e.Entry == a.above })
	}
	if len(a.bridges) == 0 {
		return nil
	}
	return a
}

// complete adds to an answer what a shape lets it skip or cover until it is right; nil if it never is.
func (p *planner) complete(c *channel, a answer, s shape, covers []string) (*answer, *Refusal) {
	a.skips = slices.Clone(a.skips)
	for p.work > 0 && (len(a.skips) <= manySkips || s == byConvention || s == withRange) {
		v := p.verdict(c, &a, covers)
		if v.never != nil {
			return nil, v.never
		}
		if v.isCorrect() {
			slices.SortFunc(a.skips, p.compare)
			return &a, nil
		}
		before := a
		for _, name := range v.cover {
			if s != withRange || p.inRange(&before, name) || !p.inRange(&a, name) && !p.widen(&a, name) {
				v.force = append(v.force, name)
			}
		}
		for _, name := range v.force {
			if refusal := a.skip(name); refusal != nil {
				return nil, refusal
			}
		}
	}
	return nil, nil
}

// verdict checks an answer.
func (p *planner) verdict(c *channel, a *answer, covers []string) verdict {
	v := verdict{}
	for _, name := range covers {
		if name != a.replaces && !slices.Contains(a.skips, name) && !p.inRange(a, name) {
			v.cover = append(v.cover, name)
		}
	}
	if v.cover != nil {
		return v
	}
	return p.check(c, p.editedChannel(c.name, p.editsFor(c, a)))
}

func (p *planner) inRange(a *answer, name string) bool {
	v := p.version(name)
	return a.low != nil && v != nil && v.GE(*a.low) && v.LT(*p.release)
}

// widen lets the skipRange begin so low that it covers a name; false if it cannot.
func (p *planner) widen(a *answer, name string) bool {
	v := p.version(name)
	if v == nil || v.GE(*p.release) {
		return false
	}
	a.low = v
	return true
}

// skip adds a name to the skips; it says why it cannot.
func (a *answer) skip(name string) *Refusal {
	if name == a.replaces {
		return &Refusal{Constraint: name + " would have to be both replaced and skipped", Change: "change the other entries first"}
	}
	if slices.Contains(a.skips, name) {
		return &Refusal{Constraint: name + " is not upgraded to the head even if the release skips it", Change: "change the other entries first"}
	}
	a.skips = append(a.skips, name)
	return nil
}

// place returns what the release replaces: the head that stays, or in a channel with a newer one the first entry on the path of replaces that
// is not newer. above is then the entry before that.
func (p *planner) place(c *channel, covers []string) (above, replaces string) {
	if c.graph == nil {
		older := p.olderHeads(c)
		if len(older) == 0 {
			older = covers
		}
		if len(older) > 0 {
			replaces = slices.MaxFunc(older, p.compare)
		}
		return "", replaces
	}
	dropped := ""
	for name := c.head; name != ""; {
		i, has := c.graph.Index(name)
		switch newer := p.older(p.request.Name, name); {
		case newer && has && !p.drops[name] && !c.graph.IsSkipped(name):
			above = name
		case newer, p.bans[name], name == p.request.Name:
		case p.drops[name]:
			dropped = cmp.Or(dropped, name)
		default:
			return above, name
		}
		if !has {
			break
		}
		name = c.graph.Channel.Entries[i].Replaces.Value
	}
	return above, dropped
}

// bridges returns, for each stretch of withdrawn and dropped entries on the path of replaces, the edit of the entry above it: it replaces the
// one below, and skips them.
func (p *planner) bridges(g *graph.Graph) []Edit {
	var all []Edit
	var stretch []string
	above := -1
	order, _ := g.Order()
	for _, i := range order {
		name := g.Name(i)
		if p.bans[name] || p.drops[name] {
			stretch = append(stretch, name)
			continue
		}
		if above >= 0 && len(stretch) > 0 {
			slices.Reverse(stretch)
			before := entryEdges(&g.Channel.Entries[above])
			after := Edges{Replaces: name, Skips: slices.Concat(before.Skips, stretch), SkipRange: before.SkipRange}
			all = append(all, Edit{Channel: g.Channel.Name.Value, Entry: g.Name(above), Before: before, After: after})
		}
		above, stretch = i, nil
	}
	return all
}
