package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// eachChanged makes a Check of a question about one channel that is in the base as well.
func eachChanged(check func(*Pass, *graph.Change)) func(*Pass) {
	return func(p *Pass) {
		for _, was := range p.Base.Channels {
			now := p.Package.Channel(was.Name.Value)
			if now != nil && p.Base.Channel(was.Name.Value) == was {
				check(p, p.facts.change(p.Base, was, p.Package, now))
			}
		}
	}
}

// change is worked out once for all rules.
func (f *facts) change(base *catalogs.Package, was *catalogs.Channel, pkg *catalogs.Package, now *catalogs.Channel) *graph.Change {
	if f.changes == nil {
		f.changes = map[*catalogs.Channel]*graph.Change{}
	}
	if f.changes[was] == nil {
		f.changes[was] = &graph.Change{Base: f.graph(base, was), Now: f.graph(pkg, now)}
	}
	return f.changes[was]
}

// checkChannelRemoved reports once a package: mostly several channels go at once, and for the same reason.
func checkChannelRemoved(p *Pass) {
	var gone []*graph.Graph
	for _, c := range p.Base.Channels {
		if p.Base.Channel(c.Name.Value) == c && p.Package.Channel(c.Name.Value) == nil {
			gone = append(gone, p.facts.graph(p.Base, c))
		}
	}
	if len(gone) == 0 {
		return
	}
	var names, lost []string
	var related []Related
	to := ""
	for _, g := range gone {
		names = append(names, g.Channel.Name.Value)
		related = append(related, Related{Pos: firstKnown(g.Channel.Name.Pos, g.Channel.Pos), Message: "where it was"})
		best, left := bestMove(p, g)
		lost = append(lost, left...)
		if to == "" {
			to = best
		}
	}
	n := len(names)
	f := Finding{Pos: firstKnown(p.Package.Name.Pos, p.Package.Pos), Related: related[:min(n, 3)]}
	if n == 1 {
		f.Channel = names[0]
	}
	f.Message = fmt.Sprintf("%s %s %s gone: OLM v0 resolves nothing any more in a namespace subscribed to %s",
		plural(n, "channel", "channels"), allOf(names), plural(n, "is", "are"), plural(n, "it", "one of them"))
	slices.Sort(lost)
	if lost = slices.Compact(lost); len(lost) > 0 {
		f.Message += fmt.Sprintf("; no other channel upgrades %s", allOf(lost))
	}
	f.Cure = fmt.Sprintf("put %s back and deprecate %[1]s first", plural(n, "it", "them"))
	if to != "" {
		f.Cure += fmt.Sprintf(", with a message that names channel %q", to)
	}
	p.Report(f)
}

// bestMove returns the channel to which most users of one that is gone can move, the default channel first, and the entries
// that no channel leads to its head.
func bestMove(p *Pass, g *graph.Graph) (best string, lost []string) {
	most := 0
	saved := map[string]bool{}
	for _, c := range defaultFirst(p.Package) {
		n := 0
		for _, fate := range (&graph.Change{Base: g, Now: p.Graph(c)}).Fates() {
			if fate.Reaches {
				saved[g.Name(fate.Entry)] = true
				n++
			}
		}
		if n > most {
			best, most = c.Name.Value, n
		}
	}
	return best, slices.DeleteFunc(namesOf(g, g.Entries()), func(name string) bool { return saved[name] })
}

func defaultFirst(p *catalogs.Package) []*catalogs.Channel {
	all := slices.Clone(p.Channels)
	slices.SortStableFunc(all, func(a, b *catalogs.Channel) int {
		switch p.DefaultChannel.Value {
		case b.Name.Value:
			return 1
		case a.Name.Value:
			return -1
		}
		return 0
	})
	return all
}

// removal is what is gone from channels that the same entry could take over: mostly old entries go together, and from all
// channels at once.
type removal struct {
	change   *graph.Change // of the first channel
	cure     int
	lost     []int
	channels []string
}

