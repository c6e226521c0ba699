package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// checkChannelSwitch looks at the moves that users make: from a channel to the next newer one and to the default one.
func checkChannelSwitch(p *Pass) {
	for _, from := range p.Package.Channels {
		for _, to := range forward(p, from) {
			checkSwitch(p, p.Graph(from), p.Graph(to))
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

// forward returns the default channel and the channels with the lowest head, as far as their heads are newer than that of
// the channel to leave.
func forward(p *Pass, from *catalogs.Channel) []*catalogs.Channel {
	var next *catalogs.Bundle
	for _, c := range p.Package.Channels {
		if h := headOf(p, c); newerThan(h, headOf(p, from)) && !newerThan(h, next) {
			next = h
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Package.Channels), func(c *catalogs.Channel) bool {
		h := headOf(p, c)
		isDefault := c.Name.Value == p.Package.DefaultChannel.Value
		return !newerThan(h, headOf(p, from)) || newerThan(h, next) && !isDefault
	})
}

// checkSwitch reports a move after which the head of the channel that was left has no upgrade. Where it has one users of
// older entries need only upgrade before they move.
func checkSwitch(p *Pass, from, to *graph.Graph) {
	lost := from.Lost(to)
	last, _ := from.Head()
	if !slices.Contains(lost, last) {
		return
	}
	head, _ := to.Head()
	f := atChannel(to.Channel)
	f.Message = fmt.Sprintf("whoever moves from channel %q to %q with its head %q installed is never upgraded to %q",
		from.Channel.Name.Value, to.Channel.Name.Value, from.Name(last), to.Name(head))
	if others := without(lost, last); len(others) > 0 {
		f.Message += fmt.Sprintf(", nor from %s", allOf(namesOf(from, others)))
	}
	f.Cure = fmt.Sprintf("let an entry of channel %q skip %q, or cover it with a skipRange", to.Channel.Name.Value, from.Name(last))
	f.Related = placesOf(from, []int{last}, "%q is left behind")
	p.Report(f)
}

func checkSwitchDowngrade(p *Pass) {
	for _, from := range p.Package.Channels {
		for _, to := range p.Package.Channels {
			if from.Name.Value != to.Name.Value {
				switchDowngrade(p, p.Graph(from), p.Graph(to))
			}
		}
	}
}

func switchDowngrade(p *Pass, from, to *graph.Graph) {
	for _, i := range from.Entries() {
		e := &from.Channel.Entries[i]
		if _, both := to.Index(e.Name.Value); both || !hasVersion(e.Bundle) {
			continue
		}
		next, ok := to.NextOf(e.Name.Value, e.Bundle.Version.Value)
		if !ok || !newerThan(e.Bundle, to.Channel.Entries[next.To].Bundle) {
			continue
		}
		f := atEntry(to, next.To)
		f.Pos = firstKnown(next.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("whoever moves from channel %q to %q with %q installed is downgraded to %q by its %s",
			from.Channel.Name.Value, to.Channel.Name.Value, e.Name.Value, to.Name(next.To), next.Kind)
		f.Cure = fmt.Sprintf("take %q out of it", e.Name.Value)
		if next.Kind == graph.SkipRange {
			f.Cure = fmt.Sprintf("let the range end with <%s", to.Channel.Entries[next.To].Bundle.Semver())
		}
		f.Related = placesOf(from, []int{i}, "%q is newer")
		p.Report(f)
		return
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
	for _, b := range listed(p.Package) {
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
		Pos:     firstKnown(p.Package.DefaultChannel.Pos, p.Package.Pos),
		Message: fmt.Sprintf("OLM v1 without a channel installs %q of channel %s, though the newest of the default channel %q is %s",
			highest.Name.Value, allOf(where), c.Name.Value, versionText(best)),
		Cure:    "tell users of OLM v1 to set spec.source.catalog.channels, or make the newer channel the default",
		Related: []Related{{Pos: highest.Name.Pos, Message: "the newest bundle"}},
	})
}
