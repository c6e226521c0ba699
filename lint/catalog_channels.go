package lint

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

func checkChannelName(p *Pass) {
	for _, c := range p.Package.Channels {
		f := Finding{Subject: Subject{Channel: c.Name.Value}, Pos: c.Name.Pos, Fix: "rename it before users subscribe to it"}
		switch name := c.Name.Value; {
		case name == "":
			f.Pos, f.Message, f.Fix = c.Pos, "a channel without a name", "add name"
		case strings.Contains(name, "/"):
			f.Gates = GateOLMv0
			f.Message = fmt.Sprintf("the slash in the channel name %q breaks OLM v0's resolver", name)
		case !dnsSubdomain.MatchString(name) || len(name) > 253:
			f.Severity, f.Gates = Warning, GateOLMv1
			f.Message = fmt.Sprintf("users of OLM v1 cannot select the channel %q: its name is not a DNS subdomain", name)
			f.Fix = "use lower-case letters, digits, hyphens and dots; " + f.Fix
		default:
			continue
		}
		p.Report(f)
	}
}

func checkDuplicateChannel(p *Pass) {
	for _, c := range p.Package.Channels {
		if first := p.Package.Channel(c.Name.Value); first != c {
			p.Report(Finding{
				Subject: Subject{Channel: c.Name.Value},
				Pos:     c.Name.Pos,
				Message: fmt.Sprintf("channel %q is defined a second time: opm does not merge them", c.Name.Value),
				Fix:     "move the entries of both into one olm.channel object",
				Related: []Related{{Pos: first.Name.Pos, Message: "first defined here"}},
			})
		}
	}
}

func checkEmptyChannel(p *Pass) {
	for _, c := range p.Package.Channels {
		if len(c.Entries) == 0 {
			p.Report(Finding{
				Subject: Subject{Channel: c.Name.Value},
				Pos:     c.Pos,
				Message: fmt.Sprintf("channel %q has no entries: a Subscription to it gets nothing", c.Name.Value),
				Fix:     "add its entries, or remove the channel",
			})
		}
	}
}

func checkDuplicateEntry(p *Pass) {
	for _, c := range p.Package.Channels {
		first := map[string]*catalogs.Entry{}
		for i := range c.Entries {
			e := &c.Entries[i]
			if other := first[e.Name.Value]; other != nil {
				p.Report(Finding{
					Subject: Subject{Channel: c.Name.Value, Bundle: e.Name.Value},
					Pos:     e.Pos,
					Message: fmt.Sprintf("channel %q lists %q a second time", c.Name.Value, e.Name.Value),
					Fix:     "move replaces, skips and skipRange of both into one entry",
					Related: []Related{{Pos: other.Pos, Message: "first listed here"}},
				})
				continue
			}
			first[e.Name.Value] = e
		}
	}
}

func checkEntryWithoutBundle(p *Pass) {
	if !p.Package.Defined() {
		return // catalog/unknown-package says so
	}
	unused := unlisted(p.Package)
	for _, c := range p.Package.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			f := Finding{Subject: Subject{Channel: c.Name.Value, Bundle: e.Name.Value}, Pos: e.Pos}
			switch {
			case e.Name.Value == "":
				f.Message = fmt.Sprintf("an entry of channel %q without a name", c.Name.Value)
				f.Fix = "add the name of a bundle"
			case e.Bundle == nil:
				f.Message = fmt.Sprintf("channel %q offers %q, but no olm.bundle object of package %q has that name",
					c.Name.Value, e.Name.Value, p.Package.Name.Value)
				f.Fix = "add the bundle, or remove the entry"
				if near, ok := spelling.Nearest(e.Name.Value, unused); ok {
					f.Fix = fmt.Sprintf("did you mean %q, which is in no channel?", near)
				}
			default:
				continue
			}
			p.Report(f)
		}
	}
}

// unlisted returns the names of bundles that no channel lists.
func unlisted(pkg *catalogs.Package) []string {
	listed := map[string]bool{}
	for _, c := range pkg.Channels {
		for i := range c.Entries {
			listed[c.Entries[i].Name.Value] = true
		}
	}
	var names []string
	for _, b := range pkg.Bundles {
		if !listed[b.Name.Value] {
			names = append(names, b.Name.Value)
		}
	}
	return names
}

func checkBundleWithoutChannel(p *Pass) {
	if !p.Package.Defined() {
		return // catalog/unknown-package says so
	}
	for _, name := range unlisted(p.Package) {
		b := p.Package.Bundle(name)
		f := Finding{Subject: Subject{Bundle: name}, Pos: b.Name.Pos,
			Message: fmt.Sprintf("bundle %q is in no channel: it cannot be installed", name),
			Fix:     "add an entry for it to a channel, or remove it"}
		if !b.Name.Pos.Known() {
			f.Pos, f.Message, f.Fix = b.Pos, "a bundle without a name", "add its name"
		}
		p.Report(f)
	}
}

func checkNoCSV(p *Pass) {
	seen := map[string]bool{}
	for _, c := range p.Package.Channels {
		heads := p.Graph(c).Heads()
		if len(heads) != 1 {
			continue
		}
		b := c.Entries[heads[0]].Bundle
		if b == nil || seen[b.Name.Value] || b.PropertyCount(catalogs.TypeCSVMetadata) > 0 || b.PropertyCount(catalogs.TypeBundleObject) > 0 {
			continue
		}
		seen[b.Name.Value] = true
		p.Report(Finding{
			Subject: Subject{Channel: c.Name.Value, Bundle: b.Name.Value},
			Cause:   []string{c.Name.Value},
			Pos:     b.Name.Pos,
			Message: fmt.Sprintf("%q is the head of channel %q and has no CSV metadata: the console does not show the channel",
				b.Name.Value, c.Name.Value),
			Fix: "render the bundle again, so that it has an olm.csv.metadata property",
		})
	}
}
