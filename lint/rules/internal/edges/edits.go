// Package edges answers for rules what a change of a channel's entries would do, and words and edits entries.
package edges

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// RemoveText takes a name out of where it stands.
func RemoveText(t catalogs.Text) []catalogs.Edit {
	return []catalogs.Edit{{Pos: t.Pos, Change: edit.Change{Kind: edit.Remove, Was: t.Value}}}
}

// rename writes another name where one stands.
func rename(t catalogs.Text, name string) catalogs.Edit {
	return catalogs.Edit{Pos: t.Pos, Change: edit.Change{Kind: edit.Replace, Was: t.Value, Texts: []string{name}}}
}

// AppendSkips lets an entry skip more names.
func AppendSkips(e *catalogs.Entry, names []string) []catalogs.Edit {
	return []catalogs.Edit{{Pos: e.Name.Pos, Change: edit.Change{Kind: edit.Append, Was: e.Name.Value, Key: "skips", Texts: names}}}
}

// RemoveSkip takes a name out of an entry's skips, wherever it stands there.
func RemoveSkip(e *catalogs.Entry, name string) []catalogs.Edit {
	var all []catalogs.Edit
	for _, skip := range e.Skips {
		if skip.Value == name {
			all = append(all, RemoveText(skip)...)
		}
	}
	return all
}

// RemoveSelfReference takes the name of an entry out of its own replaces or skips; nil if somebody is worse off then.
func RemoveSelfReference(g *graph.Graph, i int, own graph.Edge) []catalogs.Edit {
	if !canRemoveSelfReference(g, i, own.Kind) {
		return nil
	}
	if own.Kind == graph.Skips {
		return RemoveSkip(&g.Channel.Entries[i], g.Name(i))
	}
	return RemoveText(own.Where)
}

// canRemoveSelfReference reports whether nobody is worse off once an entry does not replace or skip itself.
func canRemoveSelfReference(g *graph.Graph, i int, field graph.EdgeKind) bool {
	switch field {
	case graph.Replaces:
		return !HasNewProblems(g, WithEntry(g, i, SettingReplaces("")))
	case graph.Skips:
		return !HasNewProblems(g, WithEntry(g, i, RemovingSkip(g.Name(i))))
	}
	return false
}

// SpellingFixes returns, for each name that is one letter off exactly one name of the package, what puts that right wherever it
// stands in replaces and skips.
func SpellingFixes(p *lint.Pass, in ChannelsByEntry) map[string][]catalogs.Edit {
	all := in.All()
	fixes := map[string][]catalogs.Edit{}
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

// WithCorrectedNames returns the graph of a channel as it is once the slips in its names are put right.
func WithCorrectedNames(p *lint.Pass, g *graph.Graph) *graph.Graph {
	fixes := SpellingFixes(p, NamesIn(p.Package))
	for _, m := range g.MissingTargets() {
		for _, e := range fixes[m.Where.Value] {
			if e.Pos == m.Where.Pos && e.Pos.Known() {
				g = WithEntry(g, m.Entry, renamingIn(m.Where.Value, e.Change.Texts[0]))
			}
		}
	}
	return g
}

// nearestByOneLetter returns the only candidate that is a slip of one letter away from a name, "" if there is none or more than one.
func nearestByOneLetter(name string, candidates []string) string {
	near, ok := spelling.NearestVersioned(name, candidates)
	if !ok || spelling.Distance(name, near, 2) != 1 {
		return ""
	}
	for _, c := range candidates {
		if c != near && spelling.Distance(name, c, 2) < 2 {
			return ""
		}
	}
	return near
}

// CorrectionHasNewProblems reports whether somebody is worse off if an entry names another one where a name is missing.
func CorrectionHasNewProblems(g *graph.Graph, m graph.MissingTarget, near string) bool {
	if _, ok := g.Index(near); !ok || !IsValid(g) {
		return false
	}
	return HasNewProblems(g, WithEntry(g, m.Entry, renamingIn(m.Where.Value, near)))
}

// canCorrectTo reports whether an entry can be meant where a name is missing: an older one of the channel that the one which
// names it does not name already.
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
