package imageset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Filtered is what oc-mirror makes of a catalog.
type Filtered struct {
	// Catalog has what is left: nil if oc-mirror rejects. It reads from the same files as the unfiltered catalog.
	Catalog *catalogs.Catalog
	// Rejections are why oc-mirror rejects; it names only the first.
	Rejections []Fault
	// Random are the bounds for which oc-mirror takes one of several bundles with the same version at random. Catalog has the first by name.
	Random []Random
}

// Random is a version that several bundles of a package have, build metadata aside.
type Random struct {
	Package string
	Version catalogs.Text
	Bundles []string
}

// Filter returns what oc-mirror makes of a catalog (catalog-filter: FilterCatalog; oc-mirror: operator filterOperator). Neither dependencies nor
// the upgrade graph count. The catalog must be file-based and have been read whole.
func Filter(c *catalogs.Catalog, o *Operator) *Filtered {
	if o.Full.Value != "" && len(o.Packages) == 0 {
		return &Filtered{Catalog: c}
	}
	f := &filter{operator: o, kept: map[string]map[string]bool{}}
	configs, all := map[string]*Package{}, &Package{Name: catalogs.Text{Pos: o.Catalog.Pos}}
	for i := range o.Packages {
		configs[o.Packages[i].Name.Value] = &o.Packages[i]
	}
	for _, p := range c.Packages {
		if config := configs[p.Name.Value]; config != nil {
			f.selectPackage(p, config)
		} else if len(o.Packages) == 0 {
			f.selectPackage(p, all)
		}
	}
	for _, s := range f.packages {
		f.filterPackage(s)
	}
	if len(f.Rejections) > 0 {
		return &f.Filtered
	}
	f.Catalog = f.assemble(c)
	return &f.Filtered
}

// FilterPackage returns what oc-mirror makes of one package of a catalog; nil if it rejects, or chooses at random.
func FilterPackage(p *catalogs.Package, item *Package) *catalogs.Package {
	left := Filter(&catalogs.Catalog{Packages: []*catalogs.Package{p}}, &Operator{Packages: []Package{*item}})
	if left.Catalog == nil || len(left.Random) > 0 {
		return nil
	}
	return left.Catalog.Packages[0]
}

type filter struct {
	Filtered
	operator *Operator
	packages []*selected
	kept     map[string]map[string]bool // by package, the bundles; a package is missing if none of its channels is selected
}

// selected is a package that the image set selects.
type selected struct {
	*catalogs.Package
	config   *Package // one without a name if the image set selects all packages
	channels []*catalogs.Channel
	versions versions
	left     []*catalogs.Channel
}

func (f *filter) reject(s *selected, channel string, at catalogs.Pos, format string, args ...any) {
	f.Rejections = append(f.Rejections, Fault{Pos: at, Package: s.Name.Value, Channel: channel, Message: fmt.Sprintf(format, args...)})
}

// selectPackage selects a package with the channels that the image set names, or with all. A channel that there is not is ignored.
func (f *filter) selectPackage(p *catalogs.Package, config *Package) {
	s := &selected{Package: p, config: config, versions: versions{}}
	for _, ch := range p.Channels {
		if len(config.Channels) == 0 || config.Channel(ch.Name.Value) != nil {
			s.channels = append(s.channels, ch)
		}
	}
	for b := range s.versions.read(p) {
		f.reject(s, "", config.Name.Pos, "bundle %q of package %q has the version %q, which is not a semantic version", b.Name.Value, p.Name.Value, b.Version.Value)
	}
	f.packages = append(f.packages, s)
}

// filterPackage checks the default channel of a package and filters its channels.
func (f *filter) filterPackage(s *selected) {
	f.checkDefault(s)
	for _, ch := range s.channels {
		if f.kept[s.Name.Value] == nil {
			f.kept[s.Name.Value] = map[string]bool{}
		}
		f.filterChannel(s, ch)
	}
}

// checkDefault checks that the default channel is among the selected ones (catalog-filter: setDefaultChannel).
func (f *filter) checkDefault(s *selected) {
	if len(f.operator.Packages) == 0 || !s.IsDefined() {
		return
	}
	name, at := s.DefaultChannel.Value, s.config.Name.Pos
	overridden := s.config.DefaultChannel.Value != ""
	if overridden {
		name, at = s.config.DefaultChannel.Value, s.config.DefaultChannel.Pos
	}
	selected := slices.ContainsFunc(s.channels, func(ch *catalogs.Channel) bool { return ch.Name.Value == name })
	switch {
	case name == "" || selected:
	case overridden && s.Channel(name) == nil:
		f.reject(s, name, at, "defaultChannel %q: package %q has no such channel", name, s.Name.Value)
	case overridden:
		f.reject(s, name, at, "defaultChannel %q of package %q is not one of the mirrored channels", name, s.Name.Value)
	default:
		f.reject(s, name, at, "the default channel %q of package %q is not mirrored, and no defaultChannel is given", name, s.Name.Value)
	}
}

