package edges

import (
	"iter"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

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

// All returns the names, sorted.
func (n ChannelsByEntry) All() []string {
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

// PublishedIn reports whether a version of the base is in a range.
func PublishedIn(p *lint.Pass, r versions.Range) bool {
	return p.BasePackage != nil && slices.ContainsFunc(p.BasePackage.Bundles, func(b *catalogs.Bundle) bool { return versions.HasVersion(b) && r.Contains(*b.Semver()) })
}
