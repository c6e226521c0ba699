package graph

import (
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/traverse"
)

// Question asks how to upgrade from one bundle of a package to another, both by name. From may be a bundle that the catalog no
// longer has: see PackageGraph.WithRemoved. Exactly one of Channel and Extension is set.
type Question struct {
	Channel        *Graph     // of the subscription, under OLM v0
	Extension      *Extension // the ClusterExtension, under OLM v1
	From           string
	To             string
	SwitchChannels bool // allow switching the subscription to other channels
	Limit          int  // the maximum number of paths, at least one
}

// OLM returns the generation of OLM that is asked about.
func (q *Question) OLM() Generation {
	if q.Extension != nil {
		return V1
	}
	return V0
}

// IsHead reports whether a bundle is the only head of the subscription's channel, or under OLM v1 the bundle that a new
// ClusterExtension gets.
func (q *Question) IsHead(name string) bool {
	if q.OLM() == V1 {
		return q.Extension.Best() == name
	}
	return q.Channel.IsHead(name)
}

// NamedChannels returns the channels that the subscription or the ClusterExtension names.
func (q *Question) NamedChannels() []*Graph {
	switch {
	case q.Channel != nil:
		return []*Graph{q.Channel}
	case q.Extension != nil && q.Extension.NamesChannels:
		return q.Extension.Channels
	}
	return nil
}

// Answer says what happens to an installed bundle, and how to get from it to another one. Dependencies are left out.
type Answer struct {
	Question
	// Automatic is the path that OLM upgrades along automatically, up to its end or to the first bundle that repeats.
	Automatic Path
	Loop      bool
	// LastChoice is what OLM v1 chooses at the end of the automatic path.
	LastChoice Choice
	// Paths lead to the target, ordered by the number of channel switches, then of upgrades. Under OLM v0 a user can only stop
	// before a step, by manual approval; under OLM v1 a user can request any version.
	Paths     []Path
	MorePaths bool // there are, or may be, more paths than Limit
	// Obstacle says why there is no path; nil if there is one.
	Obstacle *Obstacle
}

// Ask answers a question about a package. If From is To the answer has one path without steps.
func (pg *PackageGraph) Ask(q Question) *Answer {
	answer := &Answer{Question: q}
	if q.OLM() == V1 {
		answer.Automatic, answer.LastChoice = q.Extension.upgradesFrom(pg.installedBundle(q.From))
	} else {
		answer.Automatic, answer.Loop = pg.automaticPath(q.Channel, q.From)
	}
	switch {
	case q.From == q.To:
		answer.Paths = []Path{{}}
	case !q.SwitchChannels && q.Limit == 1:
		if p, ok := pg.directPath(q); ok {
			answer.Paths = []Path{p}
		}
	default:
		answer.Paths, answer.MorePaths = pg.stateGraph(q, q.SwitchChannels).paths(q.To, q.Limit)
	}
	if len(answer.Paths) == 0 {
		answer.Obstacle = pg.findObstacle(answer)
	}
	return answer
}

// Obstacle says why there is no path from one bundle to another.
type Obstacle struct {
	Order        *OrderError // OLM v0 cannot order the channel: nothing in it is ever upgraded
	NotInChannel bool        // the channel has no entry with the name of the target
	Older        bool        // the target has a lower version than the installed bundle
	ReverseHops  int         // the number of upgrades from the target to the installed bundle, 0 if there is no path
	// Skipped is the skips edge because of which OLM v0 never offers the target; its To is -1 if the target is not skipped. The
	// next field is set if the target is not offered because the walk along replaces from the head does not reach it.
	Skipped    Edge
	NotInOrder bool
	// Nearest is the newest bundle on the path that is no newer than the target, where a user can stop; "" if there is none.
	Nearest string
	// Overshoot is the automatic step from Nearest that skips the target; nil if the path ends there.
	Overshoot *Step
	// Stuck says why OLM v0 does not upgrade from Nearest; nil if that is the head, or OLM v0 does upgrade from it.
	Stuck *Stuck
	// ReachableFrom holds the names of the entries of the channel from which the target can be reached, by version.
	ReachableFrom []string
	// Refused is why OLM v1 does not install the wanted bundle, nil if it does.
	Refused *Refusal
	// RefusedVersions is what OLM v1 would choose at Nearest for versions that a user can request there, and does not install.
	RefusedVersions []Refusal
	// OtherChannelPath is a path that exists if the subscription may be switched to other channels, or if the ClusterExtension names no
	// channels; nil if that is the case already, or there is none.
	OtherChannelPath Path
	// ChannelsWithTarget are the graphs of the other channels that have the target.
	ChannelsWithTarget []*Graph
	// ChannelsWithPath are the other channels in which the path exists, if the subscription is switched to one of them first.
	ChannelsWithPath []*Graph
}

