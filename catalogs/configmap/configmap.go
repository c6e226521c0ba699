// Package configmap reads catalogs in ConfigMaps, as a CatalogSource of type configmap has them.
package configmap

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

var saysConfigMap = regexp.MustCompile(`\b(kind"?\s*:\s*"?(ConfigMap|List)|` + form.ConfigMapCSVs + `"?\s*:|` + form.ConfigMapCRDs + `"?\s*:)`)

// MayBeConfigMap reports whether a ConfigMap may be in a file, by what it begins with.
func MayBeConfigMap(head []byte) bool { return saysConfigMap.Match(head) }

// OpenConfigMaps reads the catalogs in the ConfigMaps of a file of Kubernetes objects: each is one, as of a CatalogSource of type
// configmap. It returns none if the file does not begin with such objects, or has no such ConfigMap.
func OpenConfigMaps(ctx context.Context, s *source.Source, name string, o form.Options) ([]*catalogs.Catalog, error) {
	r := form.FileReader{In: s}
	var found []*configMap
	var lines []int
	for d, root := range r.Documents(name) {
		if lines == nil {
			lines = source.LineStarts(d.Chunk.Text)
		}
		for _, one := range objectsIn(root) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			switch kind := one.Str("kind"); {
			case (kind == "ConfigMap" || root.Str("kind") == "ConfigMapList") && form.IsConfigMapCatalog(one):
				found = append(found, newConfigMap(s, d, one, lines))
			case kind == "" && root.Kind != tree.Null && len(found) == 0:
				return nil, nil
			case kind == "" && root.Kind != tree.Null:
				r.AddProblem(catalogs.ParseProblem, d.Pos(one.Place), "neither a ConfigMap, as what stands before it, nor another object of Kubernetes: it was not read")
			}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	form.AddRead(found[0].catalog, &r)
	if o.Progress != nil {
		o.Progress(r.Bytes)
	}
	return loadConfigMaps(ctx, found, form.PackageFilter(o.Package))
}

// objectsIn returns the objects of a document: itself, or those of a list.
func objectsIn(root *tree.Node) []*tree.Node {
	listed := root.Get("items")
	if !strings.HasSuffix(root.Str("kind"), "List") || listed == nil {
		return []*tree.Node{root}
	}
	all := make([]*tree.Node, len(listed.Items))
	for i := range all {
		all[i] = &listed.Items[i]
	}
	return all
}

func loadConfigMaps(ctx context.Context, found []*configMap, o form.PackageFilter) ([]*catalogs.Catalog, error) {
	seen := map[string]bool{}
	var all []*catalogs.Catalog
	for _, m := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m.load(o); len(found) > 1 {
			if m.catalog.Name = m.named("name"); seen[m.catalog.Name] {
				m.catalog.Name = m.named("namespace") + "/" + m.named("name")
			}
			seen[m.catalog.Name] = true
		}
		all = append(all, m.catalog)
	}
	return all, nil
}

// configMap is a catalog in a ConfigMap.
type configMap struct {
	catalog *catalogs.Catalog
	file    *form.Decoder
	root    *tree.Node
	lines   []int // the offsets of the lines of the file

	crds   map[crdKey]*embeddedCRD
	byName map[string]*manifests.Csv
	all    []*embeddedBundle // one of each CSV
}

// crdKey identifies a CRD that a CSV owns (operator-registry: pkg/registry APIKey).
type crdKey struct{ group, version, kind, plural string }

// embeddedCRD is a CRD in the data.
type embeddedCRD struct {
	catalogs.EmbeddedObject
	crd manifests.Crd
}

// embeddedBundle is a CSV in the data, and the CRDs that it owns.
type embeddedBundle struct {
	*manifests.ManifestFolder
	objects []catalogs.EmbeddedObject
}

func (b *embeddedBundle) bundle(pkg catalogs.Text) *catalogs.Bundle {
	bundle := b.ManifestFolder.Bundle(pkg)
	bundle.Folder, bundle.Embedded = nil, b.objects
	return bundle
}

