package catalogs

import (
	"context"
	"path"
	"slices"
	"strings"
)

// unread returns copies of file-based catalogs that are not read yet.
func unread(all []*Catalog) []*Catalog {
	var found []*Catalog
	for _, c := range all {
		if c.deferred != nil && !c.deferred.bundles {
			one := *c
			found = append(found, &one)
		}
	}
	return found
}

// readElsewhere sets Elsewhere. It searches a package in the folder of the same name.
func (p *Pair) readElsewhere(ctx context.Context) error {
	wanted := map[*Catalog][]string{} // folders
	for _, pkg := range p.Now.Packages {
		name := p.Now.source.path(pkg.Pos.File)
		if dir := path.Dir(name); dir != "." && pkg.Defined() && (p.Base == nil || p.Base.Package(pkg.Name.Value) == nil) {
			if c := p.nearest(dir); c != nil {
				wanted[c] = append(wanted[c], dir)
			}
		}
	}
	for _, c := range p.published {
		if dirs := wanted[c]; dirs != nil {
			if err := c.readFiltered(ctx, c.deferred, nil, func(name string) bool { return slices.Contains(dirs, path.Dir(name)) }); err != nil {
				return err
			}
			p.Elsewhere = append(p.Elsewhere, c)
		}
	}
	return nil
}

// nearest returns the published catalog for the nearest OpenShift version that has a folder, the older one of two. It returns nil if none has.
func (p *Pair) nearest(dir string) *Catalog {
	var best *Catalog
	distance := func(c *Catalog) int {
		n := 2 * (minorNumber(p.Now.OpenShift) - minorNumber(c.OpenShift))
		if n < 0 {
			return 1 - n
		}
		return n
	}
	for _, c := range p.published {
		has := slices.ContainsFunc(c.deferred.paths, func(name string) bool { return strings.HasPrefix(name, dir+"/") })
		if has && c.OpenShift != "" && (best == nil || distance(c) < distance(best)) {
			best = c
		}
	}
	return best
}
