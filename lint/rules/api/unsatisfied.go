package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// checkUnsatisfied reports requirements of the package that no bundle meets. For a catalog with a base, it reports those of
// unchanged packages that are no longer met.
func checkUnsatisfied(p *lint.Pass) {
	if p.Package == nil {
		checkNoLongerMet(p)
		return
	}
	if p.IsLoneBundle() && !p.Config.Complete {
		return
	}
	index := p.DependencyIndex()
	var unmet contents.PartGroups[unmetKey, resolve.DeclaredDependency]
	for _, b := range contents.NewestFirst(p) {
		o, _ := p.IndexedBundle(index, p.Package, b)
		for _, n := range index.BundleDependencies(o) {
			if isProvided(n.Dependency) {
				continue
			}
			key := unmetKey{o, unmetReason(n.Dependency), nearestProvider(index, n.Requirement)}
			if d, isNew := unmet.Add(key, n.String(), contents.AtBundle(b, "")); isNew {
				*d = n
			}
		}
	}
	for _, g := range unmet.All {
		p.Report(unmetFinding(p, g))
	}
}

// unmetKey identifies requirements of a bundle that are not met for the same reason and have the same fix.
type unmetKey struct {
	bundle      resolve.IndexedBundle
	reason, fix string
}

// unmetFinding returns the finding about requirements of a bundle that are not met.
func unmetFinding(p *lint.Pass, g *contents.PartGroup[unmetKey, resolve.DeclaredDependency]) lint.Finding {
	var names, faults []string
	var details []lint.Related
	for _, n := range g.Parts {
		names = append(names, n.String())
		faults = append(faults, strings.Trim(strings.Join(n.Parts(), "/"), "/"))
		details = append(details, lint.Related{Pos: n.Pos, Message: n.String()})
	}
	f := unsatisfiedFinding(p, g.Key.bundle, *g.Parts[0], words.JoinSome(names, 2), g.Key.reason+unmetConsequence(p)+words.AndMore(len(g.Also), "older bundle"))
	f.Cause, f.Faults, f.Fix, f.Also = lint.OncePerPackage(), faults, g.Key.fix, g.Also
	if len(g.Parts) > 1 {
		f.Details = details
	}
	return f
}

// isProvided reports whether OLM finds a bundle that meets a requirement and that it installs. A requirement that is too costly
// to evaluate is assumed to be met.
func isProvided(n *resolve.Dependency) bool {
	return n.Costly || len(n.Providers()) > 0
}

func unmetReason(n *resolve.Dependency) string {
	if len(n.Met) > 0 {
		return fmt.Sprintf("which only %q meets, which has the property olm.deprecated", n.Met[0].Name())
	}
	return "which no bundle of the catalog meets"
}

func unmetConsequence(p *lint.Pass) string {
	if p.Config.Complete {
		return ": OLM v0 cannot install it"
	}
	return ": OLM v0 installs it only if another catalog has such a bundle"
}

// unsatisfiedFinding returns the finding about requirements that are not met, of which n is the first.
func unsatisfiedFinding(p *lint.Pass, o resolve.IndexedBundle, n resolve.DeclaredDependency, names, says string) lint.Finding {
	f := lint.Finding{
		Subject: lint.Subject{Package: o.Package(), Bundle: o.Name()},
		Cause:   n.Parts(),
		Pos:     n.Pos,
		Message: fmt.Sprintf("%q requires %s, %s", o.Name(), names, says),
	}
	if p.Config.Complete {
		f.Severity = lint.Error
	}
	return f
}

// checkNoLongerMet reports requirements of unchanged packages that other packages met in the base.
func checkNoLongerMet(p *lint.Pass) {
	if p.BaseCatalog == nil {
		return
	}
	index, base, f := p.DependencyIndex(), p.DependencyIndexFor(p.BaseCatalog), contents.NewFindingGroups(p)
	own := slices.Index(index.Catalogs, p.Catalog)
	for o := range index.Bundles {
		if o.Catalog() != own || slices.Contains(p.ChangedPackages, o.Package()) {
			continue
		}
		for _, n := range index.BundleDependencies(o) {
			if was, ok := provider(base, o, n); ok && !isProvided(n.Dependency) {
				found := unsatisfiedFinding(p, o, n, n.String(), fmt.Sprintf("which %q of package %q met, and no bundle does now", was.Name(), was.Package()))
				found.WithCause(was.Package())
				found.Severity = cmp.Or(found.Severity, lint.Warning)
				found.Fix = "keep a bundle that meets it"
				f.Add(o.Package()+" "+n.String(), found)
			}
		}
	}
	f.Report("bundle")
}

// provider returns a bundle that meets the same requirement of the same bundle in another index; false if there is none.
func provider(index *lint.DependencyIndex, o resolve.IndexedBundle, n resolve.DeclaredDependency) (provider resolve.IndexedBundle, ok bool) {
	same, _ := index.Bundle(0, o.Package(), o.Name())
	for _, was := range index.BundleDependencies(same) {
		if all := was.Providers(); was.String() == n.String() && len(all) > 0 {
			return all[0], true
		}
	}
	return resolve.IndexedBundle{}, false
}

// nearestProvider returns the fix, with the most similar name in the index, if any.
func nearestProvider(index *lint.DependencyIndex, r *catalogs.Requirement) string {
	const otherwise = "publish the required bundle, or remove the requirement"
	switch {
	case r.Operator != "" || r.CEL != "":
		return "publish one bundle that meets all of it, or remove the requirement"
	case r.API != nil:
		if last := otherVersion(index, r.API); last != "" {
			return "require an existing version: the last one is " + last
		}
	case r.Package != "":
		return cmp.Or(nearestPackage(index, r.Package), otherwise)
	}
	return otherwise
}

// otherVersion returns the last other version of a required API, with the bundle that provides it; "" if there is none.
func otherVersion(index *lint.DependencyIndex, want *catalogs.API) (last string) {
	for o := range index.Bundles {
		for _, api := range o.Facts().Provides {
			if api.Kind == want.Kind && api.Group == want.Group {
				last = fmt.Sprintf("%s (%q)", api.Version, o.Name())
			}
		}
	}
	return last
}

// nearestPackage returns the fix for a required package: its versions, or a package with a similar name; "" if there is none.
func nearestPackage(index *lint.DependencyIndex, want string) string {
	var names, versions []string
	for o := range index.Bundles {
		names = append(names, o.Package())
		if v := o.Version(); v != nil && o.Package() == want {
			versions = append(versions, v.String())
		}
	}
	if len(versions) > 0 {
		return fmt.Sprintf("widen the range: the package has %s", elideMiddle(versions))
	}
	slices.Sort(names)
	if near, ok := words.Nearest(want, slices.Compact(names)); ok {
		return fmt.Sprintf("did you mean the package %q?", near)
	}
	return ""
}

// elideMiddle lists the first few items and the last one.
func elideMiddle(all []string) string {
	const most = 3
	if len(all) > most+1 {
		all = slices.Concat(all[:most], []string{"…"}, all[len(all)-1:])
	}
	return strings.Join(all, ", ")
}
