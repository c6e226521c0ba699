package catalogs

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Package is one package: everything that names it, even if its olm.package object is missing (then Pos is zero) or occurs more than
// once (then Duplicates has the positions of the others).
type Package struct {
	Name           Text
	DefaultChannel Text
	Icon           *Icon
	Pos            Pos // of the olm.package object
	Duplicates     []Pos
	Channels       []*Channel      // in the order of the text; a name may occur twice
	Bundles        []*Bundle       // likewise
	Deprecations   []*Deprecations // opm allows only one
	// Elsewhere are the bundles of the package in its repository that support other OpenShift versions than that of the catalog.
	Elsewhere []*Bundle
	// Assumed says that it is what bundle folders publish for an OpenShift version, of which it is not known that all was published there.
	Assumed      bool
	bundles      map[string]int // by name, the first one
	channels     map[string]*Channel
	deprecated   map[[2]string]*Deprecation // by schema and name, of the object deprecations
	deprecations *Deprecations
}

// MarshalText implements encoding.TextMarshaler: an answer has its name.
func (p *Package) MarshalText() ([]byte, error) { return []byte(p.Name.Value), nil }

// IsDefined reports whether the package has an olm.package object.
func (p *Package) IsDefined() bool { return p.Pos.IsKnown() }

// Bundle returns the first bundle of that name, or nil.
func (p *Package) Bundle(name string) *Bundle {
	if i := p.BundleIndex(name); i >= 0 {
		return p.Bundles[i]
	}
	return nil
}

// BundleIndex returns the index in Bundles of the first bundle of that name, or -1.
func (p *Package) BundleIndex(name string) int {
	if p.bundles == nil { // not made by Open
		return slices.IndexFunc(p.Bundles, func(b *Bundle) bool { return b.Name.Value == name })
	}
	if i, ok := p.bundles[name]; ok {
		return i
	}
	return -1
}

// HasSameBundle reports whether the package has a bundle of the name of another one, with the same image. Either may be nil.
func (p *Package) HasSameBundle(b *Bundle) bool {
	if p == nil || b == nil {
		return false
	}
	own := p.Bundle(b.Name.Value)
	return own != nil && own.Image.Value == b.Image.Value
}

// Channel returns the first channel of that name, or nil.
func (p *Package) Channel(name string) *Channel {
	if p.channels == nil {
		return find.Value(p.Channels, func(c *Channel) bool { return c.Name.Value == name })
	}
	return p.channels[name]
}

// ChannelNames returns the names of the channels.
func (p *Package) ChannelNames() []string {
	return words.Map(p.Channels, func(c *Channel) string { return c.Name.Value })
}

// BundleNames returns the names of the bundles.
func (p *Package) BundleNames() []string {
	return words.Map(p.Bundles, func(b *Bundle) string { return b.Name.Value })
}

// PackageNames returns the names of the packages.
func (c *Catalog) PackageNames() []string {
	return words.Map(c.Packages, func(p *Package) string { return p.Name.Value })
}

// WithContents returns a copy of the package with other channels and bundles. The entries must have their bundles already.
func (p *Package) WithContents(channels []*Channel, bundles []*Bundle) *Package {
	changed := *p
	changed.Channels, changed.Bundles = channels, bundles
	changed.index()
	return &changed
}

// Add adds a bundle.
func (p *Package) Add(b *Bundle) {
	if p.bundles != nil && p.Bundle(b.Name.Value) == nil {
		p.bundles[b.Name.Value] = len(p.Bundles)
	}
	p.Bundles = append(p.Bundles, b)
}

// index makes bundles, channels and deprecations accessible by their names: of one name the first.
func (p *Package) index() {
	p.bundles, p.channels = make(map[string]int, len(p.Bundles)), make(map[string]*Channel, len(p.Channels))
	for i, b := range slices.Backward(p.Bundles) {
		p.bundles[b.Name.Value] = i
	}
	for _, c := range slices.Backward(p.Channels) {
		p.channels[c.Name.Value] = c
	}
	if entries := p.DeprecationEntries(); len(entries) > 0 {
		p.deprecations, p.deprecated = p.Deprecations[0], make(map[[2]string]*Deprecation, len(entries))
		for i := range slices.Backward(entries) {
			d := &entries[i]
			p.deprecated[deprecationKey(d.Schema.Value, d.Name.Value)] = d
		}
	}
}

