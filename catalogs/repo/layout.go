// Package repo reads catalog repositories: the bundles in operators/, the catalogs in catalogs/, the templates of both, and the files by
// which they configure their pipelines. It says what the pipelines publish.
package repo

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/template"
)

// OpenRepository opens the bundles of a catalog repository, its templates, and the file-based catalogs in its catalogs/.
func OpenRepository(ctx context.Context, s *source.Source, dirs []string, o form.Options) ([]*Opened, error) {
	return OpenLayout(ctx, FindLayout(ctx, s, dirs, o), o)
}

// OpenLayout opens the catalogs of a repository. Folders that are neither bundles nor templates are problems of the first catalog, and
// so are the mistakes in templates that are not catalogs of their own.
func OpenLayout(ctx context.Context, l *layout, o form.Options) ([]*Opened, error) {
	problems := append(l.unread, l.unreadOperators()...)
	complete := len(problems) == 0
	var stats catalogs.Stats
	for i := range l.Templates {
		if t := &l.Templates[i]; !l.isCatalog(t) {
			problems = append(problems, t.problems...)
			stats.Files, stats.Bytes = stats.Files+1, stats.Bytes+int64(t.bytes)
		}
	}
	config := l.pipelineProblems(ctx)
	var all []*Opened
	switch beside := l.at == "operators" && len(l.Versions) > 0; {
	case len(l.bundles) > 0:
		all = FromFolders(manifests.OpenBundles(ctx, l.Source, catalogs.Repository, l.bundles, l.repositoryVersions(), l.eachVersion(o)))
	case len(problems)+len(config) > 0, beside && len(l.Templates) > 0:
		all = FromCatalogs(&catalogs.Catalog{Source: l.Source, Form: catalogs.Repository, Filtered: o.Package != "" || complete, Stats: stats})
	}
	if len(all) > 0 {
		all[0].Configuration = config
		all[0].Problems = append(all[0].Problems, problems...)
		slices.SortStableFunc(all[0].Problems, catalogs.CompareProblems)
		if folders := all[0].Folders; folders != nil {
			folders.Problems = all[0].Problems
		}
	}
	catalogs := l.at == "." && len(l.Versions) > 0
	for _, c := range all {
		if catalogs {
			c.Name = path.Join("operators", c.Name)
		}
	}
	made, err := l.openTemplates(ctx, config, o)
	if all = append(all, FromCatalogs(made...)...); !catalogs || err != nil {
		return all, err
	}
	published, err := fbc.OpenVersions(l.Source, "catalogs", l.Versions, o)
	for _, f := range published {
		f.Catalog.Name = path.Join("catalogs", f.Catalog.Name)
	}
	return append(all, FromFiles(published...)...), err
}

// openTemplates reads the templates that are catalogs of their own. The problems are those of what configures the pipeline.
func (l *layout) openTemplates(ctx context.Context, problems []catalogs.Problem, o form.Options) ([]*catalogs.Catalog, error) {
	var all []*catalogs.Catalog
	for i := range l.Templates {
		t := &l.Templates[i]
		if !l.isCatalog(t) {
			continue
		}
		c, err := expansion.OpenTemplate(ctx, l.WithSingle(t.name), t.name, o)
		if err != nil {
			return nil, err
		}
		if c.Name = t.name; l.at == "." {
			c.Templates = nil // the catalogs are compared with it
		}
		c.Template.Release = l.releaseTo(t, problems)
		all = append(all, c)
	}
	return all, nil
}

// repositoryVersions returns the OpenShift versions that a repository publishes for: those of its catalogs/.
func (l *layout) repositoryVersions() []string {
	var all []string
	for _, name := range l.Versions {
		if version := catalogs.OpenShiftVersion(name); version != "" && !slices.Contains(all, version) {
			all = append(all, version)
		}
	}
	return all
}

// eachVersion returns the options for the bundles: those of a repository of the pipelines, which publish an index for each OpenShift version,
// are a catalog for each version that they name, also if the repository has no catalogs/.
func (l *layout) eachVersion(o form.Options) form.Options {
	if o.EachVersion && o.OpenShift == "" && l.root != nil {
		if r := pipelineconfig.RepositoryIn(l.root); r != nil && slices.Contains(pipelineconfig.Organizations(), r.Organization.Value) {
			o.OpenShift = "all"
		}
	}
	return o
}

