package graph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Place says where an origin is known from, the surest first.
type Place uint8

// The places. Users can have what is before Unlisted; of what is Named the contents are not known.
const (
	InChannel Place = iota // a channel of the package has it
	InBase                 // a channel of the base has it
	ForOthers              // its bundle is for earlier OpenShift versions than that of the catalog
	Unlisted               // its bundle is in no channel
	Named                  // entries replace or skip it
)

// Origin is something that users may have installed.
type Origin struct {
	InstalledBundle
	Bundle   *catalogs.Bundle // nil if nobody has it
	Place    Place            // the surest
	Channels []string         // that have it, had it in the base, or are named by its bundle
}

// Origins are all from which users may be upgraded in the channels of a package: their subscription can be switched from each to each.
// Edges are between indices of All, those in channels first. It is not safe for concurrent use.
type Origins struct {
	All    []Origin
	Graphs []*Graph // of the channels

	taken     []*Graph // along whose edges users came: those of the base, too
	index     map[string]int
	ofChannel map[string][]int // by the name of a channel
	versions  *versionIndex
	automatic map[*Graph][2][]int // by generation, from each origin; -1 if it has no upgrade
}

// Origins returns the origins that are known of a package, of its base, and of its bundles for OpenShift versions before one. Base may be nil.
func (pg *PackageGraph) Origins(base *catalogs.Package, openShift string) *Origins {
	o := &Origins{Graphs: pg.Graphs, taken: slices.Clone(pg.Graphs), index: map[string]int{}, ofChannel: map[string][]int{}, automatic: map[*Graph][2][]int{}}
	for _, g := range pg.Graphs {
		for i, e := range g.eachEntry() {
			o.add(g.installedEntry(i), e.Bundle, InChannel, g.Channel.Name.Value)
		}
	}
	if base != nil {
		for _, c := range base.Channels {
			g := New(base, c)
			o.taken = append(o.taken, g)
			for i, e := range g.eachEntry() {
				o.add(g.installedEntry(i), e.Bundle, InBase, c.Name.Value)
			}
		}
	}
	for _, b := range pg.Package.Elsewhere {
		if isForEarlier(b, openShift) {
			o.addBundle(b, ForOthers)
		}
	}
	for _, b := range pg.Package.Bundles {
		o.addBundle(b, Unlisted)
	}
	for _, g := range pg.Graphs {
		for _, m := range g.MissingTargets() {
			o.add(ParseBundleName(m.Where.Value), nil, Named)
		}
	}
	o.versions = newVersionIndex(o.index, words.Map(o.All, func(one Origin) *semver.Version {
		if one.Bundle == nil {
			return nil
		}
		return ParseVersion(one.Version)
	}))
	return o
}

// ownOrigins returns the origins that are known of the package alone, of which only All and ForChannel may be used: they are shared.
func (pg *PackageGraph) ownOrigins() *Origins {
	return pg.origins.value(func() *Origins { return pg.Origins(nil, "") })
}

// isForEarlier reports whether a bundle supports an earlier OpenShift version of the same major version.
func isForEarlier(b *catalogs.Bundle, openShift string) bool {
	for n := catalogs.MinorNumber(openShift) - 1; b.Folder != nil && n%1000 > 0; n-- {
		if b.Folder.AnnotationSelects(fmt.Sprintf("%d.%d", n/1000, n%1000)) {
			return true
		}
	}
	return false
}

func (o *Origins) addBundle(b *catalogs.Bundle, place Place) {
	var channels []string
	if b.Folder != nil && !b.Folder.FileBased {
		named, _ := b.Folder.Annotation(catalogs.AnnotationChannels)
		channels = slices.DeleteFunc(strings.Split(named.Value, ","), func(name string) bool { return name == "" })
	}
	o.add(InstalledBundle{b.Name.Value, b.Version.Value}, b, place, channels...)
}

func (o *Origins) add(in InstalledBundle, b *catalogs.Bundle, place Place, channels ...string) {
	i, known := o.index[in.Name]
	if !known {
		i = len(o.All)
		o.index[in.Name] = i
		o.All = append(o.All, Origin{InstalledBundle: in, Place: place})
	}
	o.All[i].Bundle = cmp.Or(o.All[i].Bundle, b)
	o.All[i].Channels = append(o.All[i].Channels, channels...)
	for _, name := range channels {
		o.ofChannel[name] = append(o.ofChannel[name], i)
	}
}

// Index returns the origin of that name.
func (o *Origins) Index(name string) (int, bool) {
	i, ok := o.index[name]
	return i, ok
}

