package compare

import (
	"regexp"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Registries are those of the bundle images of the catalogs of a base. The zero value has none.
type Registries struct {
	catalogs []*catalogs.Catalog
	deferred []*form.Deferred
	once     sync.Once
	all      map[string]bool
}

// NewRegistries returns the registries of catalogs that may not be read yet, and that Pair.Read may read a part of.
func NewRegistries(base []*repo.Opened) *Registries {
	r := &Registries{}
	for _, c := range base {
		if deferred := c.Deferred(); deferred != nil {
			r.deferred = append(r.deferred, deferred)
		} else {
			r.catalogs = append(r.catalogs, c.Catalog)
		}
	}
	return r
}

// Has reports whether a registry is one of them, as catalogs.ImageRegistry names it.
func (r *Registries) Has(registry string) bool {
	r.once.Do(r.collect)
	return r.all[registry]
}

// bundleImage matches the image of an object that is not read yet, at the outermost level of YAML, or of JSON as opm prints it. Images in
// other forms are not found: --registry names their registries.
var bundleImage = regexp.MustCompile(`(?m)^(?:image:[ \t]+["']?| {0,4}"image": ?")([^"'\s\\]+)`)

// collect reads the files that are not read yet once, whatever they are asked for.
func (r *Registries) collect() {
	r.all = map[string]bool{}
	for _, c := range r.catalogs {
		for _, p := range c.Packages {
			for _, b := range p.Bundles {
				r.all[catalogs.ImageRegistry(b.Image.Value)] = true
			}
		}
	}
	for _, u := range r.deferred {
		for _, path := range u.Paths {
			text, err := source.ReadAll(u.Source.File(path))
			if err != nil {
				continue
			}
			for _, m := range bundleImage.FindAllSubmatch(text, -1) {
				r.all[catalogs.ImageRegistry(string(m[1]))] = true
			}
		}
	}
}
