package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// packagePair is two packages, each a chain of versions. Each version has the versions of the other package that it requires, nil
// for none.
type packagePair [2][]map[int]bool // nil: nothing

func randomPackagePair(r *rand.Rand) (p packagePair) {
	for side := range p {
		p[side] = make([]map[int]bool, 2+r.IntN(3))
	}
	for side := range p {
		others := len(p[1-side])
		for v := range p[side] {
			if r.IntN(3) == 0 {
				continue
			}
			needs := map[int]bool{r.IntN(others): true}
			for o := range others {
				needs[o] = needs[o] || r.IntN(2) == 0
			}
			p[side][v] = needs
		}
	}
	return p
}

var sides = [2]string{"boat", "tide"}

// write returns a catalog in which each version requires an API of its own. The versions of the other package that meet its
// requirement provide it.
func (p *packagePair) write() string {
	var out strings.Builder
	for side, versions := range p {
		name := sides[side]
		fmt.Fprintf(&out, "---\nschema: olm.package\nname: %s\ndefaultChannel: c\n---\nschema: olm.channel\nname: c\npackage: %[1]s\nentries:\n", name)
		for v := range versions {
			fmt.Fprintf(&out, "- name: %s.v%d.0.0\n", name, v+1)
			if v > 0 {
				fmt.Fprintf(&out, "  replaces: %s.v%d.0.0\n", name, v)
			}
		}
		for v := range versions {
			fmt.Fprintf(&out, "---\nschema: olm.bundle\nname: %s.v%d.0.0\npackage: %[1]s\nimage: sea.example/%[1]s\nproperties:\n", name, v+1)
			fmt.Fprintf(&out, "- {type: olm.package, value: {packageName: %s, version: %d.0.0}}\n", name, v+1)
			if versions[v] != nil {
				fmt.Fprintf(&out, "- {type: olm.gvk.required, value: {group: sea.example, version: v1, kind: For%s%d}}\n", name, v)
			}
			for o, needs := range p[1-side] {
				if needs[v] {
					fmt.Fprintf(&out, "- {type: olm.gvk, value: {group: sea.example, version: v1, kind: For%s%d}}\n", sides[1-side], o)
				}
			}
		}
	}
	return out.String()
}

func (p *packagePair) together(at [2]int) bool {
	for side := range p {
		if needs := p[side][at[side]]; needs != nil && !needs[at[1-side]] {
			return false
		}
	}
	return true
}

// stuck returns the pairs of versions that can be installed together, of which neither is the last one, and that have no upgrade
// of one or both.
func (p *packagePair) stuck() (all [][2]int) {
	for a := range len(p[0]) - 1 {
		for b := range len(p[1]) - 1 {
			moves := [][2]int{{a + 1, b}, {a, b + 1}, {a + 1, b + 1}}
			if p.together([2]int{a, b}) && !slices.ContainsFunc(moves, p.together) {
				all = append(all, [2]int{a, b})
			}
		}
	}
	return all
}

