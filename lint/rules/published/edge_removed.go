package published

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

func checkEdgeRemoved(p *lint.Pass, c *graph.Change) {
	for _, losses := range sameEdge(c, reportedStuck(p, c)) {
		f := edgeRemoved(c, &losses[0])
		if len(losses) > 1 {
			addLosses(&f, c, losses)
		}
		p.Report(f)
	}
	for _, into := range slicesBy(c.LongerRoutes(), func(e graph.Edge) int { return e.To }) {
		p.Report(longerRoute(c, into))
	}
	if p.Catalog.Form == catalogs.BundleFolder { // the catalog that gets it has the older versions
		reportNoEdges(p, c)
	} else if dropped := c.FindDropped(); len(dropped) > 0 {
		p.Report(droppedNames(c, dropped))
	}
}

// reportNoEdges reports a bundle folder whose bundle no longer has an edge to older versions.
func reportNoEdges(p *lint.Pass, c *graph.Change) {
	was, hadHead := c.Base.Head()
	is, hasHead := c.Now.Head()
	if !hadHead || !hasHead {
		return
	}
	before, now := &c.Base.Channel.Entries[was], &c.Now.Channel.Entries[is]
	hasEdge := func(e *catalogs.Entry) bool {
		return e.Replaces.Value != "" || len(e.Skips) > 0 || e.SkipRange.Value != ""
	}
	if !hasEdge(before) || hasEdge(now) {
		return
	}
	f := edges.AtEntry(c.Now, is)
	f.Severity, f.Cause = lint.Warning, []string{c.Now.Channel.Name.Value, "noEdges"}
	f.Message = fmt.Sprintf("%q has neither replaces nor skips nor skipRange, and %q had: no version upgrades to it", now.Name.Value, before.Name.Value)
	f.Fix = "let it replace, skip or cover the versions that upgrade to it"
	f.Related = []lint.Related{{Pos: catalogs.KnownPos(before.SkipRange.Pos, before.Replaces.Pos, before.Pos), Message: "the edges before"}}
	p.Report(f)
}

// reportedStuck returns the entries that graph/stuck reports, with a fix for the skip that is the cause.
func reportedStuck(p *lint.Pass, c *graph.Change) map[string]bool {
	names := map[string]bool{}
	if p.Runs("graph/stuck", c.Now.Channel.Name.Value) {
		for _, cause := range c.Now.StuckCauses() {
			for _, s := range cause.Stuck {
				names[c.Now.Name(s.Entry)] = c.Now.Channel.Entries[s.Entry].Bundle != nil
			}
		}
	}
	return names
}

// sameEdge groups entries that have lost their upgrade to the same entry, and that the same one could upgrade now: that is one decision.
// It leaves out those that have been told.
func sameEdge(c *graph.Change, told map[string]bool) [][]graph.Stranding {
	var groups [][]graph.Stranding
	for _, loss := range c.Strandings() {
		if loss.Removed || isAlone(c, &loss) && told[loss.At] {
			continue
		}
		i := slices.IndexFunc(groups, func(g []graph.Stranding) bool {
			first := &g[0]
			return isAlone(c, first) && isAlone(c, &loss) && first.NextBefore.To == loss.NextBefore.To && first.FixEntry == loss.FixEntry
		})
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], loss)
	}
	return groups
}

// isAlone reports whether an entry has lost its upgrade to another one, and no entry below it ends there.
func isAlone(c *graph.Change, loss *graph.Stranding) bool {
	return !loss.Loop && loss.NextBefore.To >= 0 && len(loss.Stranded) == 1 && c.Base.Name(loss.Stranded[0]) == loss.At
}

// addLosses makes the finding about the first of several entries with the same lost edge one about all of them.
func addLosses(f *lint.Finding, c *graph.Change, losses []graph.Stranding) {
	var names []string
	var stranded []int
	for i := range losses {
		names = append(names, losses[i].At)
		stranded = append(stranded, losses[i].Stranded...)
	}
	f.Faults = names
	f.Gates = strandedGates(c, stranded)
	f.Message = fmt.Sprintf("%s are no longer upgraded in channel %q: %s", words.QuoteSome(names), c.Now.Channel.Name.Value, removedEdgeReason(c, &losses[0], "upgraded them"))
	takeOver(f, c, losses[0].FixEntry, names)
	f.Details = edges.RelatedEntries(c.Base, stranded, "%q no longer reaches the head")
}

// droppedNames returns the finding about what users may have that is not in the base's channel, and that the channel no longer upgrades. It is a
// warning, since it is not known who has them installed, unless they were published in the channel.
func droppedNames(c *graph.Change, dropped []graph.Dropped) lint.Finding {
	names := words.Map(dropped, func(d graph.Dropped) string { return d.Name })
	first, n := dropped[0], len(names)
	f := edges.AtChannel(c.Now.Channel)
	if at, ok := c.Now.Index(c.Base.Name(first.To)); ok {
		f = edges.AtEntry(c.Now, at)
	}
	if !slices.ContainsFunc(dropped, func(d graph.Dropped) bool { return slices.Contains(d.Channels, c.Base.Channel.Name.Value) }) {
		f.Severity = lint.Warning
	}
	f.Cause, f.Faults = []string{c.Now.Channel.Name.Value}, names
	f.Message = fmt.Sprintf("channel %q upgraded %s from other channels or earlier catalogs, and no longer does: users on %s are never upgraded",
		c.Now.Channel.Name.Value, words.QuoteSome(names), words.Plural(n, "it", "one of them"))
	head, _ := c.Now.Head()
	f.Skipper = c.Now.Name(head)
	f.Fix = fmt.Sprintf("add %s to the skips of %q, or cover %s with its skipRange", edges.ListAll(names), c.Now.Name(head), words.Plural(n, "it", "them"))
	f.Related = []lint.Related{{Pos: first.Where.Pos, Message: fmt.Sprintf("%q was upgraded here", first.Name)}}
	for _, d := range dropped {
		f.Details = append(f.Details, lint.Related{Pos: d.Where.Pos, Message: fmt.Sprintf("%q is no longer upgraded", d.Name)})
	}
	return f
}

