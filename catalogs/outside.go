package catalogs

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// opm follows a symbolic link wherever it leads (os.DirFS), so a stranger's catalog can name any file of the host. Such a file is
// read and judged as opm does it, but nothing that it says is shown or written to.

var errOutside = errors.New("a link leads out of the catalog")

// own is a word of olmgraph, or of a schema that it knows, in a message about a text. A string in it is of the text.
type own string

// outsideForm is what is said of a recognised document outside the catalog.
var outsideForm = form{"an object of another program", "take it out of the catalog's folder, or name it in .indexignore"}

var errLinked = errors.New("a link leads to what is")

// unread reports a file or folder that cannot be read.
func (r *reading) unread(name string, err error) {
	r.fault(ParseProblem, Pos{File: name}, "cannot be read: %v", fserror.Cause(err))
	if errors.Is(err, errLinked) {
		r.problems[len(r.problems)-1].Fix = "put what the link leads to in its place"
	}
}

// refuseLinked refuses what a link out of a folder of bundles or package manifests leads to. In the image that is built of a bundle
// such a link leads nowhere (opm: pkg/lib/bundle generates a Dockerfile, whose COPY copies the link).
func (s *source) refuseLinked(display string) error {
	if place := s.place(display); place != "" {
		return fmt.Errorf("%w %s: an image would have the link without the file", errLinked, place)
	}
	return nil
}

// manifest reads a file of a bundle or of package manifests. The ci.yaml beside bundles is in no image.
func (f *file) manifest() ([]byte, error) {
	if err := f.source.refuseLinked(f.name); err != nil && path.Base(f.path) != "ci.yaml" {
		return nil, err
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
		if working, err := realPath("."); err != nil || placeIn(working, root) != "" {
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

// Where a file is that is not to be quoted.
const (
	outsideCatalog = "outside the catalog"
	insideGit      = "in .git" // the data of a git repository, where credentials may be
)

// placeIn says where a file is that is not to be quoted, seen from a folder; "" if it is in it, and may be. Both are absolute and
// without links.
func placeIn(dir, name string) string {
	rel, err := filepath.Rel(dir, name)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return outsideCatalog
	case slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), ".git"):
		return insideGit
	}
	return ""
}

// outside reports whether a file that positions name is on disk, and not to be quoted: it is not in the folder that the catalog is
// read from, or in .git.
func (s *source) outside(display string) bool { return s.place(display) != "" }

// place says where a file is that is not to be quoted; "" if it may be.
func (s *source) place(display string) string {
	if s == nil || !s.disk {
		return ""
	}
	if known, ok := s.outsiders.Load(display); ok {
		return known.(string)
	}
	place := outsideCatalog
	if at, err := realPath(filepath.FromSlash(display)); err == nil && s.root != "" {
		place = placeIn(s.root, at)
	}
	s.outsiders.Store(display, place)
	return place
}

// Outside reports whether a file that positions name is outside the catalog, so that it may be neither quoted nor changed.
func (c *Catalog) Outside(name string) bool { return c.source.outside(name) }

// LinkedTo returns where a reference to a folder or file on disk leads if that is outside what may be quoted by a link in the reference,
// so that no text of the catalog is shown; else "".
func (c *Catalog) LinkedTo(ref string) string {
	ref = strings.TrimPrefix(ref, "dir:")
	if c.source.place(ref) != outsideCatalog {
		return ""
	}
	target, _ := realPath(ref)
	return target
}

// message words a problem of a file. Unless the file may be quoted, nothing is of its text: only numbers, kinds of values and own
// words are put in.
func (f *file) message(format string, args ...any) string {
	place := f.source.place(f.name)
	if place == "" {
		return fmt.Sprintf(format, args...)
	}
	args = slices.Clone(args)
	left := false
	for i := range args {
		switch args[i].(type) {
		case int, tree.Kind, own:
		default:
			args[i], left = "…", true
		}
	}
	if !left {
		return fmt.Sprintf(format, args...)
	}
	return fmt.Sprintf(format, args...) + " (its text is not shown: the file is " + place + ")"
}
