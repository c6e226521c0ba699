package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// opm follows symbolic links anywhere (os.DirFS), so that a catalog can have links to any file of the host. Such a file is read and
// checked as opm does it, but no text of it is shown, and it is not written to.

var errOutside = errors.New("a link leads out of the catalog")

// Trusted is text of a message that is not from the catalog: it is shown even if the text of the file must not be.
type Trusted string

var ErrLinked = errors.New("a link leads to what is")

// IsUnknown reports whether an error of reading a file leaves open what opm reads in its place: of a file that is not there, or that a link leads out to, it
// reads nothing.
func IsUnknown(err error) bool { return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrLinked) }

// RejectLinked returns an error for a file that a link in a folder of bundles or package manifests leads out to. The image that is built
// from a bundle has the link without its target (opm: pkg/lib/bundle generates a Dockerfile, whose COPY copies the link).
func (s *Source) RejectLinked(display string) error {
	if place := s.restriction(display); place != "" {
		return fmt.Errorf("%w %s: an image would have the link without the file", ErrLinked, place)
	}
	return nil
}

// ReadManifest reads a file of a bundle or of package manifests into a buffer. The ci.yaml of a package is in no image, and may be a link.
func (f *File) ReadManifest(buffer *[]byte) ([]byte, error) {
	if err := f.Source.RejectLinked(f.Name); err != nil && path.Base(f.Path) != "ci.yaml" {
		return nil, err
	}
	return ReadInto(f, buffer)
}

// quotableRoot returns the folder on disk, without links, in which files have to be for their text to be shown: that of the catalog. It is
// "" if a relative path inside the working directory leads outside of it: the author of the catalog may have put a link there.
func quotableRoot(dir string) string {
	root, err := disk.RealPath(dir)
	if err != nil {
		return ""
	}
	if filepath.IsLocal(dir) {
		if working, err := disk.RealPath("."); err != nil || restrictionIn(working, root) != "" {
			return ""
		}
	}
	return root
}

// Why the text of a file must not be shown.
const (
	outsideCatalog = "outside the catalog"
	insideGit      = "in .git" // the data of a git repository, where credentials may be
)

// restrictionIn returns why the text of a file must not be shown if the catalog is in a folder; "" if it may be. Both paths are absolute and
// without links.
func restrictionIn(dir, name string) string {
	rel, err := filepath.Rel(dir, name)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return outsideCatalog
	case slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), ".git"):
		return insideGit
	}
	return ""
}

// IsRestricted reports whether a file, by its name in positions, is on disk and must neither be shown nor changed: it is outside the catalog, or
// in .git. Nil restricts none.
func (s *Source) IsRestricted(display string) bool { return s.restriction(display) != "" }

// restriction returns why the text of a file must not be shown; "" if it may be.
func (s *Source) restriction(display string) string {
	if s == nil || !s.OnDisk {
		return ""
	}
	if known, ok := s.restrictions.Load(display); ok {
		return known.(string)
	}
	place := outsideCatalog
	if at, err := disk.RealPath(filepath.FromSlash(display)); err == nil && s.Root != "" {
		place = restrictionIn(s.Root, at)
	}
	s.restrictions.Store(display, place)
	return place
}

// LinkedTo returns the target of a link in a reference to a folder or file on disk, if it makes all of the catalog outside, so that no
// text of it is shown; else "".
func (s *Source) LinkedTo(ref string) string {
	ref = strings.TrimPrefix(ref, "dir:")
	if s.restriction(ref) != outsideCatalog {
		return ""
	}
	target, _ := disk.RealPath(ref)
	return target
}

// Message formats a message about a file. If the text of the file must not be shown, arguments that may come from it are replaced by …;
// numbers, kinds of values and trusted text are kept.
func (f *File) Message(format string, args ...any) string {
	place := f.Source.restriction(f.Name)
	if place == "" {
		return fmt.Sprintf(format, args...)
	}
	args = slices.Clone(args)
	left := false
	for i := range args {
		switch args[i].(type) {
		case int, tree.Kind, Trusted:
		default:
			args[i], left = "…", true
		}
	}
	if !left {
		return fmt.Sprintf(format, args...)
	}
	return fmt.Sprintf(format, args...) + " (its text is not shown: the file is " + place + ")"
}
