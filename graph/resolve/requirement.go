package resolve

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
)

// predicate is a requirement that bundles can be tested against.
type predicate struct {
	requirement *catalogs.Requirement
	meets       func(*bundle) bool
	rules       []*celRule
}

// cost is what the rules of the requirement have cost so far, in the units of CEL.
func (t *predicate) cost() uint64 {
	cost := uint64(0)
	for _, r := range t.rules {
		cost += r.Cost()
	}
	return cost
}

// withinLimit reports whether no rule has reached its limit.
func (t *predicate) withinLimit() bool {
	return !slices.ContainsFunc(t.rules, (*celRule).LimitReached)
}

// requirementCompiler compiles requirements. The same rule is compiled once.
type requirementCompiler struct {
	environment *ruleEnvironment // created for the first rule, which most catalogs do not have
	rules       map[string]*celRule
}

// readRequirements compiles what a bundle requires. What OLM cannot read becomes a fault of the bundle.
func (t *requirementCompiler) readRequirements(b *bundle) {
	b.faults = slices.Clip(b.facts.Faults)
	for i := range b.facts.Requires {
		r := &b.facts.Requires[i]
		meets, err := t.compileRequirement(r)
		if err != nil {
			b.faults = append(b.faults, catalogs.RequirementFault{Type: requirementType(r), Err: err, Pos: r.Pos, Parts: r.Parts()})
			continue
		}
		b.requires = append(b.requires, &predicate{requirement: r, meets: meets, rules: t.rulesIn(r, nil)})
	}
}

// requirementType returns the type of the property that most likely holds a requirement.
func requirementType(r *catalogs.Requirement) string {
	if r.Package != "" || r.Range != "" {
		return catalogs.TypePackageRequired
	}
	return catalogs.TypeConstraint
}

// compileRequirement returns a function that tests bundles against a requirement. It fails for a range or a rule that cannot be parsed
// (OLM: resolver convertConstraints).
func (t *requirementCompiler) compileRequirement(r *catalogs.Requirement) (func(*bundle) bool, error) {
	switch {
	case r.API != nil:
		return func(b *bundle) bool { return b.provides(*r.API) }, nil
	case r.Operator != "":
		return t.compileCompound(r)
	case r.CEL != "":
		return t.compileRule(r.CEL)
	case r.Label != "":
		return func(b *bundle) bool { return b.hasLabel(r.Label) }, nil
	}
	in, err := graph.ParseRange(r.Range)
	if err != nil {
		return nil, err
	}
	return func(b *bundle) bool { return b.inPackage(r.Package) && b.versionIn(in) }, nil
}

// compileCompound tests the same bundle against all parts.
func (t *requirementCompiler) compileCompound(r *catalogs.Requirement) (func(*bundle) bool, error) {
	parts := make([]func(*bundle) bool, len(r.Of))
	for i := range r.Of {
		var err error
		if parts[i], err = t.compileRequirement(&r.Of[i]); err != nil {
			return nil, err
		}
	}
	// "all" ends at the first part that is not met, "any" and "not" at the first that is.
	ends := r.Operator != "all"
	return func(b *bundle) bool {
		for _, meets := range parts {
			if meets(b) == ends {
				return r.Operator == "any"
			}
		}
		return r.Operator != "any"
	}, nil
}

// rulesIn appends the rules of a requirement that was compiled.
func (t *requirementCompiler) rulesIn(r *catalogs.Requirement, all []*celRule) []*celRule {
	if r.Operator == "" && r.CEL != "" {
		return append(all, t.rules[r.CEL])
	}
	for i := range r.Of {
		all = t.rulesIn(&r.Of[i], all)
	}
	return all
}

func (t *requirementCompiler) compileRule(text string) (func(*bundle) bool, error) {
	known, err := t.cachedRule(text)
	if err != nil {
		return nil, err
	}
	return func(b *bundle) bool { return known.Matches(b.values()) }, nil
}

