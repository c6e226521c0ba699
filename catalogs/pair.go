package catalogs

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/mention"
)

// Pair is a catalog and the base that it is compared with.
type Pair struct {
	Now  *Catalog
	Base *Catalog // nil if nothing corresponds
	// Changed are the names of the packages whose texts differ, sorted. Packages that only one of the catalogs has are among them, and
	// all packages of a form without objects of a file-based catalog.
	Changed []string
}

// Pairs matches catalogs with those of a base: by name, else by OpenShift version; if there is one of each, these. alone are the
// catalogs of the base that match none.
func Pairs(now, base []*Catalog) (pairs []Pair, alone []*Catalog) {
	taken := map[*Catalog]bool{}
	for _, c := range now {
		p := Pair{Now: c}
		for _, same := range []func(b *Catalog) bool{
			func(b *Catalog) bool { return c.Name != "" && b.Name == c.Name },
			func(b *Catalog) bool { return c.OpenShift != "" && b.OpenShift == c.OpenShift },
			func(*Catalog) bool { return len(now) == 1 && len(base) == 1 },
		} {
			if i := slices.IndexFunc(base, func(b *Catalog) bool { return !taken[b] && same(b) }); i >= 0 && p.Base == nil {
				p.Base = base[i]
				taken[base[i]] = true
			}
		}
		pairs = append(pairs, p)
	}
	return pairs, slices.DeleteFunc(slices.Clone(base), func(b *Catalog) bool { return taken[b] })
}

// Read reads catalogs that were opened with Options.Deferred, and sets Changed. Of two file-based catalogs it reads the files that
// differ, and those others that mention a changed package or what it depends on: they may have the rest of it. A mention that is
// written with escapes is not found.
func (p *Pair) Read(ctx context.Context) error {
	if p.Base == nil || p.Now.deferred == nil || p.Base.deferred == nil {
		for _, c := range []*Catalog{p.Now, p.Base} {
			if err := c.Read(ctx); err != nil {
				return err
			}
		}
		p.compare()
		return nil
	}
	now, base := p.Now.deferred, p.Base.deferred
	if err := p.readChanged(ctx, now, base); err != nil {
		return err
	}
	return p.readUnchanged(ctx, now)
}

// readChanged reads the files that differ, and those that mention what differs.
func (p *Pair) readChanged(ctx context.Context, now, base *deferred) error {
	same := unchanged(ctx, now, base)
	if err := p.readExcept(ctx, now, base, same); err != nil {
		return err
	}
	if p.compare(); len(p.Changed) == 0 {
		return nil
	}
	if !now.dropMentioning(ctx, same, p.relatedNames()) {
		return ctx.Err()
	}
	if err := p.readExcept(ctx, now, base, same); err != nil {
		return err
	}
	p.compare()
	return nil
}

// readUnchanged reads all files if neither those that were read nor the others have a package, so that NoPackage can report it.
func (p *Pair) readUnchanged(ctx context.Context, now *deferred) error {
	if p.Now.hasPackage() || p.Now.Stats.Unread == 0 {
		return nil
	}
	has, err := now.hasPackage(ctx)
	if err != nil || has {
		return err
	}
	return p.Now.readFiltered(ctx, now, func(string) bool { return true })
}

// readExcept reads the files of both catalogs, except those that are the same.
func (p *Pair) readExcept(ctx context.Context, now, base *deferred, same map[string]string) error {
	sameBase := map[string]bool{}
	for _, path := range same {
		sameBase[path] = true
	}
	if err := p.Now.readFiltered(ctx, now, func(path string) bool { _, left := same[path]; return !left }); err != nil {
		return err
	}
	return p.Base.readFiltered(ctx, base, func(path string) bool { return !sameBase[path] })
}

