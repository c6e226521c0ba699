package open

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// openTemplatesBeside reads the templates in the folders of the files of catalogs, and in those above: with a base those that it has otherwise: of a new one
// nothing is published, and its catalog is judged. Else files that the catalogs do not read, or whose names say that they are templates.
func openTemplatesBeside(ctx context.Context, s *source.Source, all []*repo.Opened, o form.Options) (found []*repo.Opened, err error) {
	read, dirs := map[string]bool{}, map[string]bool{}
	for _, c := range all {
		if c.Files != nil {
			for _, name := range c.Files.Paths {
				name = s.Path(c.Source.Display(name))
				read[name] = true
				for dir := path.Dir(name); !dirs[dir]; dir = path.Dir(dir) {
					dirs[dir] = true
				}
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		entries, _ := fs.ReadDir(s.Fsys, dir)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			isNone := e.IsDir() || strings.HasPrefix(e.Name(), ".") || catalogs.CatalogExt(name) == ""
			if base := o.As.Source; isNone || base != nil && !differs(ctx, s, base, name) || base == nil && read[name] && !strings.Contains(e.Name(), "template") {
				continue
			}
			c, err := openTemplate(ctx, s, name, o)
			if err != nil {
				return nil, err
			}
			if c != nil {
				found = append(found, &repo.Opened{Catalog: c})
			}
		}
	}
	return found, nil
}

// differs reports whether a file is in a base, with another text.
func differs(ctx context.Context, s, base *source.Source, name string) bool {
	now, _ := s.BlobID(ctx, name)
	was, has := base.BlobID(ctx, name)
	return has && now != was
}

func openTemplate(ctx context.Context, s *source.Source, name string, o form.Options) (*catalogs.Catalog, error) {
	c, err := expansion.OpenTemplate(ctx, s.WithSingle(name), name, o)
	if c != nil {
		c.Name = strings.TrimSuffix(name, catalogs.CatalogExt(name))
	}
	return c, err
}

// BaseTemplates reads the templates that a base has in the places of those of catalogs, as Options.Templates lets Open find them.
func BaseTemplates(ctx context.Context, base form.Folder, now []*repo.Opened, o form.Options) (found []*repo.Opened, err error) {
	if base.Source == nil || base.Form == templatesForm || base.Form == repositoryForm {
		return nil, nil
	}
	for _, c := range now {
		if c.Template == nil {
			continue
		}
		was, err := openTemplate(ctx, base.Source, c.Source.Single, o)
		if err != nil {
			return nil, err
		}
		if was != nil {
			found = append(found, &repo.Opened{Catalog: was})
		}
	}
	return found, nil
}
