package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// openDiskFolder reads the catalogs of a folder on disk.
func openDiskFolder(ctx context.Context, ref string, o form.Options) ([]*repo.Opened, error) {
	s := source.OnDisk(ref, o.Overlay)
	if _, err := fs.ReadDir(s.Fsys, "."); err != nil {
		return nil, source.CannotOpen(ref, err)
	}
	cats, err := Folder(ctx, s, o)
	if err == nil && isEmpty(cats) {
		return nil, noCatalog(ctx, ref, s, o, " and an image (oci-layout)")
	}
	repo.SetRepository(cats, repo.RepositoryAbove(ref))
	return labelOpenShiftPath(ref, cats, err)
}

// isEmpty reports whether no text was read, and no problem found.
func isEmpty(cats []*repo.Opened) bool {
	for _, c := range cats {
		if deferred := c.Deferred(); c.Stats.Bytes > 0 || len(c.Problems) > 0 || deferred != nil && !deferred.Empty() {
			return false
		}
	}
	return true
}

var ErrNoCatalog = errors.New("there is no catalog in it")

// noCatalog returns the error for a folder without a catalog, which names what there is below it, or without a bundle for the OpenShift version.
func noCatalog(ctx context.Context, ref string, s *source.Source, o form.Options, last string) error {
	if o.OpenShift != "" {
		of := o
		of.OpenShift = ""
		if cats, err := Folder(ctx, s, of); err == nil && !isEmpty(cats) {
			return fmt.Errorf("%s: %w for OpenShift %s: none of its bundles supports that", ref, ErrNoCatalog, o.OpenShift)
		}
	}
	err := fmt.Errorf("%s: %w: looked for files of a file-based catalog, package manifests (*.package.yaml), "+
		"a bundle (manifests/ and metadata/), a repository of bundles (operators/*/*)%s", ref, ErrNoCatalog, last)
	_, over := bundleFolders(ctx, s, o)
	_, fragments := withoutFragments(s, catalogFiles(ctx, s, nil), o)
	if over = passedOver(s, nil, slices.Concat(over, fragments)); len(over) > 0 {
		err = fmt.Errorf("%w; give the one in it that is meant: %s", err, words.Or(words.Map(over, catalogs.PassedOver.String)))
	}
	return err
}

// passedOver adds to what is passed over the highest folders with bundles or package manifests, three levels down at most, outside those that are read.
func passedOver(s *source.Source, read []string, over []catalogs.PassedOver) []catalogs.PassedOver {
	known, around := map[string]bool{}, map[string]bool{}
	for _, name := range slices.Concat(read, words.Map(over, func(p catalogs.PassedOver) string { return p.Path })) {
		known[name] = true
		for dir := path.Dir(name); dir != "." && !around[dir]; dir = path.Dir(dir) {
			around[dir] = true
		}
	}
	level := source.FoldersIn(s.Fsys, ".")
	for range 3 {
		var next []string
		for _, dir := range level {
			below, err := fs.Sub(s.Fsys, dir)
			if err != nil || known[dir] || slices.Contains(notSearched(), path.Base(dir)) {
				continue
			}
			if !around[dir] && (manifests.IsBundle(s.Fsys, dir) || len(manifests.BundleFolders(below)) > 0 || manifests.HasManifests(below)) {
				over = append(over, catalogs.PassedOver{Path: dir})
			} else {
				next = append(next, source.FoldersIn(s.Fsys, dir)...)
			}
		}
		level = next
	}
	return over
}

// notSearched returns the names of folders that have what others wrote, or examples.
func notSearched() []string { return []string{"vendor", "node_modules", "testdata"} }

// Folder opens the catalogs of a folder of any source.
func Folder(ctx context.Context, s *source.Source, o form.Options) ([]*repo.Opened, error) {
	all, err := openForms(ctx, s, o)
	if err == nil && len(all) > 0 && all[0].Selected != "" {
		all[0].PassedOver = passedOver(s, catalogFolders(s, all), all[0].PassedOver)
	}
	repo.SetBundles(s, all, o)
	repo.SetTemplates(s, all, o)
	return all, err
}

