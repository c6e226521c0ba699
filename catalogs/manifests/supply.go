package manifests

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// CatalogSupply are catalogs with manifests.
type CatalogSupply []*catalogs.Catalog

// Bundle returns the bundle of the package with the same image, or one from a folder with the same name and the same facts.
func (all CatalogSupply) Bundle(of *catalogs.Package, b *catalogs.Bundle) (with *catalogs.Bundle, misfit string) {
	for _, c := range all {
		p := c.Package(of.Name.Value)
		if p == nil {
			continue
		}
		for _, other := range p.Bundles {
			if other.HasOwnManifests() && other.Image.Value != "" && other.Image.Value == b.Image.Value {
				return other, ""
			}
		}
		if other := p.Bundle(b.Name.Value); other != nil && other.HasOwnManifests() {
			if misfit = differs(b, other); misfit == "" {
				return other, ""
			}
		}
	}
	return nil, misfit
}

// Sources implements catalogs.Supply.
func (all CatalogSupply) Sources() (sources []*source.Source) {
	for _, c := range all {
		if c.Source != nil && !slices.Contains(sources, c.Source) {
			sources = append(sources, c.Source)
		}
	}
	return sources
}

// sameImages are bundles with manifests, by their images.
type sameImages struct {
	CatalogSupply
	byImage map[string]*catalogs.Bundle
}

// Bundle returns the bundle with the same image.
func (s *sameImages) Bundle(_ *catalogs.Package, b *catalogs.Bundle) (with *catalogs.Bundle, misfit string) {
	return s.byImage[b.Image.Value], ""
}

// ShareManifests lets each of several catalogs take the manifests that it lacks from the others, of bundles with the same image: those for OpenShift 4.17 and
// later have none of their own.
func ShareManifests(all []*catalogs.Catalog) {
	if len(all) < 2 {
		return
	}
	shared := &sameImages{all, map[string]*catalogs.Bundle{}}
	for _, c := range all {
		for _, p := range c.Packages {
			for _, b := range p.Bundles {
				if b.Image.Value != "" && b.HasOwnManifests() {
					shared.byImage[b.Image.Value] = b
				}
			}
		}
	}
	for _, c := range all {
		c.SetSupply(shared)
	}
}

// differs says how the bundle with manifests differs from the one of that name in a catalog; "" if it does not: in its image, or its version
// and the APIs that it provides if the image is not known.
func differs(b, with *catalogs.Bundle) string {
	if with.Image.Value != "" {
		return fmt.Sprintf("is another image, %s", with.Image.Value)
	}
	if with.Version.Value != b.Version.Value {
		return fmt.Sprintf("has version %s", with.Version.Value)
	}
	theirs, err := bundled.Dependencies(with)
	ours, ourErr := bundled.Dependencies(b)
	if err != nil || ourErr != nil {
		return "" // reported by those who need the properties
	}
	if len(ours.Provides) == 0 {
		return "" // a catalog that was written by hand leaves them out
	}
	if api := firstOnlyIn(theirs.Provides, ours.Provides); api != "" {
		return "provides " + api + " too"
	}
	if api := firstOnlyIn(ours.Provides, theirs.Provides); api != "" {
		return "does not provide " + api
	}
	return ""
}

// firstOnlyIn returns the first of some APIs, in their order as text, that others lack; "" if there is none.
func firstOnlyIn(some, others []catalogs.API) string {
	least := ""
	for _, api := range some {
		if text := api.String(); !slices.Contains(others, api) && (least == "" || text < least) {
			least = text
		}
	}
	return least
}

// folders have bundle folders: themselves, or in them, or in folders of packages in them. It reads those of a package once one of its
// bundles is asked for.
type folders struct {
	root     *source.Source
	dirs     []string
	packages memo.Shared[string, CatalogSupply] // by name
}

// SupplyFromFolders returns what folders of a repository have, by their paths in it: each is a folder as operators/ of a catalog repository, of
// bundle folders, or a bundle folder. It is nil if none of them is there.
func SupplyFromFolders(root *source.Source, dirs []string) catalogs.Supply {
	dirs = slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !source.IsDir(root.Fsys, dir) })
	if len(dirs) == 0 {
		return nil
	}
	return &folders{root: root, dirs: dirs}
}

// Bundle returns the bundle of the package with that name and the same facts. The pipelines require that the folder of an operator has the
// name of its package.
func (r *folders) Bundle(p *catalogs.Package, b *catalogs.Bundle) (with *catalogs.Bundle, misfit string) {
	name := p.Name.Value
	return r.packages.Get(name, func() CatalogSupply { return r.read(name) }).Bundle(p, b)
}

// read reads the bundles that may be of a package. What cannot be read of them is reported when they are checked.
func (r *folders) read(pkg string) CatalogSupply {
	if pkg == "" || path.Base(pkg) != pkg || pkg[0] == '.' {
		return nil
	}
	var dirs []string
	for _, in := range r.dirs {
		of := source.FoldersIn(r.root.Fsys, path.Join(in, pkg))
		if len(of) == 0 { // without a folder for each package
			of = append(source.FoldersIn(r.root.Fsys, in), in)
		}
		for _, dir := range of {
			if IsBundleFolder(r.root.Fsys, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	// WithSingle copies it: packages are read concurrently, and each reading says of its source how it is read.
	all, _ := ReadBundles(context.Background(), r.root.WithSingle(""), dirs, form.Options{})
	return all
}

// Sources implements catalogs.Supply.
func (r *folders) Sources() []*source.Source { return []*source.Source{r.root} }