// Repository returns the root of the catalog repository that a source is of: the source, or a folder above if the source is operators/ or
// catalogs/, or a folder in one of these. at is the path of the source in it. It returns nil if there is none.
func Repository(s *source.Source, o form.Options) (root *source.Source, at string) {
	switch {
	case source.IsDir(s.Fsys, "operators"):
		return s, "."
	case s.OnDisk:
		abs, err := filepath.Abs(filepath.FromSlash(s.Prefix))
		if at = inRepository(filepath.ToSlash(abs)); err != nil || at == "" {
			return nil, ""
		}
		root = folderAbove(s, at, o)
	case s.Within != nil:
		if at = inRepository(s.At); at == "" {
			return nil, ""
		}
		root = folderAbove(s, at, o)
	}
	if root == nil || !source.IsDir(root.Fsys, "operators") {
		return nil, ""
	}
	return root, at
}

// inRepository returns the path of a folder in its repository, if it is operators/ or catalogs/, in one of these, or of an operator in one of
// catalogs/; "" otherwise.
func inRepository(dir string) string {
	at := path.Base(dir)
	for depth := range 3 {
		if first, _, _ := strings.Cut(at, "/"); first == "catalogs" || first == "operators" && depth < 2 {
			return at
		}
		dir = path.Dir(dir)
		at = path.Join(path.Base(dir), at)
	}
	return ""
}

// layout is what is where in a catalog repository, in its folder operators/, or in that of one operator.
type layout struct {
	*source.Source
	options   form.Options
	root      *source.Source // of the repository; nil if it is not known
	at        string         // the path of the source in it
	bundles   []string       // the bundle folders
	operators []string       // the folders of the operators
	Versions  []string       // the names in catalogs/ of the repository that are of one catalog each
	unread    []catalogs.Problem
	Templates []operatorTemplate
}

// operatorTemplate is a template in the folder of an operator. Paths are in the source of the layout.
type operatorTemplate struct {
	operator, name string
	schema         catalogs.Text
	bytes          int
	problems       []catalogs.Problem // of its structure
}

func FindLayout(ctx context.Context, s *source.Source, bundles []string, o form.Options) *layout {
	l := &layout{Source: s, options: o, bundles: bundles}
	l.root, l.at = Repository(s, o)
	if l.root != nil {
		l.Versions, l.unread = fbc.VersionCatalogs(l.root)
	}
	switch dir, _, _ := strings.Cut(l.at, "/"); {
	case dir == "operators" && l.at != dir:
		l.operators = []string{"."}
	case l.at == ".":
		l.operators = source.FoldersIn(s.Fsys, "operators")
	default:
		l.operators = source.FoldersIn(s.Fsys, ".")
	}
	if l.at != "." {
		l.unread = nil
	}
	l.findTemplates(ctx, o)
	return l
}

// findTemplates finds the templates in the folders of the operators, and in the folders in these.
func (l *layout) findTemplates(ctx context.Context, o form.Options) {
	isBundle := nameSet(l.bundles)
	for _, operator := range l.operators {
		for _, folder := range append([]string{operator}, source.FoldersIn(l.Fsys, operator)...) {
			if isBundle[folder] || isBundle[path.Dir(folder)] {
				continue
			}
			entries, _ := fs.ReadDir(l.Fsys, folder)
			for _, e := range entries {
				name := path.Join(folder, e.Name())
				if e.IsDir() || strings.HasPrefix(e.Name(), ".") || catalogs.CatalogExt(name) == "" {
					continue
				}
				x, root := expansion.ReadTemplate(ctx, l.Source, name, o)
				if root == nil {
					continue
				}
				read, faults := template.Read(root)
				x.Fault(faults...)
				t := operatorTemplate{operator: operator, name: name, bytes: len(x.Text), schema: x.CatalogText(template.Text{Value: read.Schema, Place: read.Place})}
				for _, p := range x.Decoder.Problems {
					if p.Kind == catalogs.TemplateFault {
						p.Package = l.packageName(operator)
						t.problems = append(t.problems, p)
					}
				}
				l.Templates = append(l.Templates, t)
			}
		}
	}
}

// packageName returns the name of an operator's folder, which is that of its package by the convention of these repositories.
func (l *layout) packageName(operator string) string { return path.Base(path.Join(l.at, operator)) }

// isPublished reports whether one of the catalogs has an operator.
func (l *layout) isPublished(operator string) bool {
	return l.root != nil && isInCatalog(l.root.Fsys, l.Versions, l.packageName(operator))
}

// isCatalog reports whether a template is read as a catalog: it is in the folder of an operator that was asked for, or in none of the catalogs.
func (l *layout) isCatalog(t *operatorTemplate) bool {
	return t.operator == "." || !l.isPublished(t.operator)
}

