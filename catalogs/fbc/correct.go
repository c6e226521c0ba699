package fbc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// belonging is the package that an object names.
type belonging struct {
	pkg             *catalogs.Text
	channel, bundle string
}

func (b belonging) String() string {
	if b.bundle != "" {
		return fmt.Sprintf("bundle %q", b.bundle)
	}
	return fmt.Sprintf("channel %q", b.channel)
}

// correctPackages gives objects of a package that is not defined to the one that was probably meant, and returns a problem for each
// such package. Where nothing belongs to the one that is defined, its own name is the misspelt one.
func (l *loader) correctPackages(g *packageIndex, all *Objects, lost *words.Words) (found []catalogs.Problem) {
	named, properties := all.byPackage()
	reported := all.reportedPositions()
	defined := words.Map(g.packages, func(p *catalogs.Package) string { return p.Name.Value })
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if name == "" || g.byName[name] != nil || lost.Has(name) {
			continue
		}
		like := properties[name]
		if g.byName[like] == nil {
			like, _ = words.Nearest(name, defined)
		}
		p := g.byName[like]
		switch {
		case p == nil:
		case len(named[like]) == 0:
			if !reported[p.Name.Pos] {
				found = append(found, l.misnamedProblem(p, named[name][0]))
			}
			p.Name.Value = name
			g.byName[name] = p
			delete(g.byName, like)
		default:
			found = append(found, l.moveObjects(named[name], like))
		}
	}
	return found
}

// misnamedProblem returns the problem that nothing belongs to a package, but this object to one that is not defined.
func (l *loader) misnamedProblem(p *catalogs.Package, b belonging) catalogs.Problem {
	problem := catalogs.Problem{Kind: catalogs.UnknownPackage, Package: b.pkg.Value, Cause: []string{p.Name.Value}, Like: b.pkg.Value}
	if p.Name.Pos == (catalogs.Pos{}) {
		return l.correctedProblem(p.Pos, problem, "a package without a name, but %s belongs to package %q, which no olm.package object defines: did you mean %[2]q?",
			b, b.pkg.Value)
	}
	return l.correctedProblem(p.Name.Pos, problem, "nothing belongs to package %q, but %s belongs to package %q, which no olm.package object defines: did you mean %[3]q?",
		p.Name.Value, b, b.pkg.Value)
}

// moveObjects gives objects of one package to another one, and returns the problem.
func (l *loader) moveObjects(objects []belonging, like string) catalogs.Problem {
	first, more := objects[0], ""
	if n := len(objects) - 1; n > 0 {
		more = fmt.Sprintf(" (%d more of this package)", n)
	}
	problem := l.correctedProblem(first.pkg.Pos, catalogs.Problem{Kind: catalogs.UnknownPackage, Package: like, Channel: first.channel, Bundle: first.bundle,
		Cause: []string{first.pkg.Value}, Like: like},
		"%s belongs to package %q, which no olm.package object defines: did you mean %q?%s", first, first.pkg.Value, like, source.Trusted(more))
	for _, o := range objects {
		o.pkg.Value = like
	}
	return problem
}

func (l *loader) correctedProblem(pos catalogs.Pos, p catalogs.Problem, format string, args ...any) catalogs.Problem {
	f := &source.File{Source: l.source, Name: pos.File}
	p.Pos, p.Message = pos, f.Message(format, args...)
	return p
}

// correctNames gives each entry without a bundle the bundle whose name it probably misspells, and returns a problem for each.
func (l *loader) correctNames(p *catalogs.Package, lost *words.Words) (found []catalogs.Problem) {
	bundles, listed := map[string]*catalogs.Bundle{}, map[string]bool{}
	for _, b := range p.Bundles {
		bundles[b.Name.Value] = b
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			listed[c.Entries[i].Name.Value] = true
		}
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			name := e.Name.Value
			if bundles[name] != nil || lost.Has(name) {
				continue
			}
			like := likeName(c, name, bundles, listed)
			b := bundles[like]
			if b == nil {
				continue
			}
			listed[like] = true
			problem := catalogs.Problem{Kind: catalogs.UnknownName, Package: p.Name.Value, Channel: c.Name.Value, Bundle: name, Cause: []string{name}, Like: like}
			if version := b.Version.Value; version != "" && strings.Contains(name, version) &&
				(!strings.Contains(like, version) || p.CountUses(name) > 1 && p.CountUses(like) == 0) { // the name of the bundle is the wrong one
				problem.Bundle, problem.Like = like, name
				found = append(found, l.correctedProblem(b.Name.Pos, problem, "bundle %q is in no channel, but channel %q offers %q: did you mean %[3]q?",
					like, c.Name.Value, name))
				b.Name.Value = name
				bundles[name] = b
				continue
			}
			if name == "" {
				found = append(found, l.correctedProblem(e.Pos, problem, "an entry of channel %q without a name: did you mean %q?", c.Name.Value, like))
				e.Name = catalogs.Text{Value: like, Pos: e.Pos}
				continue
			}
			found = append(found, l.correctedProblem(e.Pos, problem, "channel %q offers %q, but no olm.bundle object of package %q has that name: did you mean %q?",
				c.Name.Value, name, p.Name.Value, like))
			e.Name.Value = like
		}
	}
	return found
}

// likeName returns the bundle whose name an entry of a channel probably misspells: one that looks the same and is not in the channel, or
// the nearest of those in no channel; without a name the only one in no channel. "" if there is none.
func likeName(c *catalogs.Channel, name string, bundles map[string]*catalogs.Bundle, listed map[string]bool) string {
	var unlisted []string
	for _, like := range slices.Sorted(maps.Keys(bundles)) {
		if !listed[like] {
			unlisted = append(unlisted, like)
		}
		if words.SameButConfused(name, like) && !slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == like }) {
			return like
		}
	}
	if name == "" && len(unlisted) == 1 {
		return unlisted[0]
	}
	like, _ := words.NearestVersioned(name, unlisted)
	return like
}
