package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/cli"
)

// BenchmarkPullRequest lints a repository of 40 packages of which one has changed: whole, and against its base.
func BenchmarkPullRequest(b *testing.B) {
	base, now := b.TempDir(), b.TempDir()
	for n := range 40 {
		for _, dir := range []string{base, now} {
			bundles := 60
			if n == 17 && dir == now {
				bundles++
			}
			writePackage(b, filepath.Join(dir, "catalogs"), fmt.Sprintf("operator-%d", n), bundles)
		}
	}
	commitTwice(b, base, now)
	base = filepath.Join(base, "catalogs")
	for name, args := range map[string][]string{
		"base-git": {"lint", "--base", "git:HEAD~1:catalogs", "catalogs"},
		"whole":    {"lint", "catalogs"},
		"base":     {"lint", "--base", base, "catalogs"},
		"base-new": {"lint", "--base", base, "--new", "catalogs"},
		"diff":     {"diff", base, "catalogs"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var out bytes.Buffer
				if status := cli.Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &out, ruleScripts()); status > 1 {
					b.Fatal(out.String())
				}
			}
		})
	}
}

// commitTwice makes the folder of what is now a repository, in which the base is the commit before, and goes there.
func commitTwice(b *testing.B, base, now string) {
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("the program git is not there to make a repository with")
	}
	b.Chdir(now)
	run := func(args ...string) {
		if out, err := exec.Command(git, append([]string{"--git-dir", filepath.Join(now, ".git"), "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	for _, dir := range []string{base, now} {
		run("--work-tree", dir, "add", "-A", ".")
		run("--work-tree", dir, "commit", "-qm", "a commit")
	}
	run("repack", "-adq")
}

// writePackage writes a package that is a chain of bundles, with descriptions as long as real ones.
func writePackage(b *testing.B, dir, name string, bundles int) {
	var text strings.Builder
	fmt.Fprintf(&text, "schema: olm.package\nname: %s\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: %[1]s\nname: stable\nentries:\n", name)
	for i := range bundles {
		fmt.Fprintf(&text, "- name: %s.v1.%d.0\n", name, i)
		if i > 0 {
			fmt.Fprintf(&text, "  replaces: %s.v1.%d.0\n", name, i-1)
		}
	}
	for i := range bundles {
		fmt.Fprintf(&text, "---\nschema: olm.bundle\npackage: %s\nname: %[1]s.v1.%d.0\nimage: quay.io/%[1]s/bundle:v1.%[2]d.0\nproperties:\n"+
			"- type: olm.package\n  value: {packageName: %[1]s, version: 1.%[2]d.0}\n"+
			"- type: olm.csv.metadata\n  value:\n    displayName: %[1]s\n    description: |\n", name, i)
		for range 60 {
			fmt.Fprintf(&text, "      What %s does for clusters, and how it is set up by whoever runs it.\n", name)
		}
	}
	file := filepath.Join(dir, name, "catalog.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
}
