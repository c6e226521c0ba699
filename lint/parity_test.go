package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs"
)

const sharedData = "../../shared/data"

// needData returns a path in the folder of real catalogs, or skips the test.
func needData(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{sharedData}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the real catalogs are not beside the project: %v", err)
	}
	return path
}

// lintText lints a catalog that is given as text.
func lintText(t testing.TB, text []byte, o Options) []Finding {
	t.Helper()
	cats, err := catalogs.Open(context.Background(), "-", catalogs.Options{Stdin: bytes.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := Run(context.Background(), cats, o)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// TestVerdictsOfOPM lints catalogs that were broken in one way or another: under the gate opm there must be an error
// where opm validate refuses the catalog, and none where it accepts it, as JSON and as YAML.
func TestVerdictsOfOPM(t *testing.T) {
	dir := needData(t, "expected", "mutants")
	verdicts, err := os.ReadFile(filepath.Join(dir, "verdict.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	opm := Options{Rules: Rules(), Gates: GateOPM}
	for line := range strings.Lines(string(verdicts)) {
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		text, err := os.ReadFile(filepath.Join(dir, fields[0], "catalog.json"))
		if err != nil {
			t.Fatal(err)
		}
		findings := lintText(t, text, opm)
		refused := slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Error })
		if refused != (fields[1] != "0") {
			t.Errorf("%s: opm says %s; we say\n%s", fields[0], fields[1:], describe(findings))
		}
		if slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity != Error }) {
			t.Errorf("%s: less than an error under the gate opm:\n%s", fields[0], describe(findings))
		}
		all := Options{Rules: Rules()}
		fromJSON, fromYAML := places(lintText(t, text, all)), places(lintText(t, toYAML(t, text), all))
		if fromJSON != fromYAML {
			t.Errorf("%s: as JSON\n%s\nas YAML\n%s", fields[0], fromJSON, fromYAML)
		}
	}
}

func describe(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s [%s] %s\n", f.Pos, f.Severity, f.Rule, f.Message)
	}
	return b.String()
}

// places returns what findings say, without where: the lines of a converted catalog are others.
func places(findings []Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %+v %s", f.Severity, f.Rule, f.Subject, withoutLines(f.Message)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// toYAML converts concatenated JSON objects to YAML documents, each value in the same kind.
func toYAML(t testing.TB, text []byte) []byte {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	var out bytes.Buffer
	for {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return out.Bytes()
		} else if err != nil {
			t.Fatal(err)
		}
		doc, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n")
		out.Write(doc)
	}
}

// withoutLines cuts the numbers of lines out of a message.
func withoutLines(message string) string {
	before, after, found := strings.Cut(message, "line ")
	if !found {
		return message
	}
	return before + strings.TrimLeft(after, "0123456789")
}
