package open

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// openRoot opens the catalogs in the root of a git repository, or in a folder in which an image is built of some of its folders: each folder
// that is named after an OpenShift version, and all other files with objects of a file-based catalog as one catalog, or as one for each folder
// if several of these define the same package. Of the folder of a version in which an image is built so, only such files are read. Hidden
// folders and those in except are not searched.
func openRoot(ctx context.Context, s *source.Source, except []string, o form.Options) (all []*repo.Opened, over []catalogs.PassedOver, err error) {
	found := catalogFiles(ctx, s, except)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if found, over = withoutFragments(s, found, o); len(found) == 0 {
		return nil, over, nil
	}
	r := newRootCatalogs(s, found)
	if all, err = r.open(o); len(all) > 0 {
		all[0].Selected = r.names()
	}
	return all, over, err
}

// withoutFragments tells the files of catalogs from those without a bundle, which a script completes: those of a catalog alone, or of a package that
// another catalog defines as well. What is compared with a base is a catalog if it has no bundle left.
func withoutFragments(s *source.Source, found []string, o form.Options) (kept []string, over []catalogs.PassedOver) {
	if len(found) == 0 || isCompared(o) {
		return found, nil
	}
	r, left := newRootCatalogs(s, found), map[string]bool{}
	_, others := r.versions()
	for _, group := range r.groups(others) {
		paths := r.paths(group)
		if slices.ContainsFunc(paths, func(name string) bool { return !fbc.IsFragment(s, name) }) {
			continue
		}
		at := paths
		if dir := commonFolder(paths); len(paths) > 1 && dir != "." {
			at = []string{dir}
		}
		for _, name := range at {
			over = append(over, catalogs.PassedOver{Path: name, Why: "a part of a catalog: it has no bundle"})
		}
		for _, name := range paths {
			left[name] = true
		}
	}
	return slices.DeleteFunc(found, func(name string) bool { return left[name] }), over
}

// isCompared reports whether a folder is compared with a base, or is one. Then all that one of both has is read, so that no change hides it.
func isCompared(o form.Options) bool { return o.As.Form != "" || o.Recognised != nil }

// openOperator opens the repository of an operator: its bundle folders, of which one alone is not a catalog, and the catalogs beside them.
func openOperator(ctx context.Context, s *source.Source, o form.Options) (all []*repo.Opened, has bool, err error) {
	if source.IsDir(s.Fsys, "operators") || !fbc.IsRepositoryRoot(s) {
		return nil, false, nil
	}
	dirs, over := bundleFolders(ctx, s, o)
	if len(dirs) == 0 {
		return nil, false, nil
	}
	if len(dirs) == 1 {
		read, errRead := manifests.ReadBundles(ctx, s, dirs, o)
		all, err = repo.FromCatalogs(read...), errRead
	} else {
		all, err = repo.OpenRepository(ctx, s, dirs, o)
	}
	if err != nil {
		return nil, true, err
	}
	beside, fragments, err := openBeside(ctx, s, dirs, o)
	selected := dirs[:min(len(dirs), catalogs.MaxKinds)]
	if len(beside) > 0 {
		if len(dirs) == 1 {
			all[0].Name = dirs[0]
		}
		selected = append(slices.Clip(selected), beside[0].Selected)
	}
	all[0].Selected, all[0].PassedOver = strings.Join(selected, ", "), slices.Concat(over, fragments)
	return append(all, beside...), true, err
}

// openBeside opens the catalogs of a repository beside its bundle folders, each with a name.
func openBeside(ctx context.Context, s *source.Source, dirs []string, o form.Options) ([]*repo.Opened, []catalogs.PassedOver, error) {
	beside, fragments, err := openRoot(ctx, s, append(slices.Clone(dirs), "operators", "catalogs"), o)
	for _, c := range beside {
		c.Name = cmp.Or(c.Name, beside[0].Selected)
	}
	return beside, fragments, err
}

// bundleFolders returns the bundle folders of a folder that are read, and those that are passed over: outside a catalog repository a bundle may have
// several folders, or be a template.
func bundleFolders(ctx context.Context, s *source.Source, o form.Options) (dirs []string, over []catalogs.PassedOver) {
	dirs = manifests.BundleFolders(s.Fsys)
	if len(dirs) == 0 {
		return nil, nil
	}
	if root, _ := repo.Repository(s, o); root != nil {
		return dirs, nil
	}
	return manifests.Distinct(ctx, s, dirs, isCompared(o))
}

// rootCatalogs are the catalog files of a repository, by the folder in dir that they are in: "." for those in dir itself, but for one that is
// named after an OpenShift version.
type rootCatalogs struct {
	*source.Source
	dir     string
	folders []string // the keys of files, in their order
	files   map[string][]string
	shown   []string // folders, and files in dir
}

