package repo

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/template"
)

// templatesOf are the templates of the repository that a catalog is in.
type templatesOf struct {
	root     *source.Source // of the repository; nil if the catalog is in none
	options  form.Options
	template *expansion.TemplateHome // that the catalog is made of; nil if it is not
	version  string                  // the name of the catalog in catalogs/; "" if it is not there
	shared   *madeCatalogs
}

// Found reports whether there is a repository.
func (t *templatesOf) Found() bool { return t.root != nil }

// repositoryOf returns the templates of the repository that a catalog is in; nil if it is in none.
func repositoryOf(c *catalogs.Catalog) *templatesOf {
	if c == nil {
		return nil
	}
	switch t := c.Templates.(type) {
	case *templatesOf:
		return t
	case *expansion.TemplateHome:
		return &templatesOf{root: t.Source, options: t.Options, template: t}
	}
	return nil
}

// madeCatalogs are what templates make, read once for all catalogs of a repository.
type madeCatalogs struct {
	mutex     sync.Mutex
	operators []mappedOperator
	listed    bool
	templates map[string]*catalogs.Catalog // by the path of the file
}

// mappedOperator is an operator whose ci.yaml maps templates to catalogs.
type mappedOperator struct {
	dir      string
	ci       string // in positions
	mappings []pipelineconfig.Mapping
}

// SetTemplates sets the templates of the repository that catalogs are in. Those of a repository whose catalogs are not among them stand for these.
func SetTemplates(s *source.Source, all []*Opened, o form.Options) {
	root, at := Repository(s, o)
	if root == nil {
		return
	}
	shared := &madeCatalogs{templates: map[string]*catalogs.Catalog{}}
	for i, c := range all {
		t := &templatesOf{root: root, options: o, shared: shared}
		name := path.Join(at, c.Name)
		switch {
		case c.Templates != nil:
		case c.Form == catalogs.FileBased && path.Dir(name) == "catalogs" && source.IsDir(root.Fsys, name):
			t.version = path.Base(name)
			c.Templates = t
		case i == 0 && c.Form == catalogs.Repository && at == "operators":
			c.Templates = t
		}
	}
}

// Made is a part of a catalog that is made of a template, as ci.yaml says: the folder of an operator.
type Part struct {
	Template  *catalogs.Catalog   // of which it is made. Of the bundles there are names, versions and images only.
	Name      string              // of the template's file
	Operator  string              // the name of its folder
	Catalog   string              // the name of the catalog, as v4.18
	Mapped    catalogs.Pos        // where ci.yaml maps it
	Folder    catalogs.Pos        // in the catalog
	Published []*catalogs.Package // in this folder
	Adds      bool                // the operator has a bundle that the base lacks: its catalogs are made once its image is published
	Released  bool                // by the release-config.yaml of that bundle, which also changes the templates
	Edited    bool                // the template differs from that of the base, and what is published does not
}

// Made returns the parts of a catalog that are made of templates; of a template, those of the catalogs that are made of it. With a base only those
// that differ from it, or their templates. Parts that cannot be read whole, and templates that opm rejects, are left out.
func Made(ctx context.Context, c *catalogs.Catalog, base *catalogs.Catalog) []Part {
	t := repositoryOf(c)
	if t == nil || t.root == nil {
		return nil
	}
	var all []Part
	for _, op := range t.operators() {
		for _, m := range op.mappings {
			for _, version := range m.Catalogs {
				made := Part{Name: m.Template.Value, Operator: path.Base(op.dir), Catalog: version.Value, Mapped: catalogs.Pos{File: op.ci, Line: version.Line, Col: version.Col}}
				if ctx.Err() == nil && t.concerns(&made) && !t.same(ctx, base, &op, &made) && makePart(ctx, c, &made) {
					made.Adds, made.Released = t.adds(base, op.dir)
					made.Edited = t.edited(ctx, base, &made)
					all = append(all, made)
				}
			}
		}
	}
	return all
}

