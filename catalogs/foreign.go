package catalogs

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// ConfigName is what the configuration of olmgraph is called. opm reads a file of that name as any other.
const ConfigName = ".olmgraph.yaml"

// configText is what that is.
const configText = "the configuration of olmgraph"

// Foreign is text that is no part of a catalog, and was recognised: a template, or what another program wrote. It is not
// checked.
type Foreign struct {
	What string // "a template (olm.template.basic)"
	Fix  string // what to do instead, one sentence
	Pos  Pos    // of the first one
	// Count is how many such documents the file has, or how many files the catalog has, as Unchecked counts.
	Count int
	// Template says that opm takes it for an object of a schema that is not its own; all else has no schema, and opm rejects it.
	Template bool
	Unread   bool // it could not be read: then What says why
}

// Config reports whether it is the configuration of olmgraph.
func (f *Foreign) Config() bool { return f.What == configText }

// Message says that there is no package, but this.
func (f *Foreign) Message() string {
	if f.What == "" {
		return "there is no package in it"
	}
	return "there is no package in it, but " + f.What
}

// foreignKind is a kind of text that is no part of a catalog, and what to do with it.
type foreignKind struct{ what, fix string }

const giveAlone = "give the file alone, and not as a part of a catalog"

var (
	configKind = foreignKind{configText,
		"move it to a folder above the catalog's, or add a line " + ConfigName + " to .indexignore"}
	listBundles        = foreignKind{"an answer of ListBundles of a catalog's pod (as grpcurl prints it)", giveAlone}
	getPackage         = foreignKind{"an answer of GetPackage of a catalog's pod (as grpcurl prints it)", "add it to a file with the answer of ListBundles, and give that alone"}
	clusterPackages    = foreignKind{"the package manifests that a cluster's package server shows (kubectl get packagemanifests)", giveAlone}
	configMapKind      = foreignKind{"a catalog in a ConfigMap", giveAlone}
	packageKind        = foreignKind{"a package manifest", "give the folder that it is in, with a folder for each version beside it, as NAME.package.yaml"}
	ciKind             = foreignKind{"the ci.yaml of a catalog repository", "give the repository, or the folder of its catalog"}
	releaseKind        = foreignKind{"the release-config.yaml of a bundle in a catalog repository", "give the repository, or the folder of its catalog"}
	bundleAnnotations  = foreignKind{"the annotations of a bundle", "give the folder that has manifests/ and metadata/ in it"}
	bundleDependencies = foreignKind{"the dependencies of a bundle", "give the folder that has manifests/ and metadata/ in it"}
	imageKind          = foreignKind{"the manifest of a container image", "give the image: oci:FOLDER, oci-archive:FILE, docker-archive:FILE or docker://IMAGE"}
	layoutKind         = foreignKind{"the mark of an OCI image layout", "give the layout's folder: oci:FOLDER"}
	chartKind          = foreignKind{"the Chart.yaml of a Helm chart", "give a catalog; a chart is not one"}
)

// templateKind is what a template of a schema is.
func templateKind(schema string) foreignKind {
	return foreignKind{"a template (" + schema + ")", giveAlone}
}

// foreignFields are fields by which documents without a schema are recognised, in this order.
func foreignFields() []struct {
	fields []string
	kind   foreignKind
} {
	return []struct {
		fields []string
		kind   foreignKind
	}{
		{[]string{"csvName", "bundlePath"}, listBundles},
		{[]string{"csvName", "csvJson"}, listBundles},
		{[]string{"csvName", "packageName", "channelName"}, listBundles},
		{[]string{"name", "channels", "defaultChannelName"}, getPackage},
		{[]string{"packageName", "channels"}, packageKind},
		{[]string{"updateGraph"}, ciKind},
		{[]string{"schemaVersion", "manifests"}, imageKind},
		{[]string{"schemaVersion", "layers"}, imageKind},
		{[]string{"schemaVersion", "config"}, imageKind},
		{[]string{"imageLayoutVersion"}, layoutKind},
		{[]string{"apiVersion", "name", "version"}, chartKind},
	}
}

