package catalog

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

func checkPackageName(p *lint.Pass) {
	if name := p.Package.Name; p.Package.Defined() && !names.DNSLabel.MatchString(name.Value) {
		f := lint.Finding{Pos: name.Pos, Message: fmt.Sprintf("opm rejects the package name %q", name.Value),
			Fix: "use at most 63 lower-case letters, digits and hyphens, no dot, in every object that names the package"}
		if name.Value == "" {
			f.Pos, f.Message, f.Fix = p.Package.Pos, "a package without a name", "add its name, as the other objects name it"
		}
		p.Report(f)
	}
}

func checkDuplicates(p *lint.Pass) {
	report := func(of lint.Subject, at, first catalogs.Pos, message, fix string) {
		p.Report(lint.Finding{Subject: of, Pos: at, Message: message, Fix: fix, Related: []lint.Related{{Pos: first, Message: "the first one"}}})
	}
	for _, at := range p.Package.Duplicates {
		report(lint.Subject{}, at, p.Package.Pos, fmt.Sprintf("package %q is defined a second time", p.Package.Name.Value), "keep one of the two olm.package objects")
	}
	for _, c := range p.Package.Channels {
		name := c.Name.Value
		if first := p.Package.Channel(name); first != c {
			report(lint.Subject{Channel: name}, c.Name.Pos, first.Name.Pos, fmt.Sprintf("channel %q is defined a second time: opm does not merge them", name),
				"move the entries of both into one olm.channel object")
		}
		first := map[string]*catalogs.Entry{}
		for i := range c.Entries {
			e := &c.Entries[i]
			if other := first[e.Name.Value]; other != nil {
				report(lint.Subject{Channel: name, Bundle: e.Name.Value}, e.Pos, other.Pos, fmt.Sprintf("channel %q lists %q a second time", name, e.Name.Value),
					"move replaces, skips and skipRange of both into one entry")
				continue
			}
			first[e.Name.Value] = e
		}
	}
	for _, b := range p.Package.Bundles {
		if first := p.Package.Bundle(b.Name.Value); first != b {
			report(lint.Subject{Bundle: b.Name.Value}, b.Name.Pos, first.Name.Pos, fmt.Sprintf("bundle %q is defined a second time", b.Name.Value),
				"keep one of the two; a rebuilt bundle needs a new version and name")
		}
	}
}

func checkDefaultChannel(p *lint.Pass) {
	pkg := p.Package
	name := pkg.DefaultChannel
	if !pkg.Defined() || len(pkg.Channels) == 0 || pkg.Channel(name.Value) != nil && name.Value != "" || p.Catalog.MayBeUnread(name.Value) {
		return
	}
	channels := pkg.ChannelNames()
	f := lint.Finding{Cause: []string{name.Value}, Pos: pkg.Pos, Message: "no default channel is set: opm requires one even if there is only one channel",
		Fix: "set defaultChannel to " + words.OneOf(channels)}
	if name.Value != "" {
		f.Pos = name.Pos
		f.Message = fmt.Sprintf("the default channel %q does not exist: a Subscription without a channel gets nothing", name.Value)
		f.Fix = fmt.Sprintf("set defaultChannel to %s, or add the channel", words.OneOf(channels))
		if near, ok := spelling.NearestWord(name.Value, channels); ok {
			f.Message = fmt.Sprintf("the default channel %q does not exist: did you mean %q?", name.Value, near)
		}
	}
	p.Report(f)
}

func checkNoChannels(p *lint.Pass) {
	if p.Package.Defined() && p.Package.Name.Value != "" && len(p.Package.Channels) == 0 && !p.Catalog.MayBeUnread(p.Package.Name.Value) {
		p.Report(lint.Finding{
			Pos:     p.Package.Pos,
			Message: fmt.Sprintf("package %q has no channel: it cannot be installed", p.Package.Name.Value),
			Fix:     fmt.Sprintf("add an olm.channel object with package: %s, or remove the package", p.Package.Name.Value),
		})
	}
}

func checkUnknownPackage(p *lint.Pass) {
	name := p.Package.Name.Value
	misspelt(p, catalogs.UnknownPackage, "write %s, or add an olm.package object")
	if p.Package.Defined() || p.Catalog.MayBeUnread(name) {
		return
	}
	near := versions.NearestPackage(p.Catalog, name)
	report := func(pkg catalogs.Text, pos catalogs.Pos, subject lint.Subject, what string) {
		f := lint.Finding{Subject: subject, Pos: pkg.Pos,
			Message: fmt.Sprintf("%s belongs to package %q, which no olm.package object defines", what, name),
			Fix:     "correct the name, or add the olm.package object"}
		if near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Otherwise add the olm.package object", near)
		}
		if name == "" {
			f.Pos, f.Message, f.Fix = pos, what+" does not name its package", "add package"
		}
		p.Report(f)
	}
	for _, c := range p.Package.Channels {
		report(c.Package, c.Pos, lint.Subject{Channel: c.Name.Value}, fmt.Sprintf("channel %q", c.Name.Value))
	}
	for _, b := range p.Package.Bundles {
		report(b.Package, b.Pos, lint.Subject{Bundle: b.Name.Value}, fmt.Sprintf("bundle %q", b.Name.Value))
	}
}
