package catalogs

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// The keys of a ConfigMap that is a catalog. configmap-server takes no binaryData (operator-registry up to v1.72: pkg/sqlite
// ConfigMapLoader, cmd/configmap-server).
const (
	configMapPackages = "packages"
	configMapCSVs     = "clusterServiceVersions"
	configMapCRDs     = "customResourceDefinitions"
)

// isConfigMapCatalog reports whether a ConfigMap holds a catalog.
func isConfigMapCatalog(root *tree.Node) bool {
	return slices.ContainsFunc([]string{configMapPackages, configMapCSVs, configMapCRDs},
		func(key string) bool { return root.At("data", key) != nil })
}

var saysConfigMap = regexp.MustCompile(`\b(kind"?\s*:\s*"?(ConfigMap|List)|` + configMapCSVs + `"?\s*:|` + configMapCRDs + `"?\s*:)`)

// mayBeConfigMap reports whether a ConfigMap may be in a file, by what it begins with.
func mayBeConfigMap(head []byte) bool { return saysConfigMap.Match(head) }

// openConfigMaps reads the catalogs in the ConfigMaps of a file of Kubernetes objects: each is one, as of a CatalogSource of type
// configmap. It returns none if the file does not begin with such objects, or has no such ConfigMap.
func openConfigMaps(ctx context.Context, s *source, name string, o Options) ([]*Catalog, error) {
	r := fileReader{in: s}
	var found []*configMap
	var lines []int
	for d, root := range r.documents(name) {
		if lines == nil {
			lines = lineStarts(d.chunk.Text)
		}
		for _, one := range objectsIn(root) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			switch kind := one.Str("kind"); {
			case (kind == "ConfigMap" || root.Str("kind") == "ConfigMapList") && isConfigMapCatalog(one):
				found = append(found, newConfigMap(s, d, one, lines))
			case kind == "" && root.Kind != tree.Null && len(found) == 0:
				return nil, nil
			case kind == "" && root.Kind != tree.Null:
				r.addProblem(ParseProblem, d.pos(one.Place), "neither a ConfigMap, as what stands before it, nor another object of Kubernetes: it was not read")
			}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	found[0].catalog.addRead(&r)
	if o.Progress != nil {
		o.Progress(r.bytes)
	}
	return loadConfigMaps(ctx, found, packageFilter(o.Package))
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

func loadConfigMaps(ctx context.Context, found []*configMap, o packageFilter) ([]*Catalog, error) {
	seen := map[string]bool{}
	var all []*Catalog
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
	catalog *Catalog
	file    *decoder
	root    *tree.Node
	lines   []int // the offsets of the lines of the file

	crds   map[crdKey]*embeddedCRD
	byName map[string]*csv
	all    []*embeddedBundle // one of each CSV
}

// crdKey identifies a CRD that a CSV owns (operator-registry: pkg/registry APIKey).
type crdKey struct{ group, version, kind, plural string }

// embeddedCRD is a CRD in the data.
type embeddedCRD struct {
	embeddedObject
	crd crd
}

// embeddedBundle is a CSV in the data, and the CRDs that it owns.
type embeddedBundle struct {
	*manifestFolder
	objects []embeddedObject
}

func (b *embeddedBundle) bundle(pkg Text) *Bundle {
	bundle := b.manifestFolder.bundle(pkg)
	bundle.Folder, bundle.embedded = nil, b.objects
	return bundle
}

func newConfigMap(s *source, d *decoder, root *tree.Node, lines []int) *configMap {
	return &configMap{catalog: &Catalog{source: s, Form: ConfigMap, firstObject: d.pos(root.Place)}, file: d, root: root, lines: lines,
		crds: map[crdKey]*embeddedCRD{}, byName: map[string]*csv{}}
}

func (m *configMap) named(key string) string { return m.file.textAt(m.root, "metadata", key).Value }

func (m *configMap) fault(pos Pos, pkg, bundle, format string, args ...any) {
	m.catalog.addProblem(ManifestConfigMap, pos, pkg, bundle, format, args...)
}

// load reads the lists in the order in which configmap-server does.
func (m *configMap) load(o packageFilter) {
	for d, n := range m.list(configMapCRDs) {
		m.addCRD(d, n)
	}
	for d, n := range m.list(configMapCSVs) {
		m.addCSV(d, n)
	}
	last := map[string]*packageManifest{}
	var listed []*packageManifest
	for d, n := range m.list(configMapPackages) {
		manifest := d.packageManifest(n)
		name := manifest.name.Value
		if before := last[name]; before != nil {
			m.catalog.addProblem(ManifestDropped, before.pos, name, "", "package %q stands again in line %d: this first one is silently dropped", name, manifest.pos.Line)
		}
		last[name] = &manifest
		listed = append(listed, &manifest)
	}
	placed := map[string]bool{}
	for _, manifest := range listed {
		if last[manifest.name.Value] == manifest {
			m.addPackage(manifest, placed)
		}
	}
	m.addOrphans(placed)
	m.catalog.Packages = slices.DeleteFunc(m.catalog.Packages, func(p *Package) bool { return !o.wants(p.Name.Value) })
	m.catalog.finish(o)
}

// list yields the objects of a list in the data, each with a decoder that has its positions.
func (m *configMap) list(key string) func(yield func(*decoder, *tree.Node) bool) {
	return func(yield func(*decoder, *tree.Node) bool) {
		field := fieldAt(m.root.Get("data"), key)
		if field == nil {
			m.fault(m.file.pos(m.root.Place), "", "", "the ConfigMap has no data.%s: the catalog's pod does not start", key)
			return
		}
		if field.Value.Kind != tree.String {
			m.fault(m.file.pos(field.Value.Place), "", "", "data.%s is not a text (%s)", key, field.Value.Kind)
			return
		}
		f := *m.file.file
		f.embedding = embeddedIn(m.file.chunk.Text, m.lines, field)
		d := partDecoder(&f, false)
		list, lost, err := tree.ParseYAML([]byte(field.Value.Text), tree.Place{Line: 1, Col: 1}, nil)
		switch {
		case err != nil:
			m.fault(d.pos(err.Place), "", "", "data.%s cannot be read: %s", key, err.Msg)
			return
		case lost != nil:
			m.catalog.addProblem(ManifestDropped, d.pos(*lost), "", "", "only the first document of data.%s is read, and what begins here is silently dropped", key)
		}
		if list.Kind != tree.List && list.Kind != tree.Null {
			m.fault(d.pos(list.Place), "", "", "data.%s is not a list (%s)", key, list.Kind)
		}
		for i := range list.Items {
			if n := &list.Items[i]; n.Kind != tree.Map {
				m.fault(d.pos(n.Place), "", "", "an item of data.%s is not an object (%s)", key, n.Kind)
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

func (m *configMap) addCRD(d *decoder, n *tree.Node) {
	held := &embeddedCRD{embeddedObject{n, d.pos}, d.crd(n)}
	plural := d.textAt(n, "spec", "names", "plural").Value
	for _, version := range held.crd.versions {
		key := crdKey{held.crd.group, version, held.crd.kind, plural}
		if m.crds[key] != nil {
			m.fault(held.crd.pos, "", "", "the CRD %s, version %s, stands a second time: the catalog's pod does not start", held.crd.name, version)
			continue
		}
		m.crds[key] = held
	}
}

func (m *configMap) addCSV(d *decoder, n *tree.Node) {
	o := &embeddedBundle{newManifestFolder(m.catalog.source, ""), []embeddedObject{{n, d.pos}}}
	o.csvs = []csv{d.csv(n)}
	c := &o.csvs[0]
	name := c.name.Value
	if m.byName[name] != nil || name == "" {
		m.fault(c.name.Pos, "", name, "a ClusterServiceVersion without a name, or with that of another one, %q: the catalog's pod does not start", name)
		return
	}
	m.byName[name] = c
	m.all = append(m.all, o)
	for _, owned := range c.owned {
		plural, group, whole := strings.Cut(owned.name, ".")
		held := m.crds[crdKey{group, owned.version, owned.kind, plural}]
		switch {
		case !whole || held == nil:
			m.catalog.addProblem(ManifestOwnedCRD, owned.pos, "", name, "%q owns the CRD %s, version %s, kind %s, but data.%s does not have that",
				name, owned.name, owned.version, owned.kind, configMapCRDs)
		case !slices.ContainsFunc(o.objects, func(e embeddedObject) bool { return e.node == held.node }):
			o.objects = append(o.objects, held.embeddedObject)
			o.crds = append(o.crds, held.crd)
		}
	}
}

// addPackage adds a package: its channels, and the CSVs that these contain.
func (m *configMap) addPackage(manifest *packageManifest, placed map[string]bool) {
	m.catalog.checkPackageManifest(manifest)
	v := &packageBuilder{catalog: m.catalog, pkg: manifest.newPackage(), byName: m.byName, inChannel: map[string]bool{}}
	for i := range manifest.channels {
		v.pkg.Channels = append(v.pkg.Channels, v.channel(&manifest.channels[i]))
	}
	for _, o := range m.all {
		if name := o.csvs[0].name.Value; v.inChannel[name] {
			placed[name] = true
			v.pkg.Bundles = append(v.pkg.Bundles, o.bundle(v.pkg.Name))
		}
	}
	m.catalog.Packages = append(m.catalog.Packages, v.pkg)
}

// addOrphans reports the CSVs that are in no channel. If there is only one package they are among its bundles.
func (m *configMap) addOrphans(placed map[string]bool) {
	if len(m.catalog.Packages) == 0 {
		return // it was reported
	}
	for _, o := range m.all {
		c := &o.csvs[0]
		if placed[c.name.Value] {
			continue
		}
		pkg := Text{}
		if len(m.catalog.Packages) == 1 {
			p := m.catalog.Packages[0]
			pkg = p.Name
			p.Bundles = append(p.Bundles, o.bundle(pkg))
		}
		m.catalog.addProblem(ManifestOrphan, c.name.Pos, pkg.Value, c.name.Value, "no channel of a package comes to %q: nobody can install it", c.name.Value)
	}
}

// ofEmbedded returns the objects of a bundle that are in the text of another object.
func (m *Manifests) ofEmbedded(objects []embeddedObject) []*Manifest {
	if m.embedded == nil {
		m.embedded = map[*tree.Node]*Object{}
	}
	var all []*Manifest
	for _, held := range objects {
		if m.embedded[held.node] == nil {
			m.embedded[held.node] = newObject(held.node, false)
		}
		all = append(all, &Manifest{Object: m.embedded[held.node], Pos: held.pos(held.node.Place), reader: m,
			places: func() (tree.Places, func(tree.Place) Pos) { return held.node.Places(), held.pos }})
	}
	return all
}

// embeddedText is the place of a text that is a value of another one.
type embeddedText struct {
	line   int        // of its first line, if each of its lines is one of the file; else 0
	indent int        // of them
	key    tree.Place // of the value
}

// place returns the place in the file of a place in the text: that of the key, unless the text is there unchanged.
func (in *embeddedText) place(p tree.Place) tree.Place {
	if in.line == 0 {
		return in.key
	}
	return tree.Place{Line: in.line + p.Line - 1, Col: in.indent + p.Col}
}

// embeddedIn returns the place of a value that is a literal block scalar: its lines are those below the indicator, with the same
// indentation.
func embeddedIn(file []byte, starts []int, field *tree.Field) *embeddedText {
	in := &embeddedText{key: field.Place}
	indent := -1
	line := field.Value.Line // the one behind it, from 0
	for text := range bytes.Lines([]byte(field.Value.Text)) {
		if line >= len(starts) {
			return in
		}
		text = bytes.TrimSuffix(text, []byte("\n"))
		written, _, _ := bytes.Cut(file[starts[line]:], []byte("\n"))
		written = bytes.TrimSuffix(written, []byte("\r"))
		line++
		if len(text) == 0 && len(bytes.Trim(written, " ")) == 0 {
			continue
		}
		if indent < 0 {
			indent = len(written) - len(text)
		}
		if indent < 0 || len(written) != indent+len(text) || !bytes.HasSuffix(written, text) || len(bytes.Trim(written[:indent], " ")) > 0 {
			return in
		}
	}
	if indent > 0 {
		in.line, in.indent = field.Value.Line+1, indent
	}
	return in
}
