package lint

import (
	"fmt"
	"iter"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
)

func checkSkipsItems(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	for i := range c.Entries {
		for n, skip := range c.Entries[i].Skips {
			if skip.Value != "" || isProblemAt(p.Catalog, skip.Pos) {
				continue
			}
			f := atEntry(g, i)
			f.Pos = firstKnown(skip.Pos, f.Pos)
			f.Message = fmt.Sprintf("item %d in the skips of %q is empty, which opm refuses", n+1, c.Entries[i].Name.Value)
			f.Fix = "remove it, or write the name of the entry to skip"
			f.Edits = removeText(skip)
			p.Report(f)
		}
	}
}

func checkDuplicateSkips(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, i := range g.Entries() {
		first := map[string]catalogs.Text{}
		for _, skip := range c.Entries[i].Skips {
			other, again := first[skip.Value]
			if !again {
				first[skip.Value] = skip
				continue
			}
			if skip.Value == "" {
				continue
			}
			f := atEntry(g, i)
			f.Pos = firstKnown(skip.Pos, f.Pos)
			f.Cause = []string{f.Channel, f.Bundle, skip.Value}
			f.Message = fmt.Sprintf("%q skips %q twice: one of them may be a mistake for another name",
				c.Entries[i].Name.Value, skip.Value)
			f.Fix = "remove one, or correct it"
			f.Edits = removeText(skip)
			f.Related = []Related{{Pos: other.Pos, Message: "first skipped here"}}
			p.Report(f)
		}
	}
}

// checkReplacesAndSkips looks only at names that something is below. Where that is stuck because of the skip, and not without
// it, graph/stuck says so.
func checkReplacesAndSkips(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	told := map[graph.Edge]bool{}
	for _, s := range g.Stuck() {
		for _, skip := range s.Unskip {
			told[skip] = true
		}
	}
	for _, i := range g.Entries() {
		e := &c.Entries[i]
		below, ok := g.Index(e.Replaces.Value)
		if !ok || below == i || !replacesAny(g, below) {
			continue
		}
		for _, skip := range g.Edges(below) {
			if skip.To != i || skip.Kind != graph.Skips || told[skip] {
				continue
			}
			f := atEntry(g, i)
			f.Pos = firstKnown(skip.Where.Pos, f.Pos)
			f.Cause = []string{f.Channel, f.Bundle, e.Replaces.Value}
			f.Message = fmt.Sprintf("%q both replaces and skips %q: it cannot be installed, nor any entry below it",
				e.Name.Value, e.Replaces.Value)
			f.Fix = replacesOrSkips(g, i, below)
			f.Related = []Related{{Pos: e.Replaces.Pos, Message: "replaced here"}}
			p.Report(f)
		}
	}
}

// replacesOrSkips says which of the two an entry should keep that both replaces and skips another one.
func replacesOrSkips(g *graph.Graph, i, below int) string {
	name := g.Name(below)
	byOther := slices.ContainsFunc(g.Edges(below), func(e graph.Edge) bool { return e.Kind == graph.Skips && e.To != i })
	skips := g.Unskip(below)
	switch {
	case len(skips) > 1:
		out, _ := removeSkips(g, skips)
		return out
	case len(skips) == 1 || byOther:
		return fmt.Sprintf("remove %q from the skips, unless all entries below it are to be skipped too", name)
	}
	return fmt.Sprintf("remove %q from the replaces of %q, which also skips it", name, g.Name(i))
}

// replacesAny reports whether an entry replaces another one of the channel.
func replacesAny(g *graph.Graph, i int) bool {
	below, ok := g.Index(g.Channel.Entries[i].Replaces.Value)
	return ok && below != i
}

// names are those of a package's entries, and in which channels they are.
type names map[string][]string

func namesIn(pkg *catalogs.Package) names {
	in := names{}
	for _, c := range pkg.Channels {
		for i := range c.Entries {
			name := c.Entries[i].Name.Value
			in[name] = append(in[name], c.Name.Value)
		}
	}
	return in
}

