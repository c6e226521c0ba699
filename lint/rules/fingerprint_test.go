package rules

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/lint"
)

func TestFingerprint(t *testing.T) {
	f := lint.Finding{Rule: "a/b", Severity: lint.Error, Subject: lint.Subject{Catalog: "x", Package: "p"}, Pos: catalogs.Pos{Line: 1}, Message: "m", Fix: "c"}
	same := f
	same.Catalog, same.Pos.Line, same.Severity, same.Gates, same.Message, same.Fix = "y", 9, lint.Warning, lint.GateOPM, "n", ""
	if f.Fingerprint() != same.Fingerprint() {
		t.Error("it changes with the place, the severity or the words")
	}
	known := map[string]lint.Finding{f.Fingerprint(): f}
	for _, change := range []func(*lint.Finding){
		func(f *lint.Finding) { f.Rule = "a/c" }, func(f *lint.Finding) { f.Package = "q" }, func(f *lint.Finding) { f.Channel = "p" },
		func(f *lint.Finding) { f.Bundle = "p" }, func(f *lint.Finding) { f.CRD = "p" }, func(f *lint.Finding) { f.Cause = []string{} },
		func(f *lint.Finding) { f.Cause = []string{"p"} }, func(f *lint.Finding) { f.Cause = []string{"p", ""} },
		func(f *lint.Finding) { f.Cause = []string{`p" "`} }, func(f *lint.Finding) { f.Faults = []string{"p"} },
		func(f *lint.Finding) { f.Faults = []string{"p", "q"} },
	} {
		other := f
		change(&other)
		if one, ok := known[other.Fingerprint()]; ok {
			t.Errorf("%+v is taken for %+v", other, one)
		}
		known[other.Fingerprint()] = other
	}
	one, another := lint.Finding{Faults: []string{"a", "b"}}, lint.Finding{Faults: []string{"b", "a"}}
	if one.Fingerprint() != another.Fingerprint() {
		t.Error("it changes with the order of the faults")
	}
}

// TestBaselineIgnoresWording checks that a baseline accepts findings with other messages, positions and severities.
func TestBaselineIgnoresWording(t *testing.T) {
	for _, j := range everyRule(t) {
		text, err := lint.WriteBaseline(j.findings)
		if err != nil {
			t.Fatal(err)
		}
		b, err := lint.ParseBaseline("known.json", text)
		if err != nil {
			t.Fatal(err)
		}
		reworded := slices.Clone(j.findings)
		for i := range reworded {
			f := &reworded[i]
			f.Message, f.Fix, f.Related, f.Severity, f.Pos = strconv.Itoa(i)+" more", "", nil, lint.Info, catalogs.Pos{Line: i}
		}
		b.Accept(reworded)
		for i, f := range reworded {
			if f.Suppressed == "" && !f.Unchecked.AlwaysReported() && !strings.HasPrefix(f.Rule, "config/") {
				t.Errorf("%s: not accepted: %s: %s", j.name, f.Rule, j.findings[i].Message)
			}
		}
		if left := b.UnmatchedEntries(); len(left) > 0 {
			t.Errorf("%s: not found: %+v", j.name, left)
		}
	}
}

// lintedText has the findings of a catalog and its text, which is empty if tests ignore it.
type lintedText struct {
	name     string
	findings []lint.Finding
	text     string
}

// everyRule lints the fixtures with all rules, once for all tests, and checks that each rule has a finding. The findings are not to be changed.
func everyRule(t *testing.T) []lintedText {
	t.Helper()
	everyRuleOnce.Do(func() { everyRuleLinted = lintEveryRule(t) })
	return slices.Clone(everyRuleLinted)
}

var (
	everyRuleOnce   sync.Once
	everyRuleLinted []lintedText
)

func lintEveryRule(t *testing.T) []lintedText {
	t.Helper()
	var all []lintedText
	scripts, err := filepath.Glob("../../testdata/script/*/*.txtar")
	if err != nil || len(scripts) < 200 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for _, name := range scripts {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lintScript(t, filepath.Base(name), archive)...)
	}
	folders, _ := filepath.Glob("../../testdata/catalogs/*")
	for _, name := range folders {
		all = append(all, lintPath(t, name, "", "")...)
	}
	found := map[string]bool{}
	for _, j := range all {
		for _, f := range j.findings {
			found[f.Rule] = true
		}
	}
	for _, r := range All() {
		// The fixture of bundle/size would be a megabyte of random data; bundle/other-manifests needs --bundles.
		if !found[r.ID] && r.Scope != lint.ReportedByRun && r.ID != "bundle/size" && r.ID != "bundle/other-manifests" {
			t.Errorf("no fixture has a finding of %s", r.ID)
		}
	}
	return all
}

var (
	lintLine = regexp.MustCompile(`(?m)^.*olmgraph lint .*$`)
	baseFlag = regexp.MustCompile(`--base (\S+)`)
)