func newRootCatalogs(s *source.Source, found []string) *rootCatalogs {
	r := &rootCatalogs{Source: s, dir: commonFolder(found), files: map[string][]string{}}
	for _, name := range found {
		r.add(name)
	}
	return r
}

func (r *rootCatalogs) add(name string) {
	below := strings.TrimPrefix(name, r.dir+"/")
	if r.dir == "." {
		below = name
	}
	first, _, nested := strings.Cut(below, "/")
	if !slices.Contains(r.shown, first) {
		r.shown = append(r.shown, first)
	}
	if !nested && catalogs.OpenShiftVersion(first) == "" {
		first = "."
	}
	if r.files[first] == nil {
		r.folders = append(r.folders, first)
	}
	r.files[first] = append(r.files[first], name)
}

// versions returns the folders and files that are each a catalog for an OpenShift version, and the others.
func (r *rootCatalogs) versions() (versions, others []string) {
	for _, name := range r.folders {
		if catalogs.OpenShiftVersion(name) != "" && !fbc.IsBuilt(r.Source, path.Join(r.dir, name)) {
			versions = append(versions, name)
		} else {
			others = append(others, name)
		}
	}
	slices.SortFunc(versions, catalogs.CompareVersionNames)
	return versions, others
}

// groups returns those of the others that are a catalog together.
func (r *rootCatalogs) groups(others []string) [][]string {
	if slices.ContainsFunc(others, func(name string) bool { return catalogs.OpenShiftVersion(name) != "" }) || r.defineTwice(others) {
		return slices.Collect(slices.Chunk(others, 1))
	}
	return slices.DeleteFunc([][]string{others}, func(group []string) bool { return len(group) == 0 })
}

// paths returns the files of a group.
func (r *rootCatalogs) paths(group []string) (paths []string) {
	for _, name := range group {
		paths = append(paths, r.files[name]...)
	}
	return paths
}

func (r *rootCatalogs) open(o form.Options) ([]*repo.Opened, error) {
	versions, others := r.versions()
	all, err := fbc.OpenVersions(r.Source, r.dir, versions, o)
	if err != nil {
		return nil, err
	}
	for _, group := range r.groups(others) {
		if paths := r.paths(group); len(paths) > 0 {
			f := fbc.Open(r.WithSingle(""), paths, nil, o)
			f.Catalog.Name, f.Catalog.OpenShift = group[0], catalogs.OpenShiftVersion(group[0])
			all = append(all, f)
		}
	}
	for _, f := range all {
		if f.Catalog.Name = path.Join(r.dir, f.Catalog.Name); len(all) == 1 {
			f.Catalog.Name = ""
		}
	}
	return repo.FromFiles(all...), nil
}

// names lists what is read, for a sentence.
func (r *rootCatalogs) names() string {
	if r.dir != "." {
		return r.dir
	}
	text := strings.Join(r.shown[:min(len(r.shown), catalogs.MaxKinds)], ", ")
	if len(r.shown) > catalogs.MaxKinds {
		text += ", …"
	}
	return text
}

// defineTwice reports whether a package is defined in two of these folders or files of dir.
func (r *rootCatalogs) defineTwice(names []string) bool {
	if len(names) < 2 {
		return false
	}
	definedIn := map[string]string{}
	for _, name := range names {
		for _, p := range r.files[name] {
			f := &source.File{Source: r.Source, Path: p, Name: r.Display(p)}
			text, err := source.ReadAll(f)
			if err != nil {
				continue
			}
			for _, pkg := range fbc.ReadObjects(f, text).Packages {
				if other, met := definedIn[pkg.Name.Value]; met && other != name {
					return true
				}
				definedIn[pkg.Name.Value] = name
			}
		}
	}
	return false
}

// commonFolder returns the folder that all files are in: of a folder that is named after an OpenShift version, or is in one, the folder above.
func commonFolder(names []string) string {
	dir := path.Dir(names[0])
	for _, name := range names {
		for dir != "." && !strings.HasPrefix(name, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	for at := dir; at != "."; at = path.Dir(at) {
		if catalogs.OpenShiftVersion(path.Base(at)) != "" {
			dir = path.Dir(at)
		}
	}
	return dir
}

// catalogFiles returns the files of a repository with objects of a file-based catalog that .indexignore does not name, sorted. Hidden folders
// are not searched, and neither are node_modules and those in except.
func catalogFiles(ctx context.Context, s *source.Source, except []string) []string {
	names, _ := fbc.CatalogFiles(s.Fsys, fbc.OpenPatterns(s), func(name string) bool {
		base := path.Base(name)
		return base == "node_modules" || base[0] == '.' && base != "." && base != fbc.IgnoreFile || slices.Contains(except, name)
	})
	return slices.DeleteFunc(names, func(name string) bool { return ctx.Err() != nil || !fbc.IsCatalogFile(s, name) })
}
