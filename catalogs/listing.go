package catalogs

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// listingMarks are words of which one is near the beginning of each listing.
var listingMarks = []string{"csvName", "channelName", "bundlePath", "packages.operators.coreos.com"}

// mayBeListing reports whether a file may be a listing, from a cluster or a catalog's pod, by its beginning.
func mayBeListing(head []byte) bool {
	return slices.ContainsFunc(listingMarks, func(mark string) bool { return bytes.Contains(head, []byte(mark)) })
}

// openListing reads a file of answers of ListBundles, to which those of GetPackage may be added (operator-registry: pkg/api
// registry.proto), or of PackageManifests (OLM: pkg/package-server). It returns nil if the file does not begin with one.
func openListing(ctx context.Context, s *source, name string, o Options) (*Catalog, error) {
	l := &listing{catalog: &Catalog{source: s}, filter: packageFilter(o.Package), byName: map[string]*listedPackage{}}
	r := fileReader{in: s}
	for d, root := range r.documents(name) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if root.Kind == tree.Null {
			continue
		}
		if !l.addDocument(d, root) {
			if l.first == (foreignKind{}) {
				return nil, nil
			}
			r.addProblem(ParseProblem, d.pos(root.Place), "not %s, as the documents before it: it was not read", l.first.what)
		}
	}
	if l.catalog.Form == "" {
		return nil, nil
	}
	c := l.catalog
	c.addRead(&r)
	for _, p := range l.packages {
		p.finish(c.Form)
		c.Packages = append(c.Packages, p.Package)
	}
	c.finish(l.filter)
	if o.Progress != nil {
		o.Progress(r.bytes)
	}
	return c, nil
}

// listing is a catalog that is assembled from the answers of a catalog's pod or the package manifests of a cluster.
type listing struct {
	catalog  *Catalog
	first    foreignKind // of the first object
	filter   packageFilter
	byName   map[string]*listedPackage
	packages []*listedPackage
}

// listedPackage is a package of a listing.
type listedPackage struct {
	*Package
	channels map[string]*Channel
	bundles  map[string]*Bundle
}

// addDocument adds a document, and reports whether it is an object of the form of the first one.
func (l *listing) addDocument(d *decoder, root *tree.Node) bool {
	if root.Kind != tree.Map {
		return false
	}
	found, _ := recogniseDocument(root)
	switch {
	case l.first != (foreignKind{}) && (found == clusterPackages) != (l.first == clusterPackages):
		return false
	case found == clusterPackages:
		l.catalog.Form = ClusterPackages
		l.packageManifests(d, root)
	case found == listBundles:
		l.catalog.Form = ListBundles
		l.addListedBundle(d, root)
	case found == getPackage:
		l.addGetPackage(d, root)
	default:
		return false
	}
	if l.first == (foreignKind{}) {
		l.first, l.catalog.firstObject = found, d.pos(root.Place)
	}
	return true
}

// packageNamed returns the package of that name, or nil if it is not wanted.
func (l *listing) packageNamed(name Text, pos Pos) *listedPackage {
	if !l.filter.wants(name.Value) {
		return nil
	}
	p := l.byName[name.Value]
	if p == nil {
		p = &listedPackage{Package: &Package{Name: name, Pos: pos}, channels: map[string]*Channel{}, bundles: map[string]*Bundle{}}
		l.byName[name.Value] = p
		l.packages = append(l.packages, p)
	}
	return p
}

// channel returns the channel of that name.
func (p *listedPackage) channel(name Text, pos Pos) *Channel {
	c := p.channels[name.Value]
	if c == nil {
		c = &Channel{Name: name, Package: p.Name, Pos: pos}
		p.channels[name.Value] = c
		p.Channels = append(p.Channels, c)
	}
	return c
}

// addBundle adds a bundle unless another channel has it.
func (p *listedPackage) addBundle(b *Bundle) {
	if p.bundles[b.Name.Value] != nil {
		return
	}
	b.Package, b.PackageName = p.Name, p.Name
	b.setVersion(b.Version)
	b.Properties = []Property{{Type: Text{Value: TypePackage}, Pos: b.Version.Pos}}
	p.bundles[b.Name.Value] = b
	p.Bundles = append(p.Bundles, b)
}

