package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
)

// removedEntries are what is gone from channels that the same entry could take over: mostly old entries go together, and from all
// channels at once.
type removedEntries struct {
	change   *graph.Change // of the first channel
	fixEntry int
	lost     []int
	channels []string
}

// checkBundleRemoved leaves a head to published/head-back.
func checkBundleRemoved(p *Pass) {
	var all []*removedEntries
	known := map[string]*removedEntries{}
	eachChanged(func(_ *Pass, c *graph.Change) {
		for _, r := range removedFrom(c) {
			key := strings.Join(append(namesOf(c.Base, r.lost), c.Now.Name(r.fixEntry)), "\x00")
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

func (r *removedEntries) finding() Finding {
	c, n := r.change, len(r.lost)
	names := namesOf(c.Base, r.lost)
	f := atEntry(c.Now, r.fixEntry)
	f.Bundle = names[0]
	f.Cause, f.Each = []string{c.Now.Name(r.fixEntry)}, names
	if len(r.channels) > 1 {
		f.Channel = ""
	}
	f.Gates = strandedGates(c, r.lost)
	f.Message = fmt.Sprintf("%s %s removed from %s, and nothing upgrades %s any more: users on %s are never upgraded",
		allOf(names), plural(n, "is", "are"), inChannels(r.channels), plural(n, "it", "them"), plural(n, "it", "one of them"))
	if e, ok := c.Base.Next(r.lost[n-1]); ok {
		f.Message += fmt.Sprintf("; %q was upgraded to %q", names[n-1], c.Base.Name(e.To))
	}
	f.Fix = takeOver(c, r.fixEntry, names)
	f.Related = placesOf(c.Base, r.lost[:min(n, 3)], "%q was here")
	return f
}

func inChannels(names []string) string {
	return plural(len(names), "channel ", "channels ") + allOf(names)
}

// takeOver words the fix for entries that are to be upgraded by another one; one that is older than they are cannot be it.
func takeOver(c *graph.Change, fix int, names []string) string {
	head := c.Now.Channel.Entries[fix].Bundle
	for _, name := range names {
		if b := c.Base.Package.Bundle(name); newerThan(b, head) {
			return fmt.Sprintf("restore it, or publish a version above %s that replaces %q and skips %s",
				versionText(b), c.Now.Name(fix), listAll(names))
		}
	}
	return fmt.Sprintf("add %s to the skips of %q, or cover %s with its skipRange", listAll(names), c.Now.Name(fix),
		plural(len(names), "it", "them"))
}

// strandedGates are those who leave users behind: OLM v0, and OLM v1 where it has no successor for one of them either.
func strandedGates(c *graph.Change, lost []int) Gates {
	if slices.ContainsFunc(lost, func(i int) bool { return !c.TakenV1(i) && versioned(c.Base, i) }) {
		return GateOLMv0 | GateOLMv1
	}
	return GateOLMv0
}

func versioned(g *graph.Graph, i int) bool { return hasVersion(g.Channel.Entries[i].Bundle) }