func newConfigMap(s *source.Source, d *form.Decoder, root *tree.Node, lines []int) *configMap {
	return &configMap{catalog: &catalogs.Catalog{Source: s, Form: catalogs.ConfigMap, FirstObject: d.Pos(root.Place)}, file: d, root: root, lines: lines,
		crds: map[crdKey]*embeddedCRD{}, byName: map[string]*manifests.Csv{}}
}

func (m *configMap) named(key string) string { return m.file.TextAt(m.root, "metadata", key).Value }

func (m *configMap) fault(pos catalogs.Pos, bundle, format string, args ...any) {
	m.catalog.AddProblem(catalogs.ManifestConfigMap, pos, "", bundle, format, args...)
}

// load reads the lists in the order in which configmap-server does.
func (m *configMap) load(o form.PackageFilter) {
	for d, n := range m.list(form.ConfigMapCRDs) {
		m.addCRD(d, n)
	}
	for d, n := range m.list(form.ConfigMapCSVs) {
		m.addCSV(d, n)
	}
	last := map[string]*manifests.PackageManifest{}
	var listed []*manifests.PackageManifest
	for d, n := range m.list(form.ConfigMapPackages) {
		manifest := manifests.NewPackageManifest(d, n)
		name := manifest.Name.Value
		if before := last[name]; before != nil {
			m.catalog.AddProblem(catalogs.ManifestDropped, before.Pos, name, "", "package %q stands again in line %d: this first one is silently dropped", name, manifest.Pos.Line)
		}
		last[name] = &manifest
		listed = append(listed, &manifest)
	}
	placed := map[string]bool{}
	for _, manifest := range listed {
		if last[manifest.Name.Value] == manifest {
			m.addPackage(manifest, placed)
		}
	}
	m.addOrphans(placed)
	m.catalog.Packages = slices.DeleteFunc(m.catalog.Packages, func(p *catalogs.Package) bool { return !o.Wants(p.Name.Value) })
	form.Finish(m.catalog, o)
}

// list yields the objects of a list in the data, each with a decoder that has its positions.
func (m *configMap) list(key string) func(yield func(*form.Decoder, *tree.Node) bool) {
	return func(yield func(*form.Decoder, *tree.Node) bool) {
		field := fieldAt(m.root.Get("data"), key)
		if field == nil {
			m.fault(m.file.Pos(m.root.Place), "", "the ConfigMap has no data.%s: the catalog's pod does not start", key)
			return
		}
		if field.Value.Kind != tree.String {
			m.fault(m.file.Pos(field.Value.Place), "", "data.%s is not a text (%s)", key, field.Value.Kind)
			return
		}
		f := *m.file.File
		f.Embedding = source.EmbeddedIn(m.file.Chunk.Text, m.lines, field)
		d := form.PartDecoder(&f, false)
		list, lost, err := tree.ParseYAML([]byte(field.Value.Text), tree.Place{Line: 1, Col: 1}, nil)
		switch {
		case err != nil:
			m.fault(d.Pos(err.Place), "", "data.%s cannot be read: %s", key, err.Msg)
			return
		case lost != nil:
			m.catalog.AddProblem(catalogs.ManifestDropped, d.Pos(*lost), "", "", "only the first document of data.%s is read, and what begins here is silently dropped", key)
		}
		if list.Kind != tree.List && list.Kind != tree.Null {
			m.fault(d.Pos(list.Place), "", "data.%s is not a list (%s)", key, list.Kind)
		}
		for i := range list.Items {
			if n := &list.Items[i]; n.Kind != tree.Map {
				m.fault(d.Pos(n.Place), "", "an item of data.%s is not an object (%s)", key, n.Kind)
			} else if !yield(d, n) {
				return
			}
		}
	}
}

