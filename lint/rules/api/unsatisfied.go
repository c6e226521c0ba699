package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var unsatisfiedRule = lint.Rule{
	ID: "api/unsatisfied", Severity: lint.Info, Gates: lint.GateOLMv0,
	Doc: `no bundle of the catalog meets a requirement
A bundle can require an API, a package in a range of versions, or a constraint. OLM v0 installs the bundle, or upgrades to it,
only together with a bundle that meets the requirement. If no catalog of the cluster has one, OLM v0 does not resolve the
namespace. Another catalog may have it, so it is an error only with --complete, which states that the given catalogs are the only
ones.
Publish the required bundle, or remove the requirement.`,
	Reference: "OLM resolver getBundleVariables",
	Scope:     lint.PerCatalogAndPackage,
	Check:     checkUnsatisfied,
}

// checkUnsatisfied asks of each package that is judged whether its bundles' requirements can be met; of a catalog with a base,
// whether those of the other packages still can.
func checkUnsatisfied(p *lint.Pass) {
	if p.Package == nil {
		checkNoLongerMet(p)
		return
	}
	m, f := p.DependencyIndex(), contents.NewFindingGroups(p)
	for _, b := range contents.NewestFirst(p.Package) {
		o, _ := p.Indexed(m, p.Package, b)
		for _, n := range m.DependenciesOf(o) {
			if !isProvided(n.Dependency) {
				found := unsatisfied(p, o, n, unmetReason(n.Dependency)+unmetConsequence(p))
				found.Fix = nearestProvider(m, n.Requirement)
				f.Add(n.String(), found)
			}
		}
	}
	f.Report("older bundle")
}

// isProvided reports whether OLM finds something that it installs to meet a need. What is too costly to find out is so.
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

func unsatisfied(p *lint.Pass, o resolve.IndexedBundle, n resolve.DeclaredDependency, says string) lint.Finding {
	f := lint.Finding{
		Subject: lint.Subject{Package: o.Package(), Bundle: o.Name()},
		Cause:   n.Parts(),
		Pos:     n.Pos,
		Message: fmt.Sprintf("%q requires %s, %s", o.Name(), n, says),
	}
	if p.Config.Complete {
		f.Severity = lint.Error
	}
	return f
}

// checkNoLongerMet looks at packages that are as they were: what they require may have gone with another one.
func checkNoLongerMet(p *lint.Pass) {
	if p.BaseCatalog == nil {
		return
	}
	m, base, f := p.DependencyIndex(), p.DependencyIndexOf(p.BaseCatalog), contents.NewFindingGroups(p)
	own := slices.Index(m.Catalogs, p.Catalog)
	for o := range m.Bundles {
		if o.Catalog() != own || slices.Contains(p.ChangedPackages, o.Package()) {
			continue
		}
		for _, n := range m.DependenciesOf(o) {
			if was, ok := provider(base, o, n); ok && !isProvided(n.Dependency) {
				found := unsatisfied(p, o, n, fmt.Sprintf("which %q of package %q met, and no bundle does now", was.Name(), was.Package()))
				found.WithCause(was.Package())
				found.Severity = cmp.Or(found.Severity, lint.Warning)
				found.Fix = "keep a bundle that meets it"
				f.Add(o.Package()+" "+n.String(), found)
			}
		}
	}
	f.Report("bundle")
}

// provider returns what meets the same requirement of the same bundle in another market; false if nothing does.
func provider(m *lint.DependencyIndex, o resolve.IndexedBundle, n resolve.DeclaredDependency) (provider resolve.IndexedBundle, ok bool) {
	same, _ := m.Bundle(0, o.Package(), o.Name())
	for _, was := range m.DependenciesOf(same) {
		if all := was.Providers(); was.String() == n.String() && len(all) > 0 {
			return all[0], true
		}
	}
	return resolve.IndexedBundle{}, false
}

// nearestProvider says what comes nearest to a requirement, and what to do.
func nearestProvider(m *lint.DependencyIndex, r *catalogs.Requirement) string {
	const otherwise = "publish the required bundle, or remove the requirement"
	switch {
	case r.Operator != "" || r.CEL != "":
		return "publish one bundle that meets all of it, or remove the requirement"
	case r.API != nil:
		if near, ok := nearestAPI(m, *r.API); ok {
			return near
		}
	case r.Package != "":
		return cmp.Or(nearestPackage(m, r.Package), otherwise)
	case r.Label != "":
		if near, ok := spelling.Nearest(r.Label, labels(m)); ok {
			return fmt.Sprintf("did you mean the label %q?", near)
		}
	}
	return otherwise
}

// nearestAPI looks for the kind in another version, then in another group, then for a kind that is written much like it.
func nearestAPI(m *lint.DependencyIndex, want catalogs.API) (fix string, found bool) {
	var versions, groups, kinds []string
	for o := range m.Bundles {
		for _, api := range o.Facts().Provides {
			switch {
			case api.Kind == want.Kind && api.Group == want.Group:
				versions = append(versions, fmt.Sprintf("%s (%q)", api.Version, o.Name()))
			case api.Kind == want.Kind:
				groups = append(groups, fmt.Sprintf("%s (%q)", api.Group, o.Name()))
			case api.Group == want.Group:
				kinds = append(kinds, api.Kind)
			}
		}
	}
	if len(versions) > 0 {
		return fmt.Sprintf("require an existing version: the last one is %s", versions[len(versions)-1]), true
	}
	if near, ok := spelling.Nearest(want.Kind, kinds); ok {
		return fmt.Sprintf("did you mean the kind %s?", near), true
	}
	if len(groups) > 0 {
		return fmt.Sprintf("the group %s has this kind: require that if it is meant", groups[len(groups)-1]), true
	}
	return "", false
}

func nearestPackage(m *lint.DependencyIndex, want string) string {
	var names, versions []string
	for o := range m.Bundles {
		names = append(names, o.Package())
		if v := o.Version(); v != nil && o.Package() == want {
			versions = append(versions, v.String())
		}
	}
	if len(versions) > 0 {
		return fmt.Sprintf("widen the range: the package has %s", manyOf(versions))
	}
	slices.Sort(names)
	if near, ok := spelling.Nearest(want, slices.Compact(names)); ok {
		return fmt.Sprintf("did you mean the package %q?", near)
	}
	return ""
}

// manyOf lists a few things, and the last one.
func manyOf(all []string) string {
	const most = 3
	if len(all) > most+1 {
		all = slices.Concat(all[:most], []string{"…"}, all[len(all)-1:])
	}
	return strings.Join(all, ", ")
}

func labels(m *lint.DependencyIndex) []string {
	var all []string
	for o := range m.Bundles {
		all = append(all, o.Facts().Labels...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
