package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// checkStuck reports once per cause: the entry that skips what the stuck ones upgrade to. What graph/stranded reports is left out.
func checkStuck(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	var told []int
	if p.Runs("graph/stranded", c.Name.Value) {
		told = strandedEntries(g)
	}
	for _, cause := range g.StuckCauses() {
		cause.Stuck = slices.DeleteFunc(slices.Clone(cause.Stuck), func(s graph.Stuck) bool {
			return c.Entries[s.Entry].Bundle == nil || slices.Contains(told, s.Entry) // or reported by catalog/entry-without-bundle
		})
		if len(cause.Stuck) == 0 {
			continue
		}
		for _, s := range stuckGroups(g, cause) {
			f := s.finding(g)
			if isGenerated(p) {
				f.Fix = stuckFix(p, g)
			}
			p.Report(f)
		}
	}
}

// finding returns the finding about stuck entries, at the skip that is the cause.
func (s *stuckGroup) finding(g *graph.Graph) lint.Finding {
	names := g.Names(s.entries())
	f := edges.AtEntry(g, s.stuck[0].Entry)
	f.Cause, f.Faults = []string{f.Channel}, names
	for _, one := range s.stuck {
		for _, cut := range one.Blocked {
			f.Names = append(f.Names, g.Name(cut.Edge.To))
		}
	}
	f.Fix, f.Skipper, f.Edits, f.Details = s.fix, s.skipper, s.edits, s.details(g)
	if s.skip.To < 0 {
		f.Message = fmt.Sprintf("OLM v0 never upgrades %s in channel %q: %s", words.QuoteSome(names), f.Channel, stuckReason(g, s.stuck[0]))
		return f
	}
	f.Bundle = g.Name(s.skip.To)
	f.Pos = catalogs.KnownPos(s.skip.Where.Pos, f.Pos)
	f.Related = edges.RelatedEntries(g, []int{s.skip.From}, "%q is skipped")
	f.Message = fmt.Sprintf("%q skips %q, but not %s: OLM v0 never upgrades users on %s in channel %q", f.Bundle, g.Name(s.skip.From),
		words.Plural(len(names), "the entry below it", fmt.Sprintf("the %d entries below it", len(names))), words.QuoteSome(names), f.Channel)
	return f
}

// stuckReason says why OLM v0 follows no edge from a stuck entry.
func stuckReason(g *graph.Graph, s graph.Stuck) string {
	if len(s.Blocked) == 0 {
		return graph.NothingUpgrades
	}
	why := s.Blocked[0].Why(g, strconv.Quote)
	if more := countTargets(s.Blocked) - 1; more > 0 {
		why += fmt.Sprintf(" (%d more like that)", more)
	}
	return why
}

// countTargets returns the number of targets of edges, which are sorted by target.
func countTargets(cuts []graph.BlockedEdge) int {
	n := 0
	for i := range cuts {
		if i == 0 || cuts[i-1].Edge.To != cuts[i].Edge.To {
			n++
		}
	}
	return n
}

// stuckGroup has stuck entries with the same cause and one fix.
type stuckGroup struct {
	skip  graph.Edge // see graph.StuckCause
	stuck []graph.Stuck

	also    []int        // further entries that the fix adds to the skips
	unskips []graph.Edge // the skips that the fix removes
	fix     string
	skipper string // see lint.Finding
	edits   []edit.Edit
	after   *graph.Graph // with the fix applied, if it was tried

	stranded []int // by opm, until the fix is applied
}

// entries returns the stuck entries.
func (s *stuckGroup) entries() []int { return stuckEntries(s.stuck) }

func stuckEntries(stuck []graph.Stuck) []int {
	var all []int
	for _, s := range stuck {
		all = append(all, s.Entry)
	}
	return all
}

// details returns a line for each stuck entry, and for each other one to be skipped.
func (s *stuckGroup) details(g *graph.Graph) []lint.Related {
	var all []lint.Related
	for _, one := range s.stuck {
		all = append(all, lint.Related{Pos: edges.AtEntry(g, one.Entry).Pos, Message: fmt.Sprintf("%q is stuck: %s", g.Name(one.Entry), stuckReason(g, one))})
	}
	all = append(all, edges.RelatedEntries(g, s.also, "%q has to be skipped with them")...)
	return append(all, unskipDetails(g, s.unskips)...)
}

