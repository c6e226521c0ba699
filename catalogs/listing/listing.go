// Package listing reads what a cluster says of its catalogs: answers of ListBundles and GetPackage, and PackageManifests.
package listing

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// listingMarks are words of which one is near the beginning of each listing.
var listingMarks = []string{"csvName", "channelName", "bundlePath", "packages.operators.coreos.com"}

// MayBeListing reports whether a file may be a listing, from a cluster or a catalog's pod, by its beginning.
func MayBeListing(head []byte) bool {
	return slices.ContainsFunc(listingMarks, func(mark string) bool { return bytes.Contains(head, []byte(mark)) })
}

// OpenListing reads a file of answers of ListBundles, to which those of GetPackage may be added (operator-registry: pkg/api
// registry.proto), or of PackageManifests (OLM: pkg/package-server). It returns nil if the file does not begin with one.
func OpenListing(ctx context.Context, s *source.Source, name string, o form.Options) (*catalogs.Catalog, error) {
	l := &listing{catalog: &catalogs.Catalog{Source: s}, filter: form.PackageFilter(o.Package), byName: map[string]*listedPackage{}}
	r := form.FileReader{In: s}
	for d, root := range r.Documents(name) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if root.Kind == tree.Null {
			continue
		}
		if !l.addDocument(d, root) {
			if l.first == (form.ForeignKind{}) {
				return nil, nil
			}
			r.AddProblem(catalogs.ParseProblem, d.Pos(root.Place), "not %s, as the documents before it: it was not read", l.first.What)
		}
	}
	if l.catalog.Form == "" {
		return nil, nil
	}
	c := l.catalog
	form.AddRead(c, &r)
	for _, p := range l.packages {
		p.finish(c.Form)
		c.Packages = append(c.Packages, p.Package)
	}
	form.Finish(c, l.filter)
	if o.Progress != nil {
		o.Progress(r.Bytes)
	}
	return c, nil
}

// listing is a catalog that is assembled from the answers of a catalog's pod or the package manifests of a cluster.
type listing struct {
	catalog  *catalogs.Catalog
	first    form.ForeignKind // of the first object
	filter   form.PackageFilter
	byName   map[string]*listedPackage
	packages []*listedPackage
}

// listedPackage is a package of a listing.
type listedPackage struct {
	*catalogs.Package
	channels   map[string]*catalogs.Channel
	bundles    map[string]*catalogs.Bundle
	deprecated map[[2]string]bool // by schema and name
}

// addDocument adds a document, and reports whether it is an object of the form of the first one.
func (l *listing) addDocument(d *form.Decoder, root *tree.Node) bool {
	if root.Kind != tree.Map {
		return false
	}
	found, _ := form.RecogniseDocument(root)
	switch {
	case l.first != (form.ForeignKind{}) && (found == form.ClusterPackages) != (l.first == form.ClusterPackages):
		return false
	case found == form.ClusterPackages:
		l.catalog.Form = catalogs.ClusterPackages
		l.packageManifests(d, root)
	case found == form.ListBundles:
		l.catalog.Form = catalogs.ListBundles
		l.addListedBundle(d, root)
	case found == form.GetPackage:
		l.addGetPackage(d, root)
	default:
		return false
	}
	if l.first == (form.ForeignKind{}) {
		l.first, l.catalog.FirstObject = found, d.Pos(root.Place)
	}
	return true
}

// packageNamed returns the package of that name, or nil if it is not wanted.
func (l *listing) packageNamed(name catalogs.Text, pos catalogs.Pos) *listedPackage {
	if !l.filter.Matches(name.Value) {
		return nil
	}
	p := l.byName[name.Value]
	if p == nil {
		p = &listedPackage{Package: &catalogs.Package{Name: name, Pos: pos}, channels: map[string]*catalogs.Channel{}, bundles: map[string]*catalogs.Bundle{},
			deprecated: map[[2]string]bool{}}
		l.byName[name.Value] = p
		l.packages = append(l.packages, p)
	}
	return p
}

