package lint

import (
	"fmt"
	"iter"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

func checkSkipsItems(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	for i := range c.Entries {
		for n, skip := range c.Entries[i].Skips {
			if skip.Value != "" || misread(p.Catalog, skip.Pos) {
				continue
			}
			f := atEntry(g, i)
			f.Pos = firstKnown(skip.Pos, f.Pos)
			f.Message = fmt.Sprintf("item %d in the skips of %q is empty, which opm refuses", n+1, c.Entries[i].Name.Value)
			f.Cure = "take it out, or write the name of what is to be skipped"
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
			f.Message = fmt.Sprintf("%q skips %q twice: perhaps one of them should be another name", c.Entries[i].Name.Value, skip.Value)
			f.Cure = "take one out, or mend it"
			f.Related = []Related{{Pos: other.Pos, Message: "first skipped here"}}
			p.Report(f)
		}
	}
}

func checkReplacesAndSkips(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	for _, i := range g.Entries() {
		e := &c.Entries[i]
		below, ok := g.Index(e.Replaces.Value)
		if !ok || below == i {
			continue
		}
		at := slices.IndexFunc(e.Skips, func(t catalogs.Text) bool { return t.Value == e.Replaces.Value })
		if at < 0 || c.Entries[below].Replaces.Value == "" {
			continue
		}
		if _, ok := g.Index(c.Entries[below].Replaces.Value); !ok {
			continue
		}
		f := atEntry(g, i)
		f.Pos = firstKnown(e.Skips[at].Pos, f.Pos)
		f.Message = fmt.Sprintf("%q both replaces and skips %q: opm takes what is below that for cut off, and nobody can install it",
			e.Name.Value, e.Replaces.Value)
		f.Cure = fmt.Sprintf("take %q out of the skips, or let replaces name what comes before it", e.Replaces.Value)
		f.Related = []Related{{Pos: e.Replaces.Pos, Message: "replaced here"}}
		p.Report(f)
	}
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
	eachChannel(func(_ *Pass, _ *catalogs.Channel, g *graph.Graph) {
		for _, m := range g.Missing() {
			if len(in[m.Where.Value]) > 0 || seen[m.Where.Value] {
				continue
			}
			seen[m.Where.Value] = true
			f := atEntry(g, m.Entry)
			f.Pos = firstKnown(m.Where.Pos, f.Pos)
			if near, ok := misspelt(m.Where.Value, all); ok {
				f.Severity = Warning
				f.Message = fmt.Sprintf("%q %s %q, which is in no channel of the package: nobody is upgraded by that",
					g.Name(m.Entry), m.Kind, m.Where.Value)
				f.Cure = fmt.Sprintf("did you mean %q?", near)
				p.Report(f)
			}
		}
	})(p)
}

func checkReplacesOtherChannel(p *Pass) {
	in := namesIn(p.Package)
	eachChannel(func(_ *Pass, c *catalogs.Channel, g *graph.Graph) {
		for _, i := range g.Entries() {
			e := &c.Entries[i]
			where := in[e.Replaces.Value]
			if _, here := g.Index(e.Replaces.Value); here || len(where) == 0 {
				continue
			}
			f := atEntry(g, i)
			f.Pos = firstKnown(e.Replaces.Pos, f.Pos)
			f.Message = fmt.Sprintf("%q replaces %q, which is not in channel %q but in %s", e.Name.Value, e.Replaces.Value, c.Name.Value, allOf(where))
			f.Cure = "fine if users are to switch channels there; else add the replaced entry to this channel"
			p.Report(f)
		}
	})(p)
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
					reportCrossPackage(p, pkg, c, &c.Entries[i], field, t, owner)
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

func reportCrossPackage(p *Pass, pkg *catalogs.Package, c *catalogs.Channel, e *catalogs.Entry, field graph.EdgeKind, t catalogs.Text, owner *catalogs.Package) {
	p.Report(Finding{
		Subject: Subject{Package: pkg.Name.Value, Channel: c.Name.Value, Bundle: e.Name.Value},
		Pos:     firstKnown(t.Pos, e.Name.Pos, e.Pos),
		Message: fmt.Sprintf("%q %s %q, a bundle of package %q: OLM never upgrades from one package to another",
			e.Name.Value, field, t.Value, owner.Name.Value),
		Cure: fmt.Sprintf("name a bundle of package %q, or take it out", pkg.Name.Value),
	})
}

// checkEdgesDiffer reports once a package an entry whose skipRange is another one in another channel.
func checkEdgesDiffer(p *Pass) {
	first := map[string]*catalogs.Entry{}
	channel := map[string]string{}
	var f *Finding
	n := 0
	eachChannel(func(_ *Pass, c *catalogs.Channel, g *graph.Graph) {
		for _, i := range g.Entries() {
			e := &c.Entries[i]
			name := e.Name.Value
			other := first[name]
			if e.SkipRange.Value == "" {
				continue
			}
			if other == nil {
				first[name], channel[name] = e, c.Name.Value
				continue
			}
			if other.SkipRange.Value == e.SkipRange.Value {
				continue
			}
			if n++; n > 1 {
				continue
			}
			at := atRange(g, i)
			at.Message = fmt.Sprintf("the skipRange of %q is %q in channel %q and %q in channel %q: who can upgrade to it depends on the channel",
				name, e.SkipRange.Value, c.Name.Value, other.SkipRange.Value, channel[name])
			at.Cure = "let the two agree, unless that is meant"
			at.Related = []Related{{Pos: other.SkipRange.Pos, Message: "the other one"}}
			f = &at
		}
	})(p)
	if f != nil {
		p.Report(*f)
	}
}
