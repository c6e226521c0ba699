package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// TestReleaseConfig validates .goreleaser.yaml by the schema of the goreleaser that .ci/release runs. Compiling goreleaser, for its own
// check, would take minutes.
func TestReleaseConfig(t *testing.T) {
	t.Chdir(os.Getenv("ROOT"))
	release, err := os.ReadFile(filepath.Join(".ci", "release"))
	if err != nil {
		t.Fatal(err)
	}
	module := regexp.MustCompile(`go run (github.com/goreleaser/goreleaser/v2@\S+)`).FindSubmatch(release)
	if module == nil {
		t.Fatal(".ci/release runs no goreleaser")
	}
	out, err := exec.Command("go", "mod", "download", "-json", string(module[1])).Output()
	if err != nil {
		t.Skipf("%s cannot be downloaded: %v\n%s", module[1], err, out)
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(downloaded.Dir, "www", "docs", "static", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := validYAML(schema, string(text)); err != nil {
		t.Error(err)
	}
	if validYAML(schema, strings.Replace(string(text), "krews:", "crews:", 1)) == nil {
		t.Error("a misspelt key is valid")
	}
}

func validYAML(schema *jsonschema.Schema, text string) error {
	var config any
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return err
	}
	return schema.Validate(config)
}

// TestInstallLines checks that the addresses from which the README installs are those to which a release is published.
func TestInstallLines(t *testing.T) {
	t.Chdir(os.Getenv("ROOT"))
	for file, lines := range map[string][]string{
		"README.md": {"brew install --cask olmgraph/tap/olmgraph", "https://github.com/olmgraph/olmgraph/releases/latest/download/krew.yaml", "ghcr.io/olmgraph/olmgraph"},
		".goreleaser.yaml": {"repository: {owner: olmgraph, name: homebrew-tap,", "github: {owner: olmgraph, name: olmgraph}",
			"{glob: dist/krew/olmgraph.yaml, name_template: krew.yaml}"},
		".ci/release": {"image=ghcr.io/olmgraph/olmgraph\n", `"docker://$image:latest"`},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s lacks %q", file, line)
			}
		}
	}
}
