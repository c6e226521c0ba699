package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// DifferenceKind is the kind of a difference between two catalogs. Kinds are ordered by their effect on users, worst first.
type DifferenceKind int

// The kinds.
const (
	NoOrder      DifferenceKind = iota // OLM v0 can no longer order the channel: Is says why; Names had an upgrade path to the head Was
	Stranded                           // Names had an upgrade path to the head Was and now end at Is, or are not upgraded
	UpgradeFails                       // a new upgrade of OLM v0 from Names to Is fails on the cluster: Was says why (judge.Diff)
	PackageRemoved
	ChannelRemoved // Names are its entries, Was is its head
	DefaultChannel
	HeadChanged
	EntryRemoved
	VersionChanged
	ImageChanged
	APIChanged // Names are kinds with their group, Was and Is the versions that the head of the channel provides
	DeprecationRemoved
	NextChanged   // what OLM v0 upgrades Names to
	NextV1Changed // likewise OLM v1, where that is not the same change
	Unstranded    // likewise, of what had no upgrade path to the head before
	ReplacesChanged
	SkipsChanged // Was are those removed, Is those added
	skipRangeChanged
	DeprecationAdded
	DeprecationMessage
	EntryAdded
	ChannelAdded
	PackageAdded
)

// String returns the kind's name, as in JSON.
func (k DifferenceKind) String() string {
	return [...]string{"unordered", "stranded", "upgrade-fails", "package-removed", "channel-removed", "default-channel", "head", "entry-removed",
		"version", "image", "api", "deprecation-removed", "next", "next-v1", "freed", "replaces", "skips", "skipRange",
		"deprecation-added", "deprecation-message", "entry-added", "channel-added", "package-added"}[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k DifferenceKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Difference is one thing that changed in a package. An empty Was or Is means there was, or is, nothing.
type Difference struct {
	Kind    DifferenceKind `json:"kind" enum:"graph.DifferenceKind.String"`
	Catalog string         `json:"catalog"` // where that is known
	Package string         `json:"package"`
	Channel string         `json:"channel"` // "" where it is about the package
	Names   []string       `json:"names"`   // what it is about, mostly entries; none for a new channel or the package itself
	Was     string         `json:"was"`
	Is      string         `json:"is"`
	// Strands are those whose upgrade a change of edges takes away, and that were no entries of the channel: users on them no longer get to
	// the head (Change.FindDropped).
	Strands []string `json:"strands"`
}

// Diff returns the differences of a package, those with the worst effect on users first. Either may be nil, but not both. The
// error is of a bundle that could not be read again.
func Diff(base, now *catalogs.Package) ([]Difference, error) {
	d := &differ{base: base, now: now}
	switch {
	case base == nil:
		d.add(PackageAdded, "", nil, "", now.DefaultChannel.Value)
	case now == nil:
		d.add(PackageRemoved, "", nil, base.DefaultChannel.Value, "")
	default:
		d.compare()
	}
	slices.SortStableFunc(d.all, func(a, b Difference) int { return cmp.Compare(a.Kind, b.Kind) })
	return d.all, d.err
}

type differ struct {
	base, now *catalogs.Package
	all       []Difference
	err       error
}

func (d *differ) add(kind DifferenceKind, channel string, names []string, was, is string) {
	pkg := d.now
	if pkg == nil {
		pkg = d.base
	}
	d.all = append(d.all, Difference{Kind: kind, Package: pkg.Name.Value, Channel: channel, Names: names, Was: was, Is: is})
}

// addIfChanged adds a difference if the two values differ.
func (d *differ) addIfChanged(kind DifferenceKind, channel string, names []string, was, is string) {
	if was != is {
		d.add(kind, channel, names, was, is)
	}
}

func (d *differ) compare() {
	d.addIfChanged(DefaultChannel, "", nil, d.base.DefaultChannel.Value, d.now.DefaultChannel.Value)
	was, is := NewPackageGraph(d.base), NewPackageGraph(d.now)
	for _, g := range was.Graphs {
		name := g.Channel.Name.Value
		if h := is.Graph(name); h != nil {
			d.channel(&Change{Base: g, Now: h})
		} else {
			d.add(ChannelRemoved, name, g.Names(g.members), g.HeadName(), "")
		}
	}
	for _, g := range is.Graphs {
		if name := g.Channel.Name.Value; was.Graph(name) == nil {
			d.add(ChannelAdded, name, nil, "", g.HeadName())
		}
	}
	d.bundles()
	d.deprecations()
}

func strandedNames(c *Change) []string {
	var names []string
	for _, o := range c.Outcomes() {
		if o.IsStranded() {
			names = append(names, c.Base.Name(o.Entry))
		}
	}
	return names
}

func (d *differ) channel(c *Change) {
	name := c.Now.Channel.Name.Value
	d.addIfChanged(HeadChanged, name, nil, c.Base.HeadName(), c.Now.HeadName())
	if _, err := c.Now.Order(); err == nil {
		d.nextV0(c)
	} else if _, before := c.Base.Order(); before == nil {
		d.add(NoOrder, name, strandedNames(c), c.Base.HeadName(), err.Error())
	}
	d.nextV1(c)
	d.entries(c)
	d.apis(c)
}

// nextV0 adds the changes of upgrades under OLM v0.
func (d *differ) nextV0(c *Change) {
	channel := c.Now.Channel.Name.Value
	var stay []string
	for _, stranding := range c.Strandings() {
		names := c.Base.Names(stranding.Stranded)
		if len(names) == 1 && names[0] == stranding.At {
			stay = append(stay, stranding.At)
		} else {
			d.add(Stranded, channel, names, c.Base.HeadName(), stranding.At)
		}
	}
	if len(stay) > 0 {
		d.add(Stranded, channel, stay, c.Base.HeadName(), "")
	}
	for _, o := range c.Outcomes() {
		name := c.Base.Name(o.Entry)
		was, is := o.targets(c)
		switch {
		case o.isUnstranded():
			d.addNext(Unstranded, channel, name, was, is)
		case !o.IsStranded() && (is != "" || !o.ReachesHead):
			d.addNext(NextChanged, channel, name, was, is)
		}
	}
}

// nextV1 adds the changes of upgrades under OLM v1, which needs no order, where they are not the same as under OLM v0.
func (d *differ) nextV1(c *Change) {
	_, err := c.Now.Order()
	for _, o := range c.Outcomes() {
		was, is := o.targets(c)
		if wasV1, isV1 := c.nextOfV1(o.Entry); err != nil || was != wasV1 || is != isV1 {
			d.addNext(NextV1Changed, c.Now.Channel.Name.Value, c.Base.Name(o.Entry), wasV1, isV1)
		}
	}
}

// addNext adds an entry to the difference of those whose upgrades changed from and to the same entries.
func (d *differ) addNext(kind DifferenceKind, channel, name, was, is string) {
	i := slices.IndexFunc(d.all, func(o Difference) bool { return o.Kind == kind && o.Channel == channel && o.Was == was && o.Is == is })
	switch {
	case was == is:
	case i < 0:
		d.add(kind, channel, []string{name}, was, is)
	default:
		d.all[i].Names = append(d.all[i].Names, name)
	}
}

// targets returns the names of what is next.
func (o *Outcome) targets(c *Change) (was, is string) {
	if o.NextBefore.To >= 0 {
		was = c.Base.Name(o.NextBefore.To)
	}
	if o.NextNow.To >= 0 {
		is = c.Now.Name(o.NextNow.To)
	}
	return was, is
}

// entries adds which entries were added and removed, and which fields of the others changed.
func (d *differ) entries(c *Change) {
	channel := c.Now.Channel.Name.Value
	gone := missingIn(c.Base, c.Now)
	if len(gone) > 0 {
		d.add(EntryRemoved, channel, gone, "", "")
	}
	if added := missingIn(c.Now, c.Base); len(added) > 0 {
		d.add(EntryAdded, channel, added, "", "")
	}
	first := len(d.all)
	for i, e := range c.Now.eachEntry() {
		at, both := c.Base.Index(c.Now.Name(i))
		if !both {
			continue
		}
		was, names := &c.Base.Channel.Entries[at], []string{e.Name.Value}
		d.addIfChanged(ReplacesChanged, channel, names, was.Replaces.Value, e.Replaces.Value)
		d.addIfChanged(SkipsChanged, channel, names, skipsNotIn(was, e), skipsNotIn(e, was))
		d.addIfChanged(skipRangeChanged, channel, names, was.SkipRange.Value, e.SkipRange.Value)
	}
	d.strands(c, first)
}

// strands adds, to the changes of replaces and skips from this one on, whom they strand who has no entry.
func (d *differ) strands(c *Change, first int) {
	dropped := c.FindDropped()
	for i := range d.all[first:] {
		one := &d.all[first+i]
		named := map[string]bool{}
		for name := range strings.SplitSeq(one.Was, ", ") {
			named[name] = true
		}
		for _, m := range dropped {
			covered := one.Kind == skipRangeChanged && m.Kind == SkipRange && one.Names[0] == c.Base.Name(m.To)
			if covered || one.Kind != skipRangeChanged && named[m.Name] {
				one.Strands = append(one.Strands, m.Name)
			}
		}
	}
}

// missingIn returns the entries of a channel that another one does not have.
func missingIn(g, other *Graph) []string {
	return slices.DeleteFunc(g.Names(g.members), func(name string) bool {
		_, both := other.Index(name)
		return both
	})
}

// skipsNotIn returns what an entry skips and another one does not.
func skipsNotIn(e, other *catalogs.Entry) string {
	return strings.Join(catalogs.Values(without(e.Skips, other.Skips)), ", ")
}

// apis compares what the heads of a channel provide.
func (d *differ) apis(c *Change) {
	if i, ok := c.Now.Head(); !ok || c.Now.Channel.Entries[i].Bundle == nil {
		return // what is published of it is not known, and that is told
	}
	was, is := d.providedVersions(c.Base), d.providedVersions(c.Now)
	for _, kind := range words.SortedKeys(was, is) {
		d.addIfChanged(APIChanged, c.Now.Channel.Name.Value, []string{kind}, was[kind], is[kind])
	}
}

// providedVersions returns the versions that the head provides, by kind and group.
func (d *differ) providedVersions(g *Graph) map[string]string {
	i, ok := g.Head()
	if !ok || g.Channel.Entries[i].Bundle == nil {
		return nil
	}
	dependencies, err := bundled.Dependencies(g.Channel.Entries[i].Bundle)
	if err != nil {
		d.err = cmp.Or(d.err, err)
		return nil
	}
	versions := map[string][]string{}
	for _, api := range dependencies.Provides {
		kind := strings.TrimSuffix(api.Kind+"."+api.Group, ".")
		versions[kind] = append(versions[kind], api.Version)
	}
	said := map[string]string{}
	for kind, all := range versions {
		slices.Sort(all)
		said[kind] = strings.Join(slices.Compact(all), ", ")
	}
	return said
}

func (d *differ) bundles() {
	for _, b := range d.now.Bundles {
		was := d.base.Bundle(b.Name.Value)
		if was == nil || d.now.Bundle(b.Name.Value) != b {
			continue
		}
		names := []string{b.Name.Value}
		d.addIfChanged(VersionChanged, "", names, was.Version.Value, b.Version.Value)
		d.addIfChanged(ImageChanged, "", names, was.Image.Value, b.Image.Value)
	}
}

func (d *differ) deprecations() {
	was, is := deprecationMessages(d.base), deprecationMessages(d.now)
	for _, what := range words.SortedKeys(was, is) {
		old, before := was[what]
		message, now := is[what]
		switch {
		case !now:
			d.add(DeprecationRemoved, "", []string{what}, old, "")
		case !before:
			d.add(DeprecationAdded, "", []string{what}, "", message)
		default:
			d.addIfChanged(DeprecationMessage, "", []string{what}, old, message)
		}
	}
}

// deprecationMessages are by what is deprecated, as "channel beta".
func deprecationMessages(p *catalogs.Package) map[string]string {
	all := map[string]string{}
	entries := p.DeprecationEntries()
	for i := range entries {
		e := &entries[i]
		what := strings.TrimSpace(fmt.Sprintf("%s %s", strings.TrimPrefix(e.Schema.Value, "olm."), e.Name.Value))
		if _, again := all[what]; !again {
			all[what] = e.Message.Value
		}
	}
	return all
}