// recogniseDocument recognises a document without a schema by its fields.
func recogniseDocument(root *tree.Node) (foreignKind, bool) {
	lacks := func(key string) bool { return root.Get(key) == nil }
	switch {
	case !lacks("apiVersion") && !lacks("kind"):
		return recogniseObject(root), true
	case root.At("annotations", annotationPackage) != nil:
		return bundleAnnotations, true
	case len(root.Fields) == 1 && !lacks("catalog_templates"), len(items(root, "catalog_templates")) > 0:
		return releaseKind, true
	case root.At("fbc", "enabled") != nil:
		return ciKind, true
	}
	for _, known := range foreignFields() {
		if !slices.ContainsFunc(known.fields, lacks) {
			return known.kind, true
		}
	}
	return bundleDependencies, len(root.Fields) == 1 && !lacks("dependencies")
}

// recogniseObject says what a Kubernetes object is for.
func recogniseObject(root *tree.Node) foreignKind {
	kind := root.Str("kind")
	if list := items(root, "items"); len(list) > 0 && kind == "List" {
		if inner := list[0].Str("kind"); inner == "PackageManifest" || inner == "ConfigMap" && isConfigMapCatalog(&list[0]) {
			return recogniseObject(&list[0])
		}
	}
	switch {
	case kind == "PackageManifest", kind == "PackageManifestList":
		return clusterPackages
	case kind == "ConfigMap" && isConfigMapCatalog(root):
		return configMapKind
	case kind == "ImageSetConfiguration":
		return foreignKind{"an ImageSetConfiguration of oc-mirror", "give a catalog that it names, as docker://IMAGE"}
	case kind == "CatalogSource", kind == "ClusterCatalog":
		return foreignKind{"a " + kind, "give the catalog that it names, as docker://IMAGE"}
	case kind == "ClusterServiceVersion":
		return foreignKind{"a ClusterServiceVersion", "give the folder of its bundle, which has manifests/ and metadata/ in it"}
	}
	return foreignKind{fmt.Sprintf("a Kubernetes object (kind %.60q)", kind), "give a catalog; what is not part of one belongs into .indexignore"}
}

// noteForeign notes a document that is no part of a catalog. Of what is outside the catalog it does not say what it is: a Secret
// has a kind as well.
func (d *objectDecoder) noteForeign(f foreignKind, at tree.Place, template bool) {
	if f != configKind && d.file.source.restricted(d.file.name) {
		f = outsideKind
	}
	d.foreign = append(d.foreign, Foreign{What: f.what, Fix: f.fix, Pos: d.pos(at), Count: 1, Template: template})
}

// withoutSchema recognises a document without a schema, or reports that it lacks one.
func (d *objectDecoder) withoutSchema(root *tree.Node, message trusted) {
	f, known := foreignKind{}, false
	if path.Base(d.file.path) == ConfigName {
		f, known = configKind, true
	} else if root.Kind == tree.Map {
		f, known = recogniseDocument(root)
	}
	if known {
		d.noteForeign(f, root.Place, false)
		return
	}
	d.problem(SchemaMissing, root.Place, "%s", message)
}

// mergeForeign keeps the first of the documents of a kind in each file, and counts them.
func mergeForeign(all []Foreign) []Foreign {
	type key struct{ file, what string }
	first := map[key]int{}
	var merged []Foreign
	for _, f := range all {
		k := key{f.Pos.File, f.What}
		if i, met := first[k]; met {
			merged[i].Count++
			continue
		}
		first[k] = len(merged)
		merged = append(merged, f)
	}
	return merged
}

// foreignProblems are what opm rejects of what is no part of a catalog: one problem a file and kind.
func foreignProblems(all []Foreign) []Problem {
	var found []Problem
	for _, f := range all {
		if f.Template {
			continue
		}
		what := f.What
		if f.Count > 1 {
			what = fmt.Sprintf("%s (%d objects)", f.What, f.Count)
		}
		message := what + ": opm takes it for a part of the catalog, and rejects the catalog, since it has no schema"
		found = append(found, Problem{Kind: SchemaMissing, Pos: f.Pos, Message: message, Fix: f.Fix, Foreign: true})
	}
	return found
}

