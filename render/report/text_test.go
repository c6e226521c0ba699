package report

import (
	"bytes"
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/text"
)

// TestTextOfEncodedManifest checks that a finding in base64 shows the part of the manifest, and never the base64.
func TestTextOfEncodedManifest(t *testing.T) {
	csv := "kind: ClusterServiceVersion\napiVersion: operators.coreos.com/v1alpha1\nmetadata: {name: red.v1.0.0}\n" +
		"spec: {minKubeVersion: newest, version: 1.0.0, description: '" + strings.Repeat("long ", 80) + "'}\n"
	data := base64.StdEncoding.EncodeToString([]byte(csv))
	for name, catalog := range map[string]string{
		"catalog.yaml": "schema: olm.package\nname: red\ndefaultChannel: s\n---\nschema: olm.channel\npackage: red\nname: s\nentries: [{name: red.v1.0.0}]\n---\n" +
			"schema: olm.bundle\npackage: red\nname: red.v1.0.0\nimage: i\nproperties:\n- type: olm.package\n  value: {packageName: red, version: 1.0.0}\n" +
			"- type: olm.bundle.object\n  value:\n    data: " + data + "\n",
		"catalog.json": `{"schema":"olm.package","name":"red","defaultChannel":"s"}{"schema":"olm.channel","package":"red","name":"s","entries":[{"name":"red.v1.0.0"}]}` +
			`{"schema":"olm.bundle","package":"red","name":"red.v1.0.0","image":"i","properties":[{"type":"olm.package","value":{"packageName":"red","version":"1.0.0"}},` +
			`{"type":"olm.bundle.object","value":{"data":"` + data + `"}}]}`,
	} {
		dir := t.TempDir()
		catalogtest.Write(t, filepath.Join(dir, name), catalog)
		cats := opentest.Open(t, dir)
		findings, err := lint.Run(t.Context(), cats, lint.Options{Rules: rules.All(), ForReport: true})
		if err != nil {
			t.Fatal(err)
		}
		out := write(t, "text", Report{Catalogs: cats, Findings: findings, Infos: true})
		if !strings.Contains(out, `| spec.minKubeVersion: "newest"`) || strings.Contains(out, data[:40]) {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestCaret checks that the caret is under the value, however long the number of the line is.
func TestCaret(t *testing.T) {
	for _, line := range []int{7, 1_234_567} {
		pos := catalogs.Pos{File: "catalog.yaml", Line: line, Col: 7}
		var b bytes.Buffer
		r := reportText{Writer: text.NewWriter(&b, text.Style{Width: 80}), report: &Report{}, excerpts: map[catalogs.Pos]excerpt.Excerpt{pos: {Text: "name: x", Col: 7}}}
		r.source(&lint.Finding{Pos: pos})
		r.Flush()
		if lines := strings.Split(b.String(), "\n"); len(lines) != 3 || strings.Index(lines[0], "x") != strings.Index(lines[1], "^") {
			t.Errorf("%s", b.String())
		}
	}
}

// TestExcerptWithoutBase64 checks what is shown of a line with base64.
func TestExcerptWithoutBase64(t *testing.T) {
	data := strings.Repeat("QUJD", 40)
	for line, want := range map[string]string{
		"    data: |" + data:                          "",
		`    "data": |"` + data + `",`:                "",
		"    |data: " + data:                          "",
		`{"a":"b","value":|{"data":"` + data + `"}}`:  `{"a":"b","value":{"data":"…"}}`,
		"image: |x@sha256:" + strings.Repeat("a", 64): "image: x@sha256:" + strings.Repeat("a", 64),
	} {
		col := strings.Index(line, "|") + 1
		shown, caret, ok := excerptWindow(excerpt.Excerpt{Text: strings.Replace(line, "|", "", 1), Col: col}, 200)
		if shown != want || ok != (want != "") || ok && caret != col-1 {
			t.Errorf("%s: %q, column %d", line, shown, caret)
		}
	}
}

// TestTextDetails checks what text leaves out without Details, and that it says so.
func TestTextDetails(t *testing.T) {
	at := catalogs.Pos{File: "f", Line: 1, Col: 1}
	f := lint.Finding{Rule: "a/b", Severity: lint.Error, Subject: lint.Subject{Package: "p", Channel: "c"}, Pos: at, Message: "m"}
	for _, name := range []string{"r1", "r2", "r3", "r4", "r5"} {
		f.Related = append(f.Related, lint.Related{Pos: at, Message: name})
		f.Details = append(f.Details, lint.Related{Pos: at, Message: "detail " + name})
	}
	for _, bundle := range []string{"b1", "b2", "b3"} {
		f.Also = append(f.Also, lint.Occurrence{Subject: lint.Subject{Package: "p", Channel: "d", Bundle: bundle}, Pos: at})
	}
	r := Report{Findings: []lint.Finding{f}, DetailsCommand: "type this"}
	short := write(t, "text", r)
	for text, want := range map[string]bool{"r1": false, "more": false, "detail": false,
		"    also in channel \"d\"\n": true, "\n      type this\n": true} {
		if got := strings.Contains(short, text); got != want {
			t.Errorf("%q: %t in %s", text, got, short)
		}
	}
	r.Findings[0].Details = f.Details[:1]
	few := write(t, "text", r)
	for text, want := range map[string]bool{"f:1:1 r3\n": true, "r4": false, "    and 2 more\n": true, "detail": false} {
		if got := strings.Contains(few, text); got != want {
			t.Errorf("%q: %t in %s", text, got, few)
		}
	}
	r.Findings[0].Details = f.Details
	r.Details = true
	long := write(t, "text", r)
	for text, want := range map[string]bool{"f:1:1 r5\n": true, "more": false, "f:1:1 detail r5\n": true, "f:1:1 also in channel \"d\", bundle \"b3\"\n": true, "type this": false} {
		if got := strings.Contains(long, text); got != want {
			t.Errorf("%q: %t in %s", text, got, long)
		}
	}
}

// TestTextFolded checks that findings of a rule about other CRDs of a bundle are told with the one that they are folded into, and count.
func TestTextFolded(t *testing.T) {
	var all []lint.Finding
	for _, crd := range []string{"c", "b", "a", "d", "a", "e", "f", "c"} {
		f := lint.Finding{Rule: "crd/x", Severity: lint.Warning, Message: "about " + crd + "."}
		f.Package, f.Bundle, f.CRD = "p", "p.v1", crd
		all = append(all, f)
	}
	all[0].Folded = all[1:]
	r := Report{Findings: all[:1]}
	out := write(t, "text", r)
	if strings.Count(out, "warning about") != 1 || !strings.Contains(out, "warning about c. [crd/x]\n    also in CRDs b, a, d and 2 more\n    and 2 findings of other upgrades: --details shows them\n") || !strings.Contains(out, "8 warnings") {
		t.Error(out)
	}
	r.Details = true
	if out := write(t, "text", r); strings.Count(out, "warning about") != 8 || strings.Contains(out, "also in CRDs") {
		t.Error(out)
	}
}