// stuckGroups splits the entries with one cause into groups that have one fix, as few as possible.
func stuckGroups(g *graph.Graph, cause graph.StuckCause) []*stuckGroup {
	var fixable, older []graph.Stuck
	for _, s := range cause.Stuck {
		if s.FixEntry < 0 && len(s.Unskip) == 0 {
			older = append(older, s)
		} else {
			fixable = append(fixable, s)
		}
	}
	var all []*stuckGroup
	if one, ok := fixTogether(g, cause.Skip, fixable, func(*graph.Graph) bool { return true }); ok {
		all = append(all, one)
	} else {
		all = fixByEntry(g, cause.Skip, fixable)
	}
	if len(older) > 0 {
		all = append(all, publishGroup(g, cause.Skip, older))
	}
	return all
}

// fixTogether returns the group with one fix for all of the entries: skips that are removed, or one entry that skips all of them,
// the one that is the cause if possible. It returns false if there is none, or the result is not accepted.
func fixTogether(g *graph.Graph, skip graph.Edge, stuck []graph.Stuck, accept func(*graph.Graph) bool) (*stuckGroup, bool) {
	s := &stuckGroup{skip: skip, stuck: stuck}
	if len(stuck) == 0 {
		return s, false
	}
	if unskips := allUnskips(stuck); len(unskips) > 0 {
		if s.after = withoutSkips(g, unskips); s.isFixed(g, accept) {
			s.removeSkips(g, unskips)
			return s, true
		}
	}
	s.also = alsoSkipped(stuck)
	skipped := slices.Concat(s.entries(), s.also)
	if slices.ContainsFunc(skipped, func(i int) bool { return g.Version(i) == nil }) {
		return s, false // one may be a new release
	}
	names := g.Names(skipped)
	for _, i := range skippers(g, skip, stuck) {
		if s.after = edges.WithEntry(g, i, edges.AddingSkips(names...)); s.isFixed(g, accept) {
			s.addSkips(g, i)
			return s, true
		}
	}
	return s, false
}

// isFixed reports whether all entries of the group are upgraded after a change, without new problems.
func (s *stuckGroup) isFixed(g *graph.Graph, accept func(*graph.Graph) bool) bool {
	after := s.after
	if _, err := after.Order(); err != nil || !accept(after) || edges.HasNewProblems(g, after) || len(after.StrandedEntries()) > len(g.StrandedEntries()) {
		return false
	}
	was := stuckEntries(g.Stuck())
	if slices.ContainsFunc(stuckEntries(after.Stuck()), func(i int) bool { return !slices.Contains(was, i) }) {
		return false
	}
	return !slices.ContainsFunc(s.entries(), func(i int) bool {
		next, ok := after.Next(i)
		return !ok || edges.IsDowngrade(after, next)
	})
}

// addSkips sets the fix that an entry skips all entries of the group.
func (s *stuckGroup) addSkips(g *graph.Graph, i int) {
	names := g.Names(slices.Concat(s.entries(), s.also))
	s.fix = fmt.Sprintf("add %s to the skips of %q", edges.ListAll(names), g.Name(i))
	s.skipper = g.Name(i)
	s.edits = edges.AppendSkips(&g.Channel.Entries[i], names)
}

// fixByEntry groups stuck entries by the fix that each of them has alone.
func fixByEntry(g *graph.Graph, skip graph.Edge, stuck []graph.Stuck) []*stuckGroup {
	type fix struct{ unskip, entry int }
	var all []*stuckGroup
	at := map[fix]*stuckGroup{}
	for _, s := range stuck {
		key := fix{-1, s.FixEntry}
		if len(s.Unskip) > 0 {
			key = fix{s.Unskip[0].From, s.Unskip[0].To}
		}
		if at[key] == nil {
			at[key] = &stuckGroup{skip: skip}
			all = append(all, at[key])
		}
		at[key].stuck = append(at[key].stuck, s)
	}
	for _, group := range all {
		if unskips := allUnskips(group.stuck); len(unskips) > 0 {
			group.removeSkips(g, unskips)
			continue
		}
		group.also = alsoSkipped(group.stuck)
		group.addSkips(g, group.stuck[0].FixEntry)
	}
	return all
}

