package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/lint"
)

// oddCatalog writes a catalog of one package in which anything may be missing, twice, or of no use.
func oddCatalog(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	name := func() string { return fmt.Sprintf("red.v%d.%d.0", r.IntN(2), r.IntN(4)) }
	channel := func() string { return pick("stable", "beta", "stable-1.0", "stable-v1.1", "") }
	var out strings.Builder
	if r.IntN(8) > 0 {
		fmt.Fprintf(&out, "schema: olm.package\nname: red\ndefaultChannel: %s\n", channel())
	}
	for range r.IntN(4) {
		fmt.Fprintf(&out, "---\nschema: olm.channel\npackage: %s\nname: %q\nentries:\n", pick("red", "red", "red", "rde"), channel())
		for range r.IntN(6) {
			fmt.Fprintf(&out, "- name: %s\n", name())
			if r.IntN(3) > 0 {
				fmt.Fprintf(&out, "  replaces: %s\n", pick(name(), name(), name(), "''", "red.v9"))
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&out, "  skips: [%s, %s]\n", name(), pick(name(), "''", "${VERSION}"))
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(&out, "  skipRange: %q\n", pick(">=0.0.0 <1.2.0", "<1.1.0", ">=1.0.0", "1.x", ">2", "", "<0.0.0-1", "||"))
			}
		}
	}
	for range r.IntN(7) {
		version := pick("1.0.0", "1.1.0", "1.1.0+1", "1.2.0-rc.1", "0.1.0", "v1", "", "99999999999999999999.0.0")
		fmt.Fprintf(&out, "---\nschema: olm.bundle\npackage: red\nname: %s\nimage: %s\nproperties:\n", name(), pick("''", "quay.io/x/red@sha256:"+strings.Repeat("0", 64), "x:"))
		for range r.IntN(3) {
			fmt.Fprintf(&out, "- type: olm.package\n  value: {packageName: %s, version: %q%s}\n", pick("red", "red", "blue"), version, pick("", "", ", release: a"))
		}
		out.WriteString(pick("", "- {type: olm.gvk, value: {group: a.b, kind: K, version: v1}}\n", "- {type: olm.gvk.required, value: {group: c.d, kind: L, version: v1}}\n",
			"- {type: olm.csv.metadata, value: {}}\n", "- {type: olm.maxOpenShiftVersion, value: '4.x'}\n", "- {type: olm.bundle.object, value: {data: e30=}}\n", "- {type: '', value: null}\n"))
	}
	if r.IntN(3) == 0 {
		fmt.Fprintf(&out, "---\nschema: olm.deprecations\npackage: red\nentries:\n- {reference: {schema: %s, name: %s}, message: x}\n",
			pick("olm.bundle", "olm.channel", "olm.package", "''"), pick(name(), channel(), "''"))
	}
	return out.String()
}

