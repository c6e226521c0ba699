package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// checkPackageRemoved has no place in the catalog to point to: the package is not there any more.
func checkPackageRemoved(p *Pass) {
	for _, was := range p.BaseCatalog.Packages {
		if !was.Defined() || p.Catalog.Package(was.Name.Value) != nil {
			continue
		}
		f := Finding{
			Subject: Subject{Package: was.Name.Value},
			Pos:     p.Catalog.Pos(),
			Message: fmt.Sprintf("package %q was removed: users on it never get another version, and OLM v0 resolves nothing "+
				"in a namespace subscribed to it", was.Name.Value),
			Fix:     "restore the package and deprecate it, until no cluster can have it",
			Related: []Related{{Pos: was.Pos, Message: "where it was"}},
		}
		if heir := successorOf(p, was); heir != nil {
			f.Message += fmt.Sprintf("; the new package %q has its bundles, but a Subscription does not follow a new name", heir.Name.Value)
			f.Fix = "keep the old name; installed packages cannot be renamed"
			f.Pos = firstKnown(heir.Name.Pos, heir.Pos)
		}
		p.Report(f)
	}
}

// successorOf returns the new package that has most images of one that is gone, or nil: then it was renamed.
func successorOf(p *Pass, was *catalogs.Package) *catalogs.Package {
	images := map[string]bool{}
	for _, b := range was.Bundles {
		images[b.Image.Value] = true
	}
	delete(images, "")
	for _, now := range p.Catalog.Packages {
		if p.BaseCatalog.Package(now.Name.Value) != nil {
			continue
		}
		same := 0
		for _, b := range now.Bundles {
			if images[b.Image.Value] {
				same++
			}
		}
		if same > 0 && 2*same >= len(images) {
			return now
		}
	}
	return nil
}

func checkDefaultChanged(p *Pass) {
	was, is := p.Base.DefaultChannel, p.Package.DefaultChannel
	if was.Value == is.Value || was.Value == "" || is.Value == "" {
		return
	}
	f := Finding{
		Subject: Subject{Channel: is.Value},
		Cause:   []string{was.Value, is.Value},
		Pos:     firstKnown(is.Pos, p.Package.Pos),
		Message: fmt.Sprintf("the default channel is %q, it was %q: installations without a channel now get it", is.Value, was.Value),
		Fix:     fmt.Sprintf("check that %q is intended as the default, and upgrades the entries of %q", is.Value, was.Value),
		Related: []Related{{Pos: firstKnown(was.Pos, p.Base.Pos), Message: "what it was"}},
	}
	from, to := p.Base.Channel(was.Value), p.Package.Channel(is.Value)
	if from != nil && to != nil {
		g := p.BaseGraph(from)
		if lost := namesOf(g, g.StuckAfterSwitch(p.Graph(to))); len(lost) > 0 {
			f.Message += fmt.Sprintf("; from %s of %q it has no upgrade", allOf(lost), was.Value)
			f.Fix = fmt.Sprintf("let an entry of %q skip or cover %s", is.Value, plural(len(lost), "it", "them"))
		}
	}
	p.Report(f)
}

// bundleChange is one thing that happened to several of a package.
type bundleChange struct {
	names []string
	each  []string // by which the finding is known
	now   []catalogs.Pos
	was   []catalogs.Pos
}

func (c *bundleChange) add(name, id string, now, was catalogs.Pos) {
	c.names, c.each, c.now, c.was = append(c.names, name), append(c.each, id), append(c.now, now), append(c.was, was)
}

// checkBundleChanged reports once a package and kind: a catalog that was built anew changes all of its images.
func checkBundleChanged(p *Pass) {
	var image, version bundleChange
	example := map[*bundleChange]string{}
	for _, b := range p.Package.Bundles {
		was := p.Base.Bundle(b.Name.Value)
		if was == nil || p.Package.Bundle(b.Name.Value) != b {
			continue
		}
		for _, one := range []struct {
			to      *bundleChange
			is, was catalogs.Text
		}{{&image, b.Image, was.Image}, {&version, b.Version, was.Version}} {
			if one.is.Value != one.was.Value {
				one.to.add(b.Name.Value, b.Name.Value, firstKnown(one.is.Pos, b.Pos), firstKnown(one.was.Pos, was.Pos))
				if example[one.to] == "" {
					example[one.to] = fmt.Sprintf("%q, was %q", one.is.Value, one.was.Value)
				}
			}
		}
	}
	for _, one := range []struct {
		*bundleChange
		what string
	}{{&image, "image"}, {&version, "version"}} {
		if len(one.names) > 0 {
			p.Report(bundleChanged(one.bundleChange, one.what, example[one.bundleChange]))
		}
	}
}

func bundleChanged(c *bundleChange, what, example string) Finding {
	n := len(c.names)
	return Finding{
		Subject: Subject{Bundle: c.names[0]},
		Cause:   []string{what},
		Each:    c.each,
		Pos:     c.now[0],
		Message: fmt.Sprintf("%s %s another %s than was published under %s (%s): clusters that have %s installed keep the old content",
			allOf(c.names), plural(n, "has", "have"), what, plural(n, "that name", "these names"), example, plural(n, "it", "them")),
		Fix:     fmt.Sprintf("restore the %s, and publish the new content as a bundle of a new version", what),
		Related: []Related{{Pos: c.was[0], Message: "as it was published"}},
	}
}

