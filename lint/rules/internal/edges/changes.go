package edges

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// WithEntry returns the graph of a channel with one changed entry, to try out fixes.
func WithEntry(g *graph.Graph, i int, change func(*catalogs.Entry)) *graph.Graph {
	c := *g.Channel
	c.Entries = slices.Clone(c.Entries)
	c.Entries[i].Skips = slices.Clone(c.Entries[i].Skips)
	change(&c.Entries[i])
	return g.WithChannel(&c)
}

// AddingSkips returns a change that adds names to skips.
func AddingSkips(names ...string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) {
		for _, name := range names {
			e.Skips = append(e.Skips, catalogs.Text{Value: name})
		}
	}
}

// SettingReplaces returns a change that sets replaces.
func SettingReplaces(name string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) { e.Replaces = catalogs.Text{Value: name} }
}

// RemovingSkip returns a change that removes a name from skips.
func RemovingSkip(name string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) {
		e.Skips = slices.DeleteFunc(e.Skips, func(t catalogs.Text) bool { return t.Value == name })
	}
}

// renamingIn returns a change that replaces a name in replaces and skips.
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

// SettingSkipRange returns a change that sets skipRange.
func SettingSkipRange(text string) func(*catalogs.Entry) {
	return func(e *catalogs.Entry) { e.SkipRange = catalogs.Text{Value: text} }
}

// IsValid reports whether opm and OLM v0 both accept a channel.
func IsValid(g *graph.Graph) bool {
	_, err := g.Order()
	return err == nil && g.Chain().Cycle == nil && len(g.Chain().Entries) > 0 && len(g.StrandedEntries()) == 0
}

// HasNewProblems reports whether a change makes a valid channel worse: opm or OLM v0 reject it, an OLM no longer upgrades some
// users, or OLM v0 downgrades users or upgrades them endlessly. It returns false for an invalid channel.
func HasNewProblems(before, after *graph.Graph) bool {
	if !IsValid(before) {
		return false
	}
	if !IsValid(after) || len(after.Loops()) > len(before.Loops()) || len(after.DeadEndsV1()) > len(before.DeadEndsV1()) {
		return true
	}
	return slices.ContainsFunc(before.Entries(), func(i int) bool {
		was, moved := before.Next(i)
		is, moves := after.Next(i)
		return moved && !moves || moves && IsDowngrade(after, is) && !(moved && IsDowngrade(before, was))
	})
}

// IsDowngrade reports whether an upgrade is one to an older version.
func IsDowngrade(g *graph.Graph, e graph.Edge) bool {
	return versions.NewerThan(g.Channel.Entries[e.From].Bundle, g.Channel.Entries[e.To].Bundle)
}

// ListAll lists names that an author has to write, if they are at most three. More must be in the Details of the finding.
func ListAll(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("the %d names in the details", len(names))
	}
	return strings.Join(names, ", ")
}

// Newest returns the entry with the highest version. If no entry has a version, it returns the first.
func Newest(g *graph.Graph, entries []int) int {
	best := entries[0]
	for _, i := range entries[1:] {
		a, b := g.Channel.Entries[i].Bundle, g.Channel.Entries[best].Bundle
		if versions.NewerThan(a, b) || versions.HasVersion(a) && !versions.HasVersion(b) {
			best = i
		}
	}
	return best
}

// Without returns all entries except i.
func Without(entries []int, i int) []int {
	return slices.DeleteFunc(slices.Clone(entries), func(e int) bool { return e == i })
}

// RelatedEntries returns the positions of entries. The format has one verb, for the name.
func RelatedEntries(g *graph.Graph, entries []int, format string) []lint.Related {
	var related []lint.Related
	for _, i := range entries {
		e := &g.Channel.Entries[i]
		related = append(related, lint.Related{Pos: catalogs.KnownPos(e.Name.Pos, e.Pos), Message: fmt.Sprintf(format, e.Name.Value), Name: e.Name.Value})
	}
	return related
}

// AtEntry returns a finding about an entry.
func AtEntry(g *graph.Graph, i int) lint.Finding {
	e := &g.Channel.Entries[i]
	return lint.Finding{
		Subject: lint.Subject{Channel: g.Channel.Name.Value, Bundle: e.Name.Value},
		Pos:     catalogs.KnownPos(e.Name.Pos, e.Pos),
	}
}

// AtChannel returns a finding about a channel.
func AtChannel(c *catalogs.Channel) lint.Finding {
	return lint.Finding{Subject: lint.Subject{Channel: c.Name.Value}, Pos: catalogs.KnownPos(c.Name.Pos, c.Pos)}
}

// NewerThanDefault returns the new channel whose head is newer than that of the default channel, which is not changed, if the default was the highest of
// several version channels; nil if there is none. Pre-releases do not count.
func NewerThanDefault(p *lint.Pass) *catalogs.Channel {
	name := p.Package.DefaultChannel.Value
	if p.BasePackage == nil || p.BasePackage.DefaultChannel.Value != name {
		return nil
	}
	was, is := graph.ChannelFamily(p.BasePackage, name), graph.ChannelFamily(p.Package, name)
	if len(was) < 2 || was[len(was)-1].Name.Value != name || len(is) == 0 || is[len(is)-1].Name.Value == name {
		return nil
	}
	c, d := is[len(is)-1].Channel, p.Package.Channel(name)
	head, ok := p.Graph(c).Head()
	old, ok2 := p.Graph(d).Head()
	if !ok || !ok2 || !versions.NewerThan(c.Entries[head].Bundle, d.Entries[old].Bundle) || len(c.Entries[head].Bundle.Semver().Pre) > 0 {
		return nil
	}
	return c
}
