package crd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kubeversion "k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations"
)

// Change is one difference that OLM v1's preflight check rejects, or one that it does not detect.
type Change struct {
	Version string // v1, "v1alpha1 -> v1" for two served versions of the new definition, "" for the whole
	Path    string // as crdify writes it: ^.spec.foo[*].bar; "" for the whole
	Check   string // crdify's name of it: enum, type, required, existingFieldRemoval, maximum, scope, unhandled …; or unseen
	Was, Is string // values as text, cut; "" for none
	Message string // a clause: spec.replicas may be 10 at most, was 20
	At      string // the path in the new definition, as Kubernetes writes it: the deepest that exists
	Field   string // the field of the schema that differs: pattern, x-kubernetes-map-type …; of several one that narrows, if any; "" for a removal
	Narrows bool   // a valid object can become invalid by the schema: rules, list types and embedded objects are checked when one is written
	Ample   bool   // it narrows by limits that hardly any object exceeds, only
	Loses   bool   // a valid object can lose values: the API server drops what no schema describes

	Required int // fields that are required now

	removed   bool // the path was removed
	onlyBelow bool // all differences are in schemas below, which have paths of their own
}

// Changes compares two definitions as OLM v1 does on an upgrade: with the checks of crdify, descriptions ignored, additions to an
// enum allowed, and served versions not compared with each other if a webhook converts. All other differences are rejected. The
// changes are in order of version, path and check. A version without a schema counts as one with an empty schema; crdify panics
// there. Stored versions are not checked: see UpdateFaults.
func Changes(old, new *Definition) (changes []Change, err error) {
	defer recoverTo("comparing the CustomResourceDefinitions", &err)
	c, err := newComparison(old, new)
	if err != nil {
		return nil, err
	}
	c.scope()
	c.compareSameVersions()
	if err := c.servedVersions(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(c.changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Check, b.Check))
	})
	return c.changes, nil
}

// comparison is the state of one call of Changes.
type comparison struct {
	old, new *Definition
	checks   []validations.Comparator[v1.JSONSchemaProps]
	differ   differ
	changes  []Change
}

func newComparison(old, new *Definition) (*comparison, error) {
	if beyond := cmp.Or(old.schemasErr, new.schemasErr); beyond != nil {
		return nil, beyond
	}
	registry := runner.DefaultRegistry()
	loaded, err := validations.LoadValidationsFromRegistry(registry)
	if err != nil {
		return nil, err
	}
	loaded, err = validations.ConfigureValidations(loaded, registry, *preflight())
	if err != nil {
		return nil, err
	}
	var checks []validations.Comparator[v1.JSONSchemaProps]
	for _, v := range loaded {
		if check, ok := v.(validations.Comparator[v1.JSONSchemaProps]); ok {
			checks = append(checks, check)
		}
	}
	return &comparison{old: old, new: new, checks: checks, differ: differ{budget: maxVisits, keepsUnknown: old.PreserveUnknownFields}}, nil
}

// preflight is how OLM v1 configures crdify (operator-controller: preflights/crdupgradesafety).
func preflight() *config.Config {
	return &config.Config{
		Validations: []config.ValidationConfig{
			{Name: "description", Enforcement: config.EnforcementPolicyNone},
			{Name: "enum", Enforcement: config.EnforcementPolicyError, Configuration: map[string]any{"additionPolicy": "Allow"}},
		},
		Conversion:           config.ConversionPolicyIgnore,
		UnhandledEnforcement: config.EnforcementPolicyError,
	}
}

func (c *comparison) scope() {
	was, is := c.old.Scope, c.new.Scope
	if was != is {
		c.changes = append(c.changes, Change{
			Check: "scope", Was: was, Is: is, At: "spec.scope", Narrows: true,
			Message: fmt.Sprintf("the scope is %s now, was %s", quote(is), quote(was)),
		})
	}
}

// compareSameVersions compares each version with the one of the same name.
func (c *comparison) compareSameVersions() {
	c.eachVersion(func(name string, was, is fields) {
		for path := range was {
			if is[path] == nil {
				c.changes = append(c.changes, c.removal(name, path, was, is))
			}
		}
		for _, found := range c.compare(was, is) {
			c.changes = append(c.changes, c.change(name, found, was, is))
		}
	})
}

// eachVersion calls do for each version that both definitions have with different schemas.
func (c *comparison) eachVersion(do func(name string, was, is fields)) {
	var names []string
	for _, v := range c.old.Versions {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if before, after := c.old.version(name), c.new.version(name); after != nil && !sameTree(versionSchema(before), versionSchema(after)) {
			was, is := flattenSchemas(before, after)
			do(name, was, is)
		}
	}
}