func (t *requirementCompiler) cachedRule(text string) (*celRule, error) {
	if known := t.rules[text]; known != nil {
		return known, nil
	}
	if t.environment == nil {
		language, err := newRuleEnvironment()
		if err != nil {
			return nil, err
		}
		t.environment, t.rules = language, map[string]*celRule{}
	}
	compiled, err := t.environment.Compile(text)
	if err == nil {
		t.rules[text] = compiled
	}
	return compiled, err
}

func (b *bundle) provides(api catalogs.API) bool { return slices.Contains(b.facts.Provides, api) }

func (b *bundle) hasLabel(label string) bool { return slices.Contains(b.facts.Labels, label) }

// inPackage reports whether the bundle is of a package (OLM: cache PkgPredicate).
func (b *bundle) inPackage(pkg string) bool {
	return b.pkg == pkg || slices.ContainsFunc(b.facts.Packages, func(p catalogs.PackageProperty) bool { return p.Name == pkg })
}

// versionIn reports whether a version of the bundle is in a range: that of a property, parsed strictly, or else the version as
// OLM has parsed it, tolerantly (OLM: cache VersionInRangePredicate).
func (b *bundle) versionIn(in *graph.Range) bool {
	for _, p := range b.facts.Packages {
		if v, err := semver.Parse(p.Version); err == nil && in.Contains(v) {
			return true
		}
	}
	return b.version != nil && in.Contains(*b.version)
}

// values returns the properties as a rule sees them.
func (b *bundle) values() []map[string]any {
	b.decode.Do(func() {
		b.properties = make([]map[string]any, len(b.facts.Properties))
		for i, p := range b.facts.Properties {
			var value any
			if json.Unmarshal(p.Value, &value) == nil {
				b.properties[i] = map[string]any{"type": p.Type, "value": value}
			}
		}
	})
	return b.properties
}

// requirementKey returns a text that is equal for equal requirements.
func requirementKey(r *catalogs.Requirement) string { return string(appendKey(nil, r)) }

func appendKey(dst []byte, r *catalogs.Requirement) []byte {
	words := []string{r.Operator, r.Package, r.Range, r.Label, r.CEL}
	if r.API != nil {
		words = []string{"api", r.API.Group, r.API.Version, r.API.Kind}
	}
	for _, word := range words {
		dst = append(strconv.AppendQuote(dst, word), ' ')
	}
	for i := range r.Of {
		dst = append(appendKey(append(dst, '('), &r.Of[i]), ')')
	}
	return dst
}

// candidates returns the only bundles that can meet a requirement, in the order of packages.
func (c *Catalog) candidates(r *catalogs.Requirement) []*bundle {
	switch {
	case r.API != nil:
		return c.byAPI[*r.API]
	case r.Operator == "" && r.CEL == "" && r.Label == "":
		return c.byPackage[r.Package]
	}
	return c.bundles
}

// matchingBundles is the bundles that meet a requirement in a catalog, in the order of packages.
type matchingBundles struct {
	bundles []*bundle
	costly  bool // it takes too long to find out: bundles are what was found by then
}

// findMatching returns the bundles that meet a requirement. Where the context ends it returns what it has found by then.
func (c *Catalog) findMatching(ctx context.Context, t *predicate) matchingBundles {
	if t.requirement.API != nil {
		return matchingBundles{bundles: c.byAPI[*t.requirement.API]}
	}
	known := requirementKey(t.requirement)
	if met, ok := c.meetings.Load(known); ok {
		return met.(matchingBundles)
	}
	var met matchingBundles
	before := t.cost()
	for _, b := range c.candidates(t.requirement) {
		if ctx.Err() != nil {
			return met
		}
		if t.meets(b) {
			met.bundles = append(met.bundles, b)
		}
		if met.costly = !t.withinLimit() || t.cost()-before > maxRuleCost; met.costly {
			break
		}
	}
	c.meetings.Store(known, met)
	return met
}
