package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// eachChanged returns a Check that calls check for each channel that the base has too.
func eachChanged(check func(*lint.Pass, *graph.Change)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		for _, was := range p.BasePackage.Channels {
			now := p.Package.Channel(was.Name.Value)
			if now != nil && p.BasePackage.Channel(was.Name.Value) == was {
				check(p, channelChange(p, was, now))
			}
		}
	}
}

// changes caches the changes of channels, by the channel of the base.
type changes struct {
	memo.Map[*catalogs.Channel, *graph.Change]
}

// channelChange returns the change of a channel, computed once for all rules.
func channelChange(p *lint.Pass, was, now *catalogs.Channel) *graph.Change {
	return lint.SharedValue[changes](p).Get(was, func() *graph.Change { return &graph.Change{Base: p.BaseGraph(was), Now: p.Graph(now)} })
}

// headMovedBack returns the head of the base, and whether the head is now an older one.
func headMovedBack(c *graph.Change) (was int, back bool) {
	was, ok := c.Base.Head()
	is, ok2 := c.Now.Head()
	return was, ok && ok2 && versions.NewerThan(c.Base.Channel.Entries[was].Bundle, c.Now.Channel.Entries[is].Bundle)
}

// changedObjects are objects of a package with the same kind of change.
type changedObjects struct {
	names []string
	each  []string // Finding.Faults
	now   []catalogs.Pos
	was   []catalogs.Pos
}

func (c *changedObjects) add(name, id string, now, was catalogs.Pos) {
	c.names, c.each, c.now, c.was = append(c.names, name), append(c.each, id), append(c.now, now), append(c.was, was)
}

// details returns a line for each object.
func (c *changedObjects) details() []lint.Related {
	var all []lint.Related
	for i, name := range c.names {
		all = append(all, lint.Related{Pos: c.now[i], Message: fmt.Sprintf("%q has changed", name)})
	}
	return all
}

// changedChannels returns the names of the channels of changes.
func changedChannels(changes []*graph.Change) []string {
	return words.Map(changes, func(c *graph.Change) string { return c.Now.Channel.Name.Value })
}

// channelNames returns "channel" or "channels" with the names.
func channelNames(names []string) string {
	return words.Plural(len(names), "channel ", "channels ") + words.QuoteSome(names)
}

// takeOver sets the fix for removed entries that another entry should upgrade, which has been tried, if need be with more of them. The
// entry has to be newer than all of them.
func takeOver(f *lint.Finding, c *graph.Change, fix int, names []string, more ...string) {
	head := c.Now.Channel.Entries[fix].Bundle
	for _, name := range names {
		if b := c.Base.Package.Bundle(name); versions.NewerThan(b, head) {
			f.Skipper, f.Restores = "", true
			f.Fix = fmt.Sprintf("restore it, or publish a version above %s that replaces %q and skips %s",
				versions.Text(b), c.Now.Name(fix), edges.ListAll(names))
			return
		}
	}
	known := !slices.ContainsFunc(names, func(name string) bool {
		i, is := c.Now.Index(name)
		return is && c.Now.Version(i) == nil
	})
	for _, i := range append([]int{fix}, c.Now.Heads()...) {
		e := &c.Now.Channel.Entries[i]
		if !known || !takesOver(c, i, names, edges.AddingSkips(names...)) {
			continue
		}
		text := fmt.Sprintf("add %s to the skips of %q", edges.ListAll(names), e.Name.Value)
		if span := versionSpan(c, names); e.SkipRange.Value != "" && span != "" && takesOver(c, i, names, edges.SettingSkipRange(e.SkipRange.Value+" || "+span)) {
			text += fmt.Sprintf(", or let its skipRange be '%s || %s'", e.SkipRange.Value, span)
		}
		f.Fix, f.Skipper, f.Restores = text, e.Name.Value, false
		return
	}
	if len(more) > 0 {
		takeOver(f, c, fix, slices.Concat(names, more))
		return
	}
	f.Skipper, f.Restores = "", false
	f.Fix = "restore what upgraded " + words.Plural(len(names), "it", "them")
}

// listAgain sets the fix for entries that a template of schema olm.semver no longer lists: opm makes the edges of those that it has.
func listAgain(p *lint.Pass, f *lint.Finding, names []string) {
	if t := p.Catalog.Template; t != nil && t.IsGenerated() {
		f.Fix, f.Skipper, f.Restores = fmt.Sprintf("list the %s of %s in the template again", words.Plural(len(names), "image", "images"), edges.ListAll(names)), "", true
	}
}

// takesOver reports whether entries are upgraded if another one is changed, and nobody is worse off.
func takesOver(c *graph.Change, i int, names []string, change func(*catalogs.Entry)) bool {
	after := edges.WithEntry(c.Now, i, change)
	if (&graph.Change{Base: c.Now, Now: after}).Harms() {
		return false
	}
	return !slices.ContainsFunc((&graph.Change{Base: c.Base, Now: after}).Outcomes(), func(f graph.Outcome) bool {
		return f.IsStranded() && slices.Contains(names, c.Base.Name(f.Entry))
	})
}

// versionSpan returns the range that has the versions of one or more entries of the base; "" if one has none.
func versionSpan(c *graph.Change, names []string) string {
	lowest, highest := c.Base.Package.Bundle(names[0]), c.Base.Package.Bundle(names[0])
	for _, name := range names {
		b := c.Base.Package.Bundle(name)
		if !versions.HasVersion(b) {
			return ""
		}
		if versions.NewerThan(lowest, b) {
			lowest = b
		}
		if versions.NewerThan(b, highest) {
			highest = b
		}
	}
	return fmt.Sprintf(">=%s <=%s", lowest.Semver(), highest.Semver())
}

// strandedGates returns the gates that do not upgrade the entries: OLM v0, and OLM v1 if it has no successor for one of them.
func strandedGates(c *graph.Change, lost []int) lint.Gates {
	if slices.ContainsFunc(lost, func(i int) bool { return !c.HasSuccessorV1(i) && hasVersion(c.Base, i) }) {
		return lint.GateOLMv0 | lint.GateOLMv1
	}
	return lint.GateOLMv0
}

// hasVersion reports whether an entry has a bundle with a valid version.
func hasVersion(g *graph.Graph, i int) bool { return versions.HasVersion(g.Channel.Entries[i].Bundle) }
