package rules

import (
	"bytes"
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
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// lintText lints a catalog that is given as text.
func lintText(t testing.TB, text []byte, o lint.Options) []lint.Finding {
	t.Helper()
	return lintAll(t, []*catalogs.Catalog{opentest.Text(t, string(text))}, o)
}

func lintAll(t testing.TB, cats []*catalogs.Catalog, o lint.Options) []lint.Finding {
	t.Helper()
	findings, err := lint.Run(t.Context(), cats, o)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// TestVerdictsOfOPM lints catalogs with various errors, as JSON and as YAML. There must be an error with the gate opm if and only
// if opm validate rejects the catalog.
func TestVerdictsOfOPM(t *testing.T) {
	dir := catalogtest.Data(t, "expected/mutants")
	verdicts, err := os.ReadFile(filepath.Join(dir, "verdict.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	opm := lint.Options{Rules: All(), Gates: lint.GateOPM}
	for line := range strings.Lines(string(verdicts)) {
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		text, err := os.ReadFile(filepath.Join(dir, fields[0], "catalog.json"))
		if err != nil {
			t.Fatal(err)
		}
		findings := lintText(t, text, opm)
		refused := slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Severity == lint.Error })
		if refused != (fields[1] != "0") {
			t.Errorf("%s: opm says %s; we say\n%s", fields[0], fields[1:], describe(findings))
		}
		if slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Severity != lint.Error }) {
			t.Errorf("%s: less than an error under the gate opm:\n%s", fields[0], describe(findings))
		}
		all := lint.Options{Rules: All()}
		fromJSON, fromYAML := places(lintText(t, text, all)), places(lintText(t, toYAML(t, text), all))
		if fromJSON != fromYAML {
			t.Errorf("%s: as JSON\n%s\nas YAML\n%s", fields[0], fromJSON, fromYAML)
		}
	}
}

// TestVerdictsOnOddValues has values of a wrong type instead of strings, bytes, lists or objects. The expected results are those
// of opm validate v1.65.0.
func TestVerdictsOnOddValues(t *testing.T) {
	head := "schema: olm.package\nname: red\ndefaultChannel: a\n"
	rest := "---\nschema: olm.channel\npackage: red\nname: a\nentries:\n- name: red.v1\n" +
		"---\nschema: olm.bundle\npackage: red\nname: red.v1\nimage: red:1\nproperties:\n" +
		"- type: olm.package\n  value: {packageName: red, version: 1.0.0}\n"
	metadata := func(value string) string { return rest + "- type: olm.csv.metadata\n  value:" + value + "\n" }
	for _, c := range []struct {
		what, text string
		refused    bool
	}{
		{"a plain catalog", head + rest, false},
		{"{} for a string", head + metadata("\n    displayName: {}"), true},
		{"[] for a string", head + metadata("\n    displayName: []"), true},
		{"{ } and a comment for a string", head + metadata("\n    displayName: { } # x"), true},
		{"[] on the next line for a string", head + metadata("\n    displayName:\n      []"), true},
		{"{} in a list of strings", head + metadata("\n    keywords:\n    - {}"), true},
		{"[] in a map of strings", head + metadata("\n    annotations:\n      a: []"), true},
		{"{} deep inside", head + metadata("\n    crdDescriptions:\n      owned:\n      - name: {}"), true},
		{"null for a string", head + metadata("\n    displayName: null"), false},
		{"nothing for a string", head + metadata("\n    displayName:"), false},
		{"braces in quotes for a string", head + metadata("\n    displayName: '{}'"), false},
		{"{} for a map", head + metadata("\n    annotations: {}"), false},
		{"[] for a map", head + metadata("\n    annotations: []"), true},
		{"[] for a list", head + metadata("\n    keywords: []"), false},
		{"{} for a list", head + metadata("\n    keywords: {}"), true},
		{"{} for a string, in flow style", head + metadata(" {displayName: {}}"), true},
		{"{} for the value", head + metadata(" {}"), false},
		{"[] for the value", head + metadata(" []"), true},
		{"a number for a string", head + metadata("\n    displayName: 1"), true},
		{"null in a list of bytes", head + "icon: {mediatype: image/png, base64data: [137, 80, 78, 71, null]}\n" + rest, false},
		{"{} in a list of bytes", head + "icon: {mediatype: image/png, base64data: [{}]}\n" + rest, true},
	} {
		checkVerdict(t, c.what, c.text, c.refused)
	}
}

// TestVerdictsOnOddStreams separates documents in unusual ways. The expected results are those of opm validate v1.65.0, which
// reads at most one object as JSON, and the rest as YAML.
func TestVerdictsOnOddStreams(t *testing.T) {
	const pkg, channel = `{"schema":"olm.package","name":"red","defaultChannel":"a"}`,
		`{"schema":"olm.channel","package":"red","name":"a","entries":[{"name":"red.v1"}]}`
	const bundle = `{"schema":"olm.bundle","package":"red","name":"red.v1","image":"red:1","properties":` +
		`[{"type":"olm.package","value":{"packageName":"red","version":"1.0.0"}}]}`
	const line = "\n---\n"
	for _, c := range []struct {
		before, first, second, after string
		refused                      bool
	}{
		{"", "\n", "\n", "\n", false},
		{"", line, line, "\n", false},
		{"", "---\n", line, "\n", false},
		{"", " \t\n---\n", line, "\n", false},
		{"", "\r\n---\r\n", "\r\n---\r\n", "\r\n", false},
		{"", "\n--- # x\n", line, "\n", false},
		{"", "\n---\n\n", line, "\n", false},
		{"", "\n\n---\n", line, "\n", true},
		{"", "\n \n---\n", line, "\n", true},
		{"", "\r\n\r\n---\r\n", line, "\n", true},
		{"", "\n# x\n---\n", line, "\n", true},
		{"", "\n---\n---\n", line, "\n", true},
		{"", line, "\n\n---\n", "\n", false},
		{"", "\n", line, "\n", true},
		{"", "\n---{}\n", line, "\n", true},
		{"", line, line, "\n---\n", false},
		{"", line, line, "\n\n---\n", false},
		{"", line, line, "\n---\n---\n", true},
		{"\n---\n", line, line, "\n", true},
		{"---\n", line, line, "\n", false},
		{"\n", line, line, "\n", false},
	} {
		text := c.before + pkg + c.first + channel + c.second + bundle + c.after
		checkVerdict(t, fmt.Sprintf("%q %q %q %q", c.before, c.first, c.second, c.after), text, c.refused)
	}
}

// checkVerdict checks that there is an error with the gate opm if and only if opm rejects the catalog.
func checkVerdict(t *testing.T, what, text string, refused bool) {
	t.Helper()
	findings := lintText(t, []byte(text), lint.Options{Rules: All(), Gates: lint.GateOPM})
	if got := slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Severity == lint.Error }); got != refused {
		t.Errorf("%s: rejected by opm: %v; we say\n%s", what, refused, describe(findings))
	}
}

func describe(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s [%s] %s\n", f.Pos, f.Severity, f.Rule, f.Message)
	}
	return b.String()
}

// places returns the findings without line numbers, which differ in a converted catalog.
func places(findings []lint.Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %+v %s", f.Severity, f.Rule, f.Subject, withoutLines(f.Message)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// toYAML converts concatenated JSON objects to YAML documents with the same types.
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

// withoutLines removes line numbers from a message.
func withoutLines(message string) string {
	before, after, found := strings.Cut(message, "line ")
	if !found {
		return message
	}
	return before + strings.TrimLeft(after, "0123456789")
}
