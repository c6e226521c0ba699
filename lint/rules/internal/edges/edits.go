// Package edges evaluates changes of channel entries, and returns them as fixes and edits.
package edges

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/editfile"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// RemoveText returns the edits that remove a value.
func RemoveText(t catalogs.Text) []editfile.Edit {
	return []editfile.Edit{{Pos: t.Pos, Change: edit.Change{Kind: edit.Remove, Was: t.Value}}}
}

// rename returns the edit that replaces a value with another name.
func rename(t catalogs.Text, name string) editfile.Edit {
	return editfile.Edit{Pos: t.Pos, Change: edit.Change{Kind: edit.Replace, Was: t.Value, Texts: []string{name}}}
}

// AppendSkips returns the edits that add names to the skips of an entry.
func AppendSkips(e *catalogs.Entry, names []string) []editfile.Edit {
	return []editfile.Edit{{Pos: e.Name.Pos, Change: edit.Change{Kind: edit.Append, Was: e.Name.Value, Key: "skips", Texts: names}}}
}

// RemoveSkip returns the edits that remove a name from the skips of an entry.
func RemoveSkip(e *catalogs.Entry, name string) []editfile.Edit {
	var all []editfile.Edit
	for _, skip := range e.Skips {
		if skip.Value == name {
			all = append(all, RemoveText(skip)...)
		}
	}
	return all
}

// RemoveSelfReference returns the edits that remove an entry from its own replaces or skips; nil if that has new problems.
func RemoveSelfReference(g *graph.Graph, i int, own graph.Edge) []editfile.Edit {
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
		return !HasNewProblems(g, WithEntry(g, i, SettingReplaces("")))
	case graph.Skips:
		return !HasNewProblems(g, WithEntry(g, i, RemovingSkip(g.Name(i))))
	}
	return false
}

// SpellingFixes returns the edits that correct each name in replaces and skips that differs by one letter from exactly one name
// of the package.
func SpellingFixes(p *lint.Pass, in ChannelsByEntry) map[string][]editfile.Edit {
	all := in.All()
	fixes := map[string][]editfile.Edit{}
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
			if e.Pos == m.Where.Pos && e.Pos.Known() {
				g = WithEntry(g, m.Entry, renamingIn(m.Where.Value, e.Change.Texts[0]))
			}
		}
	}
	return g
}

// nearestByOneLetter returns the only candidate that differs from a name by one letter, "" if there is none or more than one.
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
