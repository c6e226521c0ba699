package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/lint"
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