// Unlinted returns an empty catalog of the same repository: a base from which all differs but the templates.
func Unlinted(c *catalogs.Catalog) *catalogs.Catalog {
	return &catalogs.Catalog{Templates: c.Templates}
}

// concerns reports whether a part is one of the catalog, or of one that is made of it.
func (t *templatesOf) concerns(m *Part) bool {
	switch {
	case catalogs.OpenShiftVersion(m.Catalog) == "", path.Base(m.Catalog) != m.Catalog, path.Base(m.Name) != m.Name, !source.IsDir(t.root.Fsys, path.Join("catalogs", m.Catalog)):
		return false // it may lead anywhere
	case t.template != nil:
		return t.template.Template == m.Name
	}
	return t.version == "" || t.version == m.Catalog
}

// operators returns the operators of the repository whose ci.yaml maps templates; of a template its own.
func (t *templatesOf) operators() []mappedOperator {
	if t.template != nil && t.shared == nil {
		t.shared = &madeCatalogs{templates: map[string]*catalogs.Catalog{}}
	}
	t.shared.mutex.Lock()
	defer t.shared.mutex.Unlock()
	if t.shared.listed {
		return t.shared.operators
	}
	t.shared.listed = true
	dirs := source.FoldersIn(t.root.Fsys, "operators")
	if t.template != nil {
		dirs = []string{t.template.Operator}
	}
	for _, dir := range dirs {
		name := path.Join(dir, "ci.yaml")
		if f := pipelineconfig.ReadPipelineFile(t.root, catalogs.CIConfig, name); f != nil && f.Root != nil {
			if mappings := pipelineconfig.Mappings(pipelineconfig.MeantCI(f.Root)); len(mappings) > 0 {
				t.shared.operators = append(t.shared.operators, mappedOperator{dir, t.root.Display(name), mappings})
			}
		}
	}
	return t.shared.operators
}

// file returns the path of the template in the repository.
func (m *Part) file() string {
	return path.Join("operators", m.Operator, pipelineconfig.TemplateFolder, m.Name)
}

// same reports whether all of which a part is made is the same in the repository of a base.
func (t *templatesOf) same(ctx context.Context, base *catalogs.Catalog, op *mappedOperator, m *Part) bool {
	of := repositoryOf(base)
	if of == nil || of.root == nil || of.root == t.root {
		return false
	}
	now, before := t.root, of.root
	for _, name := range []string{m.file(), path.Join(op.dir, "ci.yaml"), path.Join(op.dir, "Makefile")} {
		x, read := now.BlobID(ctx, name)
		y, readToo := before.BlobID(ctx, name)
		if read != readToo || read && x != y {
			return false
		}
	}
	return t.samePublished(ctx, of, m)
}

// samePublished reports whether what is published is the same in another repository.
func (t *templatesOf) samePublished(ctx context.Context, of *templatesOf, m *Part) bool {
	folder := path.Join("catalogs", m.Catalog, m.Operator)
	if !source.IsDir(t.root.Fsys, folder) && !source.IsDir(of.root.Fsys, folder) {
		return true
	}
	return t.root.SameFolder(ctx, of.root, folder)
}

// edited reports whether a template differs from that of a base, and what is published does not.
func (t *templatesOf) edited(ctx context.Context, base *catalogs.Catalog, m *Part) bool {
	of := repositoryOf(base)
	if of == nil || of.root == nil || of.root == t.root || !source.IsFile(of.root.Fsys, m.file()) {
		return false
	}
	now, read := t.root.BlobID(ctx, m.file())
	was, readToo := of.root.BlobID(ctx, m.file())
	return read && readToo && now != was && t.samePublished(ctx, of, m)
}

