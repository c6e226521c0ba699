// Package history says which changes of a repository were corrected by later ones. docs/history.md defines what a correction is: of what a change
// did, each step is compared with the next step of the same fact.
package history

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
)

// Kind says what a fact is about.
type Kind int

const (
	Package Kind = iota // its value is the default channel
	Channel
	Entry  // its value are the edges
	Bundle // its value are the images
)

// Fact is what a step changes: something in a package of one catalog.
type Fact struct {
	Kind                            Kind
	Catalog, Package, Channel, Name string // Channel and Name are "" where the kind has none
}

// Step is what a change does to a fact. Had and Has say whether it was there before and is there now.
type Step struct {
	Fact
	Had, Has  bool
	Was, Is   string // the values
	Evolution bool   // it corrects nothing
	Copied    bool   // another catalog had the fact with the same value: nothing to correct
}

// minHigher is how many higher versions a package keeps when it prunes one.
const minHigher = 3

// Pair is a catalog before and after a change; Was or Is is nil if there is none.
type Pair struct {
	Name    string // which tells it from other catalogs
	Was, Is *catalogs.Catalog
	// Others are catalogs before the change in which there may be what is added to this one.
	Others []*catalogs.Catalog
}

// Steps returns what a change does to the packages of catalogs, in a fixed order.
func Steps(pairs []Pair) []Step {
	before := map[Step]bool{}
	for _, p := range pairs {
		for _, c := range append(slices.Clone(p.Others), p.Was) {
			for fact, value := range factsOf(c) {
				before[added(fact, value)] = true
			}
		}
	}
	var all []Step
	for _, p := range pairs {
		for _, s := range p.steps() {
			s.Copied = !s.Had && before[added(s.Fact, s.Is)]
			all = append(all, s)
		}
	}
	return all
}

// added returns the step that adds a fact, of any catalog.
func added(fact Fact, value string) Step {
	fact.Catalog = ""
	return Step{Fact: fact, Has: true, Is: value}
}

func (p *Pair) steps() []Step {
	was, is := factsOf(p.Was), factsOf(p.Is)
	ends := p.ends()
	facts := maps.Clone(was)
	maps.Copy(facts, is)
	var all []Step
	for _, fact := range slices.SortedFunc(maps.Keys(facts), compareFacts) {
		s := Step{Fact: fact, Was: was[fact], Is: is[fact]}
		_, s.Had = was[fact]
		_, s.Has = is[fact]
		if s.Had == s.Has && s.Was == s.Is || s.Had && !s.Has && goneWithWhole(fact, is) {
			continue
		}
		s.Catalog = p.Name
		if s.Had {
			s.Evolution = ends && !s.Has || p.Is != nil && p.evolves(s)
		}
		all = append(all, s)
	}
	return all
}

// ends reports whether all packages of the catalog are removed: of those that were not read, none is.
func (p *Pair) ends() bool {
	return p.Is == nil || p.Is.Stats.Unread == 0 && p.Was != nil &&
		!slices.ContainsFunc(p.Was.Packages, func(o *catalogs.Package) bool { return p.Is.Package(o.Name.Value) != nil })
}

func compareFacts(a, b Fact) int {
	return cmp.Or(strings.Compare(a.Package, b.Package), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Channel, b.Channel), strings.Compare(a.Name, b.Name))
}

// goneWithWhole reports whether the package or the channel of a fact is removed.
func goneWithWhole(f Fact, is map[Fact]string) bool {
	_, hasPackage := is[Fact{Kind: Package, Package: f.Package}]
	_, hasChannel := is[Fact{Kind: Channel, Package: f.Package, Channel: f.Channel}]
	return f.Kind != Package && !hasPackage || f.Kind == Entry && !hasChannel
}

// factsOf returns the facts of a catalog, which may be nil, without its name. A name that occurs twice counts once, as it stands first.
func factsOf(c *catalogs.Catalog) map[Fact]string {
	facts := map[Fact]string{}
	if c == nil {
		return facts
	}
	set := func(f Fact, value string) {
		if _, known := facts[f]; !known {
			facts[f] = value
		}
	}
	for _, p := range c.Packages {
		name := p.Name.Value
		if len(p.Channels) > 0 { // otherwise it is not published
			set(Fact{Kind: Package, Package: name}, p.DefaultChannel.Value)
		}
		for _, ch := range p.Channels {
			set(Fact{Kind: Channel, Package: name, Channel: ch.Name.Value}, "")
			for i := range ch.Entries {
				set(Fact{Entry, "", name, ch.Name.Value, ch.Entries[i].Name.Value}, edges(&ch.Entries[i]))
			}
		}
		for _, b := range p.Bundles {
			set(Fact{Kind: Bundle, Package: name, Name: b.Name.Value}, images(b))
		}
	}
	return facts
}

// edges returns what an entry says of its edges.
func edges(e *catalogs.Entry) string {
	var all []string
	for _, part := range []struct{ key, value string }{{"replaces ", e.Replaces.Value}, {"skips ", strings.Join(find.Distinct(slices.Sorted(slices.Values(catalogs.Values(e.Skips)))), " ")},
		{"skipRange ", e.SkipRange.Value}} {
		if part.value != "" {
			all = append(all, part.key+part.value)
		}
	}
	return strings.Join(all, ", ")
}

