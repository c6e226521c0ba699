package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// checkBetterEdges reports once per package, about its newest head, and only if that is not in the base.
func checkBetterEdges(p *lint.Pass) {
	if isGenerated(p) || len(p.Package.Channels) == 0 {
		return
	}
	a := &graph.PackageGraph{Package: p.Package}
	for _, c := range p.Package.Channels {
		if p.Package.Channel(c.Name.Value) == c {
			a.Graphs = append(a.Graphs, p.Graph(c))
		}
	}
	m := release.Review(a)
	if m == nil || wasEntry(p, m.Channel, m.Release) {
		return
	}
	g := a.Graph(m.Channel)
	i, _ := g.Index(m.Release)
	f := edges.AtEntry(g, i)
	f.Cause = lint.OncePerPackage()
	if m.Needless != nil {
		f.Faults = m.Needless
		f.Message = fmt.Sprintf("%d of the %d skips of %q %s nothing: its skipRange covers %s, and other entries skip %[5]s",
			len(m.Needless), len(m.Written.Skips), m.Release, phrase.Plural(len(m.Needless), "changes", "change"), phrase.Plural(len(m.Needless), "it", "them"))
		f.Fix = fmt.Sprintf("remove %s from its skips", words.Few(m.Needless))
	} else {
		f.Faults = m.Lost
		f.Message = fmt.Sprintf("%q skips %s, but does not take over all that %s upgraded: OLM v0 no longer upgrades %s",
			m.Release, words.Few(m.Hidden), phrase.Plural(len(m.Hidden), "it", "they"), lostBy(m))
		f.Fix = "write " + edgesText(&m.Better)
	}
	p.Report(f)
}

// wasEntry reports whether the base has an entry in a channel.
func wasEntry(p *lint.Pass, channel, name string) bool {
	if p.BasePackage == nil {
		return false
	}
	c := p.BasePackage.Channel(channel)
	return c != nil && slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })
}

// lostBy says what is not upgraded any more.
func lostBy(m *release.Improvement) string {
	var lost []string
	if len(m.Lost) > 0 {
		lost = append(lost, words.Few(m.Lost))
	}
	if m.LostFrom != "" {
		lost = append(lost, "versions from "+m.LostFrom+" on, which only a skipRange covered")
	}
	return strings.Join(lost, ", nor ")
}

// edgesText returns edges as one reads them.
func edgesText(e *release.Edges) string {
	var parts []string
	if e.Replaces != "" {
		parts = append(parts, fmt.Sprintf("replaces %q", e.Replaces))
	}
	if len(e.Skips) > 0 {
		parts = append(parts, "skips "+words.AllOf(e.Skips))
	}
	if e.SkipRange != "" {
		parts = append(parts, fmt.Sprintf("skipRange %q", e.SkipRange))
	}
	return strings.Join(parts, ", ")
}
