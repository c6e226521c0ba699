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

// outlineCache are what the templates of a repository make, read once for all of its catalogs.
type outlineCache struct {
	expand func(ctx context.Context, file string, published []*catalogs.Package) (*catalogs.Catalog, error)
	mutex  sync.Mutex
	known  map[string]*catalogs.Catalog // by the path of the file
}

// outline is Templates.Outline.
func (l *outlineCache) outline(ctx context.Context, file string, published []*catalogs.Package) (*catalogs.Catalog, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if c, known := l.known[file]; known {
		return c, nil
	}
	c, err := l.expand(ctx, file, published)
	if err != nil {
		return nil, err
	}
	if c != nil {
		for b := range c.AllBundles() { // it is kept
			b.Properties, b.RelatedImages, b.Derived, b.Folder, b.Document = nil, nil, nil, nil, source.Document{}
		}
	}
	l.known[file] = c
	return c, nil
}

// SetTemplates sets the templates of the repository that catalogs are in. The first one of bundles stands for those that are not among them.
func SetTemplates(s *source.Source, all []*Opened, o form.Options) {
	if s.Single != "" && s.Single != madeFile { // no template makes it
		return
	}
	root, at := Repository(s, o)
	if root == nil {
		return
	}
	read := outlineCache{expand: expansion.NewExpandFunc(root, o), known: map[string]*catalogs.Catalog{}}
	mapped := sync.OnceValue(func() []catalogs.Mapped {
		return expansion.ReadMappings(root, source.FoldersIn(root.Fsys, "operators")...)
	})
	o.Package = ""
	templates := catalogs.Templates{Root: root, Mapped: mapped, Expand: expansion.NewExpandFunc(root, o), Outline: read.outline}
	for i, c := range all {
		one, name := templates, path.Join(at, c.Name)
		if s.Single == madeFile { // the only one in the folder
			name = at
		}
		switch {
		case c.Form == catalogs.FileBased && path.Dir(name) == "catalogs" && source.IsDir(root.Fsys, name):
			one.Version = path.Base(name)
			c.Templates = &one
		case c.Form == catalogs.FileBased && path.Dir(path.Dir(name)) == "catalogs" && source.IsDir(root.Fsys, name):
			one.Version, one.Operator = path.Base(path.Dir(name)), path.Base(name)
			c.Templates = &one
		case i == 0 && c.Form == catalogs.Repository && at == "operators":
			c.Templates = &one
		}
	}
}

// Part is a part of a catalog that is made of a template, as ci.yaml says: the folder of an operator.
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

// TemplateParts returns the parts of a catalog that are made of templates; of a template, those of the catalogs that are made of it. With a base only those
// that differ from it, or their templates. Parts that cannot be read whole, and templates that opm rejects, are left out.
func TemplateParts(ctx context.Context, c, ofBase *catalogs.Catalog) []Part {
	t := c.Templates
	if t == nil {
		return nil
	}
	base := baseTemplates(t, ofBase)
	var all []Part
	for _, m := range t.Mapped() {
		part := Part{Name: m.Template, Operator: path.Base(m.Operator), Catalog: m.Catalog.Value, Mapped: m.Catalog.Pos}
		if ctx.Err() == nil && isMadePart(t, &part) && !isUnchanged(ctx, t, base, m.Operator, &part) && readPart(ctx, c, &part) {
			if base != nil {
				part.Adds, part.Released = addsBundle(t, base, m.Operator)
				part.Edited = isEdited(ctx, t, base, &part)
			}
			all = append(all, part)
		}
	}
	return all
}

// baseTemplates returns the repository of a base, which may be nil; nil if it is in none, or in the same one.
func baseTemplates(t *catalogs.Templates, base *catalogs.Catalog) *catalogs.Templates {
	if base == nil || base.Templates == nil || base.Templates.Root == t.Root {
		return nil
	}
	return base.Templates
}

