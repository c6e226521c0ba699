package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

func checkChannelName(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		f := lint.Finding{Subject: lint.Subject{Channel: c.Name.Value}, Pos: c.Name.Pos, Fix: "rename it before users subscribe to it"}
		switch name := c.Name.Value; {
		case name == "":
			f.Pos, f.Message, f.Fix = c.Pos, "a channel without a name", "add name"
		case strings.Contains(name, "/"):
			f.Gates = lint.GateOLMv0
			f.Message = fmt.Sprintf("the slash in the channel name %q breaks OLM v0's resolver", name)
		case !words.DNSSubdomain.MatchString(name) || len(name) > 253:
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
	if !p.Package.IsDefined() {
		return // reported by catalog/unknown-package
	}
	reportMisspelt(p, catalogs.UnknownName, "write %s")
	if len(p.Package.Bundles) == 0 && noBundles(p) {
		return
	}
	meant := edges.FindMeanings(p)
	for _, c := range p.Package.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			f := lint.Finding{Subject: lint.Subject{Channel: c.Name.Value, Bundle: e.Name.Value}, Pos: e.Pos}
			switch {
			case e.Name.Value == "":
				f.Message = fmt.Sprintf("an entry of channel %q without a name", c.Name.Value)
				f.Fix = "add the name of a bundle"
			case !edges.LacksBundle(p, e):
				continue
			case meant[e.Name.Value] != "":
				sayLikelyBundle(p, p.Graph(c), i, meant[e.Name.Value], &f)
			default:
				f.Message = fmt.Sprintf("channel %q offers %q, but no olm.bundle object of package %q has that name",
					c.Name.Value, e.Name.Value, p.Package.Name.Value)
				f.Fix = "add the bundle, or remove the entry"
			}
			p.Report(f)
		}
	}
}

// sayLikelyBundle makes the finding about an entry without a bundle say which bundle it means: of the two names that is right which others use.
func sayLikelyBundle(p *lint.Pass, g *graph.Graph, i int, bundle string, f *lint.Finding) {
	f.Message = fmt.Sprintf("entry %q of channel %q has no bundle, and bundle %q is in no channel: did you mean that?", f.Bundle, f.Channel, bundle)
	for n := range g.Channel.Entries {
		e := &g.Channel.Entries[n]
		for kind, text := range edges.EdgeTexts(e) {
			if text.Value == f.Bundle && n != i {
				f.Related = append(f.Related, lint.Related{Pos: text.Pos, Message: fmt.Sprintf("%q %s it", e.Name.Value, kind)})
			}
		}
	}
	b := p.Package.Bundle(bundle)
	if versions.HasVersion(b) && strings.HasSuffix(f.Bundle, b.Semver().String()) && p.Package.CountUses(f.Bundle) > 1 && p.Package.CountUses(bundle) == 0 {
		f.Fix = "name the bundle " + f.Bundle
		f.Suggest(b.Name, f.Bundle)
		return
	}
	f.Fix = "write " + bundle
	f.Suggest(g.Channel.Entries[i].Name, bundle)
	was, is := g.Channel.Entries[i].Replaces, edges.WithMeaning(g, i, bundle).Channel.Entries[i].Replaces.Value
	switch {
	case was.Value == is:
	case is == "":
		f.Fix += ", and let it not replace itself"
		f.Suggested = nil
	default:
		f.Fix += fmt.Sprintf(", and let it replace %s", is)
		f.Suggest(was, is)
	}
	if was.Value != is {
		f.Fix += fmt.Sprintf("; or add the bundle of %s, and an entry for %s", f.Bundle, bundle)
	}
}

// noBundles reports once that several entries of a package without bundles have none, unless these are in a template that is read as a catalog.
func noBundles(p *lint.Pass) bool {
	var names []string
	for _, c := range p.Package.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			if !edges.LacksBundle(p, e) {
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

// reportMisspelt reports the names in a package that were read as what was probably meant. The fix has that name.
func reportMisspelt(p *lint.Pass, kind catalogs.ProblemKind, fix string) {
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