// compare finds the packages that differ.
func (p *Pair) compare() {
	p.Changed = nil
	if p.Base == nil {
		return
	}
	names := map[string]bool{}
	for _, c := range []*Catalog{p.Now, p.Base} {
		for _, pkg := range c.Packages {
			names[pkg.Name.Value] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if sum := p.Now.sums[name]; sum == 0 || sum != p.Base.sums[name] {
			p.Changed = append(p.Changed, name)
		}
	}
}

// unchanged returns the files with the same text in both, whatever their names: paths in the base by paths now.
func unchanged(ctx context.Context, now, base *deferred) map[string]string {
	same := map[string]string{}
	was := map[string][]string{}
	for _, path := range base.paths {
		if id, ok := base.blobID(ctx, path); ok {
			was[id] = append(was[id], path)
		}
	}
	for _, path := range now.paths {
		if id, ok := now.blobID(ctx, path); ok && len(was[id]) > 0 {
			same[path] = was[id][0]
			was[id] = was[id][1:]
		}
	}
	return same
}

// dropMentioning deletes the files that mention one of the names from same, and reports whether there are any.
func (p *deferred) dropMentioning(ctx context.Context, same map[string]string, names mention.Names) (mentioned bool) {
	for _, path := range p.paths {
		if _, left := same[path]; !left || ctx.Err() != nil {
			continue
		}
		if text, err := readAll(&file{source: p.source, path: path}); err == nil && names.In(text) {
			delete(same, path)
			mentioned = true
		}
	}
	return mentioned
}

// blobID returns the hash of a file's text as a git blob, which git trees have already. It returns false if the file cannot be read, so
// that reading the catalog reports it, and after the context has ended.
func (p *deferred) blobID(ctx context.Context, path string) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	if tree, ok := p.source.fsys.(interface{ ID(string) (string, bool) }); ok {
		return tree.ID(path)
	}
	text, err := readAll(&file{source: p.source, path: path})
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)), err == nil
}

// relatedNames returns the names of what the changed packages have to do with: their own and those of their bundles, the groups of the APIs
// that they provide or require now or in the base, and the packages that they require.
func (p *Pair) relatedNames() mention.Names {
	all := mention.Names{}
	for _, name := range p.Changed {
		all[name] = true
		for _, c := range []*Catalog{p.Now, p.Base} {
			if pkg := c.Package(name); pkg != nil {
				addNames(all, pkg)
			}
		}
	}
	delete(all, "")
	return all
}

func addNames(all mention.Names, p *Package) {
	for _, b := range p.Bundles {
		all[b.Name.Value] = true
		d, err := b.Dependencies()
		if err != nil {
			continue // reported where the bundle is read
		}
		for _, api := range d.Provides {
			all[api.Group] = true
		}
		for i := range d.Requires {
			addRequired(all, &d.Requires[i])
		}
	}
}

func addRequired(all mention.Names, r *Requirement) {
	all[r.Package] = true
	if r.API != nil {
		all[r.API.Group] = true
	}
	for i := range r.Of {
		addRequired(all, &r.Of[i])
	}
}

// deferred is a catalog that was opened and not read yet.
type deferred struct {
	source   *source
	paths    []string
	problems []Problem
	options  Options
}

// Read reads a catalog that was opened with Options.Deferred. It does nothing for others.
func (c *Catalog) Read(ctx context.Context) error {
	if c == nil || c.deferred == nil {
		return nil
	}
	return c.readFiltered(ctx, c.deferred, func(string) bool { return true })
}

// Forget frees the contents of a catalog, except Problems, Stats and the names of its packages. Excerpts still works.
func (c *Catalog) Forget() {
	names := make([]*Package, 0, len(c.Packages))
	for _, p := range c.Packages {
		names = append(names, &Package{Name: p.Name})
	}
	c.Packages, c.Others, c.sums = names, nil, nil
}

func (c *Catalog) readFiltered(ctx context.Context, from *deferred, wants func(path string) bool) error {
	var paths []string
	for _, path := range from.paths {
		if wants(path) {
			paths = append(paths, path)
		}
	}
	o := from.options
	o.Deferred = false
	loaded, err := load(ctx, from.source, paths, slices.Clone(from.problems), o)
	if err != nil {
		return err
	}
	if from.source.readError != nil {
		if err := from.source.readError(); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(from.source.prefix, ":"), err)
		}
	}
	loaded.Name, loaded.Form, loaded.Container, loaded.OpenShift, loaded.Selected = c.Name, c.Form, c.Container, c.OpenShift, c.Selected
	loaded.Stats.Unread = len(from.paths) - len(paths)
	*c = *loaded
	return nil
}

// hasPackage reports whether one of the files has a package. It reads no further than to the first one.
func (p *deferred) hasPackage(ctx context.Context) (bool, error) {
	o := p.options
	o.Deferred = false
	for _, path := range p.paths {
		c, err := load(ctx, p.source, []string{path}, nil, o)
		if err != nil || c.hasPackage() {
			return err == nil, err
		}
	}
	return false, nil
}

// empty reports whether all files are empty. A file that cannot be read counts as one with text, so that reading it reports why.
func (p *deferred) empty() bool {
	return !slices.ContainsFunc(p.paths, func(path string) bool {
		info, err := fs.Stat(p.source.fsys, path)
		return err != nil || info.Size() > 0 || !info.Mode().IsRegular()
	})
}