// isMadePart reports whether a part is one of the catalog, or of one that is made of it.
func isMadePart(t *catalogs.Templates, p *Part) bool {
	switch {
	case t.Operator != "" && t.Operator != p.Operator:
		return false
	case catalogs.OpenShiftVersion(p.Catalog) == "", path.Base(p.Catalog) != p.Catalog, path.Base(p.Name) != p.Name, !source.IsDir(t.Root.Fsys, path.Join("catalogs", p.Catalog)):
		return false // it may lead anywhere
	case t.Template != "":
		return t.Template == p.Name
	}
	return t.Version == "" || t.Version == p.Catalog
}

// file returns the path of the template in the repository.
func (p *Part) file() string {
	return path.Join("operators", p.Operator, pipelineconfig.TemplateFolder, p.Name)
}

// isUnchanged reports whether all of which a part is made is the same in the repository of a base, which may be nil.
func isUnchanged(ctx context.Context, now, base *catalogs.Templates, operator string, p *Part) bool {
	if base == nil {
		return false
	}
	for _, name := range []string{p.file(), path.Join(operator, "ci.yaml"), path.Join(operator, "Makefile")} {
		x, read := now.Root.BlobID(ctx, name)
		y, readToo := base.Root.BlobID(ctx, name)
		if read != readToo || read && x != y {
			return false
		}
	}
	return samePublished(ctx, now, base, p)
}

// samePublished reports whether what is published is the same in another repository.
func samePublished(ctx context.Context, now, base *catalogs.Templates, p *Part) bool {
	folder := path.Join("catalogs", p.Catalog, p.Operator)
	if !source.IsDir(now.Root.Fsys, folder) && !source.IsDir(base.Root.Fsys, folder) {
		return true
	}
	return now.Root.SameFolder(ctx, base.Root, folder)
}

// isEdited reports whether a template differs from that of a base, and what is published does not.
func isEdited(ctx context.Context, now, base *catalogs.Templates, p *Part) bool {
	if !source.IsFile(base.Root.Fsys, p.file()) {
		return false
	}
	is, read := now.Root.BlobID(ctx, p.file())
	was, readToo := base.Root.BlobID(ctx, p.file())
	return read && readToo && is != was && samePublished(ctx, now, base, p)
}

// addsBundle reports whether an operator has a folder of a bundle that the repository of a base lacks, and whether one has a release-config.yaml.
func addsBundle(now, base *catalogs.Templates, operator string) (adds, released bool) {
	for _, dir := range source.FoldersIn(now.Root.Fsys, operator) {
		if source.IsDir(now.Root.Fsys, path.Join(dir, "manifests")) && !source.IsDir(base.Root.Fsys, dir) {
			adds, released = true, released || source.IsFile(now.Root.Fsys, path.Join(dir, "release-config.yaml"))
		}
	}
	return adds, released
}

// readPart reads what a template makes, and what is published instead. It reports whether both can be read.
func readPart(ctx context.Context, c *catalogs.Catalog, p *Part) bool {
	root, file := c.Templates.Root, p.file()
	if !fs.ValidPath(file) || !source.IsFile(root.Fsys, file) || root.IsRestricted(root.Display(file)) {
		return false
	}
	published := publishedIn(ctx, c, p)
	if published == nil {
		return false
	}
	p.Published = published.Packages
	if c.Templates.Template != "" {
		p.Template = c
	} else {
		p.Template, _ = c.Templates.Outline(ctx, file, published.Packages)
	}
	return p.Template != nil && !slices.ContainsFunc(p.Template.Problems, func(problem catalogs.Problem) bool {
		return problem.Kind == catalogs.ParseProblem || problem.Kind == catalogs.TemplateFault && !problem.Accepted
	})
}