// deprecate adds a deprecation, if n has one.
func (p *listedPackage) deprecate(d *decoder, n *tree.Node, schema string, name Text) {
	said := n.Get("deprecation")
	if said == nil || said.Kind != tree.Map || p.Deprecation(schema, name.Value) != nil {
		return
	}
	e := Deprecation{Schema: Text{Value: schema}, Message: d.textAt(said, "message"), Pos: d.pos(said.Place)}
	if schema != SchemaPackage {
		e.Name = name
	}
	if len(p.Deprecations) == 0 {
		p.Deprecations = []*Deprecations{{Package: p.Name, Pos: e.Pos}}
	}
	p.Deprecations[0].Entries = append(p.Deprecations[0].Entries, e)
}

// addListedBundle takes one answer of ListBundles: a bundle in one channel.
func (l *listing) addListedBundle(d *decoder, root *tree.Node) {
	p := l.packageNamed(d.textAt(root, "packageName"), d.pos(root.Place))
	if p == nil {
		return
	}
	name := d.textAt(root, "csvName")
	e := Entry{Name: name, Replaces: d.textAt(root, "replaces"), SkipRange: d.textAt(root, "skipRange"), Pos: d.pos(root.Place)}
	if name.Pos.Known() {
		e.Pos = name.Pos
	}
	for _, skip := range items(root, "skips") {
		e.Skips = append(e.Skips, d.textAt(&skip))
	}
	c := p.channel(d.textAt(root, "channelName"), e.Pos)
	c.Entries = append(c.Entries, e)
	p.addBundle(&Bundle{Name: name, Image: d.textAt(root, "bundlePath"), Version: d.textAt(root, "version"), Pos: e.Pos, derived: d.listedProperties(root)})
	p.deprecate(d, root, SchemaBundle, name)
}

// listedProperties are the properties of a bundle as an answer of ListBundles has them: their values are texts of JSON. APIs and
// requirements are repeated in further fields, and those of an old index are only there.
func (d *decoder) listedProperties(root *tree.Node) []PropertyValue {
	var all []PropertyValue
	for _, n := range items(root, "properties") {
		value := d.textAt(&n, "value")
		if !json.Valid([]byte(value.Value)) {
			d.problem(ParseProblem, n.Place, "the value of the property %.60q is no JSON", n.Str("type"))
			continue
		}
		all = append(all, PropertyValue{Type: n.Str("type"), Value: json.RawMessage(value.Value), Pos: d.pos(n.Place)}.normalized())
	}
	has := func(kinds ...string) bool {
		return slices.ContainsFunc(all, func(p PropertyValue) bool { return slices.Contains(kinds, p.Type) })
	}
	provided, required := !has(TypeGVK), !has(TypeGVKRequired, TypePackageRequired)
	if provided {
		for _, n := range items(root, "providedApis") {
			all = append(all, newAPIProperty(TypeGVK, API{Group: n.Str("group"), Version: n.Str("version"), Kind: n.Str("kind")}, d.pos(n.Place)))
		}
	}
	if required {
		for _, n := range items(root, "dependencies") {
			value := d.textAt(&n, "value")
			if json.Valid([]byte(value.Value)) {
				all = append(all, PropertyValue{Type: n.Str("type"), Value: json.RawMessage(value.Value), Pos: d.pos(n.Place)}.asRequirement())
			}
		}
	}
	return all
}

// addGetPackage takes an answer of GetPackage.
func (l *listing) addGetPackage(d *decoder, root *tree.Node) {
	p := l.packageNamed(d.textAt(root, "name"), d.pos(root.Place))
	if p == nil {
		return
	}
	p.DefaultChannel = d.textAt(root, "defaultChannelName")
	p.deprecate(d, root, SchemaPackage, Text{})
	for _, n := range items(root, "channels") {
		name := d.textAt(&n, "name")
		p.channel(name, d.pos(n.Place))
		p.deprecate(d, &n, SchemaChannel, name)
	}
}

// packageManifests takes a PackageManifest, or those in a list.
func (l *listing) packageManifests(d *decoder, root *tree.Node) {
	if list := root.Get("items"); list != nil {
		for i := range list.Items {
			l.packageManifest(d, &list.Items[i])
		}
		return
	}
	l.packageManifest(d, root)
}

