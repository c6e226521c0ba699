package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/render"
)

// TestOutsideUnshown lets no command show, in any format, what stands in a file to which a link in a catalog leads, nor change it.
func TestOutsideUnshown(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	const twice = "schema: olm.channel # SECRET\npackage: red\nname: stable\nentries:\n- name: red.v1.0.0\n  skips: [a, a] # SECRET\n"
	for name, text := range map[string]string{
		"red/catalog.yaml": "schema: olm.package\nname: red\ndefaultChannel: stable\n---\nschema: olm.bundle\npackage: red\nname: red.v1.0.0\n",
		"passwords":        "root:SECRET:0:0\n\tSECRET: [\n",
		"settings":         "SECRET: 1\nsecret: *SECRET\n",
		"auth.json":        `{"auths": "SECRET", "AUTHS": "SECRET", "schema": "SECRET", "package": "SECRET"}`,
		"channel.yaml":     twice,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"passwords", "settings", "auth.json", "channel.yaml"} {
		if err := os.Symlink("../"+name, filepath.Join("red", name)); err != nil {
			t.Skip(err)
		}
	}
	calls := [][]string{{"list", "red"}, {"list", "red", "channels"}, {"path", "red", "red", "--from", "all"}, {"render", "red", "red", "--format", "dot"},
		{"render", "red", "red", "--format", "mermaid"}, {"crds", "red", "red"}, {"diff", "red", "red"}, {"lint", "red", "--fix", "--diff"}, {"lint", "red", "--fix"}}
	for _, f := range render.Formats() {
		calls = append(calls, []string{"lint", "red", "--format", f.Name})
	}
	config := "../settings"
	for range 2 {
		for _, args := range calls {
			var out, errs bytes.Buffer
			Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &errs, fstest.MapFS{})
			if text := out.String() + errs.String(); text == "" || strings.Contains(text, "SECRET") {
				t.Errorf("%s\n%s", args, text)
			}
		}
		os.Remove(filepath.Join("red", ".olmgraph.yaml"))
		if err := os.Symlink(config, filepath.Join("red", ".olmgraph.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile("channel.yaml"); err != nil || string(text) != twice {
		t.Errorf("changed: %s, %v", text, err)
	}
}