// slicesBy splits a slice that is sorted by key into runs with the same key.
func slicesBy[T any, K comparable](all []T, key func(T) K) [][]T {
	var runs [][]T
	for i := range all {
		if i == 0 || key(all[i-1]) != key(all[i]) {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], all[i])
	}
	return runs
}

// edgeRemoved returns the finding that entries no longer have an upgrade path to the head.
func edgeRemoved(c *graph.Change, loss *graph.Stranding) lint.Finding {
	channel := c.Now.Channel.Name.Value
	at, _ := c.Now.Index(loss.At)
	f := edges.AtEntry(c.Now, at)
	if loss.NextBefore.To >= 0 {
		f.Names = []string{c.Base.Name(loss.NextBefore.To)}
	}
	f.Gates = strandedGates(c, loss.Stranded)
	names := c.Base.Names(loss.Stranded)
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == loss.At })
	switch {
	case loss.Loop:
		f.Message = fmt.Sprintf("OLM v0 upgraded %s to the head of channel %q, and now upgrades endlessly at %q",
			words.QuoteSome(names), channel, loss.At)
	case len(others) == len(names):
		f.Message = fmt.Sprintf("OLM v0 upgraded %s to the head of channel %q, and now stops at %q, which has no upgrade",
			words.QuoteSome(names), channel, loss.At)
	default:
		f.Message = fmt.Sprintf("%q is no longer upgraded in channel %q: %s", loss.At, channel, removedEdgeReason(c, loss, pastTense(loss.NextBefore.Kind)+" it"))
		if len(others) > 0 {
			f.Message += fmt.Sprintf("; %s %s there too", words.QuoteSome(others), words.Plural(len(others), "ends", "end"))
		}
	}
	takeOver(&f, c, loss.FixEntry, []string{loss.At}, others...)
	f.Details = edges.RelatedEntries(c.Base, loss.Stranded, "%q no longer reaches the head")
	if loss.Loop {
		f.Skipper, f.Restores = "", false
		f.Fix = "let no entry that OLM v0 offers replace, skip or cover a version newer than its own"
	}
	if loss.NextBefore.To >= 0 {
		f.Related = append(f.Related, lint.Related{Pos: catalogs.KnownPos(loss.NextBefore.Where.Pos, c.Base.Channel.Entries[loss.NextBefore.To].Pos),
			Message: fmt.Sprintf("the %s of %q, as it was", loss.NextBefore.Kind, c.Base.Name(loss.NextBefore.To))})
	}
	if !loss.Loop {
		f.Related = append(f.Related, edges.RelatedEntries(c.Now, []int{loss.FixEntry}, "%q could upgrade it")...)
	}
	return f
}

// removedEdgeReason says why an entry has lost its upgrade to another one, which did, for example, "replaced it".
func removedEdgeReason(c *graph.Change, loss *graph.Stranding, did string) string {
	if loss.NextBefore.To < 0 {
		return "it was the head, and only entries that are not offered replace or skip it"
	}
	target := c.Base.Name(loss.NextBefore.To)
	to, kept := c.Now.Index(target)
	switch {
	case !kept:
		return fmt.Sprintf("%q, which %s, was removed", target, did)
	case !c.Now.Offers(to):
		by, skipped := c.Now.SkippedBy(to)
		if !skipped {
			by.To = -1
		}
		return fmt.Sprintf("%q, which %s, is %s now", target, did, c.Now.WhyNeverOffered(by, strconv.Quote))
	}
	return fmt.Sprintf("%q %s, and no longer does", target, did)
}

// pastTense returns the past tense of an edge kind.
func pastTense(k graph.EdgeKind) string {
	return [...]string{"replaced", "skipped", "covered"}[k]
}

// longerRoute returns the finding that entries are no longer upgraded directly. It is an info: they reach the head, and the versions that
// come first were chosen.
func longerRoute(c *graph.Change, into []graph.Edge) lint.Finding {
	target := c.Base.Name(into[0].To)
	at, _ := c.Now.Index(target)
	var from []string
	for _, e := range into {
		from = append(from, c.Base.Name(e.From))
	}
	f := edges.AtEntry(c.Now, at)
	f.Severity, f.Gates = lint.Info, lint.GateAdvice
	f.Cause, f.Faults = []string{f.Channel, f.Bundle, into[0].Kind.String()}, from
	f.Message = fmt.Sprintf("%q no longer upgrades %s directly in channel %q: users get older versions first",
		target, words.QuoteSome(from), c.Now.Channel.Name.Value)
	f.Fix = fmt.Sprintf("restore the %s, unless users are meant to get the versions between first", into[0].Kind)
	for _, e := range into {
		f.Details = append(f.Details, edges.RelatedEntries(c.Base, []int{e.From}, "%q was upgraded directly")...)
	}
	f.Related = []lint.Related{{Pos: into[0].Where.Pos, Message: "the " + into[0].Kind.String() + ", as it was"}}
	return f
}
