package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/names"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
)

// unlisted returns the names of bundles without an entry in any channel.
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

func checkChannelName(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		f := lint.Finding{Subject: lint.Subject{Channel: c.Name.Value}, Pos: c.Name.Pos, Fix: "rename it before users subscribe to it"}
		switch name := c.Name.Value; {
		case name == "":
			f.Pos, f.Message, f.Fix = c.Pos, "a channel without a name", "add name"
		case strings.Contains(name, "/"):
			f.Gates = lint.GateOLMv0
			f.Message = fmt.Sprintf("the slash in the channel name %q breaks OLM v0's resolver", name)
		case !names.DNSSubdomain.MatchString(name) || len(name) > 253:
			if f.Severity, f.Gates = lint.Warning, lint.GateOLMv1; p.BasePackage != nil && p.BasePackage.Channel(name) != nil {
				f.Severity = lint.Info // users have subscribed to it
			}
			f.Message = fmt.Sprintf("users of OLM v1 cannot select the channel %q: its name is not a DNS subdomain", name)
			f.Fix = "use lower-case letters, digits, hyphens and dots; " + f.Fix
		default:
			continue
		}
		p.Report(f)
	}
}

func checkEmptyChannel(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		if len(c.Entries) == 0 {
			p.Report(lint.Finding{
				Subject: lint.Subject{Channel: c.Name.Value},
				Pos:     c.Pos,
				Message: fmt.Sprintf("channel %q has no entries: a Subscription to it gets nothing", c.Name.Value),
				Fix:     "add its entries, or remove the channel",
			})
		}
	}
}

func checkEntryWithoutBundle(p *lint.Pass) {
	if !p.Package.Defined() {
		return // reported by catalog/unknown-package
	}
	misspelt(p, catalogs.UnknownName, "write %s")
	if len(p.Package.Bundles) == 0 && noBundles(p) {
		return
	}
	unused := unlisted(p.Package)
	for _, c := range p.Package.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			f := lint.Finding{Subject: lint.Subject{Channel: c.Name.Value, Bundle: e.Name.Value}, Pos: e.Pos}
			switch {
			case e.Name.Value == "":
				f.Message = fmt.Sprintf("an entry of channel %q without a name", c.Name.Value)
				f.Fix = "add the name of a bundle"
			case e.Bundle == nil && (p.Catalog.MayBeUnread(e.Name.Value) || isInUndefined(p.Catalog, e.Name.Value)):
				continue
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

// noBundles reports once that several entries of a package without bundles have none, unless these are in a template that is read as a catalog.
func noBundles(p *lint.Pass) bool {
	var names []string
	for _, c := range p.Package.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.Name.Value == "" || p.Catalog.MayBeUnread(e.Name.Value) || isInUndefined(p.Catalog, e.Name.Value) {
				return false
			}
			if !slices.Contains(names, e.Name.Value) {
				names = append(names, e.Name.Value)
			}
		}
	}
	if len(names) < 2 {
		return false
	}
	if !slices.ContainsFunc(p.Catalog.Foreign, func(f catalogs.Foreign) bool { return f.Bundle }) {
		p.Report(lint.Finding{Pos: catalogs.KnownPos(p.Package.Name.Pos, p.Package.Pos), Cause: lint.OncePerPackage(), Faults: names,
			Message: fmt.Sprintf("package %q has no olm.bundle object, which each of its %d entries needs", p.Package.Name.Value, len(names)),
			Fix:     "add the bundles, as opm render prints them of their images"})
	}
	return true
}

// isInUndefined reports whether a bundle of that name belongs to a package that is not defined: catalog/unknown-package reports it.
func isInUndefined(c *catalogs.Catalog, bundle string) bool {
	return slices.ContainsFunc(c.Packages, func(p *catalogs.Package) bool { return !p.Defined() && p.Bundle(bundle) != nil })
}

// misspelt reports the names in a package that were read as what was probably meant. The fix has that name.
func misspelt(p *lint.Pass, kind catalogs.ProblemKind, fix string) {
	for _, problem := range p.Catalog.Problems {
		if problem.Kind == kind && problem.Package == p.Package.Name.Value {
			p.Report(lint.Finding{Subject: lint.Subject{Channel: problem.Channel, Bundle: problem.Bundle}, Pos: problem.Pos,
				Message: problem.Message, Fix: fmt.Sprintf(fix, problem.Like)})
		}
	}
}

func checkNoCSV(p *lint.Pass) {
	seen := map[string]bool{}
	for _, c := range p.Package.Channels {
		heads := p.Graph(c).Heads()
		if len(heads) != 1 {
			continue
		}
		b := c.Entries[heads[0]].Bundle
		if b == nil || b.Guessed || seen[b.Name.Value] || b.PropertyCount(catalogs.TypeCSVMetadata) > 0 || b.PropertyCount(catalogs.TypeBundleObject) > 0 ||
			p.Catalog.Template != nil && slices.Contains(p.Catalog.Template.Bundles, b) { // which opm renders of its image
			continue
		}
		seen[b.Name.Value] = true
		p.Report(lint.Finding{
			Subject: lint.Subject{Channel: c.Name.Value, Bundle: b.Name.Value},
			Cause:   []string{c.Name.Value},
			Pos:     b.Name.Pos,
			Message: fmt.Sprintf("%q is the head of channel %q and has no CSV metadata: the console does not show the channel",
				b.Name.Value, c.Name.Value),
			Fix: "render the bundle again, so that it has an olm.csv.metadata property",
		})
	}
}

func checkNameCollision(p *lint.Pass) {
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
				p.Report(lint.Finding{
					Subject: lint.Subject{Package: pkg.Name.Value, Channel: k.channel, Bundle: k.bundle},
					Cause:   []string{k.channel, k.bundle, other.Name.Value},
					Pos:     e.Pos,
					Message: fmt.Sprintf("package %q also has the bundle %q in a channel %q: OLM v0 treats the two as one and fails",
						other.Name.Value, k.bundle, k.channel),
					Fix:     "rename the bundle or the channel in one of the packages",
					Related: []lint.Related{{Pos: where[k], Message: "the other one"}},
				})
			}
		}
	}
}
