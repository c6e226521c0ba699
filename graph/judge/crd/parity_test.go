package crd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations"
)

// TestParityOnBundles compares Changes with crdify's own runner on every upgrade of a definition in real bundles, some of them in a
// short run.
func TestParityOnBundles(t *testing.T) {
	known := definitions{}
	compared, changes := 0, 0
	for i, s := range steps(bundleRepo(t)) {
		if testing.Short() && i%10 > 0 {
			continue
		}
		old, new := known.parse(t, s.old), known.parse(t, s.new)
		if !crdifyTakes(old) || !crdifyTakes(new) {
			continue
		}
		compared++
		changes += parity(t, s.new.file, old, new)
	}
	t.Logf("%d upgrades, %d changes", compared, changes)
}

// crdifyTakes says whether crdify itself can compare d: in v1, all versions with a schema.
func crdifyTakes(d *Definition) bool {
	return d.APIVersion == V1 && !slices.ContainsFunc(d.Versions, func(v Version) bool { return versionSchema(d.version(v.Name)) == nil })
}

// parity wants of Changes what crdify finds. crdify lists new required fields in random order and so calls old findings new at
// random: what it says each time counts.
func parity(t *testing.T, name string, old, new *Definition) int {
	t.Helper()
	ours := changes(t, name, old, new)
	theirs := crdify(t, old, new)
	for range 30 {
		if slices.Equal(ours, theirs) {
			return len(ours)
		}
		again := crdify(t, old, new)
		theirs = slices.DeleteFunc(theirs, func(found string) bool { return !slices.Contains(again, found) })
	}
	t.Errorf("%s: not what crdify finds:\n+ %s\n- %s", name, strings.Join(missingValues(ours, theirs), "\n+ "), strings.Join(missingValues(theirs, ours), "\n- "))
	return len(ours)
}

// choice wants of Changes what crdify finds once in many times: of several schemas at one path, it takes one at random.
func choice(t *testing.T, name string, old, new *Definition) {
	t.Helper()
	ours := changes(t, name, old, new)
	for range 100 {
		if slices.Equal(ours, crdify(t, old, new)) {
			return
		}
	}
	t.Errorf("%s: %v is never what crdify finds", name, ours)
}

// changes lists the version, path and check of each of the Changes.
func changes(t *testing.T, name string, old, new *Definition) []string {
	t.Helper()
	found, err := Changes(old, new)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var list []string
	for _, c := range found {
		list = append(list, strings.Join([]string{c.Version, c.Path, c.Check}, " | "))
	}
	slices.Sort(list)
	return list
}

// crdify is what crdify's own runner finds: version, path and check of each error.
func crdify(t *testing.T, old, new *Definition) []string {
	t.Helper()
	r, err := runner.New(preflight(), runner.DefaultRegistry())
	if err != nil {
		t.Fatal(err)
	}
	results := r.Run(old.crd, new.crd)
	var found []string
	for _, result := range results.CRDValidation {
		for _, text := range result.Errors {
			version, path := "", ""
			if result.Name == existingFieldRemoval {
				version, path, _ = strings.Cut(strings.TrimPrefix(text, "removed field : "), ".")
			}
			found = append(found, strings.Join([]string{version, path, result.Name}, " | "))
		}
	}
	for _, byVersion := range []map[string]map[string][]validations.ComparisonResult{results.SameVersionValidation, results.ServedVersionValidation} {
		for version, byPath := range byVersion {
			for _, path := range slices.Collect(maps.Keys(byPath)) {
				for _, result := range byPath[path] {
					for range result.Errors {
						found = append(found, fmt.Sprintf("%s | %s | %s", version, path, result.Name))
					}
				}
			}
		}
	}
	slices.Sort(found)
	return found
}
