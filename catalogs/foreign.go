package catalogs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// ConfigName is what the configuration of olmgraph is called. opm reads a file of that name as any other.
const ConfigName = ".olmgraph.yaml"

// ConfigText is what that is.
const ConfigText = "the configuration of olmgraph"

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
	// Bundle says that it is a bundle of a template: opm rejects it for what it lacks, and not its schema.
	Bundle bool
	Unread bool // it could not be read: then What says why
}

// Config reports whether it is the configuration of olmgraph.
func (f *Foreign) Config() bool { return f.What == ConfigText }

// Message says that there is no package, but this.
func (f *Foreign) Message() string {
	if f.What == "" {
		return "there is no package in it"
	}
	return "there is no package in it, but " + f.What
}

// NoPackage says what a catalog is in which there is no package: no olm.package, and nothing in a channel or a bundle, so that nothing in it was checked: what was recognised, templates
// first, counted by files, or else what could not be read; What is "" if there was neither. Pos is that of the first one, or of the catalog. It
// is false where there is a package, and where that is not known: only one package was wanted, or files were left unread.
func (c *Catalog) NoPackage() (Foreign, bool) {
	if c.HasPackage() || c.Filtered || c.Stats.Unread > 0 {
		return Foreign{}, false
	}
	if c.Template != nil {
		return c.emptyTemplate(), true
	}
	kinds := slices.DeleteFunc(c.foreignKinds(), func(f Foreign) bool { return f.Config() })
	unread := slices.IndexFunc(c.Problems, func(p Problem) bool {
		return slices.Contains([]ProblemKind{ParseProblem, UnreadFolder}, p.Kind)
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
		if i == MaxKinds {
			parts = append(parts, fmt.Sprintf("other text of %d kinds", len(kinds)-i))
			break
		}
		if k.Count > 1 {
			parts = append(parts, fmt.Sprintf("%s in %d files", k.What, k.Count))
			continue
		}
		parts = append(parts, k.What)
	}
	out.What = words.List(parts, "and")
	return out, true
}

// HasPackage reports whether there is a package: one that is defined, or has a channel or a bundle. Deprecations alone make none.
func (c *Catalog) HasPackage() bool {
	return c.Stats.Channels+c.Stats.Bundles > 0 ||
		slices.ContainsFunc(c.Packages, func(p *Package) bool { return p.Pos.IsKnown() || p.Name.Pos.IsKnown() })
}

// MaxKinds bounds how many kinds of text a sentence names.
const MaxKinds = 5

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
	slices.SortStableFunc(kinds, func(a, b Foreign) int {
		return cmp.Or(find.CompareFirst(a.Template, b.Template), cmp.Compare(b.Count, a.Count))
	})
	return kinds
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
		return c.FirstObject, "ListBundles tells the upgrade graph and what bundles require: " + missing
	case ClusterPackages:
		return c.FirstObject, "the package manifests of a cluster tell the channels, their heads and the versions in them, but not which version upgrades to which:" +
			" that was not checked; give the image of the CatalogSource, as docker://IMAGE, or what ListBundles of its pod says"
	case TemplateForm:
		if message, fix := c.UnknownBundles(); message != "" {
			return c.Template.Unknown[0].Pos, message + "; " + fix
		}
	}
	return Pos{}, ""
}

// emptyTemplate says why a template has no package: opm rejects it, not all of its bundles are known, or opm loses the entries.
func (c *Catalog) emptyTemplate() Foreign {
	if p := c.rejection(); p != nil {
		return Foreign{What: p.Message, Fix: p.Fix, Pos: p.Pos, Unread: true}
	}
	if message, fix := c.UnknownBundles(); message != "" && c.Template.IsGenerated() {
		return Foreign{What: message, Fix: fix, Pos: c.Template.Unknown[0].Pos, Unread: true}
	}
	for _, p := range c.Problems {
		if p.Kind == TemplateFault {
			return Foreign{Fix: p.Fix, Pos: p.Pos}
		}
		if p.Kind == ParseProblem {
			return Foreign{What: p.Message, Fix: p.Fix, Pos: p.Pos, Unread: true}
		}
	}
	return Foreign{Fix: "write its package, channels and bundles as entries", Pos: c.Template.Pos}
}
