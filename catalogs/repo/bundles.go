package repo

import (
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// SetBundles lets file-based catalogs take manifests from the bundle folders of the repository that a source, which has them, is in.
func SetBundles(s *source.Source, all []*Opened, o form.Options) {
	if folders := bundlesBeside(s, o); folders != nil {
		for _, c := range all {
			if c.Form == catalogs.FileBased {
				c.SetSupply(folders)
			}
		}
	}
}

// bundlesBeside returns what the bundle folders of the repository that a source is in have: those that the nearest configuration names, or
// else operators/. It is nil if there are none.
func bundlesBeside(s *source.Source, o form.Options) catalogs.Supply {
	root, dirs := configuredFolders(s, o)
	if o.BundleFolders != nil {
		dirs = o.BundleFolders
	}
	if root != nil {
		dirs = slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !isInside(root, dir) })
	}
	if root == nil || len(dirs) == 0 {
		root, _ = Repository(s, o)
		dirs = []string{"operators"}
	}
	if root == nil {
		return nil
	}
	return manifests.SupplyFromFolders(root, dirs)
}

// configuredFolders returns the nearest folder with a configuration, that of the source or one above it, and the bundle folders that the
// configuration names. What is wrong with them is left out: lint reports it.
func configuredFolders(s *source.Source, o form.Options) (root *source.Source, dirs []string) {
	at := s.At
	switch {
	case s.OnDisk:
		abs, err := filepath.Abs(filepath.FromSlash(s.Prefix))
		if err != nil {
			return nil, nil
		}
		at = strings.Trim(filepath.ToSlash(abs), "/")
	case s.Within == nil:
		return nil, nil
	}
	parts := strings.Split(path.Clean(at), "/")
	for n := len(parts); n >= 0; n-- {
		root = folderAbove(s, path.Join(parts[n:]...), o)
		if root == nil {
			return nil, nil
		}
		if info, err := fs.Lstat(root.Fsys, catalogs.ConfigName); err == nil && info.Mode().IsRegular() {
			return root, foldersIn(root.Fsys)
		}
	}
	return nil, nil
}

// maxConfig is the size of a configuration, in bytes, above which lint rejects it.
const maxConfig = 1 << 20

// foldersIn returns the bundle folders that a configuration names.
func foldersIn(fsys fs.FS) []string {
	f, err := fsys.Open(catalogs.ConfigName)
	if err != nil {
		return nil
	}
	defer f.Close()
	var config struct{ Bundles []string }
	if err := yaml.NewDecoder(io.LimitReader(f, maxConfig)).Decode(&config); err != nil {
		return nil
	}
	return config.Bundles
}

// isInside reports whether a folder is in another one, and no link in its path leads out.
func isInside(root *source.Source, dir string) bool {
	if !fs.ValidPath(dir) || !root.OnDisk {
		return fs.ValidPath(dir)
	}
	within, err := disk.OpenRoot(filepath.FromSlash(root.Prefix), false)
	if err != nil {
		return false
	}
	defer within.Close()
	_, err = within.Stat(filepath.FromSlash(dir))
	return err == nil
}

// folderAbove returns the folder in which a source is at a path; nil if it cannot be read.
func folderAbove(s *source.Source, at string, o form.Options) *source.Source {
	switch {
	case at == "":
		return s
	case s.OnDisk:
		return source.OnDisk(path.Join(s.Prefix, strings.Repeat("../", 1+strings.Count(at, "/"))), o.Overlay)
	}
	dir := path.Clean(strings.TrimSuffix(s.At, at))
	sub, err := fs.Sub(s.Within, dir)
	if err != nil {
		return nil
	}
	return &source.Source{Fsys: sub, Prefix: strings.TrimSuffix(s.Prefix, at), NoSlash: dir == ".", Within: s.Within, At: dir, ReadError: s.ReadError}
}