// channel returns the channel of that name.
func (p *listedPackage) channel(name catalogs.Text, pos catalogs.Pos) *catalogs.Channel {
	c := p.channels[name.Value]
	if c == nil {
		c = &catalogs.Channel{Name: name, Package: p.Name, Pos: pos}
		p.channels[name.Value] = c
		p.Channels = append(p.Channels, c)
	}
	return c
}

// addBundle adds a bundle unless another channel has it.
func (p *listedPackage) addBundle(b *catalogs.Bundle) {
	if p.bundles[b.Name.Value] != nil {
		return
	}
	b.Package, b.PackageName = p.Name, p.Name
	b.SetVersion(b.Version)
	b.Properties = []catalogs.Property{{Type: catalogs.Text{Value: catalogs.TypePackage}, Pos: b.Version.Pos}}
	p.bundles[b.Name.Value] = b
	p.Bundles = append(p.Bundles, b)
}

// deprecate adds a deprecation of a channel, a bundle or the package, which has no name, if n has the first one.
func (p *listedPackage) deprecate(d *form.Decoder, n *tree.Node, schema string, name catalogs.Text) {
	found, key := n.Get("deprecation"), [2]string{schema, name.Value}
	if found == nil || found.Kind != tree.Map || p.deprecated[key] {
		return
	}
	p.deprecated[key] = true
	e := catalogs.Deprecation{Schema: catalogs.Text{Value: schema}, Name: name, Message: d.Text(found, "message"), Pos: d.Pos(found.Place)}
	if len(p.Deprecations) == 0 {
		p.Deprecations = []*catalogs.Deprecations{{Package: p.Name, Pos: e.Pos}}
	}
	p.Deprecations[0].Entries = append(p.Deprecations[0].Entries, e)
}

// addListedBundle takes one answer of ListBundles: a bundle in one channel.
func (l *listing) addListedBundle(d *form.Decoder, root *tree.Node) {
	p := l.packageNamed(d.Text(root, "packageName"), d.Pos(root.Place))
	if p == nil {
		return
	}
	name := d.Text(root, "csvName")
	e := catalogs.Entry{Name: name, Replaces: d.Text(root, "replaces"), SkipRange: d.Text(root, "skipRange"), Pos: d.Pos(root.Place)}
	if name.Pos.IsKnown() {
		e.Pos = name.Pos
	}
	for _, skip := range form.Items(root, "skips") {
		e.Skips = append(e.Skips, d.Text(&skip))
	}
	c := p.channel(d.Text(root, "channelName"), e.Pos)
	c.Entries = append(c.Entries, e)
	p.addBundle(&catalogs.Bundle{Name: name, Image: d.Text(root, "bundlePath"), Version: d.Text(root, "version"), Pos: e.Pos, Derived: catalogs.NewFacts(listedProperties(d, root))})
	p.deprecate(d, root, catalogs.SchemaBundle, name)
}

// listedProperties are the properties of a bundle as an answer of ListBundles has them: their values are texts of JSON. APIs and
// requirements are repeated in further fields, and those of an old index are only there.
func listedProperties(d *form.Decoder, root *tree.Node) []catalogs.PropertyValue {
	var all []catalogs.PropertyValue
	for _, n := range form.Items(root, "properties") {
		value := d.Text(&n, "value")
		if !json.Valid([]byte(value.Value)) {
			d.Problem(catalogs.ParseProblem, n.Place, "the value of the property %.60q is no JSON", n.Str("type"))
			continue
		}
		all = append(all, catalogs.PropertyValue{Type: n.Str("type"), Value: json.RawMessage(value.Value), Pos: d.Pos(n.Place)}.Normalize())
	}
	has := func(kinds ...string) bool {
		return slices.ContainsFunc(all, func(p catalogs.PropertyValue) bool { return slices.Contains(kinds, p.Type) })
	}
	provided, required := !has(catalogs.TypeGVK), !has(catalogs.TypeGVKRequired, catalogs.TypePackageRequired)
	if provided {
		for _, n := range form.Items(root, "providedApis") {
			all = append(all, catalogs.NewAPIProperty(catalogs.TypeGVK, catalogs.API{Group: n.Str("group"), Version: n.Str("version"), Kind: n.Str("kind")}, d.Pos(n.Place)))
		}
	}
	if required {
		for _, n := range form.Items(root, "dependencies") {
			value := d.Text(&n, "value")
			if json.Valid([]byte(value.Value)) {
				all = append(all, catalogs.PropertyValue{Type: n.Str("type"), Value: json.RawMessage(value.Value), Pos: d.Pos(n.Place)}.AsRequirement())
			}
		}
	}
	return all
}