// lintScript lints the catalogs that a script lints.
func lintScript(t *testing.T, name string, archive *txtar.Archive) []lintedText {
	dir := t.TempDir()
	var text strings.Builder
	for _, file := range archive.Files {
		text.WriteString(file.Name + "\n" + string(file.Data))
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		catalogtest.Write(t, path, string(file.Data))
	}
	var all []lintedText
	done := map[string]bool{}
	for _, line := range lintLine.FindAllString(string(archive.Comment), -1) {
		base := ""
		if m := baseFlag.FindStringSubmatch(line); m != nil {
			base = filepath.Join(dir, m[1])
		}
		for _, word := range strings.Fields(line) {
			path := filepath.Join(dir, word)
			if _, err := os.Stat(path); err != nil || done[path+base] || path == base || word == "." { // where a script has gone is not followed
				continue
			}
			done[path+base] = true
			for _, j := range lintPath(t, path, base, text.String()) {
				j.name = name + ": " + word
				all = append(all, j)
			}
		}
	}
	return all
}

// lintPath lints a catalog if it can be opened.
func lintPath(t *testing.T, path, base, text string) []lintedText {
	t.Helper()
	ctx := context.Background()
	cats, err := open.Open(ctx, path, open.Options{AsIntended: true})
	if err != nil {
		return nil
	}
	// The pipeline of the marketplace has what is not in that of the community.
	return append(lintIn(t, "community", cats, path, base, text), lintIn(t, "marketplace", cats, path, base, text)...)
}

func lintIn(t *testing.T, pipeline string, cats []*catalogs.Catalog, path, base, text string) []lintedText {
	t.Helper()
	ctx := context.Background()
	all := slices.Clone(All())
	o := lint.Options{Rules: all, Config: &lint.Config{Pipeline: pipeline, OLM: "both", Kube: "1.29", OpenShift: "4.18", Registries: []string{"registry.example"}, MaxHops: 1,
		Severities: map[string]lint.Severity{"image/digest": lint.Warning}}}
	if base != "" {
		if was, err := open.Open(ctx, base, open.Options{}); err == nil {
			o.Base, _ = compare.Pairs(context.Background(), repo.FromCatalogs(cats...), repo.FromCatalogs(was...), false)
			for i := range o.Base {
				if err := o.Base[i].Read(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	findings := lintAll(t, cats, o)
	return []lintedText{{name: path, findings: findings, text: text}}
}

// sameCause is the prefix of rules whose findings with different messages can have the same cause: the same change of a field in
// upgrades from several bundles.
const sameCause = "crd/schema-"

// TestCausesAreDistinct checks that findings with different messages about the same subject have different fingerprints.
func TestCausesAreDistinct(t *testing.T) {
	all := everyRule(t)
	if !testing.Short() {
		for _, name := range []string{"fbc/community-v4.14", "fbc/community-v4.18", "bundle-repo", "manifests"} {
			all = append(all, lintPath(t, catalogtest.Data(t, name), "", "")...)
		}
	}
	for _, j := range all {
		known := map[string]*lint.Finding{}
		for i := range j.findings {
			f := &j.findings[i]
			key := strings.Join([]string{f.Catalog, f.Channel, f.Bundle, f.CRD, f.Fingerprint()}, "\x00")
			if other := known[key]; other != nil && other.Message != f.Message && !strings.HasPrefix(f.Rule, sameCause) {
				t.Errorf("%s: the same fingerprint for\n\t%s: %s\n\t%s", j.name, f.Rule, f.Message, other.Message)
			}
			known[key] = f
		}
	}
}

var (
	number   = regexp.MustCompile(`^\d+$`)
	spaces   = regexp.MustCompile(`\s+`)
	versions = regexp.MustCompile(`^\w+ -> \w+$`) // both served, as crdify writes them
)

// TestCausesComeFromCatalog checks that causes have no counts and no parts of messages: text with a space must be in the catalog,
// and a number must be quoted in the message.
func TestCausesComeFromCatalog(t *testing.T) {
	for _, j := range everyRule(t) {
		text := spaces.ReplaceAllString(j.text, " ")
		for i := range j.findings {
			f := &j.findings[i]
			for _, part := range slices.Concat(f.Cause, f.Faults) {
				part = strings.TrimPrefix(part, "head/")
				switch {
				case text == "":
				case number.MatchString(part) && !strings.Contains(f.Message, strconv.Quote(part)) && f.Rule != "crd/example-invalid":
					t.Errorf("%s: %s: the number %q in the cause of: %s", j.name, f.Rule, part, f.Message)
				case strings.HasPrefix(f.Rule, "crd/") && versions.MatchString(part):
				case strings.Contains(part, " ") && !strings.Contains(text, spaces.ReplaceAllString(part, " ")):
					t.Errorf("%s: %s: %q is not of the catalog: %s", j.name, f.Rule, part, f.Message)
				}
			}
		}
	}
}
