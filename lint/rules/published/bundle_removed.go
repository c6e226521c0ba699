package published

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var bundleRemoved = lint.Rule{
	ID: "published/bundle-removed", Severity: lint.Error, Gates: lint.GateOLMv0, NeedsBase: true,
	Doc: `a published bundle was removed from its channel, and nothing upgrades it
Removing an old entry from a channel is safe if a newer one still replaces it, skips it or covers its version: OLM then upgrades
users who have it installed. Here the upgrade path from it to the head is gone. If the head itself was removed,
published/head-back reports it.
Let a newer entry skip the name, which need not be an entry for that, or cover the version with its skipRange.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     checkBundleRemoved,
}

// removedEntries are entries that were removed, and that the same entry could upgrade. Old entries are often removed together
// from all channels.
type removedEntries struct {
	change   *graph.Change // of the first channel
	fixEntry int
	lost     []int
	channels []string
}

// checkBundleRemoved reports removed entries that are not upgraded any more. Heads are left to published/head-back.
func checkBundleRemoved(p *lint.Pass) {
	var all []*removedEntries
	known := map[string]*removedEntries{}
	eachChanged(func(_ *lint.Pass, c *graph.Change) {
		for _, r := range removedFrom(c) {
			key := strings.Join(append(edges.NamesOf(c.Base, r.lost), c.Now.Name(r.fixEntry)), "\x00")
			if known[key] == nil {
				known[key] = r
				all = append(all, r)
			}
			known[key].channels = append(known[key].channels, c.Now.Channel.Name.Value)
		}
	})(p)
	for _, r := range all {
		p.Report(r.finding())
	}
}

// removedFrom returns the removed entries of a channel, by the entry that could upgrade them.
func removedFrom(c *graph.Change) []*removedEntries {
	var all []*removedEntries
	at := map[int]*removedEntries{}
	head, back := headMovedBack(c)
	for _, loss := range c.Strandings() {
		if !loss.Removed || back && loss.At == c.Base.Name(head) {
			continue
		}
		r := at[loss.FixEntry]
		if r == nil {
			r = &removedEntries{change: c, fixEntry: loss.FixEntry}
			at[loss.FixEntry] = r
			all = append(all, r)
		}
		r.lost = append(r.lost, loss.Stranded...)
	}
	for _, r := range all {
		slices.Sort(r.lost)
	}
	return all
}

// finding returns the finding about the entries.
func (r *removedEntries) finding() lint.Finding {
	c, n := r.change, len(r.lost)
	names := edges.NamesOf(c.Base, r.lost)
	f := edges.AtEntry(c.Now, r.fixEntry)
	f.Bundle = names[0]
	f.Cause, f.Faults = []string{c.Now.Name(r.fixEntry)}, names
	if len(r.channels) > 1 {
		f.Channel = ""
	}
	f.Gates = strandedGates(c, r.lost)
	f.Message = fmt.Sprintf("%s %s removed from %s, and nothing upgrades %s any more: users on %s are never upgraded",
		words.Few(names), words.Plural(n, "is", "are"), channelNames(r.channels), words.Plural(n, "it", "them"), words.Plural(n, "it", "one of them"))
	if e, ok := c.Base.Next(r.lost[n-1]); ok {
		f.Message += fmt.Sprintf("; %q was upgraded to %q", names[n-1], c.Base.Name(e.To))
	}
	f.Fix = takeOverFix(c, r.fixEntry, names)
	f.Related = edges.RelatedEntries(c.Base, r.lost[:1], "%q was here")
	f.Details = edges.RelatedEntries(c.Base, r.lost, "%q is removed")
	return f
}
