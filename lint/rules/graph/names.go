package graph

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// explainsHeads reports whether a channel has several heads since a name is misspelt.
func explainsHeads(g *graph.Graph, m graph.MissingTarget) bool {
	heads := g.Heads()
	if len(heads) < 2 {
		return false
	}
	typo, ok := misspellingOf(g, edges.Without(heads, edges.Newest(g, heads)))
	return ok && typo.Where == m.Where
}

// reportsMisspelling reports whether checkMissingTargets reports a name with what was probably meant.
func reportsMisspelling(p *lint.Pass, g *graph.Graph, m graph.MissingTarget) bool {
	in := edges.NamesIn(p.Package)
	name := m.Where.Value
	if len(in[name]) > 0 || p.Published(name) || p.Catalog.MayBeUnread(name) {
		return false
	}
	near, ok := spelling.NearestVersioned(name, in.All())
	return ok && !edges.CorrectionHasNewProblems(g, m, near)
}

// checkMissingTargets reports each name that is similar to a known one, and the others once per package.
func checkMissingTargets(p *lint.Pass) {
	in := edges.NamesIn(p.Package)
	all := in.All()
	seen := map[string]bool{}
	var others []lint.Finding
	corrections := edges.SpellingFixes(p, in)
	edges.EachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		name := m.Where.Value
		explained := explainsHeads(g, m)
		if len(in[name]) > 0 || seen[name] && !explained || p.Published(name) || p.Catalog.MayBeUnread(name) || p.Runs("graph/stranded", g.Channel.Name.Value) && endsMisspelt(g, m) {
			return
		}
		seen[name] = true
		f := edges.AtEntry(g, m.Entry)
		f.Pos = catalogs.KnownPos(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q %s %q, which is in no channel of the package", g.Name(m.Entry), m.Kind, name)
		if near, ok := spelling.NearestVersioned(name, all); ok && !edges.CorrectionHasNewProblems(g, m, near) {
			f.Severity = lint.Warning
			f.Cause = []string{name}
			f.Message += fmt.Sprintf(": did you mean %q?", near)
			f.Fix = "write " + near
			if explained {
				f.Severity, f.Gates = lint.Error, headGates
				f.Message += fmt.Sprintf(" Without it channel %q has %d heads, and OLM v0 resolves nothing in a namespace subscribed to it",
					g.Channel.Name.Value, len(g.Heads()))
			}
			f.Edits = corrections[name]
			p.Report(f)
			return
		}
		others = append(others, f)
	})(p)
	reportFirst(p, others, "correct if it was published and removed since; otherwise correct the name")
}

func checkReplacesOtherChannel(p *lint.Pass) {
	if isGenerated(p) {
		return // opm makes it so
	}
	in := edges.NamesIn(p.Package)
	var all []lint.Finding
	edges.EachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		where := in[m.Where.Value]
		if m.Kind != graph.Replaces || len(where) == 0 {
			return
		}
		f := edges.AtEntry(g, m.Entry)
		f.Pos = catalogs.KnownPos(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q replaces %q, which is not in channel %q but in %s",
			g.Name(m.Entry), m.Where.Value, f.Channel, words.AllOf(where))
		all = append(all, f)
	})(p)
	reportFirst(p, all, "correct if users should switch channels there; otherwise add the replaced entry to this channel")
}

// hasName reports whether a package has a bundle or an entry of that name.
func hasName(pkg *catalogs.Package, name string) bool {
	return pkg.Bundle(name) != nil || slices.ContainsFunc(pkg.Channels, func(c *catalogs.Channel) bool {
		return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })
	})
}

// isSuffixed reports whether a is the version of b with a suffix, which makes it a prerelease of b.
func isSuffixed(a, b *catalogs.Bundle) bool {
	x, y := a.Semver(), b.Semver()
	return x.Major == y.Major && x.Minor == y.Minor && x.Patch == y.Patch && len(x.Pre) > 0 && len(y.Pre) == 0
}

// reportFirst reports the first of several findings, with the others in its details: one per package is enough.
func reportFirst(p *lint.Pass, findings []lint.Finding, fix string) {
	if len(findings) == 0 {
		return
	}
	f := findings[0]
	f.Cause, f.Fix = lint.OncePerPackage(), fix
	if more := len(findings) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (%d more in the package)", more)
		f.Details = detailsOf(findings)
	}
	p.Report(f)
}

// detailsOf returns a line for each of several findings that are reported together.
func detailsOf(findings []lint.Finding) []lint.Related {
	var all []lint.Related
	for i := range findings {
		all = append(all, lint.Related{Pos: findings[i].Pos, Message: findings[i].Message})
	}
	return all
}
