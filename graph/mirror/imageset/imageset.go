// Package imageset reads which operators an ImageSetConfiguration of oc-mirror v2 mirrors, and filters catalogs as oc-mirror does.
//
// What oc-mirror rejects is a Fault with a position. An error means that the text is no ImageSetConfiguration of oc-mirror v2.
package imageset

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Config is an ImageSetConfiguration. Faults are why oc-mirror rejects it; what can be read is read nevertheless.
type Config struct {
	File      string
	Operators []Operator // of mirror.operators
	Faults    []Fault    // in the order of the text
}

// Operator is an item of mirror.operators: what is mirrored of one catalog.
type Operator struct {
	Catalog                  catalogs.Text
	TargetCatalog, TargetTag catalogs.Text
	Full                     catalogs.Text // "true" or ""
	Packages                 []Package
}

// Package returns the first item of a package; nil if there is none.
func (o *Operator) Package(name string) *Package {
	return find.Pointer(o.Packages, func(p Package) bool { return p.Name.Value == name })
}

// Package is an item of packages. Without channels all channels of the package are mirrored.
type Package struct {
	Name           catalogs.Text
	DefaultChannel catalogs.Text
	Bounds
	Channels []Channel
	Pos      catalogs.Pos
}

// Channel is an item of channels.
type Channel struct {
	Name catalogs.Text
	Bounds
	Pos catalogs.Pos
}

// Bounds are a minVersion and a maxVersion, both included. Without any, the head alone is mirrored.
type Bounds struct {
	Min, Max catalogs.Text
}

// Include widens the bounds to include the version of a bundle, if that is a semantic version.
func (b *Bounds) Include(bundle *catalogs.Bundle) {
	v := bundle.Semver()
	if v == nil {
		return
	}
	if low, err := semver.Parse(b.Min.Value); err != nil || v.LT(low) {
		b.Min.Value = bundle.Version.Value
	}
	if high, err := semver.Parse(b.Max.Value); err != nil || v.GT(high) {
		b.Max.Value = bundle.Version.Value
	}
}

// Set reports whether there is a bound.
func (b Bounds) Set() bool { return b.Min.Value != "" || b.Max.Value != "" }

// Channel returns the item of a channel; nil if there is none.
func (p *Package) Channel(name string) *Channel {
	return find.Pointer(p.Channels, func(c Channel) bool { return c.Name.Value == name })
}

// ChannelBounds returns the bounds of a channel: its own, else those of the package.
func (p *Package) ChannelBounds(channel string) Bounds {
	if c := p.Channel(channel); c != nil && c.Set() {
		return c.Bounds
	}
	return p.Bounds
}

// Pos returns the position of the first bound that is set.
func (b Bounds) Pos() catalogs.Pos {
	if b.Min.Value != "" {
		return b.Min.Pos
	}
	return b.Max.Pos
}

// span is the range of versions that oc-mirror makes of the bounds (oc-mirror: operator filterPackage); "" if there are none.
func (b Bounds) span() string {
	span := ""
	if b.Min.Value != "" {
		span = ">=" + b.Min.Value
	}
	if b.Max.Value != "" {
		span += " <=" + b.Max.Value
	}
	return span
}

// Fault is one thing because of which oc-mirror rejects an image set, or a catalog that it filters by it.
type Fault struct {
	Pos              catalogs.Pos
	Message, Fix     string
	Package, Channel string // "" if it is about the whole file
}

// The kinds and versions of image sets.
const (
	kind       = "ImageSetConfiguration"
	version    = "mirror.openshift.io/v2alpha1"
	oldVersion = "mirror.openshift.io/v1alpha2"
)

// Parse reads an ImageSetConfiguration. file is its name in positions.
func Parse(file string, text []byte) (*Config, error) {
	root, _, syntax := tree.ParseYAML(text, tree.Place{Line: 1, Col: 1}, nil)
	if syntax != nil {
		return nil, fmt.Errorf("%s:%d:%d: %s", file, syntax.Line, syntax.Col, syntax.Msg)
	}
	r := &reader{config: &Config{File: file}}
	if err := r.checkKind(&root); err != nil {
		return nil, fmt.Errorf("%s: %w", r.pos(root.Place), err)
	}
	r.check(&root, configShape(), "")
	r.read(fieldValue(&root, "mirror"))
	r.config.validate()
	return r.config, nil
}

