package catalogs

import (
	"fmt"
	"iter"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// A template is what a catalog is made of: opm renders it, and takes its bundles from their images. Here they are taken from catalogs in which
// the same images were published, and from bundle folders.

// Template is what a catalog was made of here, as opm makes it.
type Template struct {
	Schema string
	Pos    Pos
	// OPM is the version of opm whose expansion of a template of schema olm.semver it is. Assumed says that it is that of the pipelines, since
	// none was asked for. Pinned is the version that the Makefile PinnedBy names, zero if there is none: make catalogs uses it; it is OPM if the
	// template is not that of an operator in a catalog repository.
	OPM, Pinned template.OPM
	PinnedBy    Pos
	Assumed     bool
	// Images is how many the template names, and Unknown are those of them that are in no catalog. Versions of bundles that are not known are
	// those in the names of entries.
	Images  int
	Unknown []Text
	// Rejected says that opm rejects the template: why is among the problems of the catalog.
	Rejected bool
	// Release is that of a new bundle, which adds to the template once it is published; nil if there is none.
	Release *Release

	// Before yields the catalog before each of the substitutions of a template of schema olm.template.substitutes.
	Before    iter.Seq[*Catalog]
	Entries   []tree.Node // of a template of another schema than olm.semver
	Bundles   []*Bundle   // those of the images, as often as opm renders them
	Expansion *template.Expansion
	Icon      *tree.Node // of the published package of a template of schema olm.semver
	Target    string     // the OpenShift version whose catalog it is; "" if it is not known

	// Semver is the template of schema olm.semver, known its bundles if all of them are known, and made the package that was made of it.
	Semver *template.SemverTemplate
	Known  map[string]template.Bundle
	Made   *Package
	At     func(tree.Place) Pos
}

// Version returns the version of opm, and why it is taken if none was asked for.
func (t *Template) Version() string {
	if t.Assumed {
		return t.OPM.String() + ", which the pipelines use today"
	}
	return t.OPM.String()
}

// IsGenerated reports whether versions make the channels: their entries are at the images of their bundles, and cannot be edited.
func (t *Template) IsGenerated() bool { return t.Schema == template.Semver }

// MustBeValid yields the catalogs that opm requires to be valid to make the catalog of a template, in its order: those before and after each
// substitution (opm: alpha/template/substitutes Render). It requires none of templates of other schemas.
func (c *Catalog) MustBeValid() iter.Seq[*Catalog] {
	return func(yield func(*Catalog) bool) {
		if c.Template == nil || c.Template.Schema != template.Substitutes {
			return
		}
		if c.Template.Before != nil {
			for before := range c.Template.Before {
				if !yield(before) {
					return
				}
			}
		}
		yield(c)
	}
}

// rejection returns why opm rejects the template, the first reason; nil if it does not.
func (c *Catalog) rejection() *Problem {
	return find.Pointer(c.Problems, func(p Problem) bool { return p.Kind == TemplateFault && !p.Accepted })
}

// UnknownBundles says what is not known of the catalog of a template without all of its bundles, and what to give; "" if they are known.
func (c *Catalog) UnknownBundles() (message, fix string) {
	t := c.Template
	if t == nil || len(t.Unknown) == 0 || !t.IsGenerated() && len(c.Packages) == 0 || t.IsGenerated() && c.rejection() != nil {
		return "", ""
	}
	which := fmt.Sprintf("%d of the %d images are", len(t.Unknown), t.Images)
	switch {
	case t.Images == 1:
		which = "the image is"
	case len(t.Unknown) == 1:
		which = fmt.Sprintf("1 of the %d images is", t.Images)
	case len(t.Unknown) == t.Images:
		which = fmt.Sprintf("the %d images are", t.Images)
	}
	message = which + " in no known catalog or bundle folder: versions are taken from the names of entries, and what bundles contain, such as CSVs and CRDs, was not checked"
	if t.IsGenerated() {
		message = "the channels are made of the versions of bundles, and " + which + " in no known catalog or bundle folder"
	}
	return message, "give a catalog that has them with --catalog, or their folders with --bundles, or pull them with --pull missing"
}
