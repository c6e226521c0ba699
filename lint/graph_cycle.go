package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

const resolvesNothing = "OLM v0 resolves nothing in a namespace subscribed to it"

func checkCycle(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	if len(g.Heads()) == 0 {
		return // graph/no-head says so
	}
	var refused []string
	if loop := g.Chain().Cycle; loop != nil {
		refused = loop
		p.Report(cycle(g, loop, Error, GateOPM|GateOLMv0, "opm refuses it, and "+resolvesNothing))
	} else if _, err := g.Order(); err != nil && err.Cycle != nil {
		refused = err.Cycle
		p.Report(cycle(g, refused, Error, GateOLMv0, "opm accepts it, but "+resolvesNothing))
	}
	for _, loop := range g.Cycles() {
		names := cycleNames(g, loop)
		if len(loop) < 2 || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(refused, n) }) {
			continue
		}
		p.Report(cycle(g, reversed(names), Warning, GateAdvice, "no entry of it upgrades to a newer one"))
	}
	for _, loop := range g.Loops() {
		if downgradeIn(g, loop).Kind != graph.SkipRange { // else graph/skip-range-newer says so
			p.Report(endlessUpgrade(g, loop))
		}
	}
}

// cycleNames returns the names along a loop of upgrades, the first one repeated at the end.
func cycleNames(g *graph.Graph, loop []graph.Edge) []string {
	names := make([]string, 0, len(loop)+1)
	for _, e := range loop {
		names = append(names, g.Name(e.From))
	}
	return append(names, names[0])
}

func reversed(names []string) []string {
	names = slices.Clone(names)
	slices.Reverse(names)
	return names
}

// cycle words a loop of entries each of which replaces or skips the next.
func cycle(g *graph.Graph, names []string, s Severity, gates Gates, who string) Finding {
	upper, lower := oldestUpgrade(g, names)
	f := atEntry(g, upper)
	f.Severity, f.Gates = s, gates
	f.Cause = []string{f.Channel, g.Name(upper), g.Name(lower)}
	f.Message = fmt.Sprintf("a cycle of upgrades in channel %q, %s: %s",
		g.Channel.Name.Value, cycleText(names, " over "), who)
	field := "replaces"
	if e, ok := edge(g, lower, upper); ok {
		f.Pos, field = firstKnown(e.Where.Pos, f.Pos), fieldsOf(g, lower, upper)
	}
	f.Fix = fmt.Sprintf("remove %q from the %s of %q, the older one", g.Name(lower), field, g.Name(upper))
	if upper == lower {
		f.Fix = fmt.Sprintf("remove %q from its own %s", g.Name(upper), field)
		if own, ok := edge(g, upper, upper); ok {
			f.Edits = removeSelfReference(g, upper, own)
		}
	}
	return f
}

// fieldsOf names the fields of an entry that name another one.
func fieldsOf(g *graph.Graph, from, to int) string {
	var fields []string
	for _, e := range g.Edges(from) {
		if e.To == to {
			fields = append(fields, e.Kind.String())
		}
	}
	return strings.Join(fields, " and ")
}

// cycleText spells a loop out, the middle of a long one left out.
func cycleText(names []string, sep string) string {
	if n := len(names); n > 7 {
		names = slices.Concat(names[:3], []string{fmt.Sprintf("%d others", n-5)}, names[n-2:])
	}
	return strings.Join(names, sep)
}

// edge returns the first edge from one entry to another.
func edge(g *graph.Graph, from, to int) (graph.Edge, bool) {
	for _, e := range g.Edges(from) {
		if e.To == to {
			return e, true
		}
	}
	return graph.Edge{}, false
}

// oldestUpgrade returns the entry of a loop that takes over a newer one, and that one: there the loop should be cut.
func oldestUpgrade(g *graph.Graph, names []string) (upper, lower int) {
	for n := 1; n < len(names); n++ {
		a, _ := g.Index(names[n-1])
		b, _ := g.Index(names[n])
		if n == 1 || newerThan(g.Channel.Entries[b].Bundle, g.Channel.Entries[a].Bundle) {
			upper, lower = a, b
		}
	}
	return upper, lower
}

// downgradeIn returns the last edge of a loop that leads to an older entry.
func downgradeIn(g *graph.Graph, loop []graph.Edge) graph.Edge {
	down := loop[0]
	for _, e := range loop {
		if newerThan(g.Channel.Entries[e.From].Bundle, g.Channel.Entries[e.To].Bundle) {
			down = e
		}
	}
	return down
}

