package graph

import (
	"slices"
)

// Question asks how to upgrade from one bundle of a package to another, both by name. From may be a bundle that the catalog no
// longer has: see PackageGraph.WithRemoved. Exactly one of Channel and Extension is set.
type Question struct {
	Channel   *Graph     // of the subscription, under OLM v0
	Extension *Extension // the ClusterExtension, under OLM v1
	From      string
	To        string
	Move      bool // the subscription may be switched to other channels
	Limit     int  // the maximum number of paths, at least one
}

// OLM returns the generation of OLM that is asked about.
func (q *Question) OLM() Resolver {
	if q.Extension != nil {
		return V1
	}
	return V0
}

// Named returns the channels that the subscription or the ClusterExtension names.
func (q *Question) Named() []*Graph {
	switch {
	case q.Channel != nil:
		return []*Graph{q.Channel}
	case q.Extension != nil && q.Extension.Named:
		return q.Extension.Channels
	}
	return nil
}

// Answer says what happens to an installed bundle, and how to get from it to another one. Dependencies are left out.
type Answer struct {
	Question
	// Course is the path that OLM upgrades along automatically, up to its end or to the first bundle that repeats.
	Course Way
	Loop   bool
	// Last is what OLM v1 chooses at the end of the automatic path.
	Last Choice
	// Ways lead to the target, ordered by the number of channel switches, then of upgrades. Under OLM v0 a user can only stop
	// before a step, by manual approval; under OLM v1 a user can request any version.
	Ways []Way
	More bool // there are, or may be, more paths than Limit
	// Obstacle says why there is no path; nil if there is one.
	Obstacle *Obstacle
}

// Ask answers a question about a package. If From is To the answer has one path without steps.
func (a *Atlas) Ask(q Question) *Answer {
	answer := &Answer{Question: q}
	if q.OLM() == V1 {
		answer.Course, answer.Last = q.Extension.Upgrades(a.installed(q.From))
	} else {
		answer.Course, answer.Loop = a.course(q.Channel, q.From)
	}
	switch {
	case q.From == q.To:
		answer.Ways = []Way{{}}
	case !q.Move && q.Limit == 1:
		if w, ok := a.direct(q); ok {
			answer.Ways = []Way{w}
		}
	default:
		answer.Ways, answer.More = a.network(q, q.Move).ways(q.To, q.Limit)
	}
	if len(answer.Ways) == 0 {
		answer.Obstacle = a.obstacle(answer)
	}
	return answer
}

// course follows the automatic upgrades of OLM v0.
func (a *Atlas) course(g *Graph, from string) (w Way, loop bool) {
	met := map[string]bool{from: true}
	for at := from; ; {
		steps := a.hops(g, at)
		if len(steps) == 0 {
			return w, false
		}
		w = append(w, steps[0])
		if at = steps[0].To; met[at] {
			return w, true
		}
		met[at] = true
	}
}

// direct returns a shortest path without channel switches, false if there is none. Its cost is linear in the entries, whatever
// the number of edges.
func (a *Atlas) direct(q Question) (Way, bool) {
	if q.OLM() == V1 {
		return q.Extension.direct(a.installed(q.From), q.To)
	}
	w, _ := a.course(q.Channel, q.From)
	end := slices.IndexFunc(w, func(s Step) bool { return s.To == q.To })
	return w[:end+1], end >= 0
}

// Obstacle says why there is no path from one bundle to another.
type Obstacle struct {
	Order  *OrderError // OLM v0 cannot order the channel: nothing in it is ever upgraded
	Absent bool        // the channel has no entry with the name of the target
	Older  bool        // the target has a lower version than the installed bundle
	Back   int         // the number of upgrades from the target to the installed bundle, 0 if there is no path
	// Skipped is the skips edge because of which OLM v0 never offers the target; its To is -1 if the target is not skipped. The
	// next field is set if the target is not offered because the walk along replaces from the head does not reach it.
	Skipped  Edge
	OffOrder bool
	// Nearest is the newest bundle on the path that is no newer than the target, where a user can stop; "" if there is none.
	Nearest string
	// Past is the automatic step from Nearest that skips the target; nil if the path ends there.
	Past *Step
	// Stuck says why OLM v0 does not upgrade from Nearest; nil if that is the head, or OLM v0 does upgrade from it.
	Stuck *Stuck
	// From holds the names of the entries of the channel from which the target can be reached, by version.
	From []string
	// Refused is why OLM v1 does not install the wanted bundle, nil if it does.
	Refused *Refusal
	// Barred is what OLM v1 would choose at Nearest for versions that a user can request there, and refuses to install.
	Barred []Refusal
	// Moved is a path that exists if the subscription may be switched to other channels, or if the ClusterExtension names no
	// channels; nil if that is the case already, or there is none.
	Moved Way
	// Holding are the graphs of the other channels that have the target.
	Holding []*Graph
	// Channels are the other channels in which the path exists, if the subscription is switched to one of them first.
	Channels []*Graph
}