func deprecationKey(schema, name string) [2]string {
	if schema == SchemaPackage {
		name = ""
	}
	return [2]string{schema, name}
}

// DeprecationEntries returns what the package deprecates: the entries of its first olm.deprecations object. OLM v1 reads no other
// (operator-controller: resolve CatalogResolver.Resolve), and opm rejects a package with several (declcfg ConvertToModel).
func (p *Package) DeprecationEntries() []Deprecation {
	if len(p.Deprecations) == 0 {
		return nil
	}
	return p.Deprecations[0].Entries
}

// Deprecation returns the first entry that deprecates the package, a channel or a bundle, by its schema and name; nil if there
// is none. A package is found by its schema alone.
func (p *Package) Deprecation(schema, name string) *Deprecation {
	entries := p.DeprecationEntries()
	if len(entries) > 0 && p.Deprecations[0] == p.deprecations {
		return p.deprecated[deprecationKey(schema, name)]
	}
	return find.Pointer(entries, func(d Deprecation) bool {
		return deprecationKey(d.Schema.Value, d.Name.Value) == deprecationKey(schema, name)
	})
}

// Deprecated says which of the package, a channel and a bundle are deprecated, and why.
func (p *Package) Deprecated(channel, bundle string) (all []string) {
	name := fmt.Sprintf("package %q", p.Name.Value)
	for _, of := range [][3]string{{SchemaPackage, "", name}, {SchemaChannel, channel, fmt.Sprintf("channel %q of %s", channel, name)}, {SchemaBundle, bundle, bundle}} {
		if d := p.Deprecation(of[0], of[1]); d != nil {
			all = append(all, of[2]+" is deprecated: "+d.Message.Value)
		}
	}
	return all
}

// Icon is the icon of a package. Data is base64, as in the catalog.
type Icon struct {
	Data      Text
	MediaType Text
}

// Channel is one olm.channel object.
type Channel struct {
	Name    Text
	Package Text
	Entries []Entry // in the order of the text; a name may occur twice
	Pos     Pos
	Head    Text // of a channel without edges: the head that the catalog names
	// Edgeless says that the catalog does not have the edges of the channel: see Catalog.Edgeless.
	Edgeless bool
}

// MarshalText implements encoding.TextMarshaler: an answer has its name.
func (c *Channel) MarshalText() ([]byte, error) { return []byte(c.Name.Value), nil }

// Entry is one entry of a channel: the edges into one bundle.
type Entry struct {
	Name      Text
	Replaces  Text
	Skips     []Text
	SkipRange Text
	Pos       Pos
	Bundle    *Bundle // the bundle of that name in the package, or nil
}

// Deprecations is one olm.deprecations object.
type Deprecations struct {
	Package Text
	Entries []Deprecation
	Pos     Pos
}

// Deprecation marks a package, a channel or a bundle as deprecated.
type Deprecation struct {
	Schema  Text // olm.package, olm.channel or olm.bundle
	Name    Text
	Message Text
	Pos     Pos
}

// FirstPos returns the position of the package, or else of the first of its objects.
func (p *Package) FirstPos() Pos {
	switch {
	case p.Pos.IsKnown():
		return p.Pos
	case len(p.Channels) > 0:
		return p.Channels[0].Pos
	case len(p.Bundles) > 0:
		return p.Bundles[0].Pos
	}
	return p.Name.Pos
}

// CountUses returns how often entries of the package have a name, or replace or skip it.
func (p *Package) CountUses(name string) (n int) {
	count := func(text Text) {
		if text.Value == name {
			n++
		}
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			count(e.Name)
			count(e.Replaces)
			for _, skip := range e.Skips {
				count(skip)
			}
		}
	}
	return n
}
