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
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// The kinds of facts.
const (
	pkg     = "package" // its value is the default channel
	channel = "channel"
	entry   = "entry"  // its value are the edges
	bundle  = "bundle" // its value are the images; "" if they are not known
)

// Fact is what a step changes.
type Fact struct {
	Kind    string `json:"kind" enum:"package,channel,entry,bundle"`
	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Channel string `json:"channel"` // or empty
	Name    string `json:"name"`    // of an entry or a bundle, or empty
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

	changes memo.Map[[2]string, *change] // by package and channel
}

// Steps returns what a change does to the packages of catalogs, in a fixed order.
func Steps(pairs []Pair) []Step {
	before := map[Step]bool{}
	for _, p := range pairs {
		for _, c := range append(slices.Clone(p.Others), p.Was) {
			for fact, value := range catalogFacts(c) {
				before[addedStep(fact, value)] = true
			}
		}
	}
	var all []Step
	for _, p := range pairs {
		for _, s := range p.steps() {
			s.Copied = !s.Had && before[addedStep(s.Fact, s.Is)]
			all = append(all, s)
		}
	}
	return all
}

// addedStep returns the step that adds a fact, of any catalog.
func addedStep(fact Fact, value string) Step {
	fact.Catalog = ""
	return Step{Fact: fact, Has: true, Is: value}
}

func (p *Pair) steps() []Step {
	was, is := catalogFacts(p.Was), catalogFacts(p.Is)
	ends := p.ends()
	facts := maps.Clone(was)
	maps.Copy(facts, is)
	var all []Step
	for _, fact := range slices.SortedFunc(maps.Keys(facts), compareFacts) {
		s := Step{Fact: fact, Was: was[fact], Is: is[fact]}
		_, s.Had = was[fact]
		_, s.Has = is[fact]
		unknown := fact.Kind == bundle && s.Had && s.Has && (s.Was == "" || s.Is == "")
		if s.Had == s.Has && s.Was == s.Is || unknown || s.Had && !s.Has && goneWithWhole(fact, is) {
			continue
		}
		s.Catalog = p.Name
		if s.Had {
			s.Evolution = ends && !s.Has || p.Is != nil && p.isRoutine(s)
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
	return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Channel, b.Channel), strings.Compare(a.Name, b.Name))
}

// goneWithWhole reports whether the package or the channel of a fact is removed.
func goneWithWhole(f Fact, is map[Fact]string) bool {
	_, hasPackage := is[Fact{Kind: pkg, Package: f.Package}]
	_, hasChannel := is[Fact{Kind: channel, Package: f.Package, Channel: f.Channel}]
	return f.Kind != pkg && !hasPackage || f.Kind == entry && !hasChannel
}

// catalogFacts returns the facts of a catalog, which may be nil, without its name. A name that occurs twice counts once, as it stands first.
func catalogFacts(c *catalogs.Catalog) map[Fact]string {
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
		if c.Package(name) != p {
			continue
		}
		if len(p.Channels) > 0 { // otherwise it is not published
			set(Fact{Kind: pkg, Package: name}, p.DefaultChannel.Value)
		}
		for _, ch := range p.Channels {
			if p.Channel(ch.Name.Value) != ch {
				continue
			}
			set(Fact{Kind: channel, Package: name, Channel: ch.Name.Value}, "")
			for i := range ch.Entries {
				set(Fact{entry, "", name, ch.Name.Value, ch.Entries[i].Name.Value}, edges(&ch.Entries[i]))
			}
		}
		for _, b := range p.Bundles {
			set(Fact{Kind: bundle, Package: name, Name: b.Name.Value}, images(b))
		}
	}
	return facts
}

// edges returns what an entry says of its edges.
func edges(e *catalogs.Entry) string {
	skips := catalogs.Values(e.Skips)
	slices.Sort(skips)
	all := []string{words.Prefix("replaces ", e.Replaces.Value), words.Prefix("skips ", strings.Join(slices.Compact(skips), " ")), words.Prefix("skipRange ", e.SkipRange.Value)}
	return strings.Join(slices.DeleteFunc(all, func(part string) bool { return part == "" }), ", ")
}