func (a *Atlas) obstacle(answer *Answer) *Obstacle {
	q := answer.Question
	o := &Obstacle{Skipped: none, Older: a.older(q.To, q.From)}
	if o.Older {
		back := q
		back.From, back.To = q.To, q.From
		path, _ := a.direct(back)
		o.Back = len(path)
	}
	o.Holding = slices.DeleteFunc(a.Holding(q.To), func(g *Graph) bool { return g == q.Channel })
	if q.OLM() == V1 {
		a.obstacleV1(o, q)
		return o
	}
	to, present := q.Channel.Index(q.To)
	o.Absent = !present
	o.Channels = a.channelsFor(q)
	if !q.Move {
		moved, _ := a.network(q, true).ways(q.To, 1)
		o.Moved = slices.Concat(moved...)
	}
	if _, o.Order = q.Channel.Order(); o.Order != nil {
		return o
	}
	if present {
		q.Channel.explain(o, to)
	}
	a.halt(o, answer)
	return o
}

func (a *Atlas) obstacleV1(o *Obstacle, q Question) {
	o.Absent = !q.Extension.Has(q.To)
	if b := a.Package.Bundle(q.To); b != nil {
		o.Refused = RefusalOf(b)
	}
	if q.Extension.Named {
		open := q
		open.Extension = a.Extension(q.Extension.releases)
		o.Moved, _ = a.direct(open)
		o.Holding = slices.DeleteFunc(o.Holding, func(g *Graph) bool { return slices.Contains(q.Extension.Channels, g) })
	}
	o.From = q.Extension.reaching(q.To)
	if o.Nearest = a.nearest(q); o.Nearest != "" {
		_, o.Barred = q.Extension.Pins(a.installed(o.Nearest))
	}
}

// older reports whether the version of a bundle is lower than that of another one.
func (a *Atlas) older(bundle, than string) bool {
	v, w := a.semver(bundle), a.semver(than)
	return v != nil && w != nil && v.LT(*w)
}

// channelsFor returns the other channels in which the path exists.
func (a *Atlas) channelsFor(q Question) []*Graph {
	var found []*Graph
	for _, g := range a.Graphs {
		if _, ok := a.direct(Question{Channel: g, From: q.From, To: q.To}); ok && g != q.Channel {
			found = append(found, g)
		}
	}
	return found
}

// explain sets whether OLM v0 offers the target, and from which entries it is reached.
func (g *Graph) explain(o *Obstacle, to int) {
	if !g.Offers(to) {
		o.Skipped, _ = g.SkippedBy(to)
		o.OffOrder = o.Skipped.To < 0
	}
	for _, i := range g.reachedFrom(to) {
		o.From = append(o.From, g.Name(i))
	}
}

// reachedFrom returns the entries whose automatic upgrades under OLM v0 pass an entry, newest first.
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

// halt finds the nearest bundle at which a user can stop under OLM v0, and what happens there.
func (a *Atlas) halt(o *Obstacle, answer *Answer) {
	q := answer.Question
	if q.Move {
		o.Nearest = a.nearest(q)
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

// nearest returns the newest reachable bundle that is no newer than the target.
func (a *Atlas) nearest(q Question) string {
	nearest := ""
	if !a.older(q.To, q.From) {
		nearest = q.From
	}
	for _, s := range a.network(q, q.Move).states {
		if !a.older(q.To, s.bundle) && (nearest == "" || a.older(nearest, s.bundle)) {
			nearest = s.bundle
		}
	}
	return nearest
}
