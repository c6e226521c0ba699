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

var bundleAdded = lint.Rule{
	ID: "published/bundle-added", Severity: lint.Info, Gates: lint.GateAdvice, NeedsBase: true,
	Doc: `a channel has a new entry
The finding says whether it is the head, which all clusters that follow the channel upgrade to, or is never offered.
Check that it is what the change was meant to publish.`,
	Reference: "operator-registry alpha/declcfg olm.channel",
	Check:     checkBundleAdded,
}

// addedEntries are entries that were added to the same channels.
type addedEntries struct {
	names        []string
	channels     []string
	first        lint.Finding
	heads        []string // channels with one of them as the head
	neverOffered []string // entries that OLM v0 never offers
}

// checkBundleAdded reports the same entries once for all channels.
func checkBundleAdded(p *lint.Pass) {
	var all []*addedEntries
	known := map[string]*addedEntries{}
	eachChanged(func(p *lint.Pass, c *graph.Change) {
		added := slices.DeleteFunc(slices.Clone(c.Now.Entries()), func(i int) bool {
			_, had := c.Base.Index(c.Now.Name(i))
			return had
		})
		if len(added) == 0 {
			return
		}
		key := strings.Join(edges.NamesOf(c.Now, added), "\x00")
		a := known[key]
		if a == nil {
			a = &addedEntries{names: edges.NamesOf(c.Now, added), first: edges.AtEntry(c.Now, edges.Newest(c.Now, added))}
			known[key] = a
			all = append(all, a)
		}
		a.in(c.Now, added)
	})(p)
	for _, a := range all {
		p.Report(a.finding())
	}
}

// in records that a channel has the added entries.
func (a *addedEntries) in(g *graph.Graph, added []int) {
	a.channels = append(a.channels, g.Channel.Name.Value)
	if head, ok := g.Head(); ok && slices.Contains(added, head) {
		a.heads = append(a.heads, g.Channel.Name.Value)
	}
	if _, err := g.Order(); err != nil {
		return
	}
	for _, i := range added {
		if name := g.Name(i); !g.Offers(i) && !slices.Contains(a.neverOffered, name) {
			a.neverOffered = append(a.neverOffered, name)
		}
	}
}

// finding returns the finding about the entries.
func (a *addedEntries) finding() lint.Finding {
	f, n := a.first, len(a.names)
	f.Cause, f.Faults = lint.OncePerPackage(), a.names
	f.Message = fmt.Sprintf("%s %s new in %s %s", words.AllOf(a.names), words.Plural(n, "is", "are"), words.Plural(len(a.channels), "channel", "channels"), words.AllOf(a.channels))
	if n > 0 && len(a.heads) > 0 {
		head := words.Plural(n, "the head", "the head among them")
		if len(a.heads) < len(a.channels) {
			head += " of " + words.AllOf(a.heads)
		}
		f.Message += ", " + head
	}
	f.Fix = "no change is required"
	if len(a.neverOffered) > 0 {
		f.Message += fmt.Sprintf("; OLM v0 never offers %s", words.AllOf(a.neverOffered))
		f.Fix = "check that this is intended: an entry that is skipped, or not in the chain of replaces from the head, is never installed"
	}
	if len(a.channels) > 1 {
		f.Channel = ""
	}
	return f
}
