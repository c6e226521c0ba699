package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// BenchmarkPullRequest lints a repository of 40 packages, one of which has changed: completely, and against its base.
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
				if status, _, errs := run(b, args...); status > 1 {
					b.Fatal(errs)
				}
			}
		})
	}
}

// commitTwice creates a repository with the base as the first commit, and changes to it.
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

// sizes are the numbers of packages of catalogs: each is four times the one before, to show superlinear costs.
var sizes = []int{1, 4, 16}

// BenchmarkForms lints a catalog in each form and size. The figures per bundle should not grow with the size.
func BenchmarkForms(b *testing.B) {
	for _, form := range []struct {
		name string
		make func(grown, testing.TB) string
	}{
		{"folder", grown.folder}, {"json", grown.file}, {"image", grown.image}, {"sqlite", grown.database}, {"repository", grown.repository},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("%s/%dx", form.name, size), func(b *testing.B) {
				g := grown{packages: 4 * size, bundles: 30, words: 60}
				ask(b, g, "lint", "-o", "json", form.make(g, b))
			})
		}
	}
}

// BenchmarkVerbs runs each command on a folder of each size.
func BenchmarkVerbs(b *testing.B) {
	for _, verb := range []struct {
		name string
		args []string // in which catalog is the folder
	}{
		{"lint", []string{"lint", "catalog"}},
		{"lint-opm", []string{"lint", "--gate", "opm", "catalog"}},
		{"list", []string{"list", "catalog", "bundles"}},
		{"path", []string{"path", "catalog", "operator-1", "--from", "0.0.0"}},
		{"path-all", []string{"path", "catalog", "operator-1", "--from", "all"}},
		{"render-dot", []string{"render", "catalog", "operator-1", "-o", "dot"}},
		{"crds", []string{"crds", "catalog", "operator-1"}},
		{"diff", []string{"diff", "catalog", "catalog"}},
		{"namespace", []string{"cluster", "--snapshot", "namespace.yaml", "catalog"}},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("%s/%dx", verb.name, size), func(b *testing.B) {
				g := grown{packages: 4 * size, bundles: 30, words: 60}
				b.Chdir(filepath.Dir(g.folder(b)))
				catalogtest.Write(b, "namespace.yaml", g.namespace())
				ask(b, g, verb.args...)
			})
		}
	}
}

// namespace subscribes to every package, with its oldest version installed.
func (g grown) namespace() string {
	var out strings.Builder
	out.WriteString("subscriptions:\n")
	for p := range g.packages {
		fmt.Fprintf(&out, "- {package: %s, channel: stable, installed: %s}\n", g.pkg(p), g.name(p, 0))
	}
	return out.String()
}

func ask(b *testing.B, g grown, args ...string) {
	b.ReportAllocs()
	for b.Loop() {
		if status, _, errs := run(b, args...); status > 1 {
			b.Fatalf("olmgraph %v: status %d: %s", args, status, errs)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*g.packages*g.bundles), "ns/bundle")
}
