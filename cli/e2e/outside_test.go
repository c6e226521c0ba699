package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/cli"
	"github.com/olmgraph/olmgraph/render/report"
)

// TestOutsideUnshown checks that no command shows, in any format, the content of a file outside the catalog to which a link
// leads, or changes it.
func TestOutsideUnshown(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	const twice = "schema: olm.channel # SECRET\npackage: red\nname: stable\nentries:\n- name: red.v1.0.0\n  skips: [a, a] # SECRET\n"
	put(t, map[string]string{
		"red/catalog.yaml": "schema: olm.package\nname: red\ndefaultChannel: stable\n---\nschema: olm.bundle\npackage: red\nname: red.v1.0.0\n",
		"passwords":        "root:SECRET:0:0\n\tSECRET: [\n",
		"settings":         "SECRET: 1\nsecret: *SECRET\n",
		"auth.json":        `{"auths": "SECRET", "AUTHS": "SECRET", "schema": "SECRET", "package": "SECRET"}`,
		"channel.yaml":     twice,
	}, map[string]string{"red/passwords": "../passwords", "red/settings": "../settings", "red/auth.json": "../auth.json", "red/channel.yaml": "../channel.yaml"})
	calls := [][]string{{"list", "red"}, {"list", "red", "channels"}, {"path", "red", "red", "--from", "all"}, {"render", "red", "red", "-o", "dot"},
		{"render", "red", "red", "-o", "mermaid"}, {"crds", "red", "red"}, {"release", "red", "red", "9.0.0"}, {"diff", "red", "red"}, {"lint", "red", "--fix", "--diff"}, {"lint", "red", "--fix"}}
	for _, f := range report.Formats() {
		calls = append(calls, []string{"lint", "red", "-o", f.Name})
	}
	config := "../settings"
	for range 2 {
		for _, args := range calls {
			var out, errs bytes.Buffer
			cli.Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &errs, fstest.MapFS{})
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

// TestOutsideForms checks that no content of files outside the catalog is shown, wherever the link to them is: part of a
// file-based catalog, manifests or metadata of a bundle, a folder of them, package manifests, or a comment on rules.
func TestOutsideForms(t *testing.T) {
	const csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: %s.v1.0.0\nspec:\n  version: 1.0.0\n"
	annotations := func(name string) string {
		return "annotations:\n  operators.operatorframework.io.bundle.package.v1: " + name +
			"\n  operators.operatorframework.io.bundle.channels.v1: " + name + "\n"
	}
	secret := "apiVersion: v1\nkind: Secret\nmetadata:\n  name: SECRET\nstringData: {password: SECRET}\n"
	files := map[string]string{
		"host/kube.yaml": "apiVersion: v1\nkind: SECRETKIND\nusers: []\n", "host/secret.yaml": secret,
		"host/annotations.yaml": annotations("SECRET"), "host/csv.yaml": fmt.Sprintf(csv, "SECRET"),
		"host/package.yaml":          "packageName: SECRET\nchannels: [{name: SECRET, currentCSV: SECRET}]\n",
		"host/folder/SECRET.yaml":    secret,
		"host/folder/SECRET/a.yaml":  secret,
		"host/ignored.yaml":          "# olmgraph:ignore SECRET\n# olmgraph:ignore SECRET SECRET\na: 1\n",
		"fbc/a.yaml":                 "schema: olm.package\nname: red\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: red\nname: stable\nentries: [{name: red.v1.0.0}]\n",
		"objects/manifests/csv.yaml": fmt.Sprintf(csv, "red"), "objects/metadata/annotations.yaml": annotations("red"),
		"annotated/manifests/csv.yaml": fmt.Sprintf(csv, "red"), "annotated/metadata/other.yaml": "a: 1\n",
		"versioned/metadata/annotations.yaml": annotations("red"), "versioned/manifests/other.yaml": secret[:11] + "\n",
		"folder/metadata/annotations.yaml": annotations("red"),
		"manifests/1.0.0/csv.yaml":         fmt.Sprintf(csv, "red"),
	}
	links := map[string]string{
		"fbc/kube.yaml": "../host/kube.yaml", "fbc/ignored.yaml": "../host/ignored.yaml", "objects/manifests/s.yaml": "../../host/secret.yaml",
		"annotated/metadata/annotations.yaml": "../../host/annotations.yaml", "versioned/manifests/csv.yaml": "../../host/csv.yaml",
		"folder/manifests": "../host/folder", "manifests/red.package.yaml": "../host/package.yaml",
	}
	top := t.TempDir()
	t.Chdir(top)
	put(t, files, links)
	for _, dir := range []string{"fbc", "objects", "annotated", "versioned", "folder", "manifests"} {
		calls := [][]string{{"list", dir}, {"list", dir, "bundles"}, {"crds", dir, "red"}, {"lint", dir, "--fix", "--diff"}}
		for _, f := range report.Formats() {
			calls = append(calls, []string{"lint", dir, "-o", f.Name})
		}
		for _, args := range calls {
			var out, errs bytes.Buffer
			status := cli.Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &errs, fstest.MapFS{})
			text := out.String() + errs.String()
			if text == "" || strings.Contains(text, "SECRET") {
				t.Errorf("%s\n%s", args, text)
			}
			if refused := dir != "fbc" && args[0] == "lint" && args[len(args)-1] == "text"; refused && !strings.Contains(text, "fix: replace the link with its target") {
				t.Errorf("%s: nothing says what to do\n%s", args, text)
			}
			if args[0] == "lint" && args[2] == "-o" && status == 0 {
				t.Errorf("%s: nothing found\n%s", args, text)
			}
		}
	}
}

// put makes files and links, and the folders that they are in.
func put(t *testing.T, files, links map[string]string) {
	t.Helper()
	for name, text := range files {
		catalogtest.Write(t, name, text)
	}
	for name, to := range links {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.Symlink(to, name)); err != nil {
			t.Skip(err)
		}
	}
}

// TestLinkNote checks that a message says, once, that a link in a reference is why no text is shown, and what to give instead.
func TestLinkNote(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	const text = "schema: olm.package\nname: red\nskips: 1\n"
	put(t, map[string]string{"host/red/a.yaml": text, "around/own/a.yaml": text},
		map[string]string{"around/link": "../host", "around/file.yaml": "../host/red/a.yaml", "around/inside": "own"})
	t.Chdir(filepath.Join(top, "around"))
	for ref, target := range map[string]string{
		"link": "/host", "dir:link": "/host", "./link/": "/host", "link/red": "/host/red", "link/red/a.yaml": "/host/red/a.yaml", "file.yaml": "/host/red/a.yaml",
		"own": "", "inside": "", "inside/a.yaml": "", "../host": "", top + "/host": "", top + "/around/link": "",
	} {
		for _, args := range [][]string{{"lint", ref}, {"list", ref}, {"diff", ref, ref}} {
			var out, errs bytes.Buffer
			cli.Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &errs, fstest.MapFS{})
			messages := strings.ReplaceAll(errs.String(), "\n    ", " ")
			said := strings.Count(messages, "is a link to "+top+target+": text of files behind such a link is not shown; give "+top+target+"\n")
			if want := min(len(target), 1); said != want || strings.Count(messages, "is a link to ") != want {
				t.Errorf("%s: said %d times:\n%s", args, said, &errs)
			}
		}
	}
}
