package catalogs

import (
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// ProblemKind says how a text differs from what opm expects.
type ProblemKind int

const (
	ParseProblem   ProblemKind = iota // not YAML or JSON, not readable, not an object
	SchemaMissing                     // no schema
	FieldType                         // a value of the wrong type
	Coercion                          // the same, because YAML 1.1 reads an unquoted string as another type
	DuplicateKey                      // two keys that differ in case only
	RepeatedKey                       // the same key twice, of which opm silently takes the last
	LostDocument                      // text that opm silently drops
	UnknownKey                        // a key, or the type of a property, that is probably misspelt: see Options.AsIntended
	UnknownSchema                     // a schema that is probably misspelt, or not one of OLM's that begins with olm.; likewise
	UnknownPackage                    // a package that is not defined, and is read as one that is; likewise
	UnknownName                       // the name of an entry without a bundle, which is read as that of a bundle; likewise
	BundleObject                      // an olm.bundle.object whose data is not base64 of YAML or JSON

	TemplateFault // what opm rejects or loses of a template
	UnreadFolder  // a part of a repository of which nothing is read
	UnreadVersion // a version of an operator in a repository whose folder is no bundle folder

	// What operator-registry rejects in package manifests and bundle folders:
	ManifestPackage     // the package manifest is incomplete
	ManifestSeveral     // a folder has several package manifests
	ManifestNoChannel   // a package without a channel
	ManifestOrphan      // a CSV that is in no channel of its package
	ManifestCSVs        // a bundle without a CSV
	ManifestSecondCSV   // a bundle with several
	ManifestNoVersion   // a folder of package manifests without a CSV
	ManifestOwnedCRD    // an owned CRD that is not in the folder
	ManifestReplaced    // a replaced CSV that is not in the package
	ManifestAnnotations // annotations of a bundle that are missing or incomplete
	RegistryRejected    // a bundle that opm registry add rejects
	RegistryPruned      // bundles that it removed from a channel

	// What configures the pipeline of a catalog repository:
	CIConfig         // a mistake in the ci.yaml of an operator
	ReleaseConfig    // in the release-config.yaml of a bundle
	ReleaseOutcome   // what it makes of a template, which may be a mistake
	PipelineConfig   // in the config.yaml of the repository
	CatalogMapping   // what a ci.yaml maps to which catalog is not what there is
	UnmappedTemplate // a template that makes no catalog, or that an operator of which nothing is published does not have yet
	NoUpdateGraph    // an operator that does not say how its bundles upgrade
	NoCertProject    // an operator without a certification project
	WithoutTemplates // an operator that is not published by file-based catalogs
)

// Problem is something in the source that opm would read otherwise or reject.
type Problem struct {
	Kind        ProblemKind
	Pos         Pos
	Message     string
	Package     string // "" where it is not known
	Bundle      string
	Field       string   // of the wrong type, as "olm.package.version"; only where Kind is FieldType or Coercion
	Cause       []string // further names and values that tell it from others of its kind
	Fix         string   // what to do, where that is known better than for others of the kind
	Like        string   // what a misspelt word was read as; "" if it is like none
	Channel     string   // of an entry; only where Kind is UnknownPackage or UnknownName
	Foreign     bool     // it is about text that is no part of a catalog: see Catalog.Foreign
	Accepted    bool     // TemplateFault, CIConfig, CatalogMapping, ReleaseConfig, PipelineConfig: it is accepted, and ignored or read otherwise
	Release     *Release // ReleaseOutcome
	Published   bool     // ReleaseConfig, ReleaseOutcome: it is about a bundle that is not the newest one, whose pipeline may have run long ago
	ByRange     bool     // RegistryPruned: a bundle that is submitted, and the head, has a skipRange only
	Unreadable  bool     // ParseProblem: the file system did not give the text, of which nothing is known
	DisplayOnly bool     // it is about an icon or a description, on which no answer depends
}

// LosesData reports whether the problem left something of the catalog unread that opm would read, so that answers may be incomplete.
func (p *Problem) LosesData() bool {
	switch p.Kind {
	case ParseProblem, UnreadFolder, ManifestCSVs:
		return true
	case FieldType, Coercion:
		return !p.DisplayOnly
	case TemplateFault:
		return !p.Accepted
	case SchemaMissing:
		return !p.Foreign
	case ManifestAnnotations, ManifestPackage:
		return p.Package == ""
	}
	return false
}

// Release is what the release of a bundle adds to a template, by an item of catalog_templates in its release-config.yaml.
type Release struct {
	Template, Bundle string // the names of the template and of the bundle, which Make sets
	Replaces         Text
	Channels, Skips  []Text
	SkipRange        Text
	Misspelt         Text // a key that the pipelines ignore, as it was probably meant

	Item   *tree.Node
	Expand func(ctx context.Context, r *Release) (before, after *Catalog)
}

// Make returns the catalog of the template, and what it is after the release; nil if that is not known: there is no template yet, or it has the
// bundle already.
func (r *Release) Make(ctx context.Context) (before, after *Catalog) { return r.Expand(ctx, r) }

// WithReplaces returns the release with another bundle that it replaces.
func (r *Release) WithReplaces(name string) *Release {
	changed, item := *r, *r.Item
	item.Fields = slices.DeleteFunc(slices.Clone(item.Fields), func(f tree.Field) bool { return f.Key == "replaces" })
	item.Fields = append(item.Fields, tree.Field{Key: "replaces", Value: TextNode(name)})
	changed.Item = &item
	return &changed
}

func TextNode(text string) tree.Node { return tree.Node{Kind: tree.String, Text: text} }

// RejectsTemplate reports whether opm rejects a template because of a problem.
func (p *Problem) RejectsTemplate() bool {
	switch p.Kind {
	case TemplateFault:
		return !p.Accepted
	case ParseProblem, SchemaMissing, FieldType, Coercion, DuplicateKey:
		return true
	}
	return false
}