// packageManifest adds a package from a package server (OLM: pkg/package-server provider newPackageManifest).
func (l *listing) packageManifest(d *decoder, root *tree.Node) {
	status := root.Get("status")
	name := d.textAt(root, "status", "packageName")
	if name.Value == "" {
		name = d.textAt(root, "metadata", "name")
	}
	if status == nil || name.Value == "" {
		d.problem(ParseProblem, root.Place, "a PackageManifest without a status, or without a name")
		return
	}
	p := l.packageNamed(name, d.pos(root.Place))
	if p == nil {
		return
	}
	p.DefaultChannel = d.textAt(status, "defaultChannel")
	p.deprecate(d, status, SchemaPackage, Text{})
	for _, n := range items(status, "channels") {
		p.manifestChannel(d, &n)
	}
}

// manifestChannel takes a channel of a PackageManifest: its head, and the versions in it without their edges.
func (p *listedPackage) manifestChannel(d *decoder, n *tree.Node) {
	c := p.channel(d.textAt(n, "name"), d.pos(n.Place))
	c.Head, c.Edgeless = d.textAt(n, "currentCSV"), true
	p.deprecate(d, n, SchemaChannel, c.Name)
	listed := items(n, "entries")
	for i := range listed {
		e := Entry{Name: d.textAt(&listed[i], "name"), Pos: d.pos(listed[i].Place)}
		c.Entries = append(c.Entries, e)
		p.addBundle(&Bundle{Name: e.Name, Version: d.textAt(&listed[i], "version"), Pos: e.Pos})
		p.deprecate(d, &listed[i], SchemaBundle, e.Name)
	}
	if !slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Name.Value == c.Head.Value }) && c.Head.Value != "" {
		c.Entries = append(c.Entries, Entry{Name: c.Head, Pos: c.Head.Pos}) // package servers up to OpenShift 4.13 list no entries
		p.addBundle(&Bundle{Name: c.Head, Version: d.textAt(n, "currentCSVDesc", "version"), Pos: c.Head.Pos})
	}
}

// finish sets the default channel if there is only one channel: every catalog that is served has one.
func (p *listedPackage) finish(f Form) {
	slices.SortStableFunc(p.Channels, func(a, b *Channel) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	if p.DefaultChannel.Value == "" && len(p.Channels) == 1 {
		p.DefaultChannel = p.Channels[0].Name
	}
	for _, b := range p.Bundles {
		if f == ListBundles && len(b.derived) == 0 {
			b.derived = []PropertyValue{newPropertyValue(TypePackage, PackageProperty{p.Name.Value, b.Version.Value}, b.Version.Pos)}
		}
	}
}

// FormLimitation returns what the form of a catalog does not contain, as one sentence, and the place of its first object; "" if it
// contains everything.
func (c *Catalog) FormLimitation() (Pos, string) {
	switch c.Form {
	case ListBundles:
		missing := "no CSV and no CRD was read"
		if slices.ContainsFunc(c.Packages, func(p *Package) bool { return p.DefaultChannel.Value == "" }) {
			missing += ", and the default channel is not known where a package has several: add the answers of GetPackage to the file"
		}
		return c.firstObject, "ListBundles tells the upgrade graph and what bundles require: " + missing
	case ClusterPackages:
		return c.firstObject, "the package manifests of a cluster tell the channels, their heads and the versions in them, but not which version upgrades to which:" +
			" that was not checked; give the image of the CatalogSource, as docker://IMAGE, or what ListBundles of its pod says"
	case ConfigMap:
		return c.firstObject, "a ConfigMap brings CSVs and the CRDs that they own: no other manifests, no images of bundles, no dependencies but those that a CSV names," +
			" and no deprecations; OLM v1 takes no such catalog"
	case TemplateForm:
		if message, fix := c.UnknownBundles(); message != "" {
			return c.Template.Unknown[0].Pos, message + "; " + fix
		}
	}
	return Pos{}, ""
}

// Edgeless reports whether the form of a catalog has no upgrade edges.
func (c *Catalog) Edgeless() bool { return c.Form == ClusterPackages }