// catalogFolders returns the folders that catalogs are read of.
func catalogFolders(s *source.Source, all []*repo.Opened) (read []string) {
	for _, c := range all {
		deferred := c.Deferred()
		switch {
		case deferred == nil && c.Source != nil:
			for _, p := range c.Packages {
				for _, b := range p.Bundles {
					if b.Folder != nil {
						read = append(read, b.Folder.Dir)
					}
				}
			}
		case c.Files != nil:
			read = append(read, s.Path(c.Source.Display(commonFolder(deferred.Paths))))
		case deferred != nil:
			read = append(read, deferred.Paths...)
		}
	}
	return read
}

// openForms opens the catalogs of a folder in the form that it has. If its base has another one, Options.As, it is read in that as long as that has
// packages in files which are not read otherwise: what stands beside the files of a catalog does not decide whether they are read.
func openForms(ctx context.Context, s *source.Source, o form.Options) ([]*repo.Opened, error) {
	opening := o
	opening.Deferred = o.Deferred || o.As.Form != "" || o.Templates
	found, all, err := recognise(ctx, s, opening)
	grown := o.As.Form == templatesForm && found == form.AnyFolder // a catalog beside them
	if err == nil && o.As.Form != "" && o.As.Form != found && !grown {
		all, err = openAs(ctx, s, opening, found, all)
	}
	if err == nil && o.Templates && found != repositoryForm && found != templatesForm { // which have theirs
		var beside []*repo.Opened
		beside, err = openTemplatesBeside(ctx, s, all, opening)
		all = append(all, beside...)
	}
	if o.Recognised != nil {
		*o.Recognised = form.Folder{Form: found, Source: s}
	}
	if all, err = readNow(ctx, all, err, o); err == nil && !opening.Deferred {
		all = slices.DeleteFunc(all, func(c *repo.Opened) bool { return manifests.IsEmptyRest(c.Catalog) })
	}
	return all, err
}

// readNow reads catalogs, unless Options defer that.
func readNow(ctx context.Context, all []*repo.Opened, err error, o form.Options) ([]*repo.Opened, error) {
	for _, c := range all {
		if err == nil && !o.Deferred {
			err = c.Read(ctx)
		}
	}
	return all, err
}

// openAs opens a folder in the form of its base; if that has no package besides those of the catalogs that were found, it returns these. The files of
// a folder without another form say nothing: it has them all.
func openAs(ctx context.Context, s *source.Source, o form.Options, found string, now []*repo.Opened) ([]*repo.Opened, error) {
	read := map[string]bool{}
	for _, c := range now {
		if deferred := c.Deferred(); deferred != nil && found != form.AnyFolder {
			for _, name := range deferred.Paths {
				read[c.Source.Display(name)] = true
			}
		}
	}
	was, _, err := find.Value(folderForms(), func(f folderForm) bool { return f.name == o.As.Form }).open(ctx, s, o)
	if err != nil {
		return nil, err
	}
	for _, c := range was {
		if more, err := c.HasPackage(ctx, read); more || err != nil {
			return was, err
		}
	}
	return now, nil
}

// recognise returns the first form that a folder has, and the catalogs in that form.
func recognise(ctx context.Context, s *source.Source, o form.Options) (name string, all []*repo.Opened, err error) {
	if isImageDir(s.Fsys) {
		return "", nil, words.Advice{Err: fmt.Errorf("%s: an image as skopeo writes it to dir:, which is not read: copy it, and give oci:LAYOUT", s.Display(".")), Command: "skopeo copy dir:FOLDER oci:LAYOUT"}
	}
	for _, f := range folderForms() {
		if all, has, err := f.open(ctx, s, o); has || err != nil {
			return f.name, all, err
		}
	}
	return "", nil, nil // the last form is that of any folder
}

// folderForm is a form of folders. open reports whether a folder has it; it also reads one that has it and more.
type folderForm struct {
	name string
	open func(ctx context.Context, s *source.Source, o form.Options) (all []*repo.Opened, has bool, err error)
}

// The names of forms that others ask for.
const (
	versionsForm   = "versions"
	templatesForm  = "templates"
	repositoryForm = "repository"
)

