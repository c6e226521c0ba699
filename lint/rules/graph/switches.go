package graph

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// checkChannelSwitch reports once per package the channels of lostSwitches. If a channel upgrades the head, users of older entries can upgrade
// before they switch.
func checkChannelSwitch(p *lint.Pass) {
	if len(p.Package.Channels) > edges.MaxComparedChannels {
		return
	}
	unlinked := reportUnlinked(p)
	lost := slices.DeleteFunc(lostSwitches(p), func(s lostSwitch) bool { return unlinked[s.from.Channel] == s.to })
	if len(lost) == 0 {
		return
	}
	var all []lint.Finding
	for _, s := range lost {
		all = append(all, channelSwitchFinding(s.from, s.to, s.entries))
	}
	f := channelSwitches(all)
	if isGenerated(p) {
		f.Fix = basicInstead + "; schema olm.semver makes no upgrades to another major version, and to another minor one in major channels only"
	}
	p.Report(f)
}

// lostSwitch is a channel whose head is upgraded in no channel with a newer head, the one of these with the oldest head, and the entries that
// this one does not upgrade.
type lostSwitch struct {
	from    *graph.Graph
	to      *catalogs.Channel
	head    *catalogs.Bundle // of to
	entries []int
}

func lostSwitches(p *lint.Pass) []lostSwitch {
	var all []lostSwitch
	for _, from := range p.Package.Channels {
		g := p.Graph(from)
		lost := lostSwitch{from: g}
		for _, to := range p.Package.Channels {
			newer := headIn(p.Graph(to))
			if !versions.NewerThan(newer, headIn(g)) {
				continue
			}
			head, _ := g.Head()
			left := g.StuckAfterSwitch(p.Graph(to))
			if !slices.Contains(left, head) {
				lost.to = nil
				break
			}
			if len(newer.Semver().Pre) > 0 && len(headIn(g).Semver().Pre) == 0 {
				continue // users of a release want no pre-release
			}
			if lost.to == nil || versions.NewerThan(lost.head, newer) {
				lost.entries, lost.to, lost.head = left, to, newer
			}
		}
		if lost.to != nil {
			all = append(all, lost)
		}
	}
	return all
}

// channelSwitches returns one finding about all channels of a package.
func channelSwitches(all []lint.Finding) lint.Finding {
	f := all[0]
	f.Cause, f.Faults = lint.OncePerPackage(), nil
	for i := range all {
		f.Faults = append(f.Faults, all[i].Faults...)
	}
	if len(all) == 1 {
		return f
	}
	f.Channel, f.Related, f.Details = "", nil, findingDetails(all)
	f.Message = fmt.Sprintf("users of %d channels are never upgraded after a switch to a newer channel: %s", len(all), words.QuoteSome(f.Faults))
	f.Fix = "let an entry of each newer channel skip the head of the older one, or cover it with a skipRange"
	return f
}

// headIn returns the bundle of the only head of a channel, or nil.
func headIn(g *graph.Graph) *catalogs.Bundle {
	if head, ok := g.Head(); ok {
		return g.Channel.Entries[head].Bundle
	}
	return nil
}

// channelSwitchFinding returns the finding that a switch leaves users without upgrades.
func channelSwitchFinding(from *graph.Graph, to *catalogs.Channel, lost []int) lint.Finding {
	head, _ := from.Head()
	f := edges.AtChannel(to)
	f.Faults = []string{from.Channel.Name.Value}
	f.Message = fmt.Sprintf("channel %q has no upgrade from %q, the head of channel %q: users who switch are never upgraded",
		to.Name.Value, from.Name(head), from.Channel.Name.Value)
	if more := len(lost) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (nor from %d more of its entries)", more)
	}
	f.Fix = fmt.Sprintf("let an entry of channel %q skip %q, or cover it with a skipRange", to.Name.Value, from.Name(head))
	f.Related = edges.RelatedEntries(from, []int{head}, "%q is not upgraded")
	return f
}

func checkSwitchDowngrade(p *lint.Pass) {
	if len(p.Package.Channels) > edges.MaxComparedChannels {
		return
	}
	for _, from := range p.Package.Channels {
		for _, to := range p.Package.Channels {
			if from.Name.Value != to.Name.Value {
				reportSwitchDowngrade(p, p.Graph(from), p.Graph(to))
			}
		}
	}
}