// ForChannel returns what users may have installed who are subscribed to a channel: what it has or had, and what its entries replace or skip.
func (o *Origins) ForChannel(g *Graph) []Origin {
	found := slices.Clone(o.ofChannel[g.Channel.Name.Value])
	for _, m := range g.MissingTargets() {
		if i, ok := o.index[m.Where.Value]; ok {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	return words.Map(slices.Compact(found), func(i int) Origin { return o.All[i] })
}

// Stuck returns the published bundles that a channel no longer has, and that OLM v0 never upgrades there though its head is newer. Those
// for other OpenShift versions are left out: their clusters have another catalog.
func (o *Origins) Stuck(g *Graph) []Origin {
	_, err := g.Order()
	return slices.DeleteFunc(o.ForChannel(g), func(one Origin) bool {
		_, listed := g.Index(one.Name)
		if err != nil || g.Channel.Edgeless || listed || one.Bundle == nil || one.Place == ForOthers || !Older(ParseVersion(one.Version), g.HeadVersion()) {
			return true
		}
		_, upgraded := g.NextOfInstalled(one.Name, one.Version)
		return upgraded
	})
}

// edges assigns origins to the entries of channels.
func (o *Origins) edges(channels ...*Graph) *edgeAssignment {
	return newEdgeAssignment(o.versions, len(o.All), func(to int, each func(*catalogs.Entry, []span)) {
		for _, g := range channels {
			if i, ok := g.Index(o.All[to].Name); ok {
				each(&g.Channel.Entries[i], g.coverage().spansIn(o.versions, i))
			}
		}
	})
}

// Upgrades calls a function with the upgrades that users of some channels may make to some origins: from its other entries as Graph.Upgrades,
// from elsewhere those that OLM makes automatically.
func (o *Origins) Upgrades(channels []*Graph, into func(to int) bool, do func(*Graph, Upgrade)) {
	for _, g := range channels {
		edges := o.edges(g)
		for _, at := range g.members {
			to, known := o.index[g.Name(at)]
			if !known || !into(to) {
				continue
			}
			met := map[int]bool{}
			edges.offerEdges(to, func(e Edge) bool {
				if u := o.upgrade(g, e, at); e.From != to && !met[e.From] && (u.V0 || u.V1) {
					met[e.From] = true
					do(g, u)
				}
				return false
			})
		}
	}
}

// upgrade returns the upgrade along an edge to an entry of a channel.
func (o *Origins) upgrade(g *Graph, e Edge, to int) Upgrade {
	next := o.next(g)
	u := Upgrade{Edge: e, V0: next[V0][e.From] == e.To, V1: next[V1][e.From] == e.To}
	if from, ok := g.Index(o.All[e.From].Name); ok {
		u.V1 = g.upgrade(Edge{From: from, To: to}).V1
	}
	return u
}

// Automatic reports whether OLM upgrades along an edge automatically in some channel now, or did in the base.
func (o *Origins) Automatic(e Edge, olm Generation) bool {
	return slices.ContainsFunc(o.taken, func(g *Graph) bool { return o.next(g)[olm][e.From] == e.To })
}

func (o *Origins) next(g *Graph) [2][]int {
	if known, ok := o.automatic[g]; ok {
		return known
	}
	installed := words.Map(o.All, func(one Origin) InstalledBundle { return one.InstalledBundle })
	next := [2][]int{V0: make([]int, len(installed)), V1: make([]int, len(installed))}
	for i, e := range g.NextOfAllInstalled(installed) {
		if at, listed := g.Index(installed[i].Name); listed {
			e, _ = g.Next(at)
		}
		next[V0][i], next[V1][i] = -1, -1
		if e.To >= 0 {
			next[V0][i] = o.index[g.Name(e.To)]
		}
		if c := g.extension().Choose(installed[i]); c.Step != nil && c.Refusal == nil {
			next[V1][i] = o.index[c.Bundle]
		}
	}
	o.automatic[g] = next
	return next
}

// ShortestPathInto returns the shortest path to one of the ends from an origin for which begins holds, along edges in any channels, of the base
// too, that follows accepts; of equally short ones that of the first origin. An end is not a start. Its cost is linear in the origins, however many
// ends there are.
func (o *Origins) ShortestPathInto(ends []int, begins func(int) bool, follows func(Edge) bool) (path []Edge, ok bool) {
	edges, towards := o.edges(o.taken...), map[int]Edge{}
	for _, end := range ends {
		edges.assigned[end] = true
	}
	for level := ends; len(level) > 0; {
		var before []int
		for _, to := range level {
			edges.offerEdges(to, func(e Edge) bool {
				if !follows(e) {
					return false
				}
				towards[e.From], before = e, append(before, e.From)
				return true
			})
		}
		slices.Sort(before)
		if i := slices.IndexFunc(before, begins); i >= 0 {
			for e, more := towards[before[i]]; more; e, more = towards[e.To] {
				path = append(path, e)
			}
			return path, true
		}
		level = before
	}
	return nil, false
}

// ReachedFrom returns, for each origin, whether begins holds for it, or a path along edges in any channels, of the base too, that follows accepts
// leads to it from an origin for which begins holds.
func (o *Origins) ReachedFrom(begins func(int) bool, follows func(Edge) bool) []bool {
	reached := make([]bool, len(o.All))
	for i := range reached {
		reached[i] = begins(i)
	}
	oldest := slices.Collect(maps.Values(o.index)) // most paths lead to newer versions, so few rounds are needed
	slices.SortFunc(oldest, func(a, b int) int { return o.versions.versionOf[a] - o.versions.versionOf[b] })
	leftOut := make([]bool, len(o.All)) // of a round: after the first one, all that the round before did not reach
	for changed := true; changed; {
		changed = false
		before, assignment := slices.Clone(reached), o.edges(o.taken...)
		assignment.assigned = leftOut
		for _, to := range oldest {
			if reached[to] {
				continue
			}
			assignment.offerEdges(to, func(e Edge) bool {
				reached[to] = reached[to] || reached[e.From] && follows(e)
				return false
			})
			changed = changed || reached[to]
		}
		for i := range leftOut {
			leftOut[i] = before[i] == reached[i]
		}
	}
	return reached
}
