package compare

import (
	"regexp"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// Registries are those whose bundle images the catalogs of a base have.
type Registries struct {
	catalogs []*catalogs.Catalog
	unread   []*form.Unread
	mutex    sync.Mutex
	known    map[string]bool // by registry
}

// RegistriesOf returns the registries of catalogs that may not be read yet, and that Pair.Read may read a part of.
func RegistriesOf(base []*catalogs.Catalog) *Registries {
	r := &Registries{known: map[string]bool{}}
	for _, c := range base {
		if later, ok := c.Deferred.(form.Later); ok {
			r.unread = append(r.unread, later.ToRead())
		} else {
			r.catalogs = append(r.catalogs, c)
		}
	}
	return r
}

// Has reports whether a registry is one of them. Files that were not read it searches for the name of the registry, until one has it.
func (r *Registries) Has(registry string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	found, ok := r.known[registry]
	if !ok {
		found = slices.ContainsFunc(r.catalogs, func(c *catalogs.Catalog) bool { return uses(c, registry) }) ||
			slices.ContainsFunc(r.unread, func(u *form.Unread) bool { return mentions(u, registry) })
		r.known[registry] = found
	}
	return found
}

func uses(c *catalogs.Catalog, registry string) bool {
	return slices.ContainsFunc(c.Packages, func(p *catalogs.Package) bool {
		return slices.ContainsFunc(p.Bundles, func(b *catalogs.Bundle) bool { return b.Registry() == registry })
	})
}

// mentions reports whether an image in the files is in a registry: whether its name begins a value.
func mentions(u *form.Unread, registry string) bool {
	name := regexp.MustCompile(`[\s"']` + regexp.QuoteMeta(registry) + `/`)
	return slices.ContainsFunc(u.Paths, func(path string) bool {
		text, err := source.ReadAll(u.Source.File(path))
		return err == nil && name.Match(text)
	})
}