// all returns the names, sorted.
func (n names) all() []string {
	var all []string
	for name := range n {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// checkMissingTargets reports names that are near a known one each, and the others once a package.
func checkMissingTargets(p *Pass) {
	in := namesIn(p.Package)
	all := in.all()
	seen := map[string]bool{}
	var others []Finding
	slips := misspeltNames(p, in)
	eachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		name := m.Where.Value
		if len(in[name]) > 0 || seen[name] || p.published(name) {
			return
		}
		seen[name] = true
		f := atEntry(g, m.Entry)
		f.Pos = firstKnown(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q %s %q, which is in no channel of the package", g.Name(m.Entry), m.Kind, name)
		if near, ok := spelling.NearestVersioned(name, all); ok && !strandsUsers(g, m, near) {
			f.Severity = Warning
			f.Cause = []string{name}
			f.Message += ": it upgrades no bundle"
			f.Fix = fmt.Sprintf("did you mean %q?", near)
			f.Edits = slips[name]
			p.Report(f)
			return
		}
		others = append(others, f)
	})(p)
	reportFirst(p, others, "correct if it was published and removed since; otherwise correct the name")
}

// eachMissingTarget makes a Check of a question about a name that its channel does not have.
func eachMissingTarget(check func(*graph.Graph, graph.MissingTarget)) func(*Pass) {
	return eachChannel(func(_ *Pass, _ *catalogs.Channel, g *graph.Graph) {
		for _, m := range g.MissingTargets() {
			check(g, m)
		}
	})
}

// reportFirst reports the first of several findings of which one a package is enough, and how many more there are.
func reportFirst(p *Pass, findings []Finding, fix string) {
	if len(findings) == 0 {
		return
	}
	f := findings[0]
	f.Cause, f.Fix = oncePerPackage(), fix
	if more := len(findings) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (%d more in the package)", more)
	}
	p.Report(f)
}

func checkReplacesOtherChannel(p *Pass) {
	in := namesIn(p.Package)
	var all []Finding
	eachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		where := in[m.Where.Value]
		if m.Kind != graph.Replaces || len(where) == 0 {
			return
		}
		f := atEntry(g, m.Entry)
		f.Pos = firstKnown(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q replaces %q, which is not in channel %q but in %s",
			g.Name(m.Entry), m.Where.Value, f.Channel, allOf(where))
		all = append(all, f)
	})(p)
	reportFirst(p, all, "correct if users should switch channels there; otherwise add the replaced entry to this channel")
}

// checkCrossPackage is called once a catalog.
func checkCrossPackage(p *Pass) {
	owners := map[string]*catalogs.Package{}
	for _, pkg := range p.Catalog.Packages {
		for _, b := range pkg.Bundles {
			if owners[b.Name.Value] == nil {
				owners[b.Name.Value] = pkg
			}
		}
	}
	for _, pkg := range p.Catalog.Packages {
		for _, c := range pkg.Channels {
			for i := range c.Entries {
				for field, t := range edgeTexts(&c.Entries[i]) {
					owner := owners[t.Value]
					if owner == nil || owner == pkg || known(pkg, t.Value) {
						continue
					}
					name := c.Entries[i].Name
					p.Report(Finding{
						Subject: Subject{Package: pkg.Name.Value, Channel: c.Name.Value, Bundle: name.Value},
						Cause:   []string{c.Name.Value, name.Value, field.String(), t.Value, owner.Name.Value},
						Pos:     firstKnown(t.Pos, name.Pos, c.Pos),
						Message: fmt.Sprintf("%q %s %q, a bundle of package %q: OLM never upgrades from one package to another",
							name.Value, field, t.Value, owner.Name.Value),
						Fix: fmt.Sprintf("name a bundle of package %q, or remove it", pkg.Name.Value),
					})
				}
			}
		}
	}
}

// edgeTexts yields each name that an entry replaces or skips, with the field it is in.
func edgeTexts(e *catalogs.Entry) iter.Seq2[graph.EdgeKind, catalogs.Text] {
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

// checkEdgesDiffer reports once a package an entry whose skipRange is another one in another channel.
func checkEdgesDiffer(p *Pass) {
	type place struct {
		channel   string
		skipRange catalogs.Text
	}
	first := map[string]place{}
	var all []Finding
	eachChannel(func(_ *Pass, c *catalogs.Channel, g *graph.Graph) {
		for _, i := range g.Entries() {
			name, here := g.Name(i), c.Entries[i].SkipRange
			other, met := first[name]
			if here.Value == "" || met && other.skipRange.Value == here.Value {
				continue
			}
			if !met {
				first[name] = place{c.Name.Value, here}
				continue
			}
			f := atRange(g, i)
			f.Message = fmt.Sprintf("the skipRange of %q is %q in channel %q and %q in channel %q",
				name, here.Value, c.Name.Value, other.skipRange.Value, other.channel)
			f.Related = []Related{{Pos: other.skipRange.Pos, Message: "the other one"}}
			all = append(all, f)
		}
	})(p)
	reportFirst(p, all, "give both the same skipRange, unless the channels should upgrade from different versions")
}
