package lint

import (
	"fmt"
	"regexp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

var (
	dnsLabel     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	dnsSubdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	cacheName    = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]*$`)
)

func checkCustomSchemas(p *Pass) {
	for _, o := range p.Catalog.Others {
		bad := o.Schema
		if cacheName.MatchString(o.Schema.Value) {
			bad = o.Package
			if bad.Value == "" || cacheName.MatchString(bad.Value) {
				continue
			}
		}
		p.Report(Finding{
			Subject: Subject{Package: o.Package.Value},
			Cause:   []string{o.Schema.Value, bad.Value},
			Pos:     bad.Pos,
			Message: fmt.Sprintf("opm serve cannot store objects under the name %q: the catalog's pod does not start", bad.Value),
			Fix:     "use letters, digits, dots, underscores and hyphens only, a letter or digit first",
		})
	}
}

func checkPackageName(p *Pass) {
	if name := p.Package.Name; p.Package.Defined() && !dnsLabel.MatchString(name.Value) {
		f := Finding{Pos: name.Pos, Message: fmt.Sprintf("opm refuses the package name %q", name.Value),
			Fix: "use at most 63 lower-case letters, digits and hyphens, no dot, in every object that names the package"}
		if name.Value == "" {
			f.Pos, f.Message = p.Package.Pos, "a package without a name"
		}
		p.Report(f)
	}
}

func checkDuplicatePackage(p *Pass) {
	for _, pos := range p.Package.Duplicates {
		p.Report(Finding{
			Pos:     pos,
			Message: fmt.Sprintf("package %q is defined a second time", p.Package.Name.Value),
			Fix:     "keep one of the two olm.package objects",
			Related: []Related{{Pos: p.Package.Pos, Message: "first defined here"}},
		})
	}
}

func checkDefaultChannel(p *Pass) {
	pkg := p.Package
	name := pkg.DefaultChannel
	if !pkg.Defined() || len(pkg.Channels) == 0 || pkg.Channel(name.Value) != nil && name.Value != "" {
		return
	}
	channels := make([]string, 0, len(pkg.Channels))
	for _, c := range pkg.Channels {
		channels = append(channels, c.Name.Value)
	}
	f := Finding{Cause: []string{name.Value}, Pos: pkg.Pos, Message: "no default channel is set: opm requires one even if there is only one channel",
		Fix: "set defaultChannel to " + oneOf(channels)}
	if name.Value != "" {
		f.Pos = name.Pos
		f.Message = fmt.Sprintf("the default channel %q does not exist: a Subscription without a channel gets nothing", name.Value)
		f.Fix = fmt.Sprintf("set defaultChannel to %s, or add the channel", oneOf(channels))
	}
	p.Report(f)
}

func checkNoChannels(p *Pass) {
	if p.Package.Defined() && len(p.Package.Channels) == 0 {
		p.Report(Finding{
			Pos:     p.Package.Pos,
			Message: fmt.Sprintf("package %q has no channel: it cannot be installed", p.Package.Name.Value),
			Fix:     fmt.Sprintf("add an olm.channel object with package: %s, or remove the package", p.Package.Name.Value),
		})
	}
}

func checkUnknownPackage(p *Pass) {
	if p.Package.Defined() {
		return
	}
	name := p.Package.Name.Value
	near := nearestPackage(p.Catalog, name)
	report := func(pkg catalogs.Text, pos catalogs.Pos, subject Subject, what string) {
		f := Finding{Subject: subject, Pos: pkg.Pos,
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
		report(c.Package, c.Pos, Subject{Channel: c.Name.Value}, fmt.Sprintf("channel %q", c.Name.Value))
	}
	for _, b := range p.Package.Bundles {
		report(b.Package, b.Pos, Subject{Bundle: b.Name.Value}, fmt.Sprintf("bundle %q", b.Name.Value))
	}
}

// nearestPackage returns the defined package whose name is most like a name, or "" if none is.
func nearestPackage(c *catalogs.Catalog, name string) string {
	var names []string
	for _, p := range c.Packages {
		if p.Defined() {
			names = append(names, p.Name.Value)
		}
	}
	near, _ := spelling.Nearest(name, names)
	return near
}

func checkNameCollision(p *Pass) {
	type key struct{ channel, bundle string }
	first := map[key]*catalogs.Package{}
	where := map[key]catalogs.Pos{}
	for _, pkg := range p.Catalog.Packages {
		for _, c := range pkg.Channels {
			for _, e := range c.Entries {
				k := key{c.Name.Value, e.Name.Value}
				other := first[k]
				if other == nil {
					first[k], where[k] = pkg, e.Pos
				}
				if other == nil || other == pkg {
					continue
				}
				p.Report(Finding{
					Subject: Subject{Package: pkg.Name.Value, Channel: k.channel, Bundle: k.bundle},
					Cause:   []string{k.channel, k.bundle, other.Name.Value},
					Pos:     e.Pos,
					Message: fmt.Sprintf("package %q also has the bundle %q in a channel %q: OLM v0 treats the two as one and fails",
						other.Name.Value, k.bundle, k.channel),
					Fix:     "rename the bundle or the channel in one of the packages",
					Related: []Related{{Pos: where[k], Message: "the other one"}},
				})
			}
		}
	}
}
