package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// maxSwitched bounds what it costs to hold every channel of a package against every other one.
const maxSwitched = 300

// checkChannelSwitch reports a channel the head of which no newer channel upgrades, with the nearest of those. Where one
// does, users know a way on; those of older entries need only upgrade before they switch.
func checkChannelSwitch(p *Pass) {
	if len(p.Package.Channels) > maxSwitched {
		return
	}
	for _, from := range p.Package.Channels {
		var lost []int
		var nearest *catalogs.Channel
		for _, to := range p.Package.Channels {
			if !newerThan(headOf(p, to), headOf(p, from)) {
				continue
			}
			g := p.Graph(from)
			head, _ := g.Head()
			left := g.StuckAfterSwitch(p.Graph(to))
			if !slices.Contains(left, head) {
				lost = nil
				break
			}
			if nearest == nil || newerThan(headOf(p, nearest), headOf(p, to)) {
				lost, nearest = left, to
			}
		}
		if len(lost) > 0 {
			p.Report(channelSwitch(p.Graph(from), nearest, lost))
		}
	}
}

// headOf returns the bundle of a channel's only head, or nil.
func headOf(p *Pass, c *catalogs.Channel) *catalogs.Bundle {
	if head, ok := p.Graph(c).Head(); ok {
		return c.Entries[head].Bundle
	}
	return nil
}

func channelSwitch(from *graph.Graph, to *catalogs.Channel, lost []int) Finding {
	head, _ := from.Head()
	f := atChannel(to)
	f.Cause = []string{from.Channel.Name.Value}
	f.Message = fmt.Sprintf("channel %q has no upgrade from %q, the head of channel %q: users who switch are never upgraded",
		to.Name.Value, from.Name(head), from.Channel.Name.Value)
	if more := len(lost) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (nor from %d more of its entries)", more)
	}
	f.Fix = fmt.Sprintf("let an entry of channel %q skip %q, or cover it with a skipRange", to.Name.Value, from.Name(head))
	f.Related = placesOf(from, []int{head}, "%q is not upgraded")
	return f
}

func checkSwitchDowngrade(p *Pass) {
	if len(p.Package.Channels) > maxSwitched {
		return
	}
	for _, from := range p.Package.Channels {
		for _, to := range p.Package.Channels {
			if from.Name.Value != to.Name.Value {
				switchDowngrade(p, p.Graph(from), p.Graph(to))
			}
		}
	}
}

// switchDowngrade reports the first entry of a channel that another one leads down.
func switchDowngrade(p *Pass, from, to *graph.Graph) {
	down := downgrades(to)
	for _, i := range from.Entries() {
		e := &from.Channel.Entries[i]
		if _, both := to.Index(e.Name.Value); both || !hasVersion(e.Bundle) || !down(e) {
			continue
		}
		next, ok := to.NextOfInstalled(e.Name.Value, e.Bundle.Version.Value)
		if !ok || !newerThan(e.Bundle, to.Channel.Entries[next.To].Bundle) {
			continue
		}
		f := atEntry(to, next.To)
		f.Cause = []string{from.Channel.Name.Value, to.Channel.Name.Value}
		f.Pos = firstKnown(next.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("users on %[3]q who switch from channel %[1]q to %[2]q are downgraded to %[4]q by its %[5]s",
			from.Channel.Name.Value, to.Channel.Name.Value, e.Name.Value, to.Name(next.To), next.Kind)
		f.Fix = fmt.Sprintf("remove %q from it", e.Name.Value)
		if next.Kind == graph.SkipRange {
			f.Fix = fmt.Sprintf("let the range end with <%s", to.Channel.Entries[next.To].Bundle.Semver())
		}
		f.Related = placesOf(from, []int{i}, "%q is newer")
		p.Report(f)
		return
	}
}

// downgrades returns whether some older entry of a channel covers or names an entry of another one, which is quicker to
// tell than whether OLM v0 follows that.
func downgrades(to *graph.Graph) func(*catalogs.Entry) bool {
	named := map[string]bool{}
	ranges := make([]versionRange, len(to.Channel.Entries))
	var ranged []int
	for _, i := range to.Entries() {
		for _, t := range edgeTexts(&to.Channel.Entries[i]) {
			named[t.Value] = true
		}
		if ranges[i] = readRange(to.Channel.Entries[i].SkipRange.Value); ranges[i].in != nil {
			ranged = append(ranged, i)
		}
	}
	return func(e *catalogs.Entry) bool {
		return named[e.Name.Value] || slices.ContainsFunc(ranged, func(i int) bool {
			return newerThan(e.Bundle, to.Channel.Entries[i].Bundle) && ranges[i].contains(*e.Bundle.Semver())
		})
	}
}

// checkAllChannels reports once a package that OLM v1 looks at all channels.
func checkAllChannels(p *Pass) {
	c := p.Package.Channel(p.Package.DefaultChannel.Value)
	if c == nil {
		return
	}
	g := p.Graph(c)
	if len(g.Entries()) == 0 {
		return
	}
	best := c.Entries[newest(g, g.Entries())].Bundle
	d := deprecatedIn(p.Package)
	var highest *catalogs.Bundle
	for _, b := range listedBundles(p.Package) {
		if d.bundles[b.Name.Value] == nil && newerThan(b, best) && (highest == nil || newerThan(b, highest)) {
			highest = b
		}
	}
	if highest == nil {
		return
	}
	var where []string
	for _, other := range p.Package.Channels {
		if _, ok := p.Graph(other).Index(highest.Name.Value); ok {
			where = append(where, other.Name.Value)
		}
	}
	p.Report(Finding{
		Subject: Subject{Channel: c.Name.Value, Bundle: highest.Name.Value},
		Cause:   []string{c.Name.Value},
		Pos:     firstKnown(p.Package.DefaultChannel.Pos, p.Package.Pos),
		Message: fmt.Sprintf("OLM v1 without a channel installs %q of channel %s, but the newest of the default channel %q is %s",
			highest.Name.Value, allOf(where), c.Name.Value, versionText(best)),
		Fix:     "ask users of OLM v1 to set spec.source.catalog.channels, or make the newer channel the default",
		Related: []Related{{Pos: highest.Name.Pos, Message: "the newest bundle"}},
	})
}