// fieldAt returns the last field of that key, or nil.
func fieldAt(n *tree.Node, key string) *tree.Field {
	if n == nil {
		return nil
	}
	for i := len(n.Fields) - 1; i >= 0; i-- {
		if n.Fields[i].Key == key {
			return &n.Fields[i]
		}
	}
	return nil
}

func (m *configMap) addCRD(d *form.Decoder, n *tree.Node) {
	held := &embeddedCRD{catalogs.EmbeddedObject{Node: n, Pos: d.Pos}, manifests.ReadCRD(d, n)}
	plural := d.TextAt(n, "spec", "names", "plural").Value
	for _, version := range held.crd.Versions {
		key := crdKey{held.crd.Group, version, held.crd.Kind, plural}
		if m.crds[key] != nil {
			m.fault(held.crd.Pos, "", "the CRD %s, version %s, stands a second time: the catalog's pod does not start", held.crd.Name, version)
			continue
		}
		m.crds[key] = held
	}
}

func (m *configMap) addCSV(d *form.Decoder, n *tree.Node) {
	o := &embeddedBundle{manifests.NewManifestFolder(m.catalog.Source, ""), []catalogs.EmbeddedObject{{Node: n, Pos: d.Pos}}}
	o.Csvs = []manifests.Csv{manifests.ReadCSV(d, n)}
	c := &o.Csvs[0]
	name := c.Name.Value
	if m.byName[name] != nil || name == "" {
		m.fault(c.Name.Pos, name, "a ClusterServiceVersion without a name, or with that of another one, %q: the catalog's pod does not start", name)
		return
	}
	m.byName[name] = c
	m.all = append(m.all, o)
	for _, owned := range c.Owned {
		plural, group, whole := strings.Cut(owned.Name, ".")
		held := m.crds[crdKey{group, owned.Version, owned.Kind, plural}]
		switch {
		case !whole || held == nil:
			m.catalog.AddProblem(catalogs.ManifestOwnedCRD, owned.Pos, "", name, "%q owns the CRD %s, version %s, kind %s, but data.%s does not have that",
				name, owned.Name, owned.Version, owned.Kind, form.ConfigMapCRDs)
		case !slices.ContainsFunc(o.objects, func(e catalogs.EmbeddedObject) bool { return e.Node == held.Node }):
			o.objects = append(o.objects, held.EmbeddedObject)
			o.Crds = append(o.Crds, held.crd)
		}
	}
}

// addPackage adds a package: its channels, and the CSVs that these contain.
func (m *configMap) addPackage(manifest *manifests.PackageManifest, placed map[string]bool) {
	manifests.CheckPackageManifest(m.catalog, manifest)
	v := &manifests.PackageBuilder{Catalog: m.catalog, Pkg: manifest.NewPackage(), ByName: m.byName, InChannel: map[string]bool{}}
	for i := range manifest.Channels {
		v.Pkg.Channels = append(v.Pkg.Channels, v.Channel(&manifest.Channels[i]))
	}
	for _, o := range m.all {
		if name := o.Csvs[0].Name.Value; v.InChannel[name] {
			placed[name] = true
			v.Pkg.Bundles = append(v.Pkg.Bundles, o.bundle(v.Pkg.Name))
		}
	}
	m.catalog.Packages = append(m.catalog.Packages, v.Pkg)
}

// addOrphans reports the CSVs that are in no channel. If there is only one package they are among its bundles.
func (m *configMap) addOrphans(placed map[string]bool) {
	if len(m.catalog.Packages) == 0 {
		return // it was reported
	}
	for _, o := range m.all {
		c := &o.Csvs[0]
		if placed[c.Name.Value] {
			continue
		}
		pkg := catalogs.Text{}
		if len(m.catalog.Packages) == 1 {
			p := m.catalog.Packages[0]
			pkg = p.Name
			p.Bundles = append(p.Bundles, o.bundle(pkg))
		}
		m.catalog.AddProblem(catalogs.ManifestOrphan, c.Name.Pos, pkg.Value, c.Name.Value, "no channel of a package comes to %q: nobody can install it", c.Name.Value)
	}
}