// adds reports whether an operator has a folder of a bundle that the repository of a base lacks, and whether one has a release-config.yaml.
func (t *templatesOf) adds(base *catalogs.Catalog, operator string) (adds, released bool) {
	of := repositoryOf(base)
	if of == nil || of.root == nil || of.root == t.root {
		return false, false
	}
	for _, dir := range source.FoldersIn(t.root.Fsys, operator) {
		if source.IsDir(t.root.Fsys, path.Join(dir, "manifests")) && !source.IsDir(of.root.Fsys, dir) {
			adds, released = true, released || source.IsFile(t.root.Fsys, path.Join(dir, "release-config.yaml"))
		}
	}
	return adds, released
}

// makePart reads what a template makes, and what is published instead. It reports whether both can be read.
func makePart(ctx context.Context, c *catalogs.Catalog, m *Part) bool {
	t := repositoryOf(c)
	file := m.file()
	if !fs.ValidPath(file) || !source.IsFile(t.root.Fsys, file) || t.root.Restricted(t.root.Display(file)) {
		return false
	}
	published := publishedIn(ctx, c, m)
	if published == nil {
		return false
	}
	m.Published = published.Packages
	if t.template != nil {
		m.Template = c
	} else {
		m.Template = t.expand(ctx, file, published)
	}
	return m.Template != nil && !slices.ContainsFunc(m.Template.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.ParseProblem || p.Kind == catalogs.TemplateFault && !p.Accepted
	})
}

// Expansions returns what a template that differs from a base makes, with its bundles as they are published, and what it made there: of a new
// template, what is published, or nil if nothing is. They are nil if one of them is not known.
func Expansions(ctx context.Context, c *catalogs.Catalog, base *catalogs.Catalog, m *Part) (now, before *catalogs.Catalog) {
	of := repositoryOf(base)
	if of == nil || of.root == nil {
		return nil, nil
	}
	was, had := of.root.BlobID(ctx, m.file())
	is, has := repositoryOf(c).root.BlobID(ctx, m.file())
	if !has || had && was == is {
		return nil, nil
	}
	if had {
		before = expandAlone(ctx, base, m)
	} else {
		before = publishedIn(ctx, base, &Part{Operator: m.Operator, Catalog: m.Catalog})
	}
	if before != nil && len(before.Packages) == 0 {
		before = nil
	}
	if now = expandAlone(ctx, c, m); now == nil || had && before == nil {
		return nil, nil
	}
	return now, before
}

// expandAlone returns what a template makes, with all of its bundles; nil if that is not known.
func expandAlone(ctx context.Context, c *catalogs.Catalog, m *Part) *catalogs.Catalog {
	of := repositoryOf(c)
	o := of.options
	o.Sources, o.Package = append([]*catalogs.Catalog{{Packages: m.Published}}, o.Sources...), ""
	made, err := expansion.OpenTemplate(ctx, of.root.Only(m.file()), m.file(), o)
	if err != nil || made == nil || made.Template.Rejected || made.Template.Generated() && len(made.Template.Unknown) > 0 {
		return nil
	}
	return made
}

// publishedIn reads the folder of an operator in a catalog; nil if it cannot be read whole.
func publishedIn(ctx context.Context, c *catalogs.Catalog, m *Part) *catalogs.Catalog {
	t := repositoryOf(c)
	at := path.Join("catalogs", m.Catalog, m.Operator)
	m.Folder = catalogs.Pos{File: t.root.Display(at)}
	found := &catalogs.Catalog{}
	switch {
	case t.version != "" && c.Stats.Unread == 0:
		inFolder := func(p catalogs.Pos) bool { return strings.HasPrefix(p.File, m.Folder.File+"/") }
		if slices.ContainsFunc(c.Problems, func(p catalogs.Problem) bool { return p.LosesData() && inFolder(p.Pos) }) {
			return nil
		}
		for _, p := range c.Packages {
			if inFolder(p.FirstPos()) {
				found.Packages = append(found.Packages, p)
			}
		}
	case source.IsDir(t.root.Fsys, at):
		s := &source.Source{Fsys: t.root.Fsys, Prefix: t.root.Prefix, NoSlash: t.root.NoSlash, OnDisk: t.root.OnDisk, Root: t.root.Root, ReadError: t.root.ReadError}
		var paths []string
		_ = fs.WalkDir(s.Fsys, at, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && catalogs.CatalogExt(name) != "" {
				paths = append(paths, name)
			}
			return nil
		})
		var err error
		if found, err = fbc.Load(ctx, s, paths, nil, form.Options{}); err != nil || slices.ContainsFunc(found.Problems, func(p catalogs.Problem) bool { return p.LosesData() }) {
			return nil
		}
	}
	return found
}

