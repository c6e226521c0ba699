package edges

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// LacksBundle reports whether an entry with a name has no bundle, neither one that may be in what was not read nor one of a package that is
// not defined, which catalog/unknown-package reports.
func LacksBundle(p *lint.Pass, e *catalogs.Entry) bool {
	name := e.Name.Value
	return name != "" && e.Bundle == nil && !p.Catalog.MayBeUnread(name) &&
		!slices.ContainsFunc(p.Catalog.Packages, func(p *catalogs.Package) bool { return !p.IsDefined() && p.Bundle(name) != nil })
}

// UnlistedBundles returns the bundles without an entry in any channel.
func UnlistedBundles(pkg *catalogs.Package) []*catalogs.Bundle {
	in := NamesIn(pkg)
	return slices.DeleteFunc(slices.Clone(pkg.Bundles), func(b *catalogs.Bundle) bool { return len(in[b.Name.Value]) > 0 })
}

// Meanings are the bundles in no channel that entries without a bundle mean, by the name of the entry.
type Meanings map[string]string

// Include reports whether an entry means a bundle.
func (m Meanings) Include(bundle string) bool {
	for _, b := range m {
		if b == bundle {
			return true
		}
	}
	return false
}

// FindMeanings returns the bundles that entries mean, where catalog/entry-without-bundle says so: one with a similar name; or the only one that fits
// one entry alone, by the version in its name, or because the channel has no version between the two.
func FindMeanings(p *lint.Pass) Meanings {
	return lint.SharedValue[meanings](p).Get(p.Package, func() Meanings { return findMeanings(p) })
}

type meanings struct {
	memo.Map[*catalogs.Package, Meanings]
}

func findMeanings(p *lint.Pass) Meanings {
	entries := map[string][]*catalogs.Channel{}
	for _, c := range p.Package.Channels {
		for i := range c.Entries {
			if e := &c.Entries[i]; e.Bundle == nil && LacksBundle(p, e) && p.Runs("catalog/entry-without-bundle", c.Name.Value) {
				entries[e.Name.Value] = append(entries[e.Name.Value], c)
			}
		}
	}
	if len(entries) == 0 {
		return nil
	}
	meant, unused := Meanings{}, UnlistedBundles(p.Package)
	names := words.Map(unused, func(b *catalogs.Bundle) string { return b.Name.Value })
	for name := range entries {
		if near, ok := words.Nearest(name, names); ok {
			meant[name] = near
		}
		if p.IsPublished(name) {
			delete(entries, name) // its bundle is removed
		}
	}
	unused = slices.DeleteFunc(unused, func(b *catalogs.Bundle) bool {
		name := b.Name.Value
		return name == "" || !versions.HasVersion(b) || p.Catalog.MayBeUnread(name) || p.IsPublished(name) && len(NamesIn(p.BasePackage)[name]) > 0
	})
	meant.pair(entries, unused, func(name string, b *catalogs.Bundle) bool {
		v, ok := graph.VersionIn(name)
		return ok && v.EQ(*b.Semver())
	})
	meant.pair(entries, unused, func(name string, b *catalogs.Bundle) bool {
		return !slices.ContainsFunc(entries[name], func(c *catalogs.Channel) bool { return hasBetween(c, name, *b.Semver()) })
	})
	return meant
}

// pair adds each entry and bundle, of those that are left, that fit each other and no other one.
func (m Meanings) pair(entries map[string][]*catalogs.Channel, unused []*catalogs.Bundle, fits func(name string, b *catalogs.Bundle) bool) {
	of, by := map[string][]string{}, map[string]int{}
	for name := range entries {
		for _, b := range unused {
			if bundle := b.Name.Value; m[name] == "" && !m.Include(bundle) && fits(name, b) {
				of[name] = append(of[name], bundle)
				by[bundle]++
			}
		}
	}
	for name, bundles := range of {
		if len(bundles) == 1 && by[bundles[0]] == 1 {
			m[name] = bundles[0]
		}
	}
}

// hasBetween reports whether a channel has a version between that in the name of an entry, if there is one, and another one.
func hasBetween(c *catalogs.Channel, name string, v semver.Version) bool {
	w, ok := graph.VersionIn(name)
	if !ok {
		return false
	}
	if w.GT(v) {
		v, w = w, v
	}
	return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool {
		return versions.HasVersion(e.Bundle) && e.Bundle.Semver().GE(w) && e.Bundle.Semver().LE(v)
	})
}

// WithMeaning returns the graph of a channel in which an entry has the bundle that it means. If it replaces that bundle, it replaces the only other
// head instead, or nothing.
func WithMeaning(g *graph.Graph, i int, bundle string) *graph.Graph {
	c, own := *g.Channel, g.Channel.Entries[i].Replaces.Value == bundle
	c.Entries = slices.Clone(c.Entries)
	renamed := renamingIn(g.Name(i), bundle)
	for n := range c.Entries {
		c.Entries[n].Skips = slices.Clone(c.Entries[n].Skips)
		renamed(&c.Entries[n])
	}
	e := &c.Entries[i]
	e.Name.Value, e.Bundle = bundle, g.Package.Bundle(bundle)
	if RemovingSkip(bundle)(e); own {
		e.Replaces.Value = ""
	}
	g = g.WithChannel(&c)
	if rest := Without(g.Heads(), i); own && len(rest) == 1 {
		g = WithEntry(g, i, SettingReplaces(g.Name(rest[0])))
	}
	return g
}
