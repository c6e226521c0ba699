package rules

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/lint"
)

// crdVariants are texts of a CRD: a valid one, one that cannot be read, and ones with the same fault and another one.
func crdVariants() []string {
	valid := crdText(crdVersions{"v1"})
	return []string{
		valid,
		strings.Replace(valid, `"plural":"as"`, `"plural":"xs"`, 1),
		strings.Replace(valid, `"plural":"as"`, `"plural":"xs","categories":["a"]`, 1),
		strings.Replace(valid, `"scope":"Cluster"`, `"scope":"Anywhere"`, 1),
		strings.Replace(valid, `"versions":[`, `"versions":{}, "x": [`, 1),
		crdText(crdVersions{"v2", "v1"}),
	}
}

// randomRelease returns a package with some of the bundles 1.0.0 to 1.5.0, each with one of the CRDs, in one or two channels. Some have a
// second, larger one of another name, which is the one of the next bundle.
func randomRelease(random *rand.Rand, crds []int) string {
	var text strings.Builder
	write := func(v map[string]any) {
		line, _ := json.Marshal(v)
		text.Write(append(line, '\n'))
	}
	write(map[string]any{"schema": "olm.package", "name": "p", "defaultChannel": "c0"})
	variants := crdVariants()
	large := strings.NewReplacer("as.b.c", "ls.b.c", `"plural":"as"`, `"plural":"ls"`, `"A"`, `"L"`, `"AList"`, `"LList"`, `"a"`, `"l"`,
		`"openAPIV3Schema":{`, `"openAPIV3Schema":{"description":"`+strings.Repeat("long ", 50)+`",`)
	var names []string
	for i, variant := range crds {
		if random.IntN(5) == 0 {
			continue
		}
		names = append(names, bundleName(i))
		properties := []map[string]any{
			{"type": "olm.package", "value": map[string]any{"packageName": "p", "version": fmt.Sprintf("1.%d.0", i)}},
			bundleObject(variants[variant]),
		}
		if random.IntN(3) == 0 {
			properties = append(properties, bundleObject(large.Replace(variants[crds[(i+1)%len(crds)]])))
		}
		write(map[string]any{"schema": "olm.bundle", "name": bundleName(i), "package": "p", "image": "i", "properties": properties})
	}
	for c := range 1 + random.IntN(2) {
		var entries []map[string]any
		for i := range len(names) - c*random.IntN(3) {
			entry := map[string]any{"name": names[i]}
			if i > 0 {
				entry["replaces"] = names[i-1]
			}
			entries = append(entries, entry)
		}
		write(map[string]any{"schema": "olm.channel", "name": fmt.Sprintf("c%d", c), "package": "p", "entries": entries})
	}
	return text.String()
}

func bundleObject(text string) map[string]any {
	return map[string]any{"type": "olm.bundle.object", "value": map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(text))}}
}

// TestOnlyNewIsWhatTheBaseLacks compares random packages with random bases: the new findings are those that a baseline of all findings
// of the base does not accept, and the errors about bundles that the base does not have, though fewer rules and CRDs are checked.
func TestOnlyNewIsWhatTheBaseLacks(t *testing.T) {
	kinds := map[string]int{}
	rounds := catalogtest.Rounds(300)
	for seed := range uint64(rounds) {
		random := rand.New(rand.NewPCG(seed, 20))
		crds := make([]int, 6)
		for i := range crds {
			crds[i] = random.IntN(len(crdVariants())) * random.IntN(2)
		}
		before := randomRelease(random, crds)
		if random.IntN(2) == 0 {
			crds[random.IntN(len(crds))] = random.IntN(len(crdVariants()))
		}
		after := randomRelease(random, crds)
		baseline, err := lint.WriteBaseline(lintWith(t, openText(t, before), func(*lint.Options) {}))
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := lint.ParseBaseline("baseline", baseline)
		if err != nil {
			t.Fatal(err)
		}
		want := withPair(t, before, after, func(o *lint.Options) { o.Baseline = accepted }, func(f *lint.Finding) bool {
			return f.Suppressed == "" || f.Severity == lint.Error && slices.ContainsFunc(append(f.Also, lint.Occurrence{Subject: f.Subject}), func(o lint.Occurrence) bool {
				bundle := fmt.Sprintf(`"name":%q,"package"`, o.Bundle)
				return o.Bundle != "" && strings.Contains(after, bundle) && !strings.Contains(before, bundle)
			})
		})
		got := withPair(t, before, after, func(o *lint.Options) { o.OnlyNew = true }, func(f *lint.Finding) bool { return f.Suppressed == "" })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-accepted by a baseline +only new):\n%s\n%s\n%s", seed, diff, before, after)
		}
		for _, f := range got {
			rule, _, _ := strings.Cut(f, " ")
			kinds[rule]++
		}
	}
	if kinds["crd/invalid"] < rounds/15 || len(kinds) < 8 {
		t.Errorf("%v: too few new findings", kinds)
	}
}

// withPair returns the findings in a package with a base that are wanted, without those about baselines.
func withPair(t *testing.T, before, after string, change func(*lint.Options), wanted func(*lint.Finding) bool) []string {
	t.Helper()
	now := openText(t, after)
	pairs, _ := compare.Pairs(context.Background(), repo.FromCatalogs(now...), repo.FromCatalogs(openText(t, before)...), false)
	for i := range pairs {
		if err := pairs[i].Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all := lintWith(t, now, func(o *lint.Options) {
		o.Base = pairs
		change(o)
	})
	all = slices.DeleteFunc(all, func(f lint.Finding) bool { return !wanted(&f) || strings.HasPrefix(f.Rule, "config/") })
	var said []string
	for _, f := range all {
		said = append(said, f.Rule+" "+f.Severity.String()+" "+f.Message)
	}
	return said
}