// reader builds a Config of a tree.
type reader struct{ config *Config }

func (r *reader) pos(at tree.Place) catalogs.Pos {
	return catalogs.Pos{File: r.config.File, Line: at.Line, Col: at.Col}
}

// checkKind returns an error if a text is something else (oc-mirror: config ReadConfig). oc-mirror v2 itself ignores apiVersion.
func (r *reader) checkKind(root *tree.Node) error {
	is, of := root.Str("kind"), root.Str("apiVersion")
	switch {
	case root.Kind != tree.Map || root.Get("kind") == nil:
		return fmt.Errorf("no %s: it has no kind", kind)
	case is != kind:
		return fmt.Errorf("kind %q: want an %s with apiVersion: %s", is, kind, version)
	case of == oldVersion || strings.HasPrefix(of, "mirror.openshift.io/v1"):
		return fmt.Errorf("apiVersion %s is that of oc-mirror v1, which chooses bundles by other rules; olmgraph reads %s, of oc-mirror v2", of, version)
	case of != "" && of != version:
		return fmt.Errorf("apiVersion %q: want %s", of, version)
	case root.Get("mirror") == nil:
		return fmt.Errorf("it has no mirror section")
	}
	return nil
}

// read reads the operators of the mirror section.
func (r *reader) read(mirror *tree.Node) {
	for _, n := range objectItems(mirror, "operators") {
		o := Operator{Catalog: r.text(n, "catalog"), TargetCatalog: r.text(n, "targetCatalog"), TargetTag: r.text(n, "targetTag")}
		if full := fieldValue(n, "full"); full != nil && full.Kind == tree.Bool && full.Text == "true" {
			o.Full = catalogs.Text{Value: "true", Pos: r.pos(full.Place)}
		}
		for _, n := range objectItems(n, "packages") {
			p := Package{Name: r.text(n, "name"), DefaultChannel: r.text(n, "defaultChannel"), Bounds: r.bounds(n), Pos: r.pos(n.Place)}
			for _, n := range objectItems(n, "channels") {
				p.Channels = append(p.Channels, Channel{Name: r.text(n, "name"), Bounds: r.bounds(n), Pos: r.pos(n.Place)})
			}
			o.Packages = append(o.Packages, p)
		}
		r.config.Operators = append(r.config.Operators, o)
	}
}

func (r *reader) bounds(n *tree.Node) Bounds {
	return Bounds{Min: r.text(n, "minVersion"), Max: r.text(n, "maxVersion")}
}

// text returns the string under a key; if there is none its position is that of the object.
func (r *reader) text(n *tree.Node, key string) catalogs.Text {
	v := fieldValue(n, key)
	if v == nil || v.Kind != tree.String {
		return catalogs.Text{Pos: r.pos(n.Place)}
	}
	return catalogs.Text{Value: v.Text, Pos: r.pos(v.Place)}
}

// fieldValue returns the value of a field as encoding/json finds it: the last one whose key is the same but for case. Nil if there is none, or it
// is null.
func fieldValue(n *tree.Node, key string) *tree.Node {
	if n == nil {
		return nil
	}
	var found *tree.Node
	for i := range n.Fields {
		if f := &n.Fields[i]; strings.EqualFold(f.Key, key) && f.Value.Kind != tree.Null {
			found = &f.Value
		}
	}
	return found
}

// objectItems returns the objects of the list under a key.
func objectItems(n *tree.Node, key string) []*tree.Node {
	list := fieldValue(n, key)
	if list == nil || list.Kind != tree.List {
		return nil
	}
	var all []*tree.Node
	for i := range list.Items {
		if item := &list.Items[i]; item.Kind == tree.Map {
			all = append(all, item)
		}
	}
	return all
}
