package graph

import (
	"slices"
)

// Question is how to get from one bundle of a package to another. Both are names of entries.
type Question struct {
	Channel *Graph // of the subscription
	From    string
	To      string
	OLM     Resolver
	Move    bool // the subscription may be moved to other channels
	Limit   int  // how many ways are wanted, at least one
}

// Answer says what happens to an installed bundle, and how to get from it to another one. Dependencies are left out.
type Answer struct {
	Question
	// Course is what OLM does by itself, up to where it ends or to the first bundle that it comes to again.
	Course Way
	Loop   bool
	// Ways lead to the bundle asked for, the one of the fewest moves and then the fewest upgrades first. Under OLM v0 a user
	// can only stop before a step; under OLM v1 ask for any successor.
	Ways []Way
	More bool // there are, or may be, more ways than asked for
	// Obstacle says why there is no way; nil if there is one.
	Obstacle *Obstacle
}

// Ask answers a question about a package. That nothing is to be done, because From is To, is one way of no steps.
func (a *Atlas) Ask(q Question) *Answer {
	answer := &Answer{Question: q}
	answer.Course, answer.Loop = a.course(q.Channel, q.From, q.OLM)
	switch {
	case q.From == q.To:
		answer.Ways = []Way{{}}
	case !q.Move && q.Limit == 1:
		if w := a.direct(q); w != nil {
			answer.Ways = []Way{w}
		}
	default:
		answer.Ways, answer.More = a.network(q.Channel, q.From, q.OLM, q.Move).ways(q.To, q.Limit)
	}
	if len(answer.Ways) == 0 {
		answer.Obstacle = a.obstacle(answer)
	}
	return answer
}

// course follows what OLM does by itself.
func (a *Atlas) course(g *Graph, from string, r Resolver) (w Way, loop bool) {
	met := map[string]bool{from: true}
	for at := from; ; {
		steps := a.hops(g, r, at)
		next := slices.IndexFunc(steps, func(s Step) bool { return s.Automatic })
		if next < 0 {
			return w, false
		}
		w = append(w, steps[next])
		if at = steps[next].To; met[at] {
			return w, true
		}
		met[at] = true
	}
}

// direct returns a shortest way that stays in the channel, or nil. It costs no more than to look at each entry once,
// however many edges there are.
func (a *Atlas) direct(q Question) Way {
	g := q.Channel
	to, ok := g.Index(q.To)
	if !ok {
		return nil
	}
	if q.OLM == V0 {
		w, _ := a.course(g, q.From, V0)
		if end := slices.IndexFunc(w, func(s Step) bool { return s.To == q.To }); end >= 0 {
			return w[:end+1]
		}
		return nil
	}
	from, ok := g.Index(q.From)
	if !ok {
		ways, _ := a.network(g, q.From, V1, false).ways(q.To, 1)
		return slices.Concat(ways...)
	}
	var w Way
	for at, edges := from, g.pinnedTo(to); at != to; at = edges[at].To {
		e := edges[at]
		if e.To < 0 {
			return nil
		}
		best, _ := g.NextV1(at)
		w = append(w, Step{Graph: g, From: g.Name(at), To: g.Name(e.To), Edge: e, Automatic: e.To == best.To})
	}
	return w
}

// pinnedTo returns, of each entry, the first edge of a shortest way to one of them for a user of OLM v1 who asks for
// versions.
func (g *Graph) pinnedTo(to int) []Edge { return g.waysTo([]int{to}, g.pinnable()).step }

// pinnable are the edges that OLM v1 follows if it is asked to: it must be able to read both versions.
func (g *Graph) pinnable() rules {
	versions := g.ranks().versions
	return rules{
		offers:  func(to int) bool { return versions[to] != nil },
		follows: func(e Edge) bool { return versions[e.From] != nil },
	}
}

// Obstacle says why there is no way from one bundle to another.
type Obstacle struct {
	Order  *OrderError // OLM v0 cannot order the channel: nothing in it is ever upgraded
	Absent bool        // the channel has no entry of the wanted name
	Older  bool        // the wanted version is lower than the installed one
	Back   int         // upgrades of the way from the wanted bundle to the installed one, 0 if there is none
	// Skipped is the edge because of which OLM v0 never offers the wanted bundle; To is -1 if it is not skipped. OffOrder is
	// set if it is not offered because the walk from the head does not come to it.
	Skipped  Edge
	OffOrder bool
	// Nearest is the newest bundle on the way that is no newer than the wanted one, where a user can stop; "" if there is none.
	Nearest string
	// Past is the automatic step from there that goes past the wanted bundle; nil if it ends there.
	Past *Step
	// Stuck says why OLM v0 goes no further than Nearest; nil if that is the head, or it goes further.
	Stuck *Stuck
	// From holds the names of the entries of the channel from which the wanted bundle can be reached, by version.
	From []string
	// Moved is a way that there would be if the subscription might be moved to other channels; nil if that was asked for, or
	// does not help.
	Moved Way
	// Holding are the graphs of the other channels that have the wanted bundle.
	Holding []*Graph
	// Channels are those of the others in which the way exists, if the subscription is moved there first.
	Channels []*Graph
}

