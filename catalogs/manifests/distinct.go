package manifests

import (
	"context"
	"path"
	"regexp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Distinct tells bundle folders outside a catalog repository apart that are read. Of several folders of one bundle that is the one which is named
// after a version, or else the first: others are copies in development, or its variants for other catalogs. Templates, which a script completes, are not
// read. With all set, only copies of a folder that is named after a version are passed over.
func Distinct(ctx context.Context, s *source.Source, dirs []string, all bool) (read []string, over []catalogs.PassedOver) {
	again := s.WithSingle("")
	found := parallel.ReadFolders(ctx, dirs, nil, func(dir string) (*bundleFolder, int64) {
		b := readBundle(again, dir)
		return b, b.Bytes
	})
	slices.SortStableFunc(found, func(a, b *bundleFolder) int { return find.CompareFirst(isVersionFolder(a.Dir), isVersionFolder(b.Dir)) })
	first, variants := map[string]string{}, map[string]string{} // the folder of a bundle, and of a package that has variants beside it
	for _, b := range found {
		if len(b.Csvs) == 0 {
			continue
		}
		key, beside := BundleKey(b.pkg.Value, b.firstCSV()), path.Join(path.Dir(b.Dir), b.pkg.Value)
		switch at, placeholder := first[key], b.placeholder(); {
		case placeholder != "" && !all:
			over = append(over, catalogs.PassedOver{Path: b.Dir, Why: "a template of a bundle, with " + placeholder})
		case at != "" && !isVersionFolder(b.Dir) && isVersionFolder(at):
			over = append(over, catalogs.PassedOver{Path: b.Dir, Why: b.firstCSV() + " is in " + at + " as well"})
		case at != "" && !isVersionFolder(b.Dir) && !all:
			variants[beside] = at
		case at == "":
			first[key] = b.Dir
		}
	}
	for _, b := range found {
		at := variants[path.Join(path.Dir(b.Dir), b.pkg.Value)]
		if at != "" && at != b.Dir && !isVersionFolder(b.Dir) {
			over = append(over, catalogs.PassedOver{Path: b.Dir, Why: "a variant of " + at})
		}
	}
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
		return slices.ContainsFunc(over, func(p catalogs.PassedOver) bool { return p.Path == dir })
	}), over
}

// placeholders matches what scripts replace: the variables of a shell, and words as +NAME+.
var placeholders = regexp.MustCompile(`\$\{?\w+\}?|\{\{.+?\}\}|\+[A-Z][A-Z_]+\+`)

// placeholder returns the first placeholder in the name, the version or an image of a bundle; "" if there is none.
func (b *bundleFolder) placeholder() string {
	c := &b.Csvs[0]
	texts := []string{c.Name.Value, c.version.Value}
	for _, i := range c.images {
		texts = append(texts, i.Image.Value)
	}
	for _, text := range texts {
		if found := placeholders.FindString(text); found != "" {
			return found
		}
	}
	return ""
}