// OtherOPM returns the newest version of opm that makes of the template, whose channels are generated, what is published, and whether there is one.
func (m *Part) OtherOPM() (template.OPM, bool) {
	t := m.Template.Template
	if t.Semver == nil || len(m.Published) != 1 {
		return template.OPM{}, false
	}
	for _, v := range slices.Backward(template.Changes()) {
		if made, _ := t.Semver.Expand(t.Known, v); made != nil && !v.SameExpansion(t.OPM) && isExpansion(m.Published[0], made) {
			return v, true
		}
	}
	return template.OPM{}, false
}

// isExpansion reports whether a package has the channels of an expansion, and no others.
func isExpansion(p *catalogs.Package, made *template.Expansion) bool {
	if p.Name.Value != made.Package || p.DefaultChannel.Value != made.DefaultChannel || len(p.Channels) != len(made.Channels) {
		return false
	}
	for i := range made.Channels {
		c := p.Channel(made.Channels[i].Name)
		if c == nil || len(c.Entries) != len(made.Channels[i].Entries) {
			return false
		}
		for _, want := range made.Channels[i].Entries {
			same := func(e catalogs.Entry) bool {
				skips := slices.Sorted(slices.Values(catalogs.Values(e.Skips)))
				return e.Name.Value == want.Name && e.Replaces.Value == want.Replaces && e.SkipRange.Value == "" && slices.Equal(skips, slices.Sorted(slices.Values(want.Skips)))
			}
			if !slices.ContainsFunc(c.Entries, same) {
				return false
			}
		}
	}
	return true
}

// madeFile is the file of an operator in a catalog that is made of a template (operator-pipelines: fbc/render_catalogs.sh).
const madeFile = "catalog.yaml"

// MadeOf returns the template that a file of the catalog is made of, "" if it is of none. Both names are as in positions.
func MadeOf(c *catalogs.Catalog, file string) string {
	t := repositoryOf(c)
	if t == nil || t.version == "" {
		return ""
	}
	for _, op := range t.operators() {
		for _, m := range op.mappings {
			made := &Part{Name: m.Template.Value, Operator: path.Base(op.dir)}
			maps := slices.ContainsFunc(m.Catalogs, func(name pipelineconfig.Value) bool { return name.Value == t.version })
			if maps && file == t.root.Display(path.Join("catalogs", t.version, made.Operator, madeFile)) && source.IsFile(t.root.Fsys, made.file()) {
				return t.root.Display(made.file())
			}
		}
	}
	return ""
}

// expand returns what a template makes, with its bundles as they are published; nil if it cannot be read.
func (t *templatesOf) expand(ctx context.Context, file string, published *catalogs.Catalog) *catalogs.Catalog {
	t.shared.mutex.Lock()
	defer t.shared.mutex.Unlock()
	if c, known := t.shared.templates[file]; known {
		return c
	}
	o := t.options
	o.Sources = append([]*catalogs.Catalog{published}, o.Sources...)
	c, err := expansion.OpenTemplate(ctx, t.root.Only(file), file, o)
	if err != nil {
		return nil
	}
	if c != nil {
		for b := range c.AllBundles() { // it is kept
			b.Properties, b.RelatedImages, b.Derived, b.Folder, b.Document = nil, nil, nil, nil, source.Document{}
		}
	}
	t.shared.templates[file] = c
	return c
}
