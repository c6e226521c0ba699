// Package template reads the templates from which opm makes file-based catalogs, and expands them as opm does (operator-registry:
// alpha/template). A template is expanded without its bundles' images: what is needed of the bundles is given.
//
// What is accepted and rejected is what opm v1.73.0 accepts and rejects; the expansion is that of any version with the command
// render-template (see OPM).
package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Schemas of templates.
const (
	Basic       = "olm.template.basic"
	Semver      = "olm.semver"
	Substitutes = "olm.template.substitutes"
)

// IsSchema reports whether a schema is that of a template (opm: template.NewRegistry).
func IsSchema(schema string) bool { return slices.Contains(schemas(), schema) }

// IsLikeSchema reports whether a schema is meant to be that of a template.
func IsLikeSchema(schema string) bool {
	_, near := words.Nearest(schema, schemas())
	return near || IsSchema(schema) || strings.HasPrefix(schema, "olm.template.")
}

func schemas() []string { return []string{Basic, Semver, Substitutes} }

// Text is a value and its place.
type Text struct {
	Value string
	Place tree.Place
}

// Fault is something in a template that its author did not mean, or that opm rejects. It has the fields of a fault of a pipeline's
// configuration.
type Fault struct {
	tree.Place
	Message, Fix string
	Field        string   // the path of the value; "" for the whole template
	Cause        []string // what is wrong, and names and values that tell the fault from others of the field
	// Accepted says that opm does not reject the template, but ignores something or reads it otherwise.
	Accepted bool
}

// Causes of faults.
const (
	faultWrongKind = "kind"
	wrongValue     = "value"
	repeatedKey    = "repeated-key" // the same spelling twice
	faultOtherCase = "other-case"   // a key in two spellings that are the same to opm
	UnknownKey     = "unknown-key"  // and the known key that it is like, if there is one
	faultNoSchema  = "no-schema"
	unknownSchema  = "unknown-schema"
	noBundles      = "no-bundles"
	noImage        = "no-image"
	noPullSpec     = "no-pull-spec"
	repeatedImage  = "repeated-image" // in one stream
	notExpanded    = "not-expanded"   // a bundle with more than its image
	noEntries      = "no-entries"
	repeatedName   = "repeated-name"  // two images of one stream are of bundles with the same name
	sameVersion    = "same-version"   // two bundles of one stream have versions that are equal but for build metadata
	badVersion     = "version-syntax" // no semantic version
	otherPackage   = "other-package"  // than that of the first bundle
	unknownToOPM   = "older-opm"      // the version of opm does not know a key
	tooManySkips   = "too-many-skips" // more skips would be generated than are read
	nothing        = "nothing"        // no channels are generated
	incomplete     = "incomplete"     // a substitution without name or base
	repeatedBase   = "repeated-base"  // of two substitutions
	unknownBase    = "unknown-base"   // no bundle has the name
	notHigher      = "not-higher"     // the version of a substitute than that of its base
	sameName       = "same-name"      // a substitution whose name is its base
	unknownBundle  = "unknown-bundle" // an image whose bundle is not given
)

// File is a template: the first document of a file, as opm reads it. Keys are in any case.
type File struct {
	Schema string     // "" if there is none; one that is not IsSchema is that of no template
	Place  tree.Place // of the schema, or of the template
	// Entries are the blobs of a file-based catalog, of a basic or substitutes template.
	Entries       []tree.Node
	Channels      *SemverTemplate // of a semver template
	Substitutions []Substitution  // of a substitutes template
}

// Read reads a template. It also checks what the blobs of a basic template must be beyond those of any file-based catalog; blobs
// themselves are not checked. A key in two spellings counts as in YAML, whose keys opm sorts.
//
// opm: api registry.go CreateTemplateBySchema, basic.go parseSpec, semver.go readFile, substitutes.go parseSpec.
func Read(root *tree.Node) (*File, []Fault) {
	r, f := &reader{}, &File{Place: root.Place}
	if schema, ok := r.schema(root); ok {
		f.Schema, f.Place = schema.Value, schema.Place
	}
	switch f.Schema {
	case Basic:
		r.blobs(root, f, []string{"schema", "entries"})
		for i := range f.Entries {
			r.bundle(&f.Entries[i], fmt.Sprintf("entries[%d]", i))
		}
	case Substitutes:
		r.blobs(root, f, []string{"schema", "entries", "substitutions"})
		r.substitutions(f.Substitutions)
	case Semver:
		f.Channels = r.semver(root)
	}
	return f, r.sortedFaults()
}