// images returns the images of a bundle. A rebuild changes the digest of the bundle's image in a catalog.
func images(b *catalogs.Bundle) string {
	if b.Folder == nil {
		name, _, _ := strings.Cut(b.Image.Value, "@")
		return name
	}
	var all []string
	for _, r := range b.RelatedImages {
		all = append(all, r.Image.Value)
	}
	slices.Sort(all)
	return strings.Join(find.Distinct(all), " ")
}

// evolves reports whether a step of a fact that was there is routine, in a catalog that remains.
func (p *Pair) evolves(s Step) bool {
	was, is := p.Was.Package(s.Package), p.Is.Package(s.Package)
	if is == nil {
		return false
	}
	c := change{is: is, versions: versionsOf(is)}
	if s.Kind == Entry || s.Kind == Channel {
		c.fromChannel, c.toChannel = was.Channel(s.Channel), is.Channel(s.Channel)
	}
	switch {
	case s.Kind == Channel:
		return !slices.ContainsFunc(c.fromChannel.Entries, func(e catalogs.Entry) bool { return !c.pruned(e.Name.Value) })
	case s.Kind == Bundle && !s.Has:
		return c.pruned(s.Name) || onlyEntryEverywhere(was, c, s.Name)
	case s.Kind == Entry && !s.Has:
		return c.pruned(s.Name) || c.succeeded(s.Name)
	case s.Kind == Entry:
		return c.released(c.fromChannel.Entry(s.Name), c.toChannel.Entry(s.Name))
	}
	return false
}

// onlyEntryEverywhere reports whether a bundle that is removed was the only entry of each of its channels, and has a successor there.
func onlyEntryEverywhere(was *catalogs.Package, c change, name string) bool {
	found := false
	for _, ch := range was.Channels {
		if ch.Entry(name) == nil {
			continue
		}
		found = true
		c.fromChannel, c.toChannel = ch, c.is.Channel(ch.Name.Value)
		if c.toChannel == nil || !c.succeeded(name) {
			return false
		}
	}
	return found
}

// change is what becomes of a package, and of one channel of it.
type change struct {
	is                     *catalogs.Package
	versions               []semver.Version // of the package now, each once
	fromChannel, toChannel *catalogs.Channel
}

// versionsOf returns the versions of the bundles and entries of a package.
func versionsOf(p *catalogs.Package) []semver.Version {
	names := p.BundleNames()
	for _, ch := range p.Channels {
		names = append(names, ch.EntryNames()...)
	}
	var all []semver.Version
	for _, name := range find.Distinct(names) {
		if v, known := versionIn(p, name); known && !slices.ContainsFunc(all, v.EQ) {
			all = append(all, v)
		}
	}
	return all
}

// versionIn returns the version of a bundle, or that in its name if the package does not have it.
func versionIn(p *catalogs.Package, name string) (semver.Version, bool) {
	if b := p.Bundle(name); b != nil && b.Semver() != nil {
		return *b.Semver(), true
	}
	return graph.VersionIn(name)
}

// pruned reports whether the package keeps enough higher versions than that of a name that is removed.
func (c *change) pruned(name string) bool {
	v, known := graph.VersionIn(name)
	higher := 0
	for _, other := range c.versions {
		if other.GT(v) {
			higher++
		}
	}
	return known && higher >= minHigher
}

// succeeded reports whether an entry that is removed was the only one of its channel, which has a higher one now.
func (c *change) succeeded(name string) bool {
	return len(c.fromChannel.Entries) == 1 && slices.ContainsFunc(c.toChannel.Entries, func(e catalogs.Entry) bool { return graph.CompareNames(e.Name.Value, name) > 0 })
}

// released reports whether a channel's new entries, or what it prunes, are why an entry has other edges.
func (c *change) released(was, is *catalogs.Entry) bool {
	before, now := edgeNames(was), edgeNames(is)
	taken, ranged := map[string]bool{}, false
	isAdded := func(name string) bool { return c.fromChannel.Entry(name) == nil && c.toChannel.Entry(name) != nil }
	for i := range c.toChannel.Entries {
		if e := &c.toChannel.Entries[i]; isAdded(e.Name.Value) {
			ranged = ranged || e.SkipRange.Value != ""
			for _, name := range edgeNames(e) {
				taken[name] = true
			}
		}
	}
	explained := was.SkipRange.Value == is.SkipRange.Value || is.SkipRange.Value == "" && ranged
	for _, name := range before {
		isPruned := c.fromChannel.Entry(name) != nil && c.toChannel.Entry(name) == nil && c.pruned(name)
		explained = explained && (slices.Contains(now, name) || taken[name] || isPruned)
	}
	for _, name := range now {
		explained = explained && (slices.Contains(before, name) || isAdded(name))
	}
	return explained && (!slices.Equal(before, now) || was.SkipRange.Value != is.SkipRange.Value)
}

// edgeNames returns the entries that an entry replaces or skips, sorted.
func edgeNames(e *catalogs.Entry) []string {
	names := catalogs.Values(e.Skips)
	if e.Replaces.Value != "" {
		names = append(names, e.Replaces.Value)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