// endlessUpgrade words a loop in which OLM v0 upgrades without end.
func endlessUpgrade(g *graph.Graph, loop []graph.Edge) Finding {
	down := downgradeIn(g, loop)
	f := atEntry(g, down.To)
	f.Severity, f.Gates = Error, GateOLMv0
	f.Cause = []string{f.Channel, g.Name(down.To), down.Kind.String(), g.Name(down.From)}
	f.Pos = firstKnown(down.Where.Pos, f.Pos)
	f.Message = fmt.Sprintf("OLM v0 upgrades endlessly in channel %q: %s",
		g.Channel.Name.Value, cycleText(cycleNames(g, loop), " to "))
	f.Fix = fmt.Sprintf("remove %q from the %s of %q", g.Name(down.From), down.Kind, g.Name(down.To))
	change := settingReplaces("")
	if down.Kind == graph.Skips {
		change = removingSkip(g.Name(down.From))
	}
	if hasNewProblems(g, withEntry(g, down.To, change)) {
		f.Fix = fmt.Sprintf("publish the content of %q again under a version above %s", g.Name(down.To),
			versionText(g.Channel.Entries[down.From].Bundle))
	}
	return f
}

// checkSelfReference leaves out a skipRange that covers newer entries too: graph/skip-range-newer says so.
func checkSelfReference(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	var spelt *graph.Graph
	for _, i := range g.Entries() {
		e := &c.Entries[i]
		f := atEntry(g, i)
		own, named := edge(g, i, i)
		r := readRange(e.SkipRange.Value)
		switch {
		case named && rejectedForSelf(g, i):
			continue // graph/no-head and graph/cycle say so
		case named:
			f.Cause = []string{f.Channel, f.Bundle, own.Kind.String()}
			f.Pos = firstKnown(own.Where.Pos, f.Pos)
			if spelt == nil {
				spelt = withCorrectedNames(p, g)
			}
			f.Message, f.Fix, f.Edits = selfReference(spelt, i, own)
		case hasVersion(e.Bundle) && r.contains(*e.Bundle.Semver()) && len(newerInRange(g, i)) == 0:
			f.Cause = []string{f.Channel, f.Bundle, "skipRange"}
			f.Pos = firstKnown(e.SkipRange.Pos, f.Pos)
			f.Message = fmt.Sprintf("the skipRange %q of %q covers its own version: OLM offers it as an upgrade of itself",
				e.SkipRange.Value, e.Name.Value)
			f.Fix = fmt.Sprintf("let the range end with <%s", e.Bundle.Semver())
		default:
			continue
		}
		p.Report(f)
	}
}

// rejectedForSelf reports whether a channel has no head, or a loop, because an entry names itself.
func rejectedForSelf(g *graph.Graph, i int) bool {
	if len(g.Heads()) == 0 {
		return i == newest(g, g.Entries()) && isOnlyItself(g, i)
	}
	loop := g.Chain().Cycle
	if _, err := g.Order(); loop == nil && err != nil {
		loop = err.Cycle
	}
	return len(loop) == 2 && loop[0] == g.Name(i)
}

// isOnlyItself reports whether no other entry replaces or skips an entry.
func isOnlyItself(g *graph.Graph, i int) bool {
	return !slices.ContainsFunc(g.Edges(i), func(e graph.Edge) bool { return e.To != i })
}

// selfReference words what is wrong with an entry that replaces or skips itself, and what to do, which it also returns as edits. An
// entry that must stay skipped is skipped by the one that takes over its users.
func selfReference(g *graph.Graph, i int, own graph.Edge) (message, fix string, edits []catalogs.Edit) {
	name := g.Name(i)
	edits = removeSelfReference(g, i, own)
	if own.Kind == graph.Replaces {
		return fmt.Sprintf("%q replaces itself", name), "remove replaces, or name the entry before it", edits
	}
	message = fmt.Sprintf("%q skips itself: it is not a head, and OLM v0 never offers it", name)
	if edits != nil {
		return message, fmt.Sprintf("remove %q from its own skips", name), edits
	}
	to, ok := successor(g, i)
	if !ok || hasNewProblems(g, withEntry(withEntry(g, i, removingSkip(name)), to, addingSkips(name))) {
		head, _ := g.Head()
		return message, fmt.Sprintf("publish a version above %s that replaces %q and skips %q, and remove %[3]q from its own skips",
			versionText(g.Channel.Entries[i].Bundle), g.Name(head), name), nil
	}
	return message, fmt.Sprintf("add %s to the skips of %q, and remove it from its own", name, g.Name(to)),
		append(appendSkips(&g.Channel.Entries[to], []string{name}), removeSkip(&g.Channel.Entries[i], name)...)
}

// successor returns the entry that OLM v0 upgrades another one to, or that should skip that if it is stuck; false if it is older.
func successor(g *graph.Graph, i int) (int, bool) {
	if next, ok := g.Next(i); ok {
		return next.To, !isDowngrade(g, next)
	}
	all := g.Stuck()
	at := slices.IndexFunc(all, func(s graph.Stuck) bool { return s.Entry == i })
	if at < 0 || all[at].FixEntry < 0 {
		return 0, false
	}
	return all[at].FixEntry, true
}
