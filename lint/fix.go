package lint

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
)

// fixable reports whether edits are of a form of catalog whose text says what the model does, and of known places.
func fixable(c *catalogs.Catalog, edits []catalogs.Edit) bool {
	return c.Form == catalogs.FileBased &&
		!slices.ContainsFunc(edits, func(e catalogs.Edit) bool { return e.Pos.Line == 0 })
}

// removeText takes a name out of where it stands.
func removeText(t catalogs.Text) []catalogs.Edit {
	return []catalogs.Edit{{Pos: t.Pos, Change: edit.Change{Kind: edit.Remove, Was: t.Value}}}
}

// rename writes another name where one stands.
func rename(t catalogs.Text, name string) catalogs.Edit {
	return catalogs.Edit{Pos: t.Pos, Change: edit.Change{Kind: edit.Replace, Was: t.Value, Texts: []string{name}}}
}

// appendSkips lets an entry skip more names.
func appendSkips(e *catalogs.Entry, names []string) []catalogs.Edit {
	return []catalogs.Edit{{Pos: e.Name.Pos, Change: edit.Change{Kind: edit.Append, Was: e.Name.Value, Key: "skips", Texts: names}}}
}

// removeSkip takes a name out of an entry's skips, wherever it stands there.
func removeSkip(e *catalogs.Entry, name string) []catalogs.Edit {
	var all []catalogs.Edit
	for _, skip := range e.Skips {
		if skip.Value == name {
			all = append(all, removeText(skip)...)
		}
	}
	return all
}

// removeSelfReference takes the name of an entry out of its own replaces or skips; nil if somebody is worse off then.
func removeSelfReference(g *graph.Graph, i int, own graph.Edge) []catalogs.Edit {
	if !canRemoveSelfReference(g, i, own.Kind) {
		return nil
	}
	if own.Kind == graph.Skips {
		return removeSkip(&g.Channel.Entries[i], g.Name(i))
	}
	return removeText(own.Where)
}

// canRemoveSelfReference reports whether nobody is worse off once an entry does not replace or skip itself.
func canRemoveSelfReference(g *graph.Graph, i int, field graph.EdgeKind) bool {
	switch field {
	case graph.Replaces:
		return !hasNewProblems(g, withEntry(g, i, settingReplaces("")))
	case graph.Skips:
		return !hasNewProblems(g, withEntry(g, i, removingSkip(g.Name(i))))
	}
	return false
}

// misspeltNames returns, for each name that is one letter off exactly one name of the package, what puts that right wherever it
// stands in replaces and skips.
func misspeltNames(p *Pass, in names) map[string][]catalogs.Edit {
	all := in.all()
	fixes := map[string][]catalogs.Edit{}
	meant := map[string]string{}
	eachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		name := m.Where.Value
		if len(in[name]) > 0 {
			return
		}
		near, known := meant[name]
		if !known {
			near = nearestByOneLetter(name, all)
			meant[name] = near
		}
		if near != "" && canMeanEntry(g, m, near) {
			fixes[name] = append(fixes[name], rename(m.Where, near))
		}
	})(p)
	return fixes
}

// withCorrectedNames returns the graph of a channel as it is once the slips in its names are put right.
func withCorrectedNames(p *Pass, g *graph.Graph) *graph.Graph {
	fixes := misspeltNames(p, namesIn(p.Package))
	for _, m := range g.MissingTargets() {
		for _, e := range fixes[m.Where.Value] {
			if e.Pos == m.Where.Pos && e.Pos.Known() {
				g = withEntry(g, m.Entry, renamingIn(m.Where.Value, e.Change.Texts[0]))
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

// strandsUsers reports whether somebody is worse off if an entry names another one where a name is missing.
func strandsUsers(g *graph.Graph, m graph.MissingTarget, near string) bool {
	if _, ok := g.Index(near); !ok || !isValid(g) {
		return false
	}
	return hasNewProblems(g, withEntry(g, m.Entry, renamingIn(m.Where.Value, near)))
}

// canMeanEntry reports whether an entry can be meant where a name is missing: an older one of the channel that the one which
// names it does not name already.
func canMeanEntry(g *graph.Graph, m graph.MissingTarget, near string) bool {
	target, ok := g.Index(near)
	if !ok || target == m.Entry || newerThan(g.Channel.Entries[target].Bundle, g.Channel.Entries[m.Entry].Bundle) || strandsUsers(g, m, near) {
		return false
	}
	for _, t := range edgeTexts(&g.Channel.Entries[m.Entry]) {
		if t.Value == near {
			return false
		}
	}
	return true
}