// checkBundleRemoved leaves a head to published/head-back.
func checkBundleRemoved(p *Pass) {
	var all []*removal
	known := map[string]*removal{}
	eachChanged(func(_ *Pass, c *graph.Change) {
		for _, r := range removals(c) {
			key := strings.Join(append(namesOf(c.Base, r.lost), c.Now.Name(r.cure)), "\x00")
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

func removals(c *graph.Change) []*removal {
	var all []*removal
	at := map[int]*removal{}
	head, back := headBack(c)
	for _, loss := range c.Losses() {
		if !loss.Gone || back && loss.At == c.Base.Name(head) {
			continue
		}
		r := at[loss.Cure]
		if r == nil {
			r = &removal{change: c, cure: loss.Cure}
			at[loss.Cure] = r
			all = append(all, r)
		}
		r.lost = append(r.lost, loss.Stranded...)
	}
	for _, r := range all {
		slices.Sort(r.lost)
	}
	return all
}

func (r *removal) finding() Finding {
	c, n := r.change, len(r.lost)
	names := namesOf(c.Base, r.lost)
	f := atEntry(c.Now, r.cure)
	f.Bundle = names[0]
	if len(r.channels) > 1 {
		f.Channel = ""
	}
	f.Gates = strandedGates(c, r.lost)
	f.Message = fmt.Sprintf("%s %s gone from %s, and nothing upgrades %s any more: whoever has %s installed stays there for ever",
		allOf(names), plural(n, "is", "are"), inChannels(r.channels), plural(n, "it", "them"), plural(n, "it", "one of them"))
	if e, ok := c.Base.Next(r.lost[n-1]); ok {
		f.Message += fmt.Sprintf("; %q was upgraded to %q", names[n-1], c.Base.Name(e.To))
	}
	f.Cure = takeOver(c, r.cure, names)
	f.Related = placesOf(c.Base, r.lost[:min(n, 3)], "%q was here")
	return f
}

func inChannels(names []string) string {
	return plural(len(names), "channel ", "channels ") + allOf(names)
}

// takeOver words the cure for entries that are to be upgraded by another one; one that is older than they are cannot be it.
func takeOver(c *graph.Change, cure int, names []string) string {
	head := c.Now.Channel.Entries[cure].Bundle
	for _, name := range names {
		if b := c.Base.Package.Bundle(name); newerThan(b, head) {
			return fmt.Sprintf("put it back, or publish a version above %s that replaces %q and skips %s",
				versionText(b), c.Now.Name(cure), listAll(names))
		}
	}
	return fmt.Sprintf("add %s to the skips of %q, or cover %s with its skipRange", listAll(names), c.Now.Name(cure),
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

func checkEdgeRemoved(p *Pass, c *graph.Change) {
	for _, loss := range c.Losses() {
		if !loss.Gone {
			p.Report(edgeRemoved(c, &loss))
		}
	}
	for _, into := range slicesBy(c.Detours(), func(e graph.Edge) int { return e.To }) {
		p.Report(detour(c, into))
	}
	if dropped := c.Dropped(); len(dropped) > 0 {
		p.Report(droppedNames(c, dropped))
	}
}

// droppedNames is a warning: it is not known who has what the base did not have, but somebody wrote the names down for them.
func droppedNames(c *graph.Change, dropped []graph.MissingTarget) Finding {
	var names []string
	for _, m := range dropped {
		names = append(names, m.Where.Value)
	}
	first, n := dropped[0], len(names)
	f := atChannel(c.Now.Channel)
	if at, ok := c.Now.Index(c.Base.Name(first.Entry)); ok {
		f = atEntry(c.Now, at)
	}
	f.Severity = Warning
	f.Message = fmt.Sprintf("channel %q took %s over from other channels or from before, and does so no more: whoever has %s installed stays there",
		c.Now.Channel.Name.Value, allOf(names), plural(n, "it", "one of them"))
	head, _ := c.Now.Head()
	f.Cure = fmt.Sprintf("add %s to the skips of %q, or cover %s with its skipRange", listAll(names), c.Now.Name(head), plural(n, "it", "them"))
	f.Related = []Related{{Pos: first.Where.Pos, Message: fmt.Sprintf("%q was here", first.Where.Value)}}
	return f
}

// slicesBy cuts a sorted slice where the key changes.
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

func edgeRemoved(c *graph.Change, loss *graph.Loss) Finding {
	channel := c.Now.Channel.Name.Value
	at, _ := c.Now.Index(loss.At)
	f := atEntry(c.Now, at)
	f.Gates = strandedGates(c, loss.Stranded)
	names := namesOf(c.Base, loss.Stranded)
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == loss.At })
	switch {
	case loss.Loop:
		f.Message = fmt.Sprintf("from %s OLM v0 went on to the head of channel %q, and now goes round without end at %q",
			allOf(names), channel, loss.At)
	case len(others) == len(names):
		f.Message = fmt.Sprintf("from %s OLM v0 went on to the head of channel %q, and now ends at %q, which leads nowhere",
			allOf(names), channel, loss.At)
	default:
		f.Message = fmt.Sprintf("%q is no longer upgraded in channel %q: %s", loss.At, channel, edgeGone(c, loss))
		if len(others) > 0 {
			f.Message += fmt.Sprintf("; %s %s there too", allOf(others), plural(len(others), "ends", "end"))
		}
	}
	f.Cure = takeOver(c, loss.Cure, []string{loss.At})
	if loss.Loop {
		f.Cure = "let nothing that OLM v0 offers replace, skip or cover a version newer than its own"
	}
	if loss.Was.To >= 0 {
		f.Related = append(f.Related, Related{Pos: firstKnown(loss.Was.Where.Pos, c.Base.Channel.Entries[loss.Was.To].Pos),
			Message: fmt.Sprintf("the %s of %q, as it was", loss.Was.Kind, c.Base.Name(loss.Was.To))})
	}
	if !loss.Loop {
		f.Related = append(f.Related, placesOf(c.Now, []int{loss.Cure}, "%q could take it over")...)
	}
	return f
}

// edgeGone says why the upgrade that an entry had is none any more.
func edgeGone(c *graph.Change, loss *graph.Loss) string {
	if loss.Was.To < 0 {
		return "it was the head, and is replaced or skipped only by what is not offered"
	}
	target := c.Base.Name(loss.Was.To)
	to, kept := c.Now.Index(target)
	switch {
	case !kept:
		return fmt.Sprintf("%q, which %s it, is gone", target, inPast(loss.Was.Kind))
	case !c.Now.Offers(to) && c.Now.Skipped(target):
		by, _ := c.Now.SkippedBy(to)
		return fmt.Sprintf("%q, which %s it, is itself skipped by %q now", target, inPast(loss.Was.Kind), c.Now.Name(by.To))
	case !c.Now.Offers(to):
		return fmt.Sprintf("%q, which %s it, is not on the way to the head any more", target, inPast(loss.Was.Kind))
	}
	return fmt.Sprintf("%q %s it, and does so no more", target, inPast(loss.Was.Kind))
}

func inPast(k graph.EdgeKind) string {
	return [...]string{"replaced", "skipped", "covered"}[k]
}

func detour(c *graph.Change, into []graph.Edge) Finding {
	target := c.Base.Name(into[0].To)
	at, _ := c.Now.Index(target)
	var from []string
	for _, e := range into {
		from = append(from, c.Base.Name(e.From))
	}
	f := atEntry(c.Now, at)
	f.Severity, f.Gates = Warning, GateAdvice
	f.Message = fmt.Sprintf("%q no longer upgrades %s in channel %q: users pass by older versions before they get there",
		target, allOf(from), c.Now.Channel.Name.Value)
	f.Cure = fmt.Sprintf("put the %s back if it went by mistake", into[0].Kind)
	f.Related = []Related{{Pos: into[0].Where.Pos, Message: "the " + into[0].Kind.String() + ", as it was"}}
	return f
}

// headBack returns the head of the base, and whether that of the channel now is an older one.
func headBack(c *graph.Change) (was int, back bool) {
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
		if _, back := headBack(c); !back {
			return
		}
		if channels[key(c)] == nil {
			all = append(all, c)
		}
		channels[key(c)] = append(channels[key(c)], c.Now.Channel.Name.Value)
	})(p)
	for _, c := range all {
		p.Report(headWentBack(c, channels[key(c)]))
	}
}

func headWentBack(c *graph.Change, channels []string) Finding {
	was, _ := c.Base.Head()
	is, _ := c.Now.Head()
	name := c.Base.Name(was)
	f := atEntry(c.Now, is)
	if len(channels) > 1 {
		f.Channel = ""
	}
	f.Message = fmt.Sprintf("the head of %s is %q, it was %q: new users get an older version", inChannels(channels), c.Now.Name(is), name)
	i := slices.IndexFunc(c.Fates(), func(f graph.Fate) bool { return f.Entry == was })
	switch fate := c.Fates()[i]; {
	case fate.Stranded() && !fate.Kept:
		f.Message += fmt.Sprintf(", and nothing upgrades %q, which is gone: whoever has it installed stays there for ever", name)
		f.Gates = GateAdvice | strandedGates(c, []int{was})
	case fate.Is.To >= 0:
		f.Message += fmt.Sprintf(", and who has %q installed is taken down to %q", name, c.Now.Name(fate.Is.To))
	}
	f.Cure = takeOver(c, is, []string{name})
	f.Related = placesOf(c.Base, []int{was}, "%q was the head")
	return f
}

// move is an automatic upgrade of several entries that was one and is another.
type move struct{ was, is string }

// checkNextChanged reports once a channel. Who is stranded, or goes a longer way, has a finding already; that an old head has a
// next now is said where that is added, and that something is the head now where the head went back.
func checkNextChanged(p *Pass, c *graph.Change) {
	from := map[move][]string{}
	var moves []move
	longer := map[int]bool{}
	for _, e := range c.Detours() {
		longer[e.From] = true
	}
	for _, fate := range c.Fates() {
		m := move{nameOrNone(c.Base, fate.Was), nameOrNone(c.Now, fate.Is)}
		wasHead, isHead := fate.Reached && m.was == "", fate.Reaches && m.is == ""
		if m.was == m.is || fate.Stranded() || longer[fate.Entry] || wasHead && fate.Reaches || isHead && fate.Reached {
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
	f.Message = fmt.Sprintf("OLM v0 upgrades otherwise in channel %q: from %s", c.Now.Channel.Name.Value, someOf(said))
	f.Cure = "see that each of these upgrades has been tried"
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

// someOf joins parts of a sentence that are long, the first few of many.
func someOf(parts []string) string {
	if n := len(parts); n > 4 {
		return strings.Join(parts[:3], "; from ") + fmt.Sprintf("; and %d more such changes", n-3)
	}
	return strings.Join(parts, "; from ")
}

// addition is the same entries that several channels get.
type addition struct {
	names    []string
	channels []string
	first    Finding
	heads    []string // the channels of which the last of them is the head
	dead     []string // those of them that OLM v0 never offers
}

// checkBundleAdded reports the same entries once, whatever channels get them.
func checkBundleAdded(p *Pass) {
	var all []*addition
	known := map[string]*addition{}
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
			a = &addition{names: namesOf(c.Now, added), first: atEntry(c.Now, newest(c.Now, added))}
			known[key] = a
			all = append(all, a)
		}
		a.in(c.Now, added)
	})(p)
	for _, a := range all {
		p.Report(a.finding())
	}
}

func (a *addition) in(g *graph.Graph, added []int) {
	a.channels = append(a.channels, g.Channel.Name.Value)
	if head, ok := g.Head(); ok && slices.Contains(added, head) {
		a.heads = append(a.heads, g.Channel.Name.Value)
	}
	if _, err := g.Order(); err != nil {
		return
	}
	for _, i := range added {
		if name := g.Name(i); !g.Offers(i) && !slices.Contains(a.dead, name) {
			a.dead = append(a.dead, name)
		}
	}
}

func (a *addition) finding() Finding {
	f, n := a.first, len(a.names)
	f.Message = fmt.Sprintf("%s %s new in %s %s", allOf(a.names), plural(n, "is", "are"), plural(len(a.channels), "channel", "channels"), allOf(a.channels))
	if n > 0 && len(a.heads) > 0 {
		head := plural(n, "the head", "the head among them")
		if len(a.heads) < len(a.channels) {
			head += " of " + allOf(a.heads)
		}
		f.Message += ", " + head
	}
	f.Cure = "nothing has to be done"
	if len(a.dead) > 0 {
		f.Message += fmt.Sprintf("; OLM v0 never offers %s", allOf(a.dead))
		f.Cure = "see that this is meant: what is skipped, or is not on the way from the head, nobody gets"
	}
	if len(a.channels) > 1 {
		f.Channel = ""
	}
	return f
}