// TestDeadlocks compares the findings of api/deadlock in random packages with an exhaustive search.
func TestDeadlocks(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		p := randomPackagePair(rand.New(rand.NewPCG(seed, 7)))
		findings := lintText(t, []byte(p.write()), onlyRule("api/deadlock"))
		want := p.stuck()
		if len(want) == 0 != (len(findings) == 0) {
			t.Fatalf("seed %d: stuck are %v, and reported\n%v\n%s", seed, want, findings, p.write())
		}
		for _, f := range findings {
			found++
			if ends := words.AndMore(len(want)-1, "combination of versions"); !strings.HasSuffix(f.Message, ends) {
				t.Fatalf("seed %d: stuck are %v, and reported\n%s\n%s", seed, want, f.Message, p.write())
			}
			named := slices.ContainsFunc(want, func(at [2]int) bool {
				return strings.HasPrefix(f.Message, fmt.Sprintf(`where "boat.v%d.0.0" and "tide.v%d.0.0" are installed`, at[0]+1, at[1]+1))
			})
			if !named {
				t.Fatalf("seed %d: stuck are %v, and reported\n%s", seed, want, f.Message)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d of the packages were stuck", found)
	}
}

// TestProvidersLost compares the findings of api/provider-lost in random packages with their requirements.
func TestProvidersLost(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		p := randomPackagePair(rand.New(rand.NewPCG(seed, 8)))
		want := map[string]lint.Severity{}
		for side, versions := range p {
			for to := 1; to < len(versions); to++ {
				for o, needs := range p[1-side] {
					if needs[to-1] && !needs[to] {
						severity := lint.Info
						if o == len(p[1-side])-1 {
							severity = lint.Warning
						}
						want[fmt.Sprintf("For%s%d", sides[1-side], o)] = max(severity, want[fmt.Sprintf("For%s%d", sides[1-side], o)])
					}
				}
			}
		}
		for _, f := range lintText(t, []byte(p.write()), onlyRule("api/provider-lost")) {
			found++
			_, kind, _ := strings.Cut(f.Message, "removes API ")
			kind, _, _ = strings.Cut(kind, ".")
			if want[kind] != f.Severity {
				t.Fatalf("seed %d: %v is reported, want %v\n%s", seed, f.Message, want[kind], p.write())
			}
			delete(want, kind)
		}
		if len(want) > 0 {
			t.Fatalf("seed %d: %v are not reported\n%s", seed, want, p.write())
		}
	}
	if found < 100 {
		t.Errorf("only %d were lost", found)
	}
}

// onlyRule returns options that run one rule.
func onlyRule(rule string) lint.Options {
	return lint.Options{Rules: slices.DeleteFunc(All(), func(r lint.Rule) bool { return r.ID != rule })}
}

// TestDeadlockTooHard has two packages that may block each other. The next version of one requires twelve operators of which
// eleven can be installed: the search exceeds the limit, which must be a warning, not an error.
func TestDeadlockTooHard(t *testing.T) {
	var text strings.Builder
	add := func(pkg string, bundles int, properties func(version int) string) {
		fmt.Fprintf(&text, "---\nschema: olm.package\nname: %s\ndefaultChannel: stable\n---\nschema: olm.channel\nname: stable\npackage: %s\nentries:\n", pkg, pkg)
		for v := 1; v <= bundles; v++ {
			fmt.Fprintf(&text, "- {name: %s.v%d, replaces: %s.v%d}\n", pkg, v, pkg, v-1)
		}
		for v := 1; v <= bundles; v++ {
			fmt.Fprintf(&text, "---\nschema: olm.bundle\nname: %s.v%d\npackage: %s\nimage: i.example/%s\nproperties:\n", pkg, v, pkg, pkg)
			fmt.Fprintf(&text, "- {type: olm.package, value: {packageName: %s, version: %d.0.0}}\n%s", pkg, v, properties(v))
		}
	}
	needs := func(pkg, versions string) string {
		return fmt.Sprintf("- {type: olm.package.required, value: {packageName: %s, versionRange: '%s'}}\n", pkg, versions)
	}
	var pigeons strings.Builder
	for p := range 12 {
		name := fmt.Sprintf("p%d", p)
		pigeons.WriteString(needs(name, ">=0.0.0"))
		add(name, 11, func(v int) string {
			return fmt.Sprintf("- {type: olm.gvk, value: {group: g, version: v1, kind: Hole%d}}\n", v)
		})
	}
	add("boat", 2, func(v int) string {
		return map[int]string{1: needs("tide", "<2.0.0"), 2: needs("tide", ">=2.0.0") + pigeons.String()}[v]
	})
	add("tide", 2, func(v int) string {
		return map[int]string{1: needs("boat", "<2.0.0"), 2: needs("boat", ">=2.0.0")}[v]
	})
	findings := lintText(t, []byte(text.String()), onlyRule("api/deadlock"))
	if len(findings) != 1 || findings[0].Severity != lint.Warning || !strings.Contains(findings[0].Message, `"boat" and "tide"`) {
		t.Errorf("%v", findings)
	}
}
