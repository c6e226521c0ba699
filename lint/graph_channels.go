package lint

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// eachSwitch makes a Check of a question about a move from one channel to another that OLM v0 can order, the head of
// which is not older.
func eachSwitch(check func(p *Pass, from, to *graph.Graph)) func(*Pass) {
	return func(p *Pass) {
		for _, from := range p.Package.Channels {
			for _, to := range p.Package.Channels {
				if from == to || from.Name.Value == to.Name.Value {
					continue
				}
				f, t := p.Graph(from), p.Graph(to)
				a, okA := f.Head()
				b, okB := t.Head()
				if okA && okB && !newerThan(from.Entries[a].Bundle, to.Entries[b].Bundle) {
					check(p, f, t)
				}
			}
		}
	}
}

func checkChannelSwitch(p *Pass, from, to *graph.Graph) {
	head, _ := to.Head()
	target := &to.Channel.Entries[head]
	lost := slices.DeleteFunc(slices.Clone(from.Lost(to)), func(i int) bool {
		return !newerThan(target.Bundle, from.Channel.Entries[i].Bundle)
	})
	if len(lost) == 0 {
		return
	}
	f := atChannel(to.Channel)
	f.Message = fmt.Sprintf("whoever moves from channel %q to %q with %s installed is never upgraded to its head %s",
		from.Channel.Name.Value, to.Channel.Name.Value, allOf(namesOf(from, lost)), versionText(target.Bundle))
	f.Cure = fmt.Sprintf("let an entry of channel %q skip what people move with, or cover it with a skipRange", to.Channel.Name.Value)
	f.Related = placesOf(from, lost[:min(3, len(lost))], "%q is left behind")
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
	var highest *catalogs.Bundle
	for _, b := range listed(p.Package) {
		if newerThan(b, best) && (highest == nil || newerThan(b, highest)) {
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