// reportSwitchDowngrade reports the first entry of a channel that is downgraded after a switch to another channel.
func reportSwitchDowngrade(p *lint.Pass, from, to *graph.Graph) {
	down := mayDowngrade(to)
	for _, i := range from.Entries() {
		e := &from.Channel.Entries[i]
		if _, both := to.Index(e.Name.Value); both || !versions.HasVersion(e.Bundle) || !down(e) {
			continue
		}
		next, ok := to.NextOfInstalled(e.Name.Value, e.Bundle.Version.Value)
		if !ok || !versions.NewerThan(e.Bundle, to.Channel.Entries[next.To].Bundle) {
			continue
		}
		f := edges.AtEntry(to, next.To)
		f.Cause = []string{from.Channel.Name.Value, to.Channel.Name.Value}
		f.Names = []string{next.Kind.String()}
		f.Pos = catalogs.KnownPos(next.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("users on %[3]q who switch from channel %[1]q to %[2]q are downgraded to %[4]q by its %[5]s",
			from.Channel.Name.Value, to.Channel.Name.Value, e.Name.Value, to.Name(next.To), next.Kind)
		f.Fix = fmt.Sprintf("remove %q from it", e.Name.Value)
		if next.Kind == graph.SkipRange {
			target := &to.Channel.Entries[next.To]
			f.Fix = belowFix(target, target.Bundle)
		}
		f.Related = edges.RelatedEntries(from, []int{i}, "%q is newer")
		p.Report(f)
		return
	}
}

// mayDowngrade returns a function that reports whether an older entry of the channel names an entry or covers its version. That
// is faster than the resolution of OLM v0.
func mayDowngrade(to *graph.Graph) func(*catalogs.Entry) bool {
	named := map[string]bool{}
	ranges := make([]*graph.Range, len(to.Channel.Entries))
	var ranged []int
	for _, i := range to.Entries() {
		for _, t := range edges.EdgeTexts(&to.Channel.Entries[i]) {
			named[t.Value] = true
		}
		if ranges[i] = to.Range(i); ranges[i] != nil {
			ranged = append(ranged, i)
		}
	}
	return func(e *catalogs.Entry) bool {
		return named[e.Name.Value] || slices.ContainsFunc(ranged, func(i int) bool {
			return versions.NewerThan(e.Bundle, to.Channel.Entries[i].Bundle) && ranges[i].Contains(*e.Bundle.Semver())
		})
	}
}

// checkAllChannels reports once per package that OLM v1 installs a newer bundle than that of the default channel.
func checkAllChannels(p *lint.Pass) {
	c := p.Package.Channel(p.Package.DefaultChannel.Value)
	if c == nil {
		return
	}
	g := p.Graph(c)
	if len(g.Entries()) == 0 {
		return
	}
	best := c.Entries[edges.Newest(g, g.Entries())].Bundle
	d := edges.DeprecatedIn(p.Package)
	var highest *catalogs.Bundle
	for _, b := range versions.BundlesInChannels(p.Package) {
		if d.Bundles[b.Name.Value] == nil && versions.NewerThan(b, best) && (highest == nil || versions.NewerThan(b, highest)) {
			highest = b
		}
	}
	if highest == nil || edges.NewerThanDefault(p) != nil && p.Runs("published/channel-added", c.Name.Value) {
		return
	}
	var where []string
	for _, other := range p.Package.Channels {
		if _, ok := p.Graph(other).Index(highest.Name.Value); ok {
			where = append(where, other.Name.Value)
		}
	}
	fix := "ask users of OLM v1 to set spec.source.catalog.channels, or make the newer channel the default"
	if isGenerated(p) {
		fix = "ask users of OLM v1 to set spec.source.catalog.channels"
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Channel: c.Name.Value, Bundle: highest.Name.Value},
		Cause:   []string{c.Name.Value},
		Pos:     catalogs.KnownPos(p.Package.DefaultChannel.Pos, p.Package.Pos),
		Message: fmt.Sprintf("OLM v1 without a channel installs %q of channel %s, but the newest of the default channel %q is %s",
			highest.Name.Value, words.QuoteSome(where), c.Name.Value, versions.Text(best)),
		Fix:     fix,
		Related: []lint.Related{{Pos: highest.Name.Pos, Message: "the newest bundle"}},
	})
}

// isGenerated reports whether opm generates the channels from versions, so that no entry of them can be edited.
func isGenerated(p *lint.Pass) bool {
	return p.Catalog.Template != nil && p.Catalog.Template.IsGenerated()
}

const basicInstead = "write a template of schema olm.template.basic, whose edges you choose"

// stuckFix returns the fix of entries that are stuck in a generated channel: the oldest later version of opm with which, as with all versions
// after it, none is, without new problems.
func stuckFix(p *lint.Pass, g *graph.Graph) string {
	t, since := p.Catalog.Template, ""
	for _, v := range slices.Backward(template.Changes()) {
		if !t.OPM.Before(v) || !solvesStuck(g, expansion.Expand(t, v, nil)) {
			break
		}
		since = v.String()
	}
	switch {
	case since == "":
		return basicInstead
	case t.PinnedBy.IsKnown():
		return fmt.Sprintf("let %s name opm %s or later instead of %s", t.PinnedBy.File, since, t.OPM)
	}
	return fmt.Sprintf("use opm %s or later instead of %s", since, t.OPM)
}

// solvesStuck reports whether no entry of a channel is stuck in a package that is made of its template, which may be nil.
func solvesStuck(g *graph.Graph, made *catalogs.Package) bool {
	if made == nil || made.Channel(g.Channel.Name.Value) == nil {
		return false
	}
	after := graph.New(made, made.Channel(g.Channel.Name.Value))
	return len(after.Stuck()) == 0 && !edges.HasNewProblems(g, after)
}