// NoPackage says what a catalog is in which there is no package: no olm.package, and nothing in a channel or a bundle, so that nothing in it was checked: what was recognised, templates
// first, counted by files, or else what could not be read; What is "" if there was neither. Pos is that of the first one, or of the catalog. It
// is false where there is a package, and where that is not known: only one package was wanted, or files were left unread.
func (c *Catalog) NoPackage() (Foreign, bool) {
	if c.hasPackage() || c.filtered || c.Stats.Unread > 0 || c.deferred != nil {
		return Foreign{}, false
	}
	if c.Template != nil {
		return c.emptyTemplate(), true
	}
	kinds := slices.DeleteFunc(c.foreignKinds(), func(f Foreign) bool { return f.Config() })
	unread := slices.IndexFunc(c.Problems, func(p Problem) bool {
		return slices.Contains([]ProblemKind{ParseProblem, UnreadFolder, ManifestConfigMap}, p.Kind)
	})
	if len(kinds) == 0 && unread >= 0 {
		p := &c.Problems[unread]
		return Foreign{What: p.Message, Fix: p.Fix, Pos: p.Pos, Unread: true}, true
	}
	if len(kinds) == 0 {
		return Foreign{Fix: "give a catalog: a folder or file with olm.package objects, or another form that olmgraph reads", Pos: c.Pos()}, true
	}
	out := kinds[0]
	var parts []string
	for i, k := range kinds {
		if i == maxKinds {
			parts = append(parts, fmt.Sprintf("other text of %d kinds", len(kinds)-i))
			break
		}
		if k.Count > 1 {
			parts = append(parts, fmt.Sprintf("%s in %d files", k.What, k.Count))
			continue
		}
		parts = append(parts, k.What)
	}
	last := len(parts) - 1
	if out.What = parts[last]; last > 0 {
		out.What = strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return out, true
}

// MisspeltFolder returns the name of a folder that is probably the manifests or the metadata of a bundle, and the right name of it; "" if
// there is none, or the catalog has a package.
func (c *Catalog) MisspeltFolder() (wrong, right string) {
	if _, none := c.NoPackage(); !none || c.Form != FileBased || c.source == nil || c.source.single != "" {
		return "", ""
	}
	entries, _ := fs.ReadDir(c.source.fsys, ".")
	missing := slices.DeleteFunc([]string{"manifests", "metadata"}, func(dir string) bool { return isDir(c.source.fsys, dir) })
	if len(missing) != 1 {
		return "", ""
	}
	for _, e := range entries {
		if near, ok := spelling.NearestWord(e.Name(), missing); e.IsDir() && (ok || strings.HasPrefix(missing[0], e.Name())) {
			return e.Name(), cmp.Or(near, missing[0])
		}
	}
	return "", ""
}

// hasPackage reports whether there is a package: one that is defined, or has a channel or a bundle. Deprecations alone make none.
func (c *Catalog) hasPackage() bool {
	return c.Stats.Channels+c.Stats.Bundles > 0 ||
		slices.ContainsFunc(c.Packages, func(p *Package) bool { return p.Pos.Known() || p.Name.Pos.Known() })
}

// maxKinds bounds how many kinds of text a sentence names.
const maxKinds = 5

// foreignKinds merges what was recognised in all files: templates first, then what is most frequent. What has a schema of its own counts as well.
func (c *Catalog) foreignKinds() []Foreign {
	first, last := map[string]int{}, map[string]string{}
	var kinds []Foreign
	add := func(f Foreign) {
		i, met := first[f.What]
		switch {
		case !met:
			first[f.What] = len(kinds)
			f.Count = 1
			kinds = append(kinds, f)
		case last[f.What] != f.Pos.File:
			kinds[i].Count++
		}
		last[f.What] = f.Pos.File
	}
	for _, f := range c.Foreign {
		add(f)
	}
	for _, o := range c.Others {
		if !template.IsSchema(o.Schema.Value) {
			add(Foreign{What: fmt.Sprintf("objects of schema %.60q", o.Schema.Value), Pos: o.Pos,
				Fix: "give a catalog: olm.package, olm.channel and olm.bundle are what is checked"})
		}
	}
	for _, p := range c.Packages {
		for _, d := range p.Deprecations {
			add(Foreign{What: "deprecations (olm.deprecations) of a package that is not there", Pos: d.Pos,
				Fix: "give them with the olm.package, olm.channel and olm.bundle objects that they are about"})
		}
	}
	slices.SortStableFunc(kinds, func(a, b Foreign) int { return cmp.Compare(b.Count, a.Count) })
	templates, others := []Foreign{}, []Foreign{}
	for _, f := range kinds {
		if f.Template {
			templates = append(templates, f)
		} else {
			others = append(others, f)
		}
	}
	return append(templates, others...)
}