// filterChannel filters one channel, and keeps its bundles.
func (f *filter) filterChannel(s *selected, ch *catalogs.Channel) {
	bounds, name := s.config.ChannelBounds(ch.Name.Value), ch.Name.Value
	kept := map[string]bool{}
	switch {
	case f.operator.Full.Value != "" && bounds.Set():
		f.reject(s, name, bounds.Pos(), "package %q has versions, which full: true does not allow", s.Name.Value)
		return
	case f.operator.Full.Value != "":
		for i := range ch.Entries {
			kept[ch.Entries[i].Name.Value] = true
		}
	default:
		var several []string
		var err error
		if kept, several, err = s.versions.keptNames(bounds, ch); err != nil {
			f.reject(s, name, s.channelPos(name, bounds), "channel %q of package %q: %v", name, s.Name.Value, err)
			return
		}
		known := slices.ContainsFunc(f.Random, func(r Random) bool { return r.Package == s.Name.Value && r.Version == bounds.Min })
		if len(several) > 1 && !known {
			f.Random = append(f.Random, Random{s.Name.Value, bounds.Min, several})
		}
	}
	maps.Copy(f.kept[s.Name.Value], kept)
	switch {
	case len(kept) > 0 || f.operator.Full.Value != "":
		s.left = append(s.left, cut(ch, kept))
	case name == s.DefaultChannel.Value && s.IsDefined():
		f.reject(s, name, bounds.Pos(), "channel %q of package %q, the default channel of the catalog, has no bundle in the range %s", name, s.Name.Value, strings.TrimSpace(bounds.span()))
	}
}

// channelPos returns where the image set selects a channel with bounds.
func (s *selected) channelPos(name string, bounds Bounds) catalogs.Pos {
	c := s.config.Channel(name)
	switch {
	case bounds.Set():
		return bounds.Pos()
	case c != nil:
		return c.Name.Pos
	}
	return s.config.Name.Pos
}

// cut returns a channel with some of its entries, whose edges stay as they are.
func cut(ch *catalogs.Channel, kept map[string]bool) *catalogs.Channel {
	left := *ch
	left.Entries = slices.DeleteFunc(slices.Clone(ch.Entries), func(e catalogs.Entry) bool { return !kept[e.Name.Value] })
	return &left
}

// assemble returns the catalog of what is left.
func (f *filter) assemble(c *catalogs.Catalog) *catalogs.Catalog {
	left := *c
	left.Packages, left.Stats.Packages, left.Stats.Channels, left.Stats.Entries, left.Stats.Bundles = nil, 0, 0, 0, 0
	names := map[string]bool{"": true}
	for _, s := range f.packages {
		p := f.filteredPackage(s)
		names[p.Name.Value] = true
		left.Packages = append(left.Packages, p)
		left.Stats.Packages++
		left.Stats.Channels += len(p.Channels)
		left.Stats.Bundles += len(p.Bundles)
		for _, ch := range p.Channels {
			left.Stats.Entries += len(ch.Entries)
		}
	}
	left.Others = slices.DeleteFunc(slices.Clone(c.Others), func(o catalogs.Other) bool { return len(f.operator.Packages) > 0 && !names[o.Package.Value] })
	left.Problems = slices.DeleteFunc(slices.Clone(c.Problems), func(p catalogs.Problem) bool { return !names[p.Package] })
	return &left
}

// filteredPackage returns what is left of a package. If no channel of any package is selected oc-mirror keeps all bundles.
func (f *filter) filteredPackage(s *selected) *catalogs.Package {
	bundles := s.Bundles
	if kept := f.kept[s.Name.Value]; len(f.kept) > 0 {
		bundles = slices.DeleteFunc(slices.Clone(bundles), func(b *catalogs.Bundle) bool {
			return !kept[b.Name.Value] || s.Bundle(b.Name.Value) != b
		})
	}
	p := s.WithContents(s.left, bundles)
	if s.config.DefaultChannel.Value != "" && s.IsDefined() {
		p.DefaultChannel = s.config.DefaultChannel
	}
	p.Deprecations = nil
	for _, d := range s.Deprecations {
		left := *d
		left.Entries = slices.DeleteFunc(slices.Clone(d.Entries), func(e catalogs.Deprecation) bool { return f.drops(s, &e) })
		p.Deprecations = append(p.Deprecations, &left)
	}
	return p
}

// drops reports whether a deprecation is dropped: that of a bundle that is not kept, or of a channel that is not selected (catalog-filter:
// filterDeprecations).
func (f *filter) drops(s *selected, e *catalogs.Deprecation) bool {
	kept, any := f.kept[s.Name.Value]
	switch e.Schema.Value {
	case catalogs.SchemaBundle:
		return any && !kept[e.Name.Value]
	case catalogs.SchemaChannel:
		return any && !slices.ContainsFunc(s.channels, func(ch *catalogs.Channel) bool { return ch.Name.Value == e.Name.Value })
	}
	return false
}
