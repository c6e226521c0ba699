package published

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// removedEntries are entries that were removed from a channel, and that the same entry could upgrade.
type removedEntries struct {
	change   *graph.Change
	fixEntry int
	lost     []int
}

// checkBundleRemoved reports removed entries that are not upgraded any more, those that are removed from several channels together once. Heads
// are left to published/head-back.
func checkBundleRemoved(p *lint.Pass) {
	var all memo.Groups[string, removedEntries]
	eachChanged(func(_ *lint.Pass, c *graph.Change) {
		for fix, lost := range removedFrom(c).All() {
			slices.Sort(lost)
			all.Add(strings.Join(append(c.Base.Names(lost), c.Now.Name(fix)), "\x00"), removedEntries{c, fix, lost})
		}
	})(p)
	for _, same := range all.All() {
		var changes []*graph.Change
		for _, r := range same {
			changes = append(changes, r.change)
		}
		p.Report(same[0].finding(channelsOf(changes)))
	}
}

// removedFrom returns the removed entries of a channel, by the entry that could upgrade them.
func removedFrom(c *graph.Change) *memo.Groups[int, int] {
	var all memo.Groups[int, int]
	head, back := headMovedBack(c)
	for _, loss := range c.Strandings() {
		if !loss.Removed || back && loss.At == c.Base.Name(head) {
			continue
		}
		for _, lost := range loss.Stranded {
			all.Add(loss.FixEntry, lost)
		}
	}
	return &all
}

// finding returns the finding about the entries.
func (r *removedEntries) finding(channels []string) lint.Finding {
	c, n := r.change, len(r.lost)
	names := c.Base.Names(r.lost)
	f := edges.AtEntry(c.Now, r.fixEntry)
	f.Bundle = names[0]
	f.Cause, f.Faults = []string{c.Now.Name(r.fixEntry)}, names
	if len(channels) > 1 {
		f.Channel = ""
	}
	f.Gates = strandedGates(c, r.lost)
	f.Message = fmt.Sprintf("%s %s removed from %s, and nothing upgrades %s any more: users on %s are never upgraded",
		words.Few(names), phrase.Plural(n, "is", "are"), channelNames(channels), phrase.Plural(n, "it", "them"), phrase.Plural(n, "it", "one of them"))
	if e, ok := c.Base.Next(r.lost[n-1]); ok {
		f.Message += fmt.Sprintf("; %q was upgraded to %q", names[n-1], c.Base.Name(e.To))
	}
	takeOver(&f, c, r.fixEntry, names)
	for _, name := range names {
		f.Changes = append(f.Changes, "entry/"+name)
	}
	f.Related = edges.RelatedEntries(c.Base, r.lost[:1], "%q was here")
	f.Details = edges.RelatedEntries(c.Base, r.lost, "%q is removed")
	return f
}
