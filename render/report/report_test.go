package report

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/rendertest"
	"github.com/olmgraph/olmgraph/render/text"
)

// TestSameBytes lints real catalogs again and again, on one processor and on several: every report must be the same.
func TestSameBytes(t *testing.T) {
	refs := catalogtest.Match(t, "fbc/community-v4.*")
	refs = rendertest.Fewer(refs)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, ref := range refs {
		var first []byte
		for i, procs := range []int{before, 1, 4, before} {
			runtime.GOMAXPROCS(procs)
			report := reports(t, ref)
			if i == 0 {
				first = report
			} else if !bytes.Equal(first, report) {
				t.Errorf("%s: another report in run %d", ref, i+1)
			}
		}
	}
}

// reports returns the report on a catalog in every format.
func reports(t *testing.T, ref string) []byte {
	t.Helper()
	cats := opentest.Open(t, ref)
	findings, err := lint.Run(context.Background(), cats, lint.Options{Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, f := range Formats() {
		if err := f.Write(&out, Report{Catalogs: cats, Findings: findings}, text.Style{Width: 80}); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// FuzzText writes arbitrary text: no control characters may reach the terminal, and no line of short words may exceed the
// width.
func FuzzText(f *testing.F) {
	f.Add("a message with\x1b[2J words", "name\u202e", "\xff source", 3)
	f.Fuzz(func(t *testing.T, message, name, source string, col int) {
		pos := catalogs.Pos{File: "f", Line: 1, Col: 1}
		r := Report{Findings: []lint.Finding{{Rule: "a/b", Severity: lint.Error, Subject: lint.Subject{Package: name},
			Pos: pos, Message: message, Fix: name, Related: []lint.Related{{Pos: pos, Message: message}}}}}
		var out bytes.Buffer
		if err := Text(&out, r, text.Style{Width: 40}); err != nil {
			t.Fatal(err)
		}
		shown, caret, _ := excerptWindow(excerpt.Excerpt{Text: source, Col: max(1, min(col, len(source)))}, 40)
		text := out.String() + shown
		if strings.IndexFunc(strings.ReplaceAll(text, "\n", ""), words.Unsafe) >= 0 || !utf8.ValidString(text) || caret < 0 {
			t.Fatalf("%q", text)
		}
	})
}

// TestJUnitCost checks that JUnit does not copy all before each of many findings of a rule.
func TestJUnitCost(t *testing.T) {
	r := Report{Details: true}
	for i := range 5000 {
		r.Findings = append(r.Findings, lint.Finding{Rule: "a/b", Severity: []lint.Severity{lint.Warning, lint.Error}[i%2], Message: strings.Repeat("long ", 20)})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := JUnit(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 200 {
		t.Errorf("%d MiB", allocated)
	}
}
