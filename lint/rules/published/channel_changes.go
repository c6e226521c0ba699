package published

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// checkChannelRemoved reports once per package: several channels are often removed together.
func checkChannelRemoved(p *lint.Pass) {
	var gone []*graph.Graph
	for _, c := range p.BasePackage.Channels {
		if p.BasePackage.Channel(c.Name.Value) == c && p.Package.Channel(c.Name.Value) == nil && !p.Catalog.MayBeUnread(c.Name.Value) {
			gone = append(gone, p.BaseGraph(c))
		}
	}
	if len(gone) == 0 || p.Catalog.Form == catalogs.BundleFolder { // of which no catalog loses a channel
		return
	}
	var names, lost []string
	var related []lint.Related
	to := ""
	for _, g := range gone {
		names = append(names, g.Channel.Name.Value)
		related = append(related, lint.Related{Pos: catalogs.KnownPos(g.Channel.Name.Pos, g.Channel.Pos), Message: "where it was"})
		best, left := bestSwitch(p, g)
		lost = append(lost, left...)
		if to == "" {
			to = best
		}
	}
	n := len(names)
	f := lint.Finding{Cause: lint.OncePerPackage(), Faults: names, Pos: catalogs.KnownPos(p.Package.Name.Pos, p.Package.Pos), Related: related[:min(n, 3)]}
	if n == 1 {
		f.Channel = names[0]
	}
	f.Message = fmt.Sprintf("%s %s %s removed: OLM v0 resolves nothing in a namespace subscribed to %s",
		words.Plural(n, "channel", "channels"), words.QuoteSome(names), words.Plural(n, "is", "are"), words.Plural(n, "it", "one of them"))
	slices.Sort(lost)
	if lost = slices.Compact(lost); len(lost) > 0 {
		f.Message += fmt.Sprintf("; no other channel upgrades %s", words.QuoteSome(lost))
	} else {
		f.Severity = lint.Warning
		f.Message += " until another channel is selected"
	}
	for i, name := range names {
		f.Changes = append(f.Changes, "channel/"+name)
		f.Details = append(f.Details, lint.Related{Pos: related[i].Pos, Message: fmt.Sprintf("channel %q is removed", name)})
	}
	for _, name := range lost {
		f.Details = append(f.Details, lint.Related{Message: fmt.Sprintf("no other channel upgrades %q", name)})
	}
	f.Restores = true
	f.Fix = fmt.Sprintf("restore %s and deprecate %[1]s first", words.Plural(n, "it", "them"))
	if to != "" {
		f.Fix += fmt.Sprintf(", with a message that names channel %q", to)
	}
	p.Report(f)
}

// bestSwitch returns the channel that upgrades most entries of a removed channel to its head, the default channel first, and the
// entries that no channel upgrades to its head.
func bestSwitch(p *lint.Pass, g *graph.Graph) (best string, lost []string) {
	most := 0
	upgraded := map[string]bool{}
	for _, c := range defaultFirst(p.Package) {
		n := 0
		for _, outcome := range (&graph.Change{Base: g, Now: p.Graph(c)}).Outcomes() {
			if outcome.ReachesHead {
				upgraded[g.Name(outcome.Entry)] = true
				n++
			}
		}
		if n > most {
			best, most = c.Name.Value, n
		}
	}
	return best, slices.DeleteFunc(g.Names(g.Entries()), func(name string) bool { return upgraded[name] })
}

// defaultFirst returns the channels of a package, the default channel first.
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

func checkDefaultChanged(p *lint.Pass) {
	was, is := p.BasePackage.DefaultChannel, p.Package.DefaultChannel
	if was.Value == is.Value || was.Value == "" || is.Value == "" {
		return
	}
	if near, ok := likelyChannel(p, is.Value); ok && near == was.Value && p.Package.Channel(is.Value) != nil && p.Runs("published/channel-added", is.Value) {
		return // it says so
	}
	f := lint.Finding{
		Subject: lint.Subject{Channel: is.Value},
		Cause:   []string{was.Value, is.Value},
		Changes: []string{"default/default"},
		Pos:     catalogs.KnownPos(is.Pos, p.Package.Pos),
		Message: fmt.Sprintf("the default channel is now %q, not %q: installations without a channel get it", is.Value, was.Value),
		Fix:     fmt.Sprintf("check that %q is intended as the default, and upgrades the entries of %q", is.Value, was.Value),
		Related: []lint.Related{{Pos: catalogs.KnownPos(was.Pos, p.BasePackage.Pos), Message: "what it was"}},
	}
	from, to := p.BasePackage.Channel(was.Value), p.Package.Channel(is.Value)
	if from != nil && to != nil {
		g := p.BaseGraph(from)
		switch lost := g.Names(g.StuckAfterSwitch(p.Graph(to))); {
		case preRelease.MatchString(is.Value) && !preRelease.MatchString(was.Value):
			f.Message = fmt.Sprintf("the default channel is now %q, by its name one of pre-releases, not %q: installations without a channel get it", is.Value, was.Value)
			f.Fix = keepDefault(p, was.Value)
		case len(lost) == 0:
			f.Severity = lint.Info
		default:
			f.Message += fmt.Sprintf("; from %s of %q it has no upgrade", words.QuoteSome(lost), was.Value)
			f.Fix = fixDefault(p, was.Value, is.Value, words.Plural(len(lost), "it", "them"))
			if major, _, minor := strings.Cut(is.Value, "."); minor && strings.HasPrefix(was.Value, major+".") && isGenerated(p) { // schema olm.semver: the newest minor version
				f.Severity = lint.Info
			}
		}
	}
	p.Report(f)
}