func (a *Atlas) obstacle(answer *Answer) *Obstacle {
	q := answer.Question
	o := &Obstacle{Skipped: none}
	to, present := q.Channel.Index(q.To)
	o.Absent = !present
	o.Older = a.older(q.To, q.From)
	if o.Older {
		back := a.direct(Question{Channel: q.Channel, From: q.To, To: q.From, OLM: q.OLM})
		o.Back = len(back)
	}
	o.Channels = a.channelsFor(q)
	o.Holding = slices.DeleteFunc(a.Holding(q.To), func(g *Graph) bool { return g == q.Channel })
	if !q.Move {
		moved, _ := a.network(q.Channel, q.From, q.OLM, true).ways(q.To, 1)
		o.Moved = slices.Concat(moved...)
	}
	if q.OLM == V0 {
		if _, o.Order = q.Channel.Order(); o.Order != nil {
			return o
		}
	}
	if present {
		q.Channel.explain(o, to, q.OLM)
	}
	a.halt(o, answer)
	return o
}

// older reports whether the version of a bundle of the package is lower than that of another one.
func (a *Atlas) older(bundle, than string) bool {
	v, w := a.Package.Bundle(bundle), a.Package.Bundle(than)
	return v != nil && w != nil && v.Semver() != nil && w.Semver() != nil && v.Semver().LT(*w.Semver())
}

// channelsFor returns the other channels in which the way exists.
func (a *Atlas) channelsFor(q Question) []*Graph {
	var found []*Graph
	for _, g := range a.Graphs {
		there := Question{Channel: g, From: q.From, To: q.To, OLM: q.OLM}
		if g != q.Channel && a.direct(there) != nil {
			found = append(found, g)
		}
	}
	return found
}

// explain says of an entry whether OLM offers it, and to whom.
func (g *Graph) explain(o *Obstacle, to int, r Resolver) {
	var reached []int
	if r == V0 {
		if !g.Offers(to) {
			o.Skipped, _ = g.SkippedBy(to)
			o.OffOrder = o.Skipped.To < 0
		}
		reached = g.reachedFrom(to)
	} else {
		steps := g.pinnedTo(to)
		reached = slices.DeleteFunc(g.ByVersion(), func(i int) bool { return i == to || steps[i].To < 0 })
	}
	for _, i := range reached {
		o.From = append(o.From, g.Name(i))
	}
}

// reachedFrom returns the entries from which automatic upgrades of OLM v0 pass an entry, newest first.
func (g *Graph) reachedFrom(to int) []int {
	before := make([][]int, len(g.Channel.Entries))
	for _, i := range g.members {
		if next, ok := g.Next(i); ok {
			before[next.To] = append(before[next.To], i)
		}
	}
	reaches := make([]bool, len(before))
	for todo := slices.Clone(before[to]); len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !reaches[i] && i != to {
			reaches[i] = true
			todo = append(todo, before[i]...)
		}
	}
	return slices.DeleteFunc(g.ByVersion(), func(i int) bool { return !reaches[i] })
}

// halt finds where to stop, and what happens there.
func (a *Atlas) halt(o *Obstacle, answer *Answer) {
	q := answer.Question
	if q.OLM == V1 || q.Move {
		o.Nearest = a.nearest(q)
	}
	if q.OLM == V1 {
		return
	}
	at, nearest := q.From, ""
	if !a.older(q.To, at) {
		nearest = at
	}
	var past *Step
	for i := range answer.Course {
		step := &answer.Course[i]
		switch {
		case !a.older(q.To, step.To):
			nearest, past = step.To, nil
		case past == nil:
			past = step
		}
		at = step.To
	}
	o.Past = past
	if !q.Move {
		o.Nearest = nearest
	}
	if past != nil || answer.Loop {
		return
	}
	for _, s := range q.Channel.Stuck() {
		if q.Channel.Name(s.Entry) == at {
			o.Stuck = &s
		}
	}
}

// nearest returns the newest bundle no newer than the wanted one to which a user can get.
func (a *Atlas) nearest(q Question) string {
	nearest := ""
	if !a.older(q.To, q.From) {
		nearest = q.From
	}
	for _, s := range a.network(q.Channel, q.From, q.OLM, q.Move).states {
		if !a.older(q.To, s.bundle) && (nearest == "" || a.older(nearest, s.bundle)) {
			nearest = s.bundle
		}
	}
	return nearest
}
