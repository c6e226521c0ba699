package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var channelSwitchRule = lint.Rule{
	ID: "graph/channel-switch", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `after a switch to another channel there are no upgrades
Users change the channel of their Subscription to get newer versions. OLM v0 then needs an entry of the new channel that replaces,
skips or covers the installed version. Without one it never upgrades, and reports nothing. The finding names the head of a channel
that no channel with a newer head upgrades. Users of a release need not be able to switch to a pre-release.
Let an entry of the newer channel skip the older one's entries, or cover them with a skipRange.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     checkChannelSwitch,
}

// checkChannelSwitch reports once per package the channels of lostSwitches. If a channel upgrades the head, users of older entries can upgrade
// before they switch.
func checkChannelSwitch(p *lint.Pass) {
	if len(p.Package.Channels) > edges.MaxComparedChannels {
		return
	}
	lost := lostSwitches(p.Package, p.Graph)
	if len(lost) == 0 {
		return
	}
	var all []lint.Finding
	for _, s := range lost {
		all = append(all, channelSwitchFinding(s.from, s.to, s.entries))
	}
	f := channelSwitches(all)
	if isGenerated(p) {
		f.Fix = switchFix(p, lost)
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

// crossesMajor reports whether the switch leads to another major version.
func (s lostSwitch) crossesMajor() bool {
	return headIn(s.from).Semver().Major != s.head.Semver().Major
}

func lostSwitches(pkg *catalogs.Package, of func(*catalogs.Channel) *graph.Graph) []lostSwitch {
	var all []lostSwitch
	for _, from := range pkg.Channels {
		g := of(from)
		lost := lostSwitch{from: g}
		for _, to := range pkg.Channels {
			newer := headIn(of(to))
			if !versions.NewerThan(newer, headIn(g)) {
				continue
			}
			head, _ := g.Head()
			left := g.StuckAfterSwitch(of(to))
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
	f.Channel, f.Related, f.Details = "", nil, detailsOf(all)
	f.Message = fmt.Sprintf("users of %d channels are never upgraded after a switch to a newer channel: %s", len(all), words.Few(f.Faults))
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
