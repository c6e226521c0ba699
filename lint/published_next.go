package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
)

// headMovedBack returns the head of the base, and whether that of the channel now is an older one.
func headMovedBack(c *graph.Change) (was int, back bool) {
	was, ok := c.Base.Head()
	is, ok2 := c.Now.Head()
	return was, ok && ok2 && newerThan(c.Base.Channel.Entries[was].Bundle, c.Now.Channel.Entries[is].Bundle)
}

// checkHeadBack reports the same heads once, whatever channels they are those of.
func checkHeadBack(p *Pass) {
	channels := map[[2]string][]string{}
	var all []*graph.Change
	key := func(c *graph.Change) [2]string {
		was, _ := c.Base.Head()
		is, _ := c.Now.Head()
		return [2]string{c.Base.Name(was), c.Now.Name(is)}
	}
	eachChanged(func(_ *Pass, c *graph.Change) {
		if _, back := headMovedBack(c); !back {
			return
		}
		if channels[key(c)] == nil {
			all = append(all, c)
		}
		channels[key(c)] = append(channels[key(c)], c.Now.Channel.Name.Value)
	})(p)
	for _, c := range all {
		p.Report(headMovedBackFinding(c, channels[key(c)]))
	}
}

func headMovedBackFinding(c *graph.Change, channels []string) Finding {
	was, _ := c.Base.Head()
	is, _ := c.Now.Head()
	name := c.Base.Name(was)
	f := atEntry(c.Now, is)
	f.Cause = []string{name, c.Now.Name(is)}
	if len(channels) > 1 {
		f.Channel = ""
	}
	f.Message = fmt.Sprintf("the head of %s is %q, it was %q: new users get an older version", inChannels(channels), c.Now.Name(is), name)
	i := slices.IndexFunc(c.Outcomes(), func(f graph.Outcome) bool { return f.Entry == was })
	switch fate := c.Outcomes()[i]; {
	case fate.Stranded() && !fate.Kept:
		f.Message += fmt.Sprintf(", and nothing upgrades %q, which was removed: users on it are never upgraded", name)
		f.Gates = GateAdvice | strandedGates(c, []int{was})
	case fate.NextNow.To >= 0:
		f.Message += fmt.Sprintf(", and users on %q are downgraded to %q", name, c.Now.Name(fate.NextNow.To))
	}
	f.Fix = takeOver(c, is, []string{name})
	f.Related = placesOf(c.Base, []int{was}, "%q was the head")
	return f
}

// nextChange is an automatic upgrade of several entries that was one and is another.
type nextChange struct{ was, is string }

// checkNextChanged reports once a channel. Who is stranded, or goes a longer way, has a finding already; that an old head has a
// next now is said where that is added, and that something is the head now where the head went back.
func checkNextChanged(p *Pass, c *graph.Change) {
	from := map[nextChange][]string{}
	var moves []nextChange
	longer := map[int]bool{}
	for _, e := range c.LongerRoutes() {
		longer[e.From] = true
	}
	for _, fate := range c.Outcomes() {
		m := nextChange{nameOrNone(c.Base, fate.NextBefore), nameOrNone(c.Now, fate.NextNow)}
		wasHead, isHead := fate.ReachedHead && m.was == "", fate.ReachesHead && m.is == ""
		if m.was == m.is || fate.Stranded() || longer[fate.Entry] || wasHead && fate.ReachesHead || isHead && fate.ReachedHead {
			continue
		}
		if from[m] == nil {
			moves = append(moves, m)
		}
		from[m] = append(from[m], c.Base.Name(fate.Entry))
	}
	if len(moves) == 0 {
		return
	}
	f := atChannel(c.Now.Channel)
	var said []string
	for _, m := range moves {
		said = append(said, fmt.Sprintf("%s to %s, was %s", allOf(from[m]), quotedOr(m.is, "nothing"), quotedOr(m.was, "stuck")))
	}
	f.Message = fmt.Sprintf("automatic upgrades of OLM v0 have changed in channel %q: from %s", c.Now.Channel.Name.Value, firstOf(said))
	f.Fix = "check that each of these upgrades has been tested"
	p.Report(f)
}

func nameOrNone(g *graph.Graph, e graph.Edge) string {
	if e.To < 0 {
		return ""
	}
	return g.Name(e.To)
}

func quotedOr(name, none string) string {
	if name == "" {
		return none
	}
	return fmt.Sprintf("%q", name)
}

// firstOf joins parts of a sentence that are long, the first few of many.
func firstOf(parts []string) string {
	if n := len(parts); n > 4 {
		return strings.Join(parts[:3], "; from ") + fmt.Sprintf("; and %d more such changes", n-3)
	}
	return strings.Join(parts, "; from ")
}

// addedEntries is the same entries that several channels get.
type addedEntries struct {
	names        []string
	channels     []string
	first        Finding
	heads        []string // the channels of which the last of them is the head
	neverOffered []string // those of them that OLM v0 never offers
}

// checkBundleAdded reports the same entries once, whatever channels get them.
func checkBundleAdded(p *Pass) {
	var all []*addedEntries
	known := map[string]*addedEntries{}
	eachChanged(func(p *Pass, c *graph.Change) {
		added := slices.DeleteFunc(slices.Clone(c.Now.Entries()), func(i int) bool {
			_, had := c.Base.Index(c.Now.Name(i))
			return had
		})
		if len(added) == 0 {
			return
		}
		key := strings.Join(namesOf(c.Now, added), "\x00")
		a := known[key]
		if a == nil {
			a = &addedEntries{names: namesOf(c.Now, added), first: atEntry(c.Now, newest(c.Now, added))}
			known[key] = a
			all = append(all, a)
		}
		a.in(c.Now, added)
	})(p)
	for _, a := range all {
		p.Report(a.finding())
	}
}

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

func (a *addedEntries) finding() Finding {
	f, n := a.first, len(a.names)
	f.Cause, f.Each = oncePerPackage(), a.names
	f.Message = fmt.Sprintf("%s %s new in %s %s", allOf(a.names), plural(n, "is", "are"), plural(len(a.channels), "channel", "channels"), allOf(a.channels))
	if n > 0 && len(a.heads) > 0 {
		head := plural(n, "the head", "the head among them")
		if len(a.heads) < len(a.channels) {
			head += " of " + allOf(a.heads)
		}
		f.Message += ", " + head
	}
	f.Fix = "no change is required"
	if len(a.neverOffered) > 0 {
		f.Message += fmt.Sprintf("; OLM v0 never offers %s", allOf(a.neverOffered))
		f.Fix = "check that this is intended: an entry that is skipped, or not in the chain of replaces from the head, is never installed"
	}
	if len(a.channels) > 1 {
		f.Channel = ""
	}
	return f
}
