package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph"
)

func checkNoHead(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	if len(g.Entries()) == 0 || len(g.Heads()) > 0 {
		return
	}
	top := newest(g, g.Entries())
	name := g.Name(top)
	f := atEntry(g, top)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("channel %q has no head: every entry is replaced or skipped by another, so it has nothing to install",
		c.Name.Value)
	var where []string
	for n, e := range g.Edges(top) {
		where = append(where, fmt.Sprintf("the %s of %q", e.Kind, g.Name(e.To)))
		if n == 0 && e.Where.Pos.Known() {
			f.Pos = e.Where.Pos
			continue
		}
		f.Related = append(f.Related, Related{Pos: e.Where.Pos, Message: fmt.Sprintf("%q also names %q",
			g.Name(e.To), name)})
	}
	if len(g.Entries()) == 1 {
		f.Message = fmt.Sprintf("channel %q has no head: its only entry %q replaces or skips itself", c.Name.Value, name)
	}
	f.Fix = fmt.Sprintf("remove %q, the newest, from %s", name, strings.Join(where, " and of "))
	if isOnlyItself(g, top) {
		for _, own := range g.Edges(top) {
			f.Edits = append(f.Edits, removeSelfReference(g, top, own)...)
		}
	}
	p.Report(f)
}

func checkMultipleHeads(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	heads := g.Heads()
	if len(heads) < 2 {
		return
	}
	top := newest(g, heads)
	rest := without(heads, top)
	f := atEntry(g, rest[0])
	f.Cause, f.Each = []string{f.Channel}, namesOf(g, rest)
	f.Related = placesOf(g, without(heads, rest[0]), "%q is also a head")
	f.Message = fmt.Sprintf("channel %q has %d heads, %s: OLM v0 resolves nothing in a namespace subscribed to it",
		c.Name.Value, len(heads), allOf(namesOf(g, heads)))
	f.Fix = headFix(g, top, rest)
	if slip, ok := misspellingOf(g, rest); ok {
		f.Pos, f.Bundle = slip.Where.Pos, g.Name(slip.Entry)
		f.Fix = fmt.Sprintf("%q names %q, which is not an entry: did you mean %q?",
			g.Name(slip.Entry), slip.Where.Value, slip.intended)
		f.Related = placesOf(g, heads, "%q is a head")
	} else if ranged := rangeHint(g, top, rest); ranged != "" {
		f.Fix += "; " + ranged
	}
	p.Report(f)
}

// misspelling is a name that means another one.
type misspelling struct {
	graph.MissingTarget
	intended string
}

// misspellingOf returns the name in replaces or skips that nothing has and that would, were it that of one of the heads, leave one
// head less.
func misspellingOf(g *graph.Graph, heads []int) (misspelling, bool) {
	names := namesOf(g, heads)
	for _, m := range g.MissingTargets() {
		meant, ok := spelling.Nearest(m.Where.Value, names)
		if ok && meant != g.Name(m.Entry) && !known(g.Package, m.Where.Value) {
			return misspelling{m, meant}, true
		}
	}
	return misspelling{}, false
}

// known reports whether a package has a bundle or an entry of that name.
func known(pkg *catalogs.Package, name string) bool {
	return pkg.Bundle(name) != nil || slices.ContainsFunc(pkg.Channels, func(c *catalogs.Channel) bool {
		return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })
	})
}

// rangeHint says that the newest head covers another one with its skipRange, if it does.
func rangeHint(g *graph.Graph, top int, rest []int) string {
	r := readRange(g.Channel.Entries[top].SkipRange.Value)
	for _, i := range rest {
		if b := g.Channel.Entries[i].Bundle; hasVersion(b) && r.contains(*b.Semver()) {
			return fmt.Sprintf("the skipRange of %q covers it, but does not count here", g.Name(top))
		}
	}
	return ""
}

func checkStranded(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	stranded := g.Stranded()
	if len(stranded) == 0 {
		return
	}
	top := newest(g, stranded)
	chain := g.Chain().Entries
	last := chain[len(chain)-1]
	end := &c.Entries[last]
	f := atEntry(g, top)
	f.Cause, f.Each = []string{f.Channel}, namesOf(g, stranded)
	f.Related = placesOf(g, without(stranded, top), "%q is also stranded")
	why := fmt.Sprintf("the chain of replaces ends at %q", end.Name.Value)
	f.Fix = headFix(g, last, []int{top})
	switch name := end.Replaces.Value; {
	case name != "" && g.Skipped(name):
		why += fmt.Sprintf(", since %q is skipped", name)
		f.Fix = strandedFix(g, name, stranded)
	case name != "":
		f.Fix = headFix(g, chain[0], stranded)
		if near, ok := spelling.Nearest(name, namesOf(g, stranded)); ok && isValid(withEntry(g, last, settingReplaces(near))) {
			f.Fix = fmt.Sprintf("%q replaces %q, which is not an entry: did you mean %q?", end.Name.Value, name, near)
		}
	}
	if end.Replaces.Pos.Known() {
		f.Related = append([]Related{{Pos: end.Replaces.Pos, Message: "the chain of replaces ends here"}}, f.Related...)
	}
	f.Message = fmt.Sprintf("%s %s stranded in channel %q, neither skipped nor in the chain of replaces from the head: %s",
		allOf(namesOf(g, stranded)), plural(len(stranded), "is", "are"), c.Name.Value, why)
	p.Report(f)
}

// strandedFix words the fix for a walk that a skip has cut short.
func strandedFix(g *graph.Graph, cut string, stranded []int) string {
	if i, ok := g.Index(cut); ok {
		if by, ok := g.SkippedBy(i); ok && isValid(withEntry(g, by.To, removingSkip(cut))) {
			return fmt.Sprintf("remove %q from the skips of %q", cut, g.Name(by.To))
		}
	}
	head, _ := g.Head()
	return headFix(g, head, stranded)
}

func checkHeadNotNewest(p *Pass, c *catalogs.Channel, g *graph.Graph) {
	head, ok := g.Head()
	if !ok {
		return
	}
	top := newest(g, g.Entries())
	if !newerThan(c.Entries[top].Bundle, c.Entries[head].Bundle) {
		return
	}
	f := atEntry(g, head)
	f.Cause = []string{f.Channel, g.Name(top)}
	a, b := c.Entries[top].Bundle, c.Entries[head].Bundle
	f.Message = fmt.Sprintf("the head of channel %q is version %s, but it has %s: users get the older version",
		c.Name.Value, versionText(b), versionText(a))
	f.Fix = fmt.Sprintf("let %q replace or skip %q, not the other way round", g.Name(top), g.Name(head))
	if isSuffixed(b, a) {
		f.Fix = fmt.Sprintf("in semver %s is older than %s, as any prerelease: publish it with a higher patch version",
			versionText(b), versionText(a))
	}
	f.Related = placesOf(g, []int{top}, "%q is newer")
	p.Report(f)
}

// isSuffixed reports whether a is b with a suffix, which makes it a prerelease of b.
func isSuffixed(a, b *catalogs.Bundle) bool {
	x, y := a.Semver(), b.Semver()
	return x.Major == y.Major && x.Minor == y.Minor && x.Patch == y.Patch && len(x.Pre) > 0 && len(y.Pre) == 0
}
