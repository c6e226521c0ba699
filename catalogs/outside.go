package catalogs

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// opm follows a symbolic link wherever it leads (os.DirFS), so a stranger's catalog can name any file of the host. Such a file is
// read and judged as opm does it, but nothing that it says is shown or written to.

var errOutside = errors.New("a link leads out of the catalog")

// unquoted ends a message about a file outside the catalog.
const unquoted = " (its text is not shown: the file is outside the catalog)"

// outsideForm is what is said of a recognised document outside the catalog.
var outsideForm = form{"an object of another program", "take the link out of the catalog, or name it in .indexignore"}

// errLinkedManifest refuses what a link out of a folder of bundles or package manifests leads to. In the image that is built of a
// bundle such a link leads nowhere (opm: pkg/lib/bundle generates a Dockerfile, whose COPY copies the link).
var errLinkedManifest = errors.New("a link leads out of the folder that was given: an image would have the link without the file; put the file in its place")

// manifest reads a file of a bundle or of package manifests. The ci.yaml beside bundles is in no image.
func (f *file) manifest() ([]byte, error) {
	if path.Base(f.path) != "ci.yaml" && f.source.outside(f.name) {
		return nil, errLinkedManifest
	}
	return readAll(f)
}

// confinedTo returns the folder on disk that files have to be in to be quoted: a folder that a catalog is read from, without
// links. It is "" where the folder is named relative to the working folder, inside it, but is outside it: what a catalog's author
// put there may be a link.
func confinedTo(dir string) string {
	root, err := realPath(dir)
	if err != nil {
		return ""
	}
	if filepath.IsLocal(dir) {
		if working, err := realPath("."); err != nil || !holds(working, root) {
			return ""
		}
	}
	return root
}

// realPath returns an absolute path without links.
func realPath(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

// holds reports whether a folder holds a file, but not in the data of a git repository, where credentials may be. Both are
// absolute and without links.
func holds(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel) && !slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), ".git")
}

// outside reports whether a file that positions name is on disk, and not in the folder that the catalog is read from.
func (s *source) outside(display string) bool {
	if s == nil || !s.disk {
		return false
	}
	if known, ok := s.outsiders.Load(display); ok {
		return known.(bool)
	}
	at, err := realPath(filepath.FromSlash(display))
	outside := err != nil || s.root == "" || !holds(s.root, at)
	s.outsiders.Store(display, outside)
	return outside
}

// Outside reports whether a file that positions name is outside the catalog, so that it may be neither quoted nor changed.
func (c *Catalog) Outside(name string) bool { return c.source.outside(name) }

// message words a problem of a file. If the file is outside the catalog, no string is quoted.
func (f *file) message(format string, args ...any) string {
	if !f.source.outside(f.name) {
		return fmt.Sprintf(format, args...)
	}
	args = slices.Clone(args)
	for i := range args {
		if _, ok := args[i].(string); ok {
			args[i] = "…"
		}
	}
	return fmt.Sprintf(format, args...) + unquoted
}