// preRelease matches the names of channels of pre-releases.
var preRelease = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:cand[a-z]*|alpha|beta|rc|dev[a-z]*|night[a-z]*|preview)(?:[^a-z]|v[0-9]|$)`)

// keepDefault says how a channel stays the default channel.
func keepDefault(p *lint.Pass, was string) string {
	switch {
	case p.Package.Channel(was) == nil:
		return fmt.Sprintf("restore %q, and keep it the default", was)
	case p.Catalog.Form == catalogs.Repository:
		return fmt.Sprintf("keep %q the default: annotation %s", was, catalogs.AnnotationDefault)
	}
	return fmt.Sprintf("keep %q the default: defaultChannel", was)
}

// fixDefault says how users of the default channel that was are not left behind.
func fixDefault(p *lint.Pass, was, is, them string) string {
	if !isGenerated(p) {
		return fmt.Sprintf("%s; or, if %q can upgrade %s, let an entry of it skip or cover %s", keepDefault(p, was), is, them, them)
	}
	archetype, stream, _ := strings.Cut(is, "-")
	old, oldStream, _ := strings.Cut(was, "-")
	switch {
	case stream == oldStream:
		return fmt.Sprintf("list the bundles of %q under %s in the template too", was, archetype)
	case archetype == "candidate" || old == "candidate":
		return fmt.Sprintf("tell users without a channel to select one: a template of schema olm.semver cannot upgrade from %q to %q", was, is)
	}
	return fmt.Sprintf("to keep %q the default, list the bundles of %q in the template under candidate only: schema olm.semver cannot upgrade from one to the other",
		was, is)
}

// isGenerated reports whether the channels of the package are generated by a template, which says neither their edges nor the default one.
func isGenerated(p *lint.Pass) bool {
	if t := p.Catalog.Template; t != nil {
		return t.IsGenerated()
	}
	return slices.ContainsFunc(repo.TemplateParts(p.Context(), p.Catalog, p.BaseCatalog), func(m repo.Part) bool {
		return m.Template.Template.IsGenerated() && m.Template.Package(p.Package.Name.Value) != nil
	})
}

// checkHeadBack reports the same heads once for all channels.
func checkHeadBack(p *lint.Pass) {
	var moved memo.Groups[[2]string, *graph.Change]
	eachChanged(func(_ *lint.Pass, c *graph.Change) {
		if was, back := headMovedBack(c); back {
			is, _ := c.Now.Head()
			moved.Add([2]string{c.Base.Name(was), c.Now.Name(is)}, c)
		}
	})(p)
	for _, same := range moved.All() {
		f := headMovedBackFinding(same[0], changedChannels(same))
		listAgain(p, &f, f.Cause[:1])
		p.Report(f)
	}
}

func headMovedBackFinding(c *graph.Change, channels []string) lint.Finding {
	was, _ := c.Base.Head()
	is, _ := c.Now.Head()
	name := c.Base.Name(was)
	f := edges.AtEntry(c.Now, is)
	f.Cause = []string{name, c.Now.Name(is)}
	if len(channels) > 1 {
		f.Channel = ""
	}
	f.Message = fmt.Sprintf("the head of %s is now %q, not %q: new users get an older version", channelNames(channels), c.Now.Name(is), name)
	i := slices.IndexFunc(c.Outcomes(), func(f graph.Outcome) bool { return f.Entry == was })
	switch outcome := c.Outcomes()[i]; {
	case outcome.IsStranded() && !outcome.Kept:
		f.Message += fmt.Sprintf(", and nothing upgrades %q, which was removed: users on it are never upgraded", name)
		f.Gates = lint.GateAdvice | strandedGates(c, []int{was})
	case outcome.NextNow.To >= 0:
		f.Message += fmt.Sprintf(", and users on %q are downgraded to %q", name, c.Now.Name(outcome.NextNow.To))
	}
	takeOver(&f, c, is, []string{name})
	f.Related = edges.RelatedEntries(c.Base, []int{was}, "%q was the head")
	return f
}
