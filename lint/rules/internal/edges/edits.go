// Package edges evaluates changes of channel entries, and returns them as fixes and edits.
package edges

import (
	"fmt"
	"iter"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// RemoveText returns the edits that remove a value.
func RemoveText(t catalogs.Text) []edit.Edit {
	return []edit.Edit{{Pos: t.Pos, Change: edit.Change{Kind: edit.Remove, Was: t.Value}}}
}

// rename returns the edit that replaces a value with another name.
func rename(t catalogs.Text, name string) edit.Edit {
	return edit.Edit{Pos: t.Pos, Change: edit.Change{Kind: edit.Replace, Was: t.Value, Texts: []string{name}}}
}

// AppendSkips returns the edits that add names to the skips of an entry.
func AppendSkips(e *catalogs.Entry, names []string) []edit.Edit {
	return []edit.Edit{{Pos: e.Name.Pos, Change: edit.Change{Kind: edit.Append, Was: e.Name.Value, Key: "skips", Texts: names}}}
}

// RemoveSkip returns the edits that remove a name from the skips of an entry.
func RemoveSkip(e *catalogs.Entry, name string) []edit.Edit {
	var all []edit.Edit
	for _, skip := range e.Skips {
		if skip.Value == name {
			all = append(all, RemoveText(skip)...)
		}
	}
	return all
}

// RemoveSelfReference returns the edits that remove an entry from its own replaces or skips; nil if that has new problems.
func RemoveSelfReference(g *graph.Graph, i int, own graph.Edge) []edit.Edit {
	if !canRemoveSelfReference(g, i, own.Kind) {
		return nil
	}
	if own.Kind == graph.Skips {
		return RemoveSkip(&g.Channel.Entries[i], g.Name(i))
	}
	return RemoveText(own.Where)
}

// canRemoveSelfReference reports whether an entry can be removed from its own replaces or skips without new problems.
func canRemoveSelfReference(g *graph.Graph, i int, field graph.EdgeKind) bool {
	switch field {
	case graph.Replaces:
		without := WithEntry(g, i, SettingReplaces(""))
		return !HasNewProblems(g, without) && len(without.Heads()) <= max(1, len(g.Heads())) // of a channel that is rejected already, too
	case graph.Skips:
		return !HasNewProblems(g, WithEntry(g, i, RemovingSkip(g.Name(i))))
	}
	return false
}

// SpellingFixes returns the edits that correct each name in replaces and skips that differs by one letter from exactly one name
// of the package.
func SpellingFixes(p *lint.Pass, in ChannelsByEntry) map[string][]edit.Edit {
	all := in.Names()
	fixes := map[string][]edit.Edit{}
	meant := map[string]string{}
	EachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		name := m.Where.Value
		if len(in[name]) > 0 {
			return
		}
		near, known := meant[name]
		if !known {
			near = nearestByOneLetter(name, all)
			meant[name] = near
		}
		if near != "" && canCorrectTo(g, m, near) {
			fixes[name] = append(fixes[name], rename(m.Where, near))
		}
	})(p)
	return fixes
}

// WithCorrectedNames returns the graph of a channel with the edits of SpellingFixes.
func WithCorrectedNames(p *lint.Pass, g *graph.Graph) *graph.Graph {
	fixes := SpellingFixes(p, NamesIn(p.Package))
	for _, m := range g.MissingTargets() {
		for _, e := range fixes[m.Where.Value] {
			if e.Pos == m.Where.Pos && e.Pos.IsKnown() {
				g = WithEntry(g, m.Entry, renamingIn(m.Where.Value, e.Change.Texts[0]))
			}
		}
	}
	return g
}

// nearestByOneLetter returns the only candidate that differs from a name by one letter, "" if there is none or more than one.
func nearestByOneLetter(name string, candidates []string) string {
	near, ok := words.NearestVersioned(name, candidates)
	if !ok || words.Distance(name, near, 2) != 1 {
		return ""
	}
	for _, c := range candidates {
		if c != near && words.Distance(name, c, 2) < 2 {
			return ""
		}
	}
	return near
}

// CorrectionHasNewProblems reports whether a channel has new problems after a missing name is corrected.
func CorrectionHasNewProblems(g *graph.Graph, m graph.MissingTarget, near string) bool {
	if _, ok := g.Index(near); !ok || !IsValid(g) {
		return false
	}
	return HasNewProblems(g, WithEntry(g, m.Entry, renamingIn(m.Where.Value, near)))
}

// canCorrectTo reports whether a missing name can be corrected to that of an older entry of the channel that is not named there
// already.
func canCorrectTo(g *graph.Graph, m graph.MissingTarget, near string) bool {
	target, ok := g.Index(near)
	if !ok || target == m.Entry || versions.NewerThan(g.Channel.Entries[target].Bundle, g.Channel.Entries[m.Entry].Bundle) || CorrectionHasNewProblems(g, m, near) {
		return false
	}
	for _, t := range EdgeTexts(&g.Channel.Entries[m.Entry]) {
		if t.Value == near {
			return false
		}
	}
	return true
}

