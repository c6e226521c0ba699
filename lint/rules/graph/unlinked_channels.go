package graph

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// reportUnlinked reports version channels, the new ones and the newest of each family, that do not upgrade the head of the channel before, though at
// least half of the earlier ones do. It returns those channels, by the one before.
func reportUnlinked(p *lint.Pass) map[*catalogs.Channel]*catalogs.Channel {
	told := map[*catalogs.Channel]*catalogs.Channel{}
	for _, family := range graph.Families(p.Package) {
		for at := 1; at < len(family); at++ {
			c, before := family[at], family[at-1]
			isNew := p.BasePackage != nil && p.BasePackage.Channel(c.Name.Value) == nil
			if !isNew && at < len(family)-1 || !isUnlinked(p, before, c) {
				continue
			}
			if last := lastLinked(p, family[:at], c.Version.Major != before.Version.Major); last != nil {
				told[before.Channel] = c.Channel
				p.Report(unlinkedFinding(p, before.Channel, c.Channel, last))
			}
		}
	}
	return told
}

// isUnlinked reports whether OLM v0 does not upgrade the head of a version channel in a later one with a newer head.
func isUnlinked(p *lint.Pass, before, c graph.VersionChannel) bool {
	from, to := p.Graph(before.Channel), p.Graph(c.Channel)
	head, ok := from.Head()
	return ok && versions.NewerThan(headIn(to), headIn(from)) && slices.Contains(from.StuckAfterSwitch(to), head)
}

// lastLinked returns the last channel that upgrades the head of the one before, if at least half of those do that are, or are not, the first of a
// major version; else nil.
func lastLinked(p *lint.Pass, family []graph.VersionChannel, major bool) (last *catalogs.Channel) {
	linked, all := 0, 0
	for i := 1; i < len(family); i++ {
		if (family[i].Version.Major != family[i-1].Version.Major) != major {
			continue
		}
		all++
		if !isUnlinked(p, family[i-1], family[i]) {
			last = family[i].Channel
			linked++
		}
	}
	if 2*linked < all {
		return nil
	}
	return last
}

func unlinkedFinding(p *lint.Pass, before, c, last *catalogs.Channel) lint.Finding {
	from := p.Graph(before)
	head, _ := from.Head()
	f := edges.AtChannel(c)
	f.Severity, f.Cause = lint.Warning, []string{before.Name.Value, c.Name.Value}
	f.Message = fmt.Sprintf("channel %q has no upgrade from %q, the head of channel %q: users who switch are never upgraded, unlike those who switched to %q",
		c.Name.Value, from.Name(head), before.Name.Value, last.Name.Value)
	if f.Fix = linkFix(from, head, p.Graph(c)); isGenerated(p) {
		f.Fix = basicInstead
	}
	f.Related = append(edges.RelatedEntries(from, []int{head}, "%q is not upgraded"),
		lint.Related{Pos: catalogs.KnownPos(last.Name.Pos, last.Pos), Message: fmt.Sprintf("%q upgrades the channel before", last.Name.Value)})
	return f
}

// linkFix returns the first change of a channel that upgrades the head of another one, without new problems: the skipRange that this one has, up to
// the new head, replaces, or skips.
func linkFix(from *graph.Graph, head int, to *graph.Graph) string {
	top, _ := to.Head()
	name, target := from.Name(head), to.Channel.Entries[top]
	helps := func(i int, change func(*catalogs.Entry)) bool {
		after := edges.WithEntry(to, i, change)
		return !edges.HasNewProblems(to, after) && !slices.Contains(from.StuckAfterSwitch(after), head)
	}
	if r := from.Range(head); r != nil && target.SkipRange.Value == "" {
		if text := r.WithEnd(*target.Bundle.Semver()); helps(top, edges.SettingSkipRange(text)) {
			return fmt.Sprintf("let the skipRange of %q be '%s'", target.Name.Value, text)
		}
	}
	for _, i := range to.Chain().Entries {
		if e := &to.Channel.Entries[i]; e.Replaces.Value == "" && helps(i, edges.SettingReplaces(name)) {
			return fmt.Sprintf("add replaces: %s to %q", name, e.Name.Value)
		}
	}
	if helps(top, edges.AddingSkips(name)) {
		return fmt.Sprintf("add %s to the skips of %q", name, target.Name.Value)
	}
	return fmt.Sprintf("let an entry of channel %q skip %q, or cover it with a skipRange", to.Channel.Name.Value, name)
}
