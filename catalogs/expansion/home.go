package expansion

import (
	"cmp"
	"context"
	"io/fs"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// TemplateHome is the repository that a template is in.
type TemplateHome struct {
	Source   *source.Source            // of its root; nil if it is not known
	Operator string                    // the folder of the operator in operators/; "" if the template is elsewhere
	Template string                    // the name of the template's file
	beside   *source.Source            // of the template's folder, if the catalog that is made of it is in a folder in that; else nil
	besideAt string                    // what of it has the catalog
	icons    map[string]*catalogs.Icon // of published packages
}

// noteIcons notes the icons of packages, the first of each.
func (h *TemplateHome) noteIcons(c *catalogs.Catalog) {
	for _, p := range c.Packages {
		if h.icons[p.Name.Value] == nil && p.Icon != nil {
			h.icons[p.Name.Value] = p.Icon
		}
	}
}

// FindHome returns the repository of a template: that in whose operators/ it is, or else the nearest folder with catalogs/.
func FindHome(s *source.Source, name string, o form.Options) *TemplateHome {
	h := &TemplateHome{Template: path.Base(name), icons: map[string]*catalogs.Icon{}}
	for above, below := range foldersAbove(s, name, o) {
		parts := strings.Split(below, "/")
		switch {
		case len(parts) > 1:
		case source.IsDir(above.Fsys, "catalog"):
			h.beside, h.besideAt = above, "catalog"
		case fbc.IsBuilt(above, "."):
			h.beside, h.besideAt = above, "."
		}
		if len(parts) > 2 && parts[0] == "operators" {
			h.Source, h.Operator = above, path.Join(parts[0], parts[1])
			return h
		}
		if h.Source == nil && source.IsDir(above.Fsys, "catalogs") {
			h.Source = above
		}
		if _, err := fs.Stat(above.Fsys, source.GitFolder); err == nil {
			break
		}
	}
	return h
}

// maxAbove limits how many folders above that of a template are looked at.
const maxAbove = 6

// foldersAbove yields the folders that a file is in, the nearest first, and the path of the file in each.
func foldersAbove(s *source.Source, name string, o form.Options) iter.Seq2[*source.Source, string] {
	return func(yield func(*source.Source, string) bool) {
		root, prefix, full := s.Fsys, strings.TrimSuffix(s.Prefix, s.At), path.Clean(name)
		if s.Within != nil {
			root, full = s.Within, path.Join(s.At, name)
		}
		shown := s.Display(path.Dir(name))
		if s.OnDisk {
			abs, err := filepath.Abs(filepath.FromSlash(s.Display(name)))
			if err != nil {
				return
			}
			full = strings.TrimPrefix(filepath.ToSlash(abs), "/")
		}
		for dir, n := path.Dir(full), 0; n < maxAbove; dir, n = path.Dir(dir), n+1 {
			above := &source.Source{Fsys: root, Prefix: s.Prefix, NoSlash: s.NoSlash}
			switch {
			case s.OnDisk:
				above = source.OnDisk(path.Join(shown, strings.Repeat("../", n)), o.Overlay)
			case s.Within != nil:
				above = &source.Source{Fsys: root, Prefix: prefix, NoSlash: true}
			}
			if sub, err := fs.Sub(root, dir); err == nil && !s.OnDisk && dir != "." {
				above = &source.Source{Fsys: sub, Prefix: above.Display(dir)}
			}
			above.ReadError = s.ReadError
			if !yield(above, strings.TrimPrefix(full, strings.TrimPrefix(dir+"/", "./"))) || dir == "." {
				return
			}
		}
	}
}

// find finds bundles of images in the catalog beside the template, in the catalogs of the repository, those that are made of the template first,
// and in its bundle folders. It calls found with each, which removes the image from those that are missing.
func (h *TemplateHome) find(ctx context.Context, missing map[string]bool, o form.Options, found func(image string, b *catalogs.Bundle)) {
	if h.beside != nil {
		for b := range h.bundlesMentioning(ctx, h.beside, h.besideAt, missing, o) {
			found(b.Image.Value, b)
		}
	}
	if h.Source == nil {
		return
	}
	for _, dir := range h.publishedPaths(o.OpenShift) {
		if len(missing) == 0 || ctx.Err() != nil {
			return
		}
		for b := range h.bundlesMentioning(ctx, h.Source, dir, missing, o) {
			found(b.Image.Value, b)
		}
	}
	h.findFolders(ctx, missing, found)
}

// firstWithMetadata is the first OpenShift version in whose catalogs the pipelines have opm write olm.csv.metadata instead of
// olm.bundle.object (operator-pipelines: fbc/render_catalogs.sh).
const firstWithMetadata = "4.17"

// withMetadata reports whether the bundles of catalogs for a version have olm.csv.metadata.
func withMetadata(version string) bool {
	return catalogs.MinorNumber(version) >= catalogs.MinorNumber(firstWithMetadata)
}

// target returns the OpenShift version that a template is expanded for: the one that is asked for, or else the newest one whose catalog is
// made of the template; "" if there is none.
func (h *TemplateHome) target(asked string) string {
	if asked != "" {
		return asked
	}
	var newest string
	for name := range h.catalogNames() {
		if v := catalogs.OpenShiftVersion(name); catalogs.MinorNumber(v) > catalogs.MinorNumber(newest) {
			newest = v
		}
	}
	return newest
}

// catalogNames returns the names of the catalogs that are made of the template.
func (h *TemplateHome) catalogNames() map[string]bool {
	names := map[string]bool{}
	if h.Source == nil || h.Operator == "" {
		return names
	}
	for _, m := range ReadMappings(h.Source, h.Operator) {
		if m.Template == h.Template {
			names[m.Catalog.Value] = true
		}
	}
	return names
}

// publishedPaths returns the folders and files with what was published of the operator: first the catalog for the OpenShift version that is
// asked for, then those that have the same properties of bundles, and of these those that are made of the template; of equal ones the
// newest first.
func (h *TemplateHome) publishedPaths(asked string) []string {
	mapped := h.catalogNames()
	names, _ := fbc.VersionCatalogs(h.Source)
	slices.Reverse(names)
	rank := func(name string) int {
		v := catalogs.OpenShiftVersion(name)
		switch {
		case v == asked:
			return 0
		case asked != "" && withMetadata(v) != withMetadata(asked):
			return 3
		case mapped[name]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for i, name := range names {
		names[i] = path.Join("catalogs", name)
		if h.Operator != "" && source.IsDir(h.Source.Fsys, names[i]) {
			names[i] = path.Join(names[i], path.Base(h.Operator))
		}
	}
	return names
}

// ReadMappings returns which templates make which catalogs, as the files ci.yaml of some operators say.
func ReadMappings(root *source.Source, operators ...string) (all []catalogs.Mapped) {
	for _, dir := range operators {
		name := path.Join(dir, "ci.yaml")
		f := pipelineconfig.ReadPipelineFile(root, catalogs.CIConfig, name)
		if f == nil || f.Root == nil {
			continue
		}
		for _, m := range pipelineconfig.Mappings(pipelineconfig.MeantCI(f.Root)) {
			for _, c := range m.Catalogs {
				at := catalogs.Pos{File: root.Display(name), Line: c.Line, Col: c.Col}
				all = append(all, catalogs.Mapped{Operator: dir, Template: m.Template.Value, Catalog: catalogs.Text{Value: c.Value, Pos: at}})
			}
		}
	}
	return all
}

// bundlesMentioning yields the bundles in those files of a folder, or in that file, that have a missing image in their text.
func (h *TemplateHome) bundlesMentioning(ctx context.Context, in *source.Source, at string, missing map[string]bool, o form.Options) iter.Seq[*catalogs.Bundle] {
	s := &source.Source{Fsys: in.Fsys, Prefix: in.Prefix, NoSlash: in.NoSlash, ReadError: in.ReadError}
	images := words.NewImages(maps.Keys(missing))
	var paths []string
	_ = fs.WalkDir(s.Fsys, at, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || catalogs.CatalogExt(name) == "" || in.IsRestricted(in.Display(name)) {
			return nil
		}
		text, err := source.ReadAll(s.File(name))
		if err == nil && images.OccurIn(text) {
			paths = append(paths, name)
		}
		return nil
	})
	none := func(func(*catalogs.Bundle) bool) {}
	if len(paths) == 0 {
		return none
	}
	c, err := fbc.Open(s, paths, nil, form.Options{Progress: o.Progress}).Load(ctx, paths)
	if err != nil {
		return none
	}
	h.noteIcons(c)
	return c.AllBundles()
}

// findFolders finds the bundles in the folders of the operator that the images of the community's pipeline are made of: of NAME:VERSION in
// operators/NAME/VERSION.
func (h *TemplateHome) findFolders(ctx context.Context, missing map[string]bool, found func(image string, b *catalogs.Bundle)) {
	byDir := map[string][]string{}
	for image := range missing {
		name, tag, tagged := strings.Cut(path.Base(image), ":")
		if dir := path.Join("operators", name, tag); tagged && h.Operator != "" && fs.ValidPath(dir) && manifests.IsBundleFolder(h.Source.Fsys, dir) {
			byDir[dir] = append(byDir[dir], image)
		}
	}
	if len(byDir) == 0 {
		return
	}
	all, err := manifests.ReadBundles(ctx, h.Source, slices.Sorted(maps.Keys(byDir)), form.Options{})
	if err != nil {
		return
	}
	for _, c := range all {
		for b := range c.AllBundles() {
			if f := b.Folder; f != nil {
				for _, image := range byDir[h.Source.Path(f.Pos.File)] {
					found(image, b)
				}
			}
		}
	}
}

// pinnedOPM returns the version of opm that the Makefile of the operator names, and the Makefile; zero if there is none.
func (h *TemplateHome) pinnedOPM() (template.OPM, catalogs.Pos) {
	if h.Source == nil {
		return template.OPM{}, catalogs.Pos{}
	}
	name := path.Join(cmp.Or(h.Operator, "."), "Makefile")
	if text, err := source.ReadAll(h.Source.File(name)); err == nil {
		if pinned, ok := template.PinnedOPM(text); ok {
			return pinned, catalogs.Pos{File: h.Source.Display(name)}
		}
	}
	return template.OPM{}, catalogs.Pos{}
}