// MaxComparedChannels is the maximum number of channels of a package that rules compare with each other.
const MaxComparedChannels = 300

// Deprecated has the deprecations of a package by name: see catalogs.Package.DeprecationEntries.
type Deprecated struct {
	Package  *catalogs.Deprecation
	Channels map[string]*catalogs.Deprecation
	Bundles  map[string]*catalogs.Deprecation
}

// DeprecatedIn returns the deprecations of a package.
func DeprecatedIn(pkg *catalogs.Package) Deprecated {
	d := Deprecated{Channels: map[string]*catalogs.Deprecation{}, Bundles: map[string]*catalogs.Deprecation{}}
	entries := pkg.DeprecationEntries()
	for i := range entries {
		switch e := &entries[i]; e.Schema.Value {
		case catalogs.SchemaPackage:
			d.Package = e
		case catalogs.SchemaChannel:
			d.Channels[e.Name.Value] = e
		case catalogs.SchemaBundle:
			d.Bundles[e.Name.Value] = e
		}
	}
	return d
}

// Any reports whether the package deprecates anything.
func (d Deprecated) Any() bool { return d.Package != nil || len(d.Channels)+len(d.Bundles) > 0 }

// HeadFix returns a fix that makes a channel valid: entry i replaces the only one of the others, or skips all of them and those
// that would then be stranded, unless one of them is newer or may be. It also returns the entries to skip.
func HeadFix(g *graph.Graph, i int, left []int) (fix string, skips []int) {
	e := &g.Channel.Entries[i]
	if name := g.Name(left[0]); len(left) == 1 && e.Replaces.Value == "" && IsValid(WithEntry(g, i, SettingReplaces(name))) {
		return fmt.Sprintf("add replaces: %s to %q", name, e.Name.Value), nil
	}
	if len(g.Heads()) == len(g.Entries()) && len(left) > 1 {
		return "let each entry replace the next older one", nil
	}
	skips = slices.Concat(left, WithEntry(g, i, AddingSkips(g.Names(left)...)).StrandedEntries())
	names := g.Names(skips)
	newer := func(skipped int) bool {
		return g.Version(skipped) == nil || IsDowngrade(g, graph.Edge{From: skipped, To: i})
	}
	if slices.ContainsFunc(skips, newer) || !IsValid(WithEntry(g, i, AddingSkips(names...))) {
		return "let each entry of the channel but the newest be replaced or skipped by a newer one", nil
	}
	return fmt.Sprintf("add %s to the skips of %q", ListAll(names), e.Name.Value), skips
}

// ChannelsByEntry has the channels of the entries of a package, by the name of the entry.
type ChannelsByEntry map[string][]string

// NamesIn returns the names of the entries of a package, with their channels.
func NamesIn(pkg *catalogs.Package) ChannelsByEntry {
	in := ChannelsByEntry{}
	for _, c := range pkg.Channels {
		for i := range c.Entries {
			name := c.Entries[i].Name.Value
			in[name] = append(in[name], c.Name.Value)
		}
	}
	return in
}

// Names returns the names, sorted.
func (n ChannelsByEntry) Names() []string {
	var all []string
	for name := range n {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// EachMissingTarget returns a Check that calls check for each name in replaces and skips that its channel does not have.
func EachMissingTarget(check func(*graph.Graph, graph.MissingTarget)) func(*lint.Pass) {
	return lint.EachChannel(func(_ *lint.Pass, _ *catalogs.Channel, g *graph.Graph) {
		for _, m := range g.MissingTargets() {
			check(g, m)
		}
	})
}

// EdgeTexts yields each name that an entry replaces or skips, with its field.
func EdgeTexts(e *catalogs.Entry) iter.Seq2[graph.EdgeKind, catalogs.Text] {
	return func(yield func(graph.EdgeKind, catalogs.Text) bool) {
		if e.Replaces.Value != "" && !yield(graph.Replaces, e.Replaces) {
			return
		}
		for _, skip := range e.Skips {
			if skip.Value != "" && !yield(graph.Skips, skip) {
				return
			}
		}
	}
}

// PublishedIn reports whether a version of the base or of another catalog is in a range: a cluster that is updated brings it along.
func PublishedIn(p *lint.Pass, r *graph.Range) bool {
	has := func(pkg *catalogs.Package) bool {
		return pkg != nil && slices.ContainsFunc(pkg.Bundles, func(b *catalogs.Bundle) bool { return versions.HasVersion(b) && r.Contains(*b.Semver()) })
	}
	return has(p.BasePackage) || slices.ContainsFunc(p.Catalogs(), func(c *catalogs.Catalog) bool { return has(c.Package(p.Package.Name.Value)) })
}