// images returns the images of a bundle. A rebuild changes the digest of the bundle's image in a catalog.
func images(b *catalogs.Bundle) string {
	if b.Folder == nil {
		name, _, _ := strings.Cut(b.Image.Value, "@")
		return name
	}
	all := words.Map(b.RelatedImages, func(r catalogs.RelatedImage) string { return r.Image.Value })
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// isRoutine reports whether a step of a fact that was there is routine, in a catalog that remains.
func (p *Pair) isRoutine(s Step) bool {
	if p.Is.Package(s.Package) == nil {
		return false
	}
	c := p.change(s.Package, s.Channel)
	switch {
	case s.Kind == channel:
		return !slices.ContainsFunc(slices.Collect(maps.Keys(c.from)), func(name string) bool { return !c.isPruned(name) })
	case s.Kind == bundle && !s.Has:
		return c.isPruned(s.Name) || !slices.ContainsFunc(p.Was.Package(s.Package).ChannelNames(), func(channel string) bool {
			one := p.change(s.Package, channel)
			return one.from[s.Name] != nil && !one.hasSuccessor(s.Name)
		})
	case s.Kind == entry && !s.Has:
		return c.isPruned(s.Name) || c.hasSuccessor(s.Name)
	case s.Kind == entry:
		return c.explainsEdges(c.from[s.Name], c.to[s.Name])
	}
	return false
}

// change is what becomes of a channel.
type change struct {
	versions []semver.Version           // of its package now, ascending, each once
	from, to map[string]*catalogs.Entry // by name; none if there is no such channel
	taken    map[string]bool            // what its new entries replace or skip
	ranged   bool                       // one of these has a skipRange
}

// change returns what becomes of a channel of a package that remains.
func (p *Pair) change(pkg, channel string) *change {
	return p.changes.Get([2]string{pkg, channel}, func() *change {
		was, is := p.Was.Package(pkg), p.Is.Package(pkg)
		c := &change{from: entriesByName(was.Channel(channel)), to: entriesByName(is.Channel(channel)), taken: map[string]bool{}}
		if channel == "" {
			c.versions = packageVersions(is)
		} else {
			c.versions = p.change(pkg, "").versions
		}
		for name, e := range c.to {
			if c.from[name] == nil {
				c.ranged = c.ranged || e.SkipRange.Value != ""
				for _, of := range edgeNames(e) {
					c.taken[of] = true
				}
			}
		}
		return c
	})
}

// entriesByName returns the entries of a channel, which may be nil: of one name the first.
func entriesByName(c *catalogs.Channel) map[string]*catalogs.Entry {
	if c == nil {
		return nil
	}
	all := make(map[string]*catalogs.Entry, len(c.Entries))
	for i := range slices.Backward(c.Entries) {
		all[c.Entries[i].Name.Value] = &c.Entries[i]
	}
	return all
}

// packageVersions returns the versions of the bundles and entries of a package, by their names, ascending, each once.
func packageVersions(p *catalogs.Package) []semver.Version {
	names := p.BundleNames()
	for _, ch := range p.Channels {
		names = append(names, ch.EntryNames()...)
	}
	var all []semver.Version
	for _, name := range find.Distinct(names) {
		if v, known := graph.VersionIn(name); known {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, semver.Version.Compare)
	return slices.CompactFunc(all, semver.Version.EQ)
}

// isPruned reports whether the package keeps enough higher versions than that of a name that is removed.
func (c *change) isPruned(name string) bool {
	v, known := graph.VersionIn(name)
	return known && len(c.versions) >= minHigher && c.versions[len(c.versions)-minHigher].GT(v)
}

// hasSuccessor reports whether an entry that is removed was the only one of its channel, which has a higher one now.
func (c *change) hasSuccessor(name string) bool {
	return len(c.from) == 1 && slices.ContainsFunc(slices.Collect(maps.Keys(c.to)), func(other string) bool { return graph.CompareNames(other, name) > 0 })
}

// explainsEdges reports whether a channel's new entries, or what it prunes, are why an entry has other edges.
func (c *change) explainsEdges(was, is *catalogs.Entry) bool {
	before, now := edgeNames(was), edgeNames(is)
	explained := was.SkipRange.Value == is.SkipRange.Value || is.SkipRange.Value == "" && c.ranged
	for _, name := range before {
		isPruned := c.from[name] != nil && c.to[name] == nil && c.isPruned(name)
		explained = explained && (slices.Contains(now, name) || c.taken[name] || isPruned)
	}
	for _, name := range now {
		explained = explained && (slices.Contains(before, name) || c.from[name] == nil && c.to[name] != nil)
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