// failures returns the findings about rules that fail on a catalog, and on the change from another one.
func failures(t *testing.T, was, is string) (failed []string) {
	t.Helper()
	var cats [2][]*catalogs.Catalog
	for i, text := range []string{was, is} {
		var err error
		if cats[i], err = open.Open(t.Context(), "-", open.Options{Stdin: strings.NewReader(text), AsIntended: i > 0}); err != nil {
			return nil // nothing to judge
		}
	}
	pairs, _ := compare.Pairs(t.Context(), repo.FromCatalogs(cats[1]...), repo.FromCatalogs(cats[0]...), false)
	for _, base := range [][]compare.Pair{nil, pairs} {
		for i := range base {
			if err := base[i].Read(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		found := lintAll(t, cats[1], lint.Options{Rules: All(), Base: base, OnlyNew: base != nil})
		for _, f := range found {
			if f.Rule == lint.RuleFailed.ID {
				failed = append(failed, f.Message)
			}
		}
	}
	return failed
}

// TestOddCatalogs: no rule fails on random catalogs, and on changes from one to another.
func TestOddCatalogs(t *testing.T) {
	for seed := range catalogtest.Rounds(6000) {
		r := rand.New(rand.NewPCG(uint64(seed), 63))
		was, is := oddCatalog(r), oddCatalog(r)
		if failed := failures(t, was, is); len(failed) > 0 {
			t.Fatalf("seed %d: %q\n%s", seed, failed, is)
		}
	}
}

// FuzzRules runs all rules on a random catalog, in whose text some bytes are others.
func FuzzRules(f *testing.F) {
	f.Add(uint64(1), uint16(0), "")
	f.Add(uint64(2), uint16(40), "- name: red.v1.0.0\n  replaces: red.v1.0.0\n")
	f.Fuzz(func(t *testing.T, seed uint64, at uint16, text string) {
		r := rand.New(rand.NewPCG(seed, 63))
		was, is := oddCatalog(r), oddCatalog(r)
		if int(at) < len(is) {
			is = is[:at] + text + is[min(len(is), int(at)+len(text)):]
		}
		if failed := failures(t, was, is); len(failed) > 0 {
			t.Fatalf("%q\n%s", failed, is)
		}
	})
}

// TestFailingRule: a rule that panics is one error that nothing turns off, beside the findings of all others, also where it calls other goroutines.
func TestFailingRule(t *testing.T) {
	cats := openText(t, "schema: olm.package\nname: red\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: red\nname: stable\nentries:\n- name: red.v1.0.0\n")
	broken := lint.Rule{ID: "graph/broken", Severity: lint.Info, Check: func(p *lint.Pass) {
		p.Report(lint.Finding{Message: "before"})
		parallel.Each(3, func(int) {
			var c *catalogs.Channel
			_ = c.Entries
		})
	}}
	all := append(All(), broken)
	found := lintAll(t, cats, lint.Options{Rules: all, Config: &lint.Config{Severities: map[string]lint.Severity{lint.RuleFailed.ID: lint.Off}}, MinSeverity: lint.Error})
	var failed, others int
	for _, f := range found {
		if f.Rule != lint.RuleFailed.ID {
			others++
			continue
		}
		failed++
		want := `rule graph/broken failed, and has not checked all: runtime error: invalid memory address or nil pointer dereference, in lint/rules.TestFailingRule.func`
		if f.Severity != lint.Error || f.Unchecked != lint.NotLooked || f.Package != "red" || !strings.HasPrefix(f.Message, want) {
			t.Errorf("the finding is %+v", f)
		}
	}
	if failed != 1 || others == 0 {
		t.Errorf("%d findings about the rule, %d of others; want 1 and some", failed, others)
	}
}

// TestLongRanges: skipRanges of megabytes are one finding, whose text is short.
func TestLongRanges(t *testing.T) {
	var long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&long, "%d.1.0 || ", i)
	}
	var b strings.Builder
	b.WriteString("schema: olm.package\nname: red\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: red\nname: stable\nentries:\n- name: red.v0.0.0\n")
	for i := range 60 {
		fmt.Fprintf(&b, "- {name: red.v0.0.%d, replaces: red.v0.0.%d, skipRange: '%s%d.0.0'}\n", i+1, i, &long, i)
	}
	found := lintAll(t, openText(t, b.String()), lint.Options{Rules: All()})
	said := 0
	for _, f := range found {
		if f.Rule == "graph/skip-range-syntax" {
			said++
			if f.Unchecked != lint.Unread || len(f.Message) > 200 || len(f.Details) != 59 || len(f.Details[0].Message) > 3000 {
				t.Errorf("%v with %d details: %.300s", f.Unchecked, len(f.Details), f.Message)
			}
		}
	}
	if said != 1 {
		t.Errorf("%d findings, want 1", said)
	}
}

// TestLineBreaks: a name with a line break makes no second line of a sentence.
func TestLineBreaks(t *testing.T) {
	api := `{group: "a\nb.io", kind: "K\nk", version: "v\n1"}`
	bundle := "---\nschema: olm.bundle\npackage: red\nname: red.v%d.0.0\nimage: q.io/red:%[1]d\nproperties:\n- {type: olm.package, value: {packageName: red, version: %[1]d.0.0}}\n" +
		"- {type: olm.gvk, value: " + api + "}\n- {type: olm.gvk, value: " + api + "}\n- {type: olm.gvk.required, value: {group: \"x\\ny\", kind: Z, version: v1}}\n"
	found, err := lint.Run(t.Context(), openText(t, "schema: olm.package\nname: red\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: red\nname: stable\n"+
		"entries:\n- name: red.v1.0.0\n- {name: red.v2.0.0, replaces: red.v1.0.0}\n"+fmt.Sprintf(bundle, 1)+fmt.Sprintf(bundle, 2)), lint.Options{Rules: All()})
	if err != nil {
		t.Fatal(err)
	}
	named := false
	for _, f := range found {
		named = named || strings.Contains(f.Message, "x y")
		sentences := []string{f.Message, f.Fix}
		for _, r := range slices.Concat(f.Details, f.Related) {
			sentences = append(sentences, r.Message)
		}
		if strings.Contains(strings.Join(sentences, ""), "\n") {
			t.Errorf("%s: %q", f.Rule, sentences)
		}
	}
	if !named {
		t.Error("no finding names the required API")
	}
}
