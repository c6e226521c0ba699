package report

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestJSONSchemas validates reports in JSON against the schemas of their readers.
func TestJSONSchemas(t *testing.T) {
	for format, file := range map[string]string{"sarif": "sarif-2.1.0-rtm.5.json", "gitlab": "gitlab-codequality.json"} {
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		schema, err := compiler.Compile(filepath.Join("testdata", "schemas", file))
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range sampleReports(t) {
			report, err := jsonschema.UnmarshalJSON(strings.NewReader(write(t, format, r)))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(report); err != nil {
				t.Errorf("%s, %s: %#v", format, name, err)
			}
		}
	}
}

// TestJUnitSchema validates reports against the schema of Jenkins.
func TestJUnitSchema(t *testing.T) {
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed (Debian: libxml2-utils)")
	}
	for name, r := range sampleReports(t) {
		file := filepath.Join(t.TempDir(), "report.xml")
		catalogtest.Write(t, file, write(t, "junit", r))
		said, err := exec.Command(xmllint, "--noout", "--nonet", "--schema", filepath.Join("testdata", "schemas", "jenkins-junit.xsd"), file).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, bytes.TrimSpace(said))
		}
	}
}