// folderForms returns the forms of folders in the order in which they are recognised.
func folderForms() []folderForm {
	return []folderForm{
		{"bundle", openBundle},
		{"operator", openOperator},
		{"package manifests", openManifests},
		{repositoryForm, openRepository},
		{versionsForm, openVersions},
		{"root", func(ctx context.Context, s *source.Source, o form.Options) ([]*repo.Opened, bool, error) {
			if !holdsCatalogs(s) {
				return nil, false, nil
			}
			all, over, err := openRoot(ctx, s, nil, o)
			if len(all) > 0 {
				all[0].PassedOver = over
			}
			return all, len(all) > 0, err
		}},
		{templatesForm, openTemplates},
		{form.AnyFolder, func(ctx context.Context, s *source.Source, o form.Options) ([]*repo.Opened, bool, error) {
			if !isCompared(o) && (s.OnDisk || s.Within != nil) && !fbc.MayBeCatalog(s) {
				return nil, true, nil
			}
			return repo.FromFiles(fbc.OpenFolder(s, o)), true, nil
		}},
	}
}

// openTemplates reads templates without a catalog beside them.
func openTemplates(ctx context.Context, s *source.Source, o form.Options) ([]*repo.Opened, bool, error) {
	all, err := expansion.OpenTemplates(ctx, s, o)
	if len(all) == 0 || err != nil {
		return nil, holdsCatalogs(s), err
	}
	read := map[string]bool{}
	for _, c := range all {
		read[s.Display(c.Source.Single)] = true
	}
	folder := fbc.OpenFolder(s, o)
	beside, err := folder.HasPackage(ctx, folder.Except(read))
	return repo.FromCatalogs(all...), !beside, err
}

func openBundle(ctx context.Context, s *source.Source, o form.Options) ([]*repo.Opened, bool, error) {
	if !manifests.IsBundleFolder(s.Fsys, ".") || manifests.HasManifests(s.Fsys) && !manifests.IsBundle(s.Fsys, ".") {
		return nil, false, nil
	}
	all, err := manifests.ReadBundles(ctx, s, []string{"."}, o)
	return repo.FromCatalogs(all...), true, err
}

func openManifests(_ context.Context, s *source.Source, o form.Options) ([]*repo.Opened, bool, error) {
	if !manifests.HasManifests(s.Fsys) {
		return nil, false, nil
	}
	return repo.FromFolders(manifests.OpenManifests(s, o)), true, nil
}

// openRepository opens a repository of bundles, or one of templates or catalogs alone.
func openRepository(ctx context.Context, s *source.Source, o form.Options) ([]*repo.Opened, bool, error) {
	if dirs, over := bundleFolders(ctx, s, o); len(dirs) > 0 {
		var all []*repo.Opened
		var err error
		if len(dirs) == 1 && len(over) > 0 { // of one bundle the others are copies or variants
			read, errRead := manifests.ReadBundles(ctx, s, dirs, o)
			all, err = repo.FromCatalogs(read...), errRead
		} else {
			all, err = repo.OpenRepository(ctx, s, dirs, o)
		}
		if err == nil && fbc.IsRepositoryRoot(s) {
			beside, fragments, errBeside := openBeside(ctx, s, dirs, o)
			all, over, err = append(all, beside...), slices.Concat(over, fragments), errBeside
		}
		if len(all) > 0 {
			all[0].PassedOver = over
		}
		return all, true, err
	}
	if root, at := repo.Repository(s, o); root != nil && !strings.HasPrefix(at, "catalogs") {
		if l := repo.FindLayout(ctx, s, nil, o); len(l.Templates) > 0 || at == "." && len(l.Versions) > 0 {
			all, err := repo.OpenLayout(ctx, l, o)
			return all, true, err
		}
	}
	return nil, false, nil
}

// openVersions opens folders that are named after OpenShift versions. A folder has that form only if there are no others, and no image is built in one; that
// of a base that has it may also have others.
func openVersions(_ context.Context, s *source.Source, o form.Options) (all []*repo.Opened, has bool, err error) {
	names, only := fbc.VersionFolders(s.Fsys)
	has = len(names) > 0 && only && !slices.ContainsFunc(names, func(name string) bool { return fbc.IsBuilt(s, name) })
	if has || o.As.Form == versionsForm {
		files, err := fbc.OpenVersions(s, ".", names, o)
		return repo.FromFiles(files...), has, err
	}
	return nil, false, nil
}

// holdsCatalogs reports whether a folder is around those of catalogs: the root of a git repository, one with versions, or one in which images are built.
func holdsCatalogs(s *source.Source) bool {
	names, only := fbc.VersionFolders(s.Fsys)
	return fbc.IsRepositoryRoot(s) || len(names) > 0 && only || fbc.IsBuilt(s, ".")
}
