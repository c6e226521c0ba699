package edges

import (
	"iter"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// ChannelsByEntry are those of a package's entries, and in which channels they are.
type ChannelsByEntry map[string][]string

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

// EachMissingTarget makes a Check of a question about a name that its channel does not have.
func EachMissingTarget(check func(*graph.Graph, graph.MissingTarget)) func(*lint.Pass) {
	return lint.EachChannel(func(_ *lint.Pass, _ *catalogs.Channel, g *graph.Graph) {
		for _, m := range g.MissingTargets() {
			check(g, m)
		}
	})
}

// EdgeTexts yields each name that an entry replaces or skips, with the field it is in.
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

// PublishedIn reports whether a version of the base is known to be in a range.
func PublishedIn(p *lint.Pass, r versions.Range) bool {
	return p.BasePackage != nil && slices.ContainsFunc(p.BasePackage.Bundles, func(b *catalogs.Bundle) bool { return versions.HasVersion(b) && r.Contains(*b.Semver()) })
}
