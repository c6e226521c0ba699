package main

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/olmgraph/olmgraph/cli"
)

// BenchmarkPullRequest lints a repository of 40 packages of which one has changed: whole, and against its base.
func BenchmarkPullRequest(b *testing.B) {
	base, now := b.TempDir(), b.TempDir()
	g := grown{packages: 40, bundles: 60, words: 60}
	for p := range g.packages {
		g.write(b, filepath.Join(base, "catalogs"), p)
		changed := g
		if p == 17 {
			changed.bundles++
		}
		changed.write(b, filepath.Join(now, "catalogs"), p)
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