// unreadOperators returns one problem for each operator of a repository of which nothing is read. One in a catalog of catalogs/ has no
// problem, nor has one with templates.
func (l *layout) unreadOperators() []catalogs.Problem {
	if l.at != "." {
		return unreadVersions(l.Source, ".", l.bundles)
	}
	var found []catalogs.Problem
	noBundles := unreadVersions(l.Source, "operators", l.bundles)
	isRead := map[string]bool{}
	for _, bundle := range l.bundles {
		isRead[bundle], isRead[path.Dir(bundle)] = true, true
	}
	for _, t := range l.Templates {
		isRead[t.operator] = true
	}
	entries, _ := fs.ReadDir(l.Fsys, "operators")
	for _, e := range entries {
		dir := path.Join("operators", e.Name())
		link := !e.IsDir() && source.IsDir(l.Fsys, dir)
		switch {
		case strings.HasPrefix(e.Name(), "."), !e.IsDir() && !link, isRead[dir], l.isPublished(dir):
		case link || source.HasContent(l.Fsys, dir):
			p := catalogs.Problem{Kind: catalogs.UnreadFolder, Pos: catalogs.Pos{File: l.Display(dir)}, Package: e.Name(), Message: unreadMessage(dir, link),
				Fix: "name its folders so, or give the folder of its catalog on its own"}
			if i := slices.IndexFunc(noBundles, func(v catalogs.Problem) bool { return v.Package == e.Name() }); i >= 0 {
				p.Message, p.Fix = unreadOperator+": "+noBundles[i].Message, noBundles[i].Fix
				noBundles = slices.DeleteFunc(noBundles, func(v catalogs.Problem) bool { return v.Package == e.Name() })
			}
			found = append(found, p)
		}
	}
	return append(found, noBundles...)
}

func nameSet(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// unreadVersions returns a problem for each version of an operator whose folder has manifests, but is no bundle folder.
func unreadVersions(s *source.Source, root string, bundles []string) []catalogs.Problem {
	operators := source.FoldersIn(s.Fsys, root)
	if root == "." && len(bundles) > 0 && !slices.ContainsFunc(bundles, inOperator) {
		operators = []string{root} // the folder of one operator
	}
	isBundle := nameSet(bundles)
	var found []catalogs.Problem
	for _, operator := range operators {
		if isBundle[operator] {
			continue
		}
		for _, dir := range source.FoldersIn(s.Fsys, operator) {
			if _, err := semver.ParseTolerant(path.Base(dir)); err != nil || isBundle[dir] || !hasBundleManifests(s.Fsys, dir) {
				continue
			}
			p := catalogs.Problem{Kind: catalogs.UnreadVersion, Pos: catalogs.Pos{File: s.Display(dir)}, Cause: []string{path.Base(dir)}, Message: fmt.Sprintf("%q is not a bundle folder: %s", path.Base(dir), missingOfBundle(s.Fsys, dir)),
				Fix: fmt.Sprintf("put the manifests into %[1]s/manifests, and annotations.yaml into %[1]s/metadata", path.Base(dir))}
			if operator != "." {
				p.Package = path.Base(operator) // by the convention of these repositories
			}
			found = append(found, p)
		}
	}
	return found
}

// inOperator reports whether a bundle folder is in that of an operator.
func inOperator(bundle string) bool { return path.Dir(bundle) != "." }

// missingOfBundle says what a folder lacks to be a bundle folder.
func missingOfBundle(fsys fs.FS, dir string) string {
	if source.IsDir(fsys, path.Join(dir, "manifests")) {
		return "it has no folder metadata"
	}
	return "it has no folder manifests"
}

// hasBundleManifests reports whether a folder, or one below it, has a folder named manifest, manifests or metadata, or a file with the usual name of
// a ClusterServiceVersion.
func hasBundleManifests(fsys fs.FS, dir string) bool {
	found, folders := false, []string{"manifest", "manifests", "metadata"}
	_ = fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && (e.IsDir() && slices.Contains(folders, e.Name()) || !e.IsDir() && strings.Contains(e.Name(), "clusterserviceversion")) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

const unreadOperator = "nothing of this operator was read"

// unreadMessage returns the message about the folder of an operator of which nothing is read.
func unreadMessage(dir string, link bool) string {
	if link {
		return unreadOperator + ": its folder is a link"
	}
	return unreadOperator + fmt.Sprintf(": looked for a bundle (%[1]s/VERSION/manifests and metadata), "+
		"a template of a catalog (%[1]s/*.yaml, %[1]s/*/*.yaml), and catalogs/VERSION/%[2]s", dir, path.Base(dir))
}

// isInCatalog reports whether one of the catalogs of a repository has a folder or file named after a package, as is the convention.
func isInCatalog(fsys fs.FS, versions []string, pkg string) bool {
	return slices.ContainsFunc(versions, func(version string) bool {
		at := path.Join("catalogs", version, pkg)
		return source.IsDir(fsys, at) && source.HasContent(fsys, at) || source.IsFile(fsys, at+".yaml") || source.IsFile(fsys, at+".json")
	})
}