// schema returns the schema of a template, and adds a fault if it is that of none.
func (r *reader) schema(root *tree.Node) (Text, bool) {
	if root.Kind != tree.Map && root.Kind != tree.Null {
		r.wrongKind(root, tree.Map, "")
		return Text{}, false
	}
	var schema Text
	for _, f := range inOrder(root, "schema") {
		switch f.Value.Kind {
		case tree.String:
			schema = Text{Value: f.Value.Text, Place: f.Value.Place}
		case tree.Null:
		default:
			r.wrongKind(&f.Value, tree.String, "schema")
			return Text{}, false
		}
	}
	switch {
	case schema.Value == "":
		r.noSchema(root)
	case !IsSchema(schema.Value):
		fix := "write " + words.List(schemas(), "or")
		if near, ok := words.Nearest(strings.ToLower(schema.Value), schemas()); ok || IsSchema(strings.ToLower(schema.Value)) {
			fix = "write " + cmp.Or(near, strings.ToLower(schema.Value))
		}
		r.add(fault("schema", unknownSchema, schema.Value), schema.Place, fix, "%q is not the schema of a template: opm rejects it", schema.Value)
	}
	return schema, schema.Value != ""
}

func (r *reader) noSchema(root *tree.Node) {
	for i := range root.Fields {
		f := &root.Fields[i]
		if key, ok := nearestKey(f.Key, []string{"schema"}); ok || IsSchema(f.Value.Text) {
			r.add(fault(f.Key, UnknownKey, f.Key), f.Place, "write "+cmp.Or(key, "schema"), "no key %q is known, and schema is missing: opm rejects the template", f.Key)
			return
		}
	}
	r.add(fault("", faultNoSchema), root.Place, "add schema: "+words.List(schemas(), "or"), "the template has no schema: opm rejects it")
}

// blobs reads a basic or substitutes template.
func (r *reader) blobs(root *tree.Node, f *File, keys []string) {
	r.lax = true
	r.object(root, "", keys, func(key string, field *tree.Field) {
		switch key {
		case "entries":
			f.Entries = r.readItems(&field.Value, key)
			for i := range f.Entries {
				if n := &f.Entries[i]; n.Kind != tree.Map && n.Kind != tree.Null {
					r.wrongKind(n, tree.Map, fmt.Sprintf("entries[%d]", i))
				}
			}
		case "substitutions":
			f.Substitutions = nil
			for i, item := range r.readItems(&field.Value, key) {
				f.Substitutions = append(f.Substitutions, r.substitution(&item, fmt.Sprintf("substitutions[%d]", i)))
			}
		}
	})
	for i := range f.Entries {
		if n := &f.Entries[i]; n.Kind == tree.Null {
			path := fmt.Sprintf("entries[%d]", i)
			r.add(fault(path, faultWrongKind, n.Kind.String()), n.Place, "remove it", "%s is empty: opm crashes", path)
		}
	}
	if len(f.Entries) == 0 && len(r.faults) == 0 {
		r.add(fault("entries", noEntries), f.Place, "add entries", "the template has no entries: opm makes an empty catalog of it").Accepted = true
	}
}

func (r *reader) checkPullSpec(image Text, path string) {
	if err := schema.CheckPullSpec(image.Value); err != nil {
		r.add(fault(path, noPullSpec, image.Value), image.Place, "write registry/repository:tag or registry/repository@sha256:…, the repository in lower case",
			"%s %q is not a pull spec: %v: opm rejects the template", path, image.Value, err)
	}
}

// bundle checks an entry of a basic template: a bundle has its image only, and opm puts the bundle in its place (opm: isBundleTemplate).
func (r *reader) bundle(n *tree.Node, path string) {
	kind, _ := lastField(n, "schema")
	if n.Kind != tree.Map || kind.Value.Text != "olm.bundle" {
		return
	}
	image, ok := lastField(n, "image")
	if !ok || image.Value.Kind == tree.Null || image.Value.Kind == tree.String && image.Value.Text == "" {
		r.add(fault(path, noImage), n.Place, "add its image", "%s is a bundle without image: opm rejects the template", path)
	} else if image.Value.Kind == tree.String {
		r.checkPullSpec(Text{Value: image.Value.Text, Place: image.Value.Place}, path+".image")
	}
	for _, key := range []string{"package", "properties", "relatedImages"} {
		f, _ := lastField(n, key)
		if v := f.Value; v.Kind == tree.String && v.Text != "" || len(v.Items) > 0 || v.Kind == tree.Raw {
			r.add(fault(path+"."+key, notExpanded, key), f.Place, "remove "+f.Key, "%s.%s: opm rejects a basic template whose bundles have more than a name and an image", path, f.Key)
		}
	}
}