// deprecatable is what a deprecation can be about: the package, a channel or a bundle.
type deprecatable struct{ schema, name string }

func (d deprecatable) String() string {
	if d.schema == catalogs.SchemaPackage {
		return "the package"
	}
	return fmt.Sprintf("%s %q", strings.TrimPrefix(d.schema, "olm."), d.name)
}

func (d deprecatable) id() string { return d.schema + "/" + d.name }

func deprecationsOf(p *catalogs.Package) (all map[deprecatable]*catalogs.Deprecation, sorted []deprecatable) {
	all = map[deprecatable]*catalogs.Deprecation{}
	entries := p.DeprecationEntries()
	for i := range entries {
		d := &entries[i]
		key := deprecatable{d.Schema.Value, d.Name.Value}
		if all[key] == nil {
			all[key] = d
			sorted = append(sorted, key)
		}
	}
	return all, sorted
}

// isDefined reports whether a package has what a deprecation is about.
func isDefined(p *catalogs.Package, d deprecatable) bool {
	switch d.schema {
	case catalogs.SchemaChannel:
		return p.Channel(d.name) != nil
	case catalogs.SchemaBundle:
		return p.Bundle(d.name) != nil
	}
	return true
}

func checkDeprecationChanged(p *Pass) {
	was, wasSorted := deprecationsOf(p.Base)
	is, isSorted := deprecationsOf(p.Package)
	var lost, added, reworded bundleChange
	for _, key := range wasSorted {
		if is[key] == nil && isDefined(p.Package, key) {
			lost.add(key.String(), key.id(), deprecationPlace(p.Package, key), was[key].Pos)
		}
	}
	for _, key := range isSorted {
		switch old := was[key]; {
		case old == nil && isDefined(p.Base, key):
			added.add(key.String(), key.id(), is[key].Pos, catalogs.Pos{})
		case old != nil && old.Message.Value != is[key].Message.Value:
			reworded.add(key.String(), key.id(), firstKnown(is[key].Message.Pos, is[key].Pos), firstKnown(old.Message.Pos, old.Pos))
		}
	}
	p.reportDeprecations(&lost, Warning, "no longer deprecated", "restore the deprecation if it was removed by mistake")
	p.reportDeprecations(&added, Info, "deprecated now", "check that the message says what to use instead")
	p.reportDeprecations(&reworded, Info, "deprecated with another message", "check that the message says what to use instead")
}

func (p *Pass) reportDeprecations(c *bundleChange, severity Severity, what, fix string) {
	n := len(c.names)
	if n == 0 {
		return
	}
	f := Finding{Severity: severity, Each: c.each, Pos: c.now[0], Fix: fix,
		Message: fmt.Sprintf("%s %s %s", enumerate(c.names), plural(n, "is", "are"), what)}
	if c.was[0].Known() {
		f.Related = []Related{{Pos: c.was[0], Message: "as it was"}}
	}
	p.Report(f)
}

// deprecationPlace is where something stands that is deprecated no more.
func deprecationPlace(p *catalogs.Package, d deprecatable) catalogs.Pos {
	switch d.schema {
	case catalogs.SchemaChannel:
		c := p.Channel(d.name)
		return firstKnown(c.Name.Pos, c.Pos)
	case catalogs.SchemaBundle:
		b := p.Bundle(d.name)
		return firstKnown(b.Name.Pos, b.Pos)
	}
	return firstKnown(p.Name.Pos, p.Pos)
}

// enumerate lists parts of a sentence, the first few of many.
func enumerate(parts []string) string {
	n := len(parts)
	switch {
	case n > 4:
		return fmt.Sprintf("%s and %d more", strings.Join(parts[:3], ", "), n-3)
	case n > 1:
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}

func checkChannelAdded(p *Pass) {
	for _, c := range p.Package.Channels {
		if p.Package.Channel(c.Name.Value) != c || p.Base.Channel(c.Name.Value) != nil {
			continue
		}
		f := atChannel(c)
		f.Message = fmt.Sprintf("channel %q is new", c.Name.Value)
		g := p.Graph(c)
		if head, ok := g.Head(); ok {
			f.Message += fmt.Sprintf("; its head is %q", g.Name(head))
		}
		switch fresh, all := len(newEntries(p, g)), len(g.Entries()); {
		case fresh == all:
			f.Message += ", and nothing in it was published before"
		case fresh > 0:
			f.Message += fmt.Sprintf(", and %d of its %d entries %s not published before", fresh, all, plural(fresh, "was", "were"))
		}
		f.Fix = "no change is required"
		p.Report(f)
	}
}

// newEntries returns the names of entries that no channel of the base has.
func newEntries(p *Pass, g *graph.Graph) []string {
	return slices.DeleteFunc(namesOf(g, g.Entries()), func(name string) bool {
		return slices.ContainsFunc(p.Base.Channels, func(c *catalogs.Channel) bool {
			_, ok := p.BaseGraph(c).Index(name)
			return ok
		})
	})
}