// Expansions returns what a template that differs from a base makes, with its bundles as they are published, and what it made there: of a new
// template, what is published, or nil if nothing is. They are nil if one of them is not known.
func Expansions(ctx context.Context, c *catalogs.Catalog, base *catalogs.Catalog, p *Part) (now, before *catalogs.Catalog) {
	if base == nil || base.Templates == nil {
		return nil, nil
	}
	was, had := base.Templates.Root.BlobID(ctx, p.file())
	is, has := c.Templates.Root.BlobID(ctx, p.file())
	if !has || had && was == is {
		return nil, nil
	}
	if had {
		before = expandAlone(ctx, base, p)
	} else {
		before = publishedIn(ctx, base, &Part{Operator: p.Operator, Catalog: p.Catalog})
	}
	if before != nil && len(before.Packages) == 0 {
		before = nil
	}
	if now = expandAlone(ctx, c, p); now == nil || had && before == nil {
		return nil, nil
	}
	return now, before
}

// expandAlone returns what a template makes, with all of its bundles; nil if that is not known.
func expandAlone(ctx context.Context, c *catalogs.Catalog, p *Part) *catalogs.Catalog {
	made, err := c.Templates.Expand(ctx, p.file(), p.Published)
	if err != nil || made == nil || made.Template.Rejected || made.Template.IsGenerated() && len(made.Template.Unknown) > 0 {
		return nil
	}
	return made
}

// publishedIn reads the folder of an operator in a catalog; nil if it cannot be read whole.
func publishedIn(ctx context.Context, c *catalogs.Catalog, p *Part) *catalogs.Catalog {
	root, at := c.Templates.Root, path.Join("catalogs", p.Catalog, p.Operator)
	p.Folder = catalogs.Pos{File: root.Display(at)}
	found := &catalogs.Catalog{}
	switch {
	case c.Templates.Version != "" && c.Stats.Unread == 0:
		inFolder := func(pos catalogs.Pos) bool { return strings.HasPrefix(pos.File, p.Folder.File+"/") }
		if slices.ContainsFunc(c.Problems, func(problem catalogs.Problem) bool { return problem.LosesData() && inFolder(problem.Pos) }) {
			return nil
		}
		for _, pkg := range c.Packages {
			if inFolder(pkg.FirstPos()) {
				found.Packages = append(found.Packages, pkg)
			}
		}
	case source.IsDir(root.Fsys, at):
		s := &source.Source{Fsys: root.Fsys, Prefix: root.Prefix, NoSlash: root.NoSlash, OnDisk: root.OnDisk, Root: root.Root, ReadError: root.ReadError}
		var paths []string
		_ = fs.WalkDir(s.Fsys, at, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && catalogs.CatalogExt(name) != "" {
				paths = append(paths, name)
			}
			return nil
		})
		var err error
		if found, err = fbc.Open(s, paths, nil, form.Options{}).Load(ctx, paths); err != nil || slices.ContainsFunc(found.Problems, func(problem catalogs.Problem) bool { return problem.LosesData() }) {
			return nil
		}
	}
	return found
}

// OtherOPM returns the newest version of opm that makes of the template, whose channels are generated, what is published, and whether there is one.
func (p *Part) OtherOPM() (template.OPM, bool) {
	t := p.Template.Template
	if t.Semver == nil || len(p.Published) != 1 {
		return template.OPM{}, false
	}
	for _, v := range slices.Backward(template.Changes()) {
		if made, _ := t.Semver.Expand(t.Known, v); made != nil && !v.SameExpansion(t.OPM) && isExpansion(p.Published[0], made) {
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

// TemplateFor returns the template that a file of the catalog is made of, "" if it is of none. Both names are as in positions.
func TemplateFor(c *catalogs.Catalog, file string) string {
	t := c.Templates
	if t == nil || t.Version == "" {
		return ""
	}
	for _, m := range t.Mapped() {
		part := &Part{Name: m.Template, Operator: path.Base(m.Operator)}
		maps := m.Catalog.Value == t.Version && file == t.Root.Display(path.Join("catalogs", t.Version, part.Operator, madeFile))
		if maps && source.IsFile(t.Root.Fsys, part.file()) {
			return t.Root.Display(part.file())
		}
	}
	return ""
}