// addGetPackage takes an answer of GetPackage.
func (l *listing) addGetPackage(d *form.Decoder, root *tree.Node) {
	p := l.packageNamed(d.Text(root, "name"), d.Pos(root.Place))
	if p == nil {
		return
	}
	p.DefaultChannel = d.Text(root, "defaultChannelName")
	p.deprecate(d, root, catalogs.SchemaPackage, catalogs.Text{})
	for _, n := range form.Items(root, "channels") {
		name := d.Text(&n, "name")
		p.channel(name, d.Pos(n.Place))
		p.deprecate(d, &n, catalogs.SchemaChannel, name)
	}
}

// packageManifests takes a PackageManifest, or those in a list.
func (l *listing) packageManifests(d *form.Decoder, root *tree.Node) {
	if list := root.Get("items"); list != nil {
		for i := range list.Items {
			l.packageManifest(d, &list.Items[i])
		}
		return
	}
	l.packageManifest(d, root)
}

// packageManifest adds a package from a package server (OLM: pkg/package-server provider newPackageManifest).
func (l *listing) packageManifest(d *form.Decoder, root *tree.Node) {
	status := root.Get("status")
	name := d.Text(root, "status", "packageName")
	if name.Value == "" {
		name = d.Text(root, "metadata", "name")
	}
	if status == nil || name.Value == "" {
		d.Problem(catalogs.ParseProblem, root.Place, "a PackageManifest without a status, or without a name")
		return
	}
	p := l.packageNamed(name, d.Pos(root.Place))
	if p == nil {
		return
	}
	p.DefaultChannel = d.Text(status, "defaultChannel")
	p.deprecate(d, status, catalogs.SchemaPackage, catalogs.Text{})
	for _, n := range form.Items(status, "channels") {
		p.manifestChannel(d, &n)
	}
}

// manifestChannel takes a channel of a PackageManifest: its head, and the versions in it without their edges.
func (p *listedPackage) manifestChannel(d *form.Decoder, n *tree.Node) {
	c := p.channel(d.Text(n, "name"), d.Pos(n.Place))
	c.Head, c.Edgeless = d.Text(n, "currentCSV"), true
	p.deprecate(d, n, catalogs.SchemaChannel, c.Name)
	listed := form.Items(n, "entries")
	for i := range listed {
		e := catalogs.Entry{Name: d.Text(&listed[i], "name"), Pos: d.Pos(listed[i].Place)}
		c.Entries = append(c.Entries, e)
		p.addBundle(&catalogs.Bundle{Name: e.Name, Version: d.Text(&listed[i], "version"), Pos: e.Pos})
		p.deprecate(d, &listed[i], catalogs.SchemaBundle, e.Name)
	}
	if !slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == c.Head.Value }) && c.Head.Value != "" {
		c.Entries = append(c.Entries, catalogs.Entry{Name: c.Head, Pos: c.Head.Pos}) // package servers up to OpenShift 4.13 list no entries
		p.addBundle(&catalogs.Bundle{Name: c.Head, Version: d.Text(n, "currentCSVDesc", "version"), Pos: c.Head.Pos})
	}
}

// finish sets the default channel if there is only one channel: every catalog that is served has one.
func (p *listedPackage) finish(f catalogs.Form) {
	slices.SortStableFunc(p.Channels, func(a, b *catalogs.Channel) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	if p.DefaultChannel.Value == "" && len(p.Channels) == 1 {
		p.DefaultChannel = p.Channels[0].Name
	}
	for _, b := range p.Bundles {
		if f == catalogs.ListBundles && (b.Derived == nil || len(b.Derived.Properties) == 0) {
			own := catalogs.PackageProperty{Name: p.Name.Value, Version: b.Version.Value}
			b.Derived = catalogs.NewFacts([]catalogs.PropertyValue{catalogs.NewPropertyValue(catalogs.TypePackage, own, b.Version.Pos)})
		}
	}
}