// publishGroup returns the group of entries that are newer than everything that OLM v0 offers.
func publishGroup(g *graph.Graph, skip graph.Edge, stuck []graph.Stuck) *stuckGroup {
	s := &stuckGroup{skip: skip, stuck: stuck}
	head, _ := g.Head()
	s.fix = fmt.Sprintf("publish a version above %s that replaces %q and skips %s",
		versions.OfEntry(&g.Channel.Entries[edges.Newest(g, s.entries())]), g.Name(head), edges.ListAll(g.Names(s.entries())))
	return s
}

// skippers returns the entries that could skip stuck ones, the best first.
func skippers(g *graph.Graph, skip graph.Edge, stuck []graph.Stuck) []int {
	order, _ := g.Order()
	var all []int
	for n := len(order) - 1; n >= 0; n-- {
		if slices.ContainsFunc(stuck, func(s graph.Stuck) bool { return s.FixEntry == order[n] }) {
			all = append(all, order[n])
		}
	}
	if skip.To < 0 || !g.Offers(skip.To) {
		return all
	}
	if _, end, ok := g.Hops(skip.To); ok && end == order[0] {
		all = append([]int{skip.To}, edges.Without(all, skip.To)...)
	}
	return all
}

// allUnskips returns the skips of graph.Stuck.Unskip of all entries.
func allUnskips(stuck []graph.Stuck) []graph.Edge {
	var all []graph.Edge
	for _, s := range stuck {
		for _, e := range s.Unskip {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

// withoutSkips returns the graph of a channel without some skips.
func withoutSkips(g *graph.Graph, skips []graph.Edge) *graph.Graph {
	for _, e := range skips {
		g = edges.WithEntry(g, e.To, edges.RemovingSkip(g.Name(e.From)))
	}
	return g
}

// alsoSkipped returns graph.Stuck.AlsoSkip of all entries, without the entries themselves.
func alsoSkipped(stuck []graph.Stuck) []int {
	var all []int
	for _, s := range stuck {
		all = append(all, s.AlsoSkip...)
	}
	slices.Sort(all)
	return withoutAll(slices.Compact(all), stuckEntries(stuck))
}

// removeSkips sets the fix that skips are removed.
func (s *stuckGroup) removeSkips(g *graph.Graph, skips []graph.Edge) {
	s.unskips, s.fix = skips, removeSkipsFix(g, skips)
	for _, e := range skips {
		s.edits = append(s.edits, edges.RemoveSkip(&g.Channel.Entries[e.To], g.Name(e.From))...)
	}
}

// removeSkipsFix says that skips are to be removed from entries that also replace what they skip. More than three must be in the
// details.
func removeSkipsFix(g *graph.Graph, skips []graph.Edge) string {
	if len(skips) > 3 {
		return fmt.Sprintf("remove the %d skips in the details from entries that also replace what they skip", len(skips))
	}
	var out []string
	for _, e := range skips {
		out = append(out, fmt.Sprintf("%q from the skips of %q", g.Name(e.From), g.Name(e.To)))
	}
	return fmt.Sprintf("remove %s, which also %s", strings.Join(out, " and "), words.Plural(len(out), "replaces it", "replace them"))
}

// unskipDetails returns a line for each skip to be removed, if the text of the fix does not name them.
func unskipDetails(g *graph.Graph, skips []graph.Edge) []lint.Related {
	if len(skips) <= 3 {
		return nil
	}
	var all []lint.Related
	for _, e := range skips {
		all = append(all, lint.Related{Pos: e.Where.Pos, Message: fmt.Sprintf("%q both replaces and skips %q", g.Name(e.To), g.Name(e.From))})
	}
	return all
}