func (pg *PackageGraph) findObstacle(answer *Answer) *Obstacle {
	q := answer.Question
	o := &Obstacle{Skipped: noEdge, Older: pg.older(q.To, q.From)}
	if o.Older {
		back := q
		back.From, back.To = q.To, q.From
		path, _ := pg.directPath(back)
		o.ReverseHops = len(path)
	}
	o.ChannelsWithTarget = slices.DeleteFunc(pg.GraphsContaining(q.To), func(g *Graph) bool { return g == q.Channel })
	if q.OLM() == V1 {
		pg.explainV1(o, q)
		return o
	}
	to, present := q.Channel.Index(q.To)
	o.NotInChannel = !present
	o.ChannelsWithPath = slices.DeleteFunc(slices.Clone(pg.Graphs), func(g *Graph) bool {
		_, ok := pg.directPath(Question{Channel: g, From: q.From, To: q.To})
		return !ok || g == q.Channel
	})
	if !q.SwitchChannels {
		acrossChannels, _ := pg.stateGraph(q, true).paths(q.To, 1)
		o.OtherChannelPath = slices.Concat(acrossChannels...)
	}
	if _, o.Order = q.Channel.Order(); o.Order != nil {
		return o
	}
	if present {
		if !q.Channel.Offers(to) {
			o.Skipped, _ = q.Channel.SkippedBy(to)
			o.NotInOrder = o.Skipped.To < 0
		}
		sources := q.Channel.automaticSources(to)
		o.ReachableFrom = q.Channel.Names(sources)
		for _, in := range pg.unlistedBundles(q.Channel) { // such as the head of the channel before
			if next, ok := q.Channel.NextOfInstalled(in.Name, in.Version); ok && (next.To == to || slices.Contains(sources, next.To)) {
				o.ReachableFrom = append(o.ReachableFrom, in.Name)
			}
		}
	}
	pg.findStop(o, answer)
	return o
}

func (pg *PackageGraph) explainV1(o *Obstacle, q Question) {
	o.NotInChannel = !q.Extension.Has(q.To)
	if b := pg.Package.Bundle(q.To); b != nil {
		o.Refused = V1Refusal(b)
	}
	if q.Extension.NamesChannels {
		open := q
		open.Extension = pg.ExtensionFor(q.Extension.releases)
		o.OtherChannelPath, _ = pg.directPath(open)
		o.ChannelsWithTarget = slices.DeleteFunc(o.ChannelsWithTarget, func(g *Graph) bool { return slices.Contains(q.Extension.Channels, g) })
	}
	o.ReachableFrom = q.Extension.bundlesReaching(q.To)
	if o.Nearest = pg.nearestReachable(q); o.Nearest != "" {
		_, o.RefusedVersions = q.Extension.upgradesByVersion(pg.installedBundle(o.Nearest))
	}
}

// older reports whether the version of a bundle is lower than that of another one.
func (pg *PackageGraph) older(bundle, than string) bool {
	return Older(pg.semver(bundle), pg.semver(than))
}

// automaticSources returns the entries whose automatic upgrades under OLM v0 pass an entry, newest first.
func (g *Graph) automaticSources(to int) []int {
	var walk traverse.DepthFirst
	walk.Walk(reversed{g.automaticV0().toDirected()}, simple.Node(to), nil)
	return slices.DeleteFunc(g.ByVersion(), func(i int) bool { return i == to || !walk.Visited(simple.Node(i)) })
}

// findStop finds the nearest bundle at which a user can stop under OLM v0, and what happens there.
func (pg *PackageGraph) findStop(o *Obstacle, answer *Answer) {
	q := answer.Question
	if q.SwitchChannels {
		o.Nearest = pg.nearestReachable(q)
	}
	at, nearest := q.From, ""
	if !pg.older(q.To, at) {
		nearest = at
	}
	var past *Step
	for i := range answer.Automatic {
		step := &answer.Automatic[i]
		switch {
		case !pg.older(q.To, step.To):
			nearest, past = step.To, nil
		case past == nil:
			past = step
		}
		at = step.To
	}
	o.Overshoot = past
	if !q.SwitchChannels {
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

// nearestReachable returns the newest reachable bundle that is no newer than the target.
func (pg *PackageGraph) nearestReachable(q Question) string {
	nearest := ""
	if !pg.older(q.To, q.From) {
		nearest = q.From
	}
	for _, s := range pg.stateGraph(q, q.SwitchChannels).states {
		if !pg.older(q.To, s.bundle) && (nearest == "" || pg.older(nearest, s.bundle)) {
			nearest = s.bundle
		}
	}
	return nearest
}
