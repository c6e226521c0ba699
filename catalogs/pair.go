package catalogs

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Pair is a catalog and what it is compared with.
type Pair struct {
	Now  *Catalog
	Base *Catalog // nil if nothing corresponds
	// Changed are the names of the packages that are not the same text in both, sorted. Those that only one has are among
	// them, and all of a form whose text is not that of a file-based catalog.
	Changed []string
}

// Pairs matches catalogs with those of a base: by name, else by OpenShift version, and two that are alone in any case. Alone
// are the catalogs of the base that nothing corresponds to.
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

// Read reads what Options.Later has put off, and finds out what has changed. Of two file-based catalogs it reads the files
// that differ, and those others that mention what has changed, in which the rest of a package may be, or what it depends on.
// A mention that is written with escapes is not seen.
func (p *Pair) Read(ctx context.Context) error {
	if p.Base == nil || p.Now.pending == nil || p.Base.pending == nil {
		for _, c := range []*Catalog{p.Now, p.Base} {
			if err := c.Read(ctx); err != nil {
				return err
			}
		}
		p.compare()
		return nil
	}
	now, base := p.Now.pending, p.Base.pending
	if err := p.readChanged(ctx, now, base); err != nil {
		return err
	}
	return p.readUnchanged(ctx, now)
}

// readChanged reads the files that differ, and what else is needed.
func (p *Pair) readChanged(ctx context.Context, now, base *pending) error {
	same := unchanged(ctx, now, base)
	if err := p.readBut(ctx, now, base, same); err != nil {
		return err
	}
	if p.compare(); len(p.Changed) == 0 {
		return nil
	}
	if !now.leave(ctx, same, p.words()) {
		return ctx.Err()
	}
	if err := p.readBut(ctx, now, base, same); err != nil {
		return err
	}
	p.compare()
	return nil
}

// readUnchanged reads what has not changed as well, if there is no package in the whole catalog: that is to be said.
func (p *Pair) readUnchanged(ctx context.Context, now *pending) error {
	if p.Now.hasPackage() || p.Now.Stats.Unread == 0 {
		return nil
	}
	has, err := now.hasPackage(ctx)
	if err != nil || has {
		return err
	}
	return p.Now.readSome(ctx, now, func(string) bool { return true })
}

// readBut reads all files of both but those that are the same in both.
func (p *Pair) readBut(ctx context.Context, now, base *pending, same map[string]string) error {
	sameBase := map[string]bool{}
	for _, path := range same {
		sameBase[path] = true
	}
	if err := p.Now.readSome(ctx, now, func(path string) bool { _, left := same[path]; return !left }); err != nil {
		return err
	}
	return p.Base.readSome(ctx, base, func(path string) bool { return !sameBase[path] })
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

// unchanged returns the files that both have, under whatever name: by path now, the path in the base.
func unchanged(ctx context.Context, now, base *pending) map[string]string {
	same := map[string]string{}
	was := map[string][]string{}
	for _, path := range base.paths {
		if id, ok := base.id(ctx, path); ok {
			was[id] = append(was[id], path)
		}
	}
	for _, path := range now.paths {
		if id, ok := now.id(ctx, path); ok && len(was[id]) > 0 {
			same[path] = was[id][0]
			was[id] = was[id][1:]
		}
	}
	return same
}

// leave takes the files that mention one of the words out of those that are to be left unread, and reports whether there were
// any.
func (p *pending) leave(ctx context.Context, same map[string]string, w words) (mentioned bool) {
	for _, path := range p.paths {
		if _, left := same[path]; !left || ctx.Err() != nil {
			continue
		}
		if text, err := readAll(&file{source: p.source, path: path}); err == nil && w.in(text) {
			delete(same, path)
			mentioned = true
		}
	}
	return mentioned
}

// id names a file's text as git does, which knows those of its own trees; false for what cannot be read, so that reading it
// says why, and for all once nobody waits for it any more.
func (p *pending) id(ctx context.Context, path string) (string, bool) {
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
