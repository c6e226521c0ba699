package graph

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

func checkRangeEffect(p *lint.Pass) {
	stale := map[*catalogs.Entry]bool{}
	lint.EachChannel(func(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
		if head, ok := g.Head(); ok {
			stale[&c.Entries[head]] = reportRangeEnd(p, g, head)
		}
		checkRangeSkipped(p, c, g)
	})(p)
	eachRange(func(p *lint.Pass, g *graph.Graph, i int, r *graph.Range) {
		if !stale[&g.Channel.Entries[i]] {
			checkRangeEmpty(p, g, i, r)
		}
	})(p)
}

// reportRangeEnd reports the skipRange of a head that ends below its own version, if that of the head before ended at its own. It is no matter where
// the head skips all between.
func reportRangeEnd(p *lint.Pass, g *graph.Graph, head int) bool {
	e, before := &g.Channel.Entries[head], headBefore(p, g, head)
	if before == nil || !versions.HasVersion(e.Bundle) || !endsAtOwn(before) {
		return false
	}
	r, own := g.Range(head), *e.Bundle.Semver()
	end, ok := r.End()
	if !ok || r.IsEmpty() || !end.LT(own) || r.ContainsFrom(end) || skipsFrom(g, head, end) {
		return false
	}
	f := atRange(g, head)
	f.Severity, f.Cause = lint.Warning, []string{f.Channel, f.Bundle, before.Name.Value}
	f.Message = fmt.Sprintf("the skipRange %q of %q ends at %s, and that of %q, the head before, at its own version: versions from %s on upgrade to it directly only if it replaces or skips them",
		r.Text, e.Name.Value, end, before.Name.Value, end)
	f.Fix = fmt.Sprintf("let the skipRange end at %s, if users on all versions below it can upgrade directly", own)
	if text := r.WithEnd(own); !edges.HasNewProblems(g, edges.WithEntry(g, head, edges.SettingSkipRange(text))) {
		f.Fix = fmt.Sprintf("let the skipRange be '%s'", text)
	}
	f.Related = []lint.Related{{Pos: catalogs.KnownPos(before.SkipRange.Pos, before.Pos), Message: "the skipRange of the head before"}}
	p.Report(f)
	return true
}

// skipsFrom reports whether an entry skips all older ones of its channel that are not below a version, at least one.
func skipsFrom(g *graph.Graph, i int, from semver.Version) bool {
	between := slices.DeleteFunc(slices.Clone(g.Entries()), func(other int) bool {
		return !graph.Older(g.Version(other), g.Version(i)) || g.Version(other).LT(from)
	})
	return len(between) > 0 && !slices.ContainsFunc(between, func(other int) bool {
		return !slices.ContainsFunc(g.Edges(other), func(e graph.Edge) bool { return e.To == i && e.Kind == graph.Skips })
	})
}

// headBefore returns the entry that was the head of a channel before another one: in the base, or else the newest that is older; nil if there is none.
func headBefore(p *lint.Pass, g *graph.Graph, head int) *catalogs.Entry {
	if p.BasePackage != nil {
		if was := p.BasePackage.Channel(g.Channel.Name.Value); was != nil {
			base := p.BaseGraph(was)
			_, known := base.Index(g.Name(head))
			if i, ok := base.Head(); ok && !known {
				return &was.Entries[i]
			}
		}
	}
	for _, i := range g.ByVersion() {
		if versions.NewerThan(g.Channel.Entries[head].Bundle, g.Channel.Entries[i].Bundle) {
			return &g.Channel.Entries[i]
		}
	}
	return nil
}

func endsAtOwn(e *catalogs.Entry) bool {
	end, ok := graph.ReadRange(e.SkipRange.Value).End()
	return ok && versions.HasVersion(e.Bundle) && end.EQ(*e.Bundle.Semver())
}

// checkRangeSkipped reports the newest entry whose skipRange is changed though another entry skips it, if that of no other entry is changed.
func checkRangeSkipped(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	if p.BasePackage == nil || p.BasePackage.Channel(c.Name.Value) == nil {
		return
	}
	base, at := p.BaseGraph(p.BasePackage.Channel(c.Name.Value)), -1
	for _, i := range g.ByVersion() {
		e := &c.Entries[i]
		was, known := base.Index(e.Name.Value)
		switch {
		case known && base.Channel.Entries[was].SkipRange.Value == e.SkipRange.Value:
		case !known || !g.IsSkipped(e.Name.Value):
			return
		case at < 0 && g.Range(i) != nil:
			at = i
		}
	}
	if at < 0 {
		return
	}
	by, ok := g.SkippedBy(at)
	if !ok || by.To == at {
		return
	}
	f := atRange(g, at)
	f.Severity, f.Cause = lint.Warning, []string{f.Channel, f.Bundle, f.Names[0], g.Name(by.To)}
	f.Message = fmt.Sprintf("the changed skipRange %q of %q has no effect: %q skips the entry, so that OLM v0 does not offer it",
		f.Names[0], g.Name(at), g.Name(by.To))
	f.Fix, f.Restores, f.Changes = rangeToHead(g, at), true, []string{"skipRange/" + g.Name(at)}
	f.Related = []lint.Related{{Pos: by.Where.Pos, Message: "skipped here"}}
	p.Report(f)
}

// rangeToHead returns the fix of a skipRange of an entry that is not offered: the head has it instead.
func rangeToHead(g *graph.Graph, at int) string {
	head, ok := g.Head()
	r := g.Range(at)
	if ok && versions.HasVersion(g.Channel.Entries[head].Bundle) {
		e := &g.Channel.Entries[head]
		text := r.Text
		if endsAtOwn(&g.Channel.Entries[at]) {
			text = r.WithEnd(*e.Bundle.Semver())
		}
		if e.SkipRange.Value != "" {
			text = e.SkipRange.Value + " || " + text
		}
		if !edges.HasNewProblems(g, edges.WithEntry(g, head, edges.SettingSkipRange(text))) {
			return fmt.Sprintf("let the skipRange of %q be '%s', and remove this one", e.Name.Value, text)
		}
	}
	return "remove it, or give it to an entry that no other skips"
}
