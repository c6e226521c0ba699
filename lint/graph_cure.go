package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// withEntry returns the graph of a channel in which one entry is changed. Cures are tried out on it before they are offered.
func withEntry(g *graph.Graph, i int, change func(*catalogs.Entry)) *graph.Graph {
	c := *g.Channel
	c.Entries = slices.Clone(c.Entries)
	c.Entries[i].Skips = slices.Clone(c.Entries[i].Skips)
	change(&c.Entries[i])
	return graph.Of(g.Package, &c)
}

// addingSkips makes a change that adds skips.
func addingSkips(names ...string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) {
		for _, name := range names {
			e.Skips = append(e.Skips, catalogs.Text{Value: name})
		}
	}
}

// settingReplaces makes a change of replaces.
func settingReplaces(name string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) { e.Replaces = catalogs.Text{Value: name} }
}

// removingSkip makes a change that takes a name out of skips.
func removingSkip(name string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) {
		e.Skips = slices.DeleteFunc(e.Skips, func(t catalogs.Text) bool { return t.Value == name })
	}
}

// renamingIn makes a change of a name wherever an entry has it in replaces or skips.
func renamingIn(from, to string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) {
		if e.Replaces.Value == from {
			e.Replaces.Value = to
		}
		for n := range e.Skips {
			if e.Skips[n].Value == from {
				e.Skips[n].Value = to
			}
		}
	}
}

// settingSkipRange makes a change of a skipRange.
func settingSkipRange(text string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) { e.SkipRange = catalogs.Text{Value: text} }
}

// isValid reports whether opm and OLM v0 both take a channel.
func isValid(g *graph.Graph) bool {
	_, err := g.Order()
	return err == nil && g.Chain().Cycle == nil && len(g.Chain().Entries) > 0 && len(g.Stranded()) == 0
}

// hasNewProblems reports whether a change does harm in a channel that opm and OLM v0 both take: they no longer do, or an OLM leaves users
// behind, or OLM v0 leads users down or upgrades without end, and did not before.
func hasNewProblems(before, after *graph.Graph) bool {
	if !isValid(before) {
		return false
	}
	if !isValid(after) || len(after.Loops()) > len(before.Loops()) || len(after.DeadEndsV1()) > len(before.DeadEndsV1()) {
		return true
	}
	return slices.ContainsFunc(before.Entries(), func(i int) bool {
		was, moved := before.Next(i)
		is, moves := after.Next(i)
		return moved && !moves || moves && isDowngrade(after, is) && !(moved && isDowngrade(before, was))
	})
}

// isDowngrade reports whether an upgrade is one to an older version.
func isDowngrade(g *graph.Graph, e graph.Edge) bool {
	return newerThan(g.Channel.Entries[e.From].Bundle, g.Channel.Entries[e.To].Bundle)
}

// headFix words what makes a channel sound again, if the entry i is the place for it: to replace one of the names that are
// left over if there is but one, or to skip all of them, and with them what would then be stranded.
func headFix(g *graph.Graph, i int, left []int) string {
	e := &g.Channel.Entries[i]
	if name := g.Name(left[0]); len(left) == 1 && e.Replaces.Value == "" && isValid(withEntry(g, i, settingReplaces(name))) {
		return fmt.Sprintf("add replaces: %s to %q", name, e.Name.Value)
	}
	if len(g.Heads()) == len(g.Entries()) && len(left) > 1 {
		return "let each entry replace the next older one"
	}
	names := namesOf(g, left)
	names = append(names, namesOf(g, withEntry(g, i, addingSkips(names...)).Stranded())...)
	if !isValid(withEntry(g, i, addingSkips(names...))) {
		return "let each entry of the channel but the newest be replaced or skipped by a newer one"
	}
	return fmt.Sprintf("add %s to the skips of %q", listAll(names), e.Name.Value)
}

func namesOf(g *graph.Graph, entries []int) []string {
	names := make([]string, 0, len(entries))
	for _, i := range entries {
		names = append(names, g.Name(i))
	}
	return names
}

// listAll lists what an author is to write, so none of it may be missing; only of very many the first stand for the rest.
func listAll(names []string) string {
	if len(names) > 12 {
		return strings.Join(names[:12], ", ") + fmt.Sprintf(" and the %d others of this finding", len(names)-12)
	}
	return strings.Join(names, ", ")
}

// newest returns the entry with the highest version; of those without one the first, if none has one.
func newest(g *graph.Graph, entries []int) int {
	best := entries[0]
	for _, i := range entries[1:] {
		a, b := g.Channel.Entries[i].Bundle, g.Channel.Entries[best].Bundle
		if newerThan(a, b) || hasVersion(a) && !hasVersion(b) {
			best = i
		}
	}
	return best
}

func hasVersion(b *catalogs.Bundle) bool { return b != nil && b.Semver() != nil }

// without returns the entries but one.
func without(entries []int, i int) []int {
	return slices.DeleteFunc(slices.Clone(entries), func(e int) bool { return e == i })
}

// placesOf points to entries.
func placesOf(g *graph.Graph, entries []int, format string) []Related {
	var related []Related
	for _, i := range entries {
		e := &g.Channel.Entries[i]
		related = append(related, Related{Pos: firstKnown(e.Name.Pos, e.Pos), Message: fmt.Sprintf(format, e.Name.Value)})
	}
	return related
}

// atEntry starts a finding about an entry.
func atEntry(g *graph.Graph, i int) Finding {
	e := &g.Channel.Entries[i]
	return Finding{
		Subject: Subject{Channel: g.Channel.Name.Value, Bundle: e.Name.Value},
		Pos:     firstKnown(e.Name.Pos, e.Pos),
	}
}

// atChannel starts a finding about a channel.
func atChannel(c *catalogs.Channel) Finding {
	return Finding{Subject: Subject{Channel: c.Name.Value}, Pos: firstKnown(c.Name.Pos, c.Pos)}
}
