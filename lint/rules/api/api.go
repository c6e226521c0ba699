// Package api has the rules on the APIs that bundles provide and require, and on other dependencies.
package api

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents}, []lint.Rule{
		{
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
		},
		{
			ID: "api/range-syntax", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `the version range of a required package is invalid
OLM v0 parses the versionRange of olm.package.required with blang/semver: full versions after <, <=, >, >=, = or !=, a space for
and, || with spaces for or. opm does not check it. OLM v0 does when the bundle is a candidate, and then resolves nothing in the
namespace.
Write the range in this grammar, for example ">=1.0.0 <2.0.0".`,
			Reference: "OLM resolver predicateForRequiredPackageProperty",
			Check:     lint.EachBundle(checkRequiredRange),
		},
		{
			ID: "api/constraint", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `a constraint cannot be read
An olm.constraint is one of gvk, package, all, any, not and cel, has no other field, and is at most 128 KiB. A CEL rule must
return true or false for the list properties. opm does not check it. OLM v0 does when the bundle is a candidate, and then
resolves nothing in the namespace. OLM v0 also evaluates each rule for each bundle of each catalog, without a cost limit.
Write the constraint as OLM reads it.`,
			Reference: "operator-framework/api pkg/constraints; OLM resolver predicateForConstraintProperty",
			Check:     lint.EachBundle(checkConstraint),
		},
		{
			ID: "api/provider-lost", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an upgrade removes what another package requires
OLM v0 makes no upgrade that leaves a requirement of an installed operator unmet. If the newest version of the other package still
has the requirement, OLM v0 never makes the upgrade where both are installed, and reports nothing.
Keep providing it until the other package has a version that does not require it.`,
			Reference: "OLM resolver getBundleVariables",
			Check:     checkProviderLost,
		},
		{
			ID: "api/not-supported-v1", Severity: lint.Warning, Gates: lint.GateOLMv1,
			Doc: `OLM v1 does not install bundles with dependencies
OLM v1 does not resolve dependencies. If the version that it has chosen has a property olm.gvk.required, olm.package.required or
olm.constraint, it reports an error and tries no other version. OLM v0 installs the bundles: it is a warning only
with --olm v1, --olm both or --gate olmv1.
Ask users of OLM v1 to install the dependencies themselves, and publish versions without these properties.`,
			Reference: "operator-controller internal/resolve validation.go",
			Check:     checkDependsV1,
		},
	})
}

// checkDependsV1 reports the newest bundle that OLM v1 does not install because of its requirements.
func checkDependsV1(p *lint.Pass) {
	if p.Config.OLM == "v0" {
		return
	}
	inHead := lint.Info
	if p.AsksOLMv1() {
		inHead = lint.Warning
	}
	bundles, heads, f := contents.NewestFirst(p), contents.HeadSet(p), contents.NewFindingGroups(p)
	var installs string
	if i := slices.IndexFunc(bundles, func(b *catalogs.Bundle) bool { return firstRequirement(p, b) == nil }); i >= 0 {
		installs = bundles[i].Name.Value
	}
	for _, b := range bundles {
		r := firstRequirement(p, b)
		if r == nil {
			continue
		}
		isHead, severity := heads[b], lint.Info
		if isHead {
			severity = inHead
		}
		finding := lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value}, Cause: lint.OncePerPackage(), Pos: r.Pos, Severity: severity, Fix: dependsFix(isHead, installs),
			Message: fmt.Sprintf("%q requires %s: OLM v1 does not install it, and tries no other version", b.Name.Value, r),
		}
		if isHead {
			contents.MarkInHead(&finding)
		}
		f.Add("", finding)
	}
	f.Report("older bundle")
}

// firstRequirement returns the first requirement of a bundle that OLM v1 rejects, or nil. OLM v1 ignores labels.
func firstRequirement(p *lint.Pass, b *catalogs.Bundle) *catalogs.Requirement {
	if !b.MayRequire() {
		return nil
	}
	all := p.Dependencies(b).Requires
	return find.Pointer(all, func(r catalogs.Requirement) bool { return r.Label == "" })
}

// dependsFix returns the fix, with the newest bundle that OLM v1 installs, if any.
func dependsFix(isHead bool, installs string) string {
	switch {
	case installs == "":
		return "ask users to install the dependencies themselves, and publish a version without the requirement"
	case isHead:
		return fmt.Sprintf("the newest version that OLM v1 installs is %q: ask users to pin it, or remove the requirement", installs)
	}
	return fmt.Sprintf("newer versions, up to %q, have no requirements: ask users of OLM v1 to install one of these", installs)
}

// checkProviderLost reports upgrades that remove the last provider of what another package requires.
func checkProviderLost(p *lint.Pass) {
	index := p.DependencyIndex()
	if len(index.Dependencies) == 0 {
		return
	}
	steps, f := contents.NewestUpgrades(p), contents.NewFindingGroups(p)
	slices.SortStableFunc(steps, func(a, b *judge.Upgrade) int { return cmp.Compare(preReleases(a), preReleases(b)) })
	for _, s := range steps {
		from, known := p.IndexedBundle(index, p.Package, s.From)
		to, also := p.IndexedBundle(index, p.Package, s.To)
		if !known || !also {
			continue
		}
		for _, n := range index.Dependencies {
			if n.MetBy(from) && !n.MetBy(to) && !n.Costly && !providedByOthers(n, p.Package.Name.Value) {
				reportLostProvider(p, f, index, s, n)
			}
		}
	}
	f.Report("upgrade")
}

// preReleases returns the number of the parts of the pre-release that an upgrade leads to, 0 if it is a release.
func preReleases(u *judge.Upgrade) int {
	if v := u.To.Semver(); v != nil {
		return len(v.Pre)
	}
	return 0
}

// providedByOthers reports whether OLM could install a bundle of another package that meets a requirement.
func providedByOthers(n *resolve.Dependency, pkg string) bool {
	return slices.ContainsFunc(n.Providers(), func(o resolve.IndexedBundle) bool { return o.Package() != pkg })
}

// reportLostProvider reports a requirement once, with all packages that have it, preferring bundles that are heads of channels.
func reportLostProvider(p *lint.Pass, f *contents.FindingGroups, index *lint.DependencyIndex, s *judge.Upgrade, n *resolve.Dependency) {
	met := map[string]bool{p.Package.Name.Value: true}
	var first *resolve.IndexedBundle
	var related []lint.Related
	inHead := false
	for _, heads := range []bool{true, false} {
		for _, o := range slices.Backward(n.Dependents) {
			if met[o.Package()] || heads && len(o.Heads()) == 0 || inHead && !heads {
				continue
			}
			if met[o.Package()], inHead = true, heads; first == nil {
				first = &o
			}
			related = append(related, lint.Related{Pos: index.PosOfBundle(o), Message: "what requires it"})
		}
	}
	if first == nil {
		return
	}
	found := lint.Finding{
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value},
		Cause:   n.Parts(),
		Pos:     s.To.Pos,
		Message: fmt.Sprintf("the upgrade from %q to %q removes %s, which %q of package %q requires", s.From.Name.Value, s.To.Name.Value, n, first.Name(), first.Package()),
		Fix:     fmt.Sprintf("keep it until %q does not require it", first.Package()),
		Related: related,
	}
	if inHead {
		contents.MarkInHead(&found)
		found.Message += fmt.Sprintf(", the head of %s", words.QuoteSome(first.Heads())) + words.AndMore(len(related)-1, "package") + ": OLM v0 does not make the upgrade where both are installed"
	} else {
		found.Severity = lint.Info
		found.Message += words.AndMore(len(related)-1, "package") + ": where both are installed OLM v0 makes the upgrade only together with an upgrade of that"
	}
	f.Add(n.String(), found)
}

// reportRequirement reports a requirement that makes OLM v0 fail to resolve. The message begins with the name of the bundle.
func reportRequirement(p *lint.Pass, b *catalogs.Bundle, at catalogs.Pos, says, fix string, cause ...string) {
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value}, Cause: append([]string{b.Name.Value}, cause...), Pos: at, Fix: fix,
		Message: fmt.Sprintf("%q %s: OLM v0 resolves nothing in namespaces where the bundle is a candidate", b.Name.Value, says),
	})
}

// checkConstraint reports constraints that OLM cannot parse, and CEL rules that exceed the cost limit.
func checkConstraint(p *lint.Pass, b *catalogs.Bundle) {
	if !b.MayRequire() {
		return
	}
	index := p.DependencyIndex()
	o, ok := p.IndexedBundle(index, p.Package, b)
	if !ok {
		return
	}
	for _, fault := range o.Faults() {
		if fault.Type == catalogs.TypeConstraint {
			reportRequirement(p, b, fault.Pos, fmt.Sprintf("has an olm.constraint that cannot be read: %v", fault.Err),
				"write it as one of gvk, package, all, any, not and cel", fault.Parts...)
		}
	}
	for _, n := range index.BundleDependencies(o) {
		if n.Costly {
			reportRequirement(p, b, n.Pos, fmt.Sprintf("has a rule that takes too long to evaluate for the bundles of the catalog: %s", n),
				"read each property once, for example properties.exists(p, …)", n.Parts()...)
		}
	}
}

// checkRequiredRange reports version ranges of required packages that OLM cannot parse, or that crash it.
func checkRequiredRange(p *lint.Pass, b *catalogs.Bundle) {
	if !b.MayRequire() {
		return
	}
	for _, r := range p.Dependencies(b).Requires {
		if r.Package == "" {
			continue
		}
		in := graph.ReadRange(r.Range)
		switch {
		case r.Range == "" || in == nil:
			why, fix := versions.RangeMistake(r.Range)
			if why != "" {
				why = ": " + why
			}
			reportRequirement(p, b, r.Pos, fmt.Sprintf("requires package %q in the invalid range %q%s", r.Package, r.Range, why),
				cmp.Or(fix, "write a range as in >=1.0.0 <2.0.0"), r.Parts()...)
		case in.Crashes():
			reportRequirement(p, b, r.Pos, fmt.Sprintf("requires package %q in the range %q, which crashes OLM", r.Package, r.Range),
				"write whole versions on both sides of each ||", r.Parts()...)
		}
	}
}