// pair is two served versions, the less mature one first.
type pair [2]*v1.CustomResourceDefinitionVersion

// servedVersions compares the served versions of the new definition with each other, and leaves out the findings that two versions
// of the same names had in the old one.
func (c *comparison) servedVersions() error {
	if c.new.crd.Spec.Conversion.Strategy == v1.WebhookConverter {
		return nil
	}
	before, err := servedPairs(c.old)
	if err != nil {
		return err
	}
	after, err := servedPairs(c.new)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		pair := after[name]
		if old, ok := before[name]; ok && sameTree(versionSchema(old[0]), versionSchema(pair[0])) && sameTree(versionSchema(old[1]), versionSchema(pair[1])) {
			continue
		}
		c.compareServed(name, before[name], pair)
	}
	return nil
}

func (c *comparison) compareServed(name string, before, after pair) {
	if sameTree(versionSchema(after[0]), versionSchema(after[1])) {
		return
	}
	known := map[[2]string]finding{}
	if before[0] != nil {
		for _, found := range c.compare(flattenSchemas(before[0], before[1])) {
			known[[2]string{found.path, found.check}] = found
		}
	}
	was, is := flattenSchemas(after[0], after[1])
	for _, found := range c.compare(was, is) {
		if old, ok := known[[2]string{found.path, found.check}]; !ok || !c.sameFinding(found, old) {
			c.changes = append(c.changes, c.change(name, found, was, is))
		}
	}
}

// servedPairs returns the pairs of served versions by crdify's name for them.
func servedPairs(d *Definition) (map[string]pair, error) {
	var served []*v1.CustomResourceDefinitionVersion
	for i := range d.crd.Spec.Versions {
		if d.crd.Spec.Versions[i].Served {
			served = append(served, &d.crd.Spec.Versions[i])
		}
	}
	if len(served) > maxServed {
		return nil, uncheckedf("serves %d versions; more than %d are not compared with each other", len(served), maxServed)
	}
	slices.SortFunc(served, func(a, b *v1.CustomResourceDefinitionVersion) int {
		return kubeversion.CompareKubeAwareVersionStrings(a.Name, b.Name)
	})
	pairs := map[string]pair{}
	for i, a := range served {
		for _, b := range served[i+1:] {
			pairs[a.Name+" -> "+b.Name] = pair{a, b}
		}
	}
	return pairs, nil
}

// finding is one result of one of crdify's checks, for two schemas at the same path.
type finding struct {
	path, check, text string
	was, is           *v1.JSONSchemaProps // of unhandled differences: without the fields that checks handled
}

// sameFinding reports whether crdify has the same text for both. The text for unhandled differences is a dump that is costly to
// make: it is not made for equal differences, and very large ones count as different.
func (c *comparison) sameFinding(a, b finding) bool {
	if a.check != unhandled {
		return a.text == b.text
	}
	if equality.Semantic.DeepEqual(a.was, b.was) && equality.Semantic.DeepEqual(a.is, b.is) {
		return true
	}
	for _, s := range []*v1.JSONSchemaProps{a.was, a.is, b.was, b.is} {
		c.differ.budget -= 10 * count(s)
	}
	return c.differ.budget > 0 && a.dump() == b.dump()
}

func (f finding) dump() string {
	results := validations.CompareProperties(f.was, f.is, config.EnforcementPolicyError)
	return fmt.Sprint(results[len(results)-1].Errors)
}

const unhandled = "unhandled"

// compare returns the findings of crdify's checks for two versions of a schema, in order of paths and checks.
func (c *comparison) compare(was, is fields) []finding {
	var found []finding
	for path, node := range was {
		after := &v1.JSONSchemaProps{}
		if n := is[path]; n != nil {
			after = n.schema
		}
		if !sameNode(node.schema, after) {
			found = append(found, c.compareSchemas(path, *node.schema, *after)...)
		}
	}
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.check, b.check))
	})
	return found
}

// compareSchemas runs the checks on copies: each check clears the fields that it handles, and what still differs is unhandled.
func (c *comparison) compareSchemas(path string, was, is v1.JSONSchemaProps) []finding {
	var found []finding
	was.Properties, was.Items, is.Properties, is.Items = nil, nil, nil, nil
	for _, check := range c.checks {
		before, after := was.Required, is.Required
		result := check.Compare(&was, &is)
		for _, text := range result.Errors {
			if result.Name == "required" {
				text = fmt.Sprint(missingValues(after, before)) // crdify lists them in random order
			}
			found = append(found, finding{path: path, check: result.Name, text: text})
		}
	}
	if !equality.Semantic.DeepEqual(was, is) {
		found = append(found, finding{path: path, check: unhandled, was: &was, is: &is})
	}
	return found
}
