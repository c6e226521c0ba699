package rules

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// TestForms checks that a catalog has the same findings in all forms, except for positions.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for folder, others := range map[string][]string{
		"fbc/community-v4.20": {"images/community-v4.20.oci", "images/community-v4.20.oci.tar", "images/community-v4.20.docker.tar"},
		"fbc/community-v4.18": {"fbc/community-v4.18.json"},
	} {
		want := findingsWithoutPositions(t, catalogtest.Data(t, folder))
		if len(want) < 20 {
			t.Errorf("%s: only %d findings", folder, len(want))
		}
		for _, other := range others {
			if diff := cmp.Diff(want, findingsWithoutPositions(t, catalogtest.Data(t, other))); diff != "" {
				t.Errorf("%s and %s (-folder +other):\n%s", folder, other, diff)
			}
		}
	}
}

// TestGitForms checks that all forms have the same findings in a folder and in a git repository, with the same positions except
// for a prefix.
func TestGitForms(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	root := catalogtest.Data(t, "")
	refs := []string{"fbc/community-v4.14", "fbc/community-v4.18.json", "bundle-repo", "manifests/etcd", "sqlite/manifests.db"}
	t.Chdir(packRepository(t, root, refs...))
	for _, ref := range refs {
		want, got := findingsAtPaths(t, filepath.Join(root, filepath.FromSlash(ref)), root+"/"), findingsAtPaths(t, "git:HEAD:"+ref, "git:HEAD:")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-folder +git):\n%s", ref, diff)
		}
	}
}

// packRepository returns a packed git repository with the folders of root. It runs git.
func packRepository(t *testing.T, root string, folders ...string) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("the program git is not there to make a repository with")
	}
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, append([]string{"--work-tree", root, "add", "-f"}, folders...),
		{"-c", "user.name=a", "-c", "user.email=a@b", "--work-tree", root, "commit", "-qm", "a commit"}, {"repack", "-adq"}} {
		cmd := exec.Command(git, append([]string{"--git-dir", filepath.Join(dir, ".git")}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// rendered matches the command that renders a template, which differs between a folder and a repository.
var rendered = regexp.MustCompile(`(opm alpha render-template \w+) \S+ >`)

// findingsAtPaths lints a catalog and returns the findings with paths relative to prefix.
func findingsAtPaths(t *testing.T, ref, prefix string) string {
	t.Helper()
	var out strings.Builder
	for _, f := range lintRef(t, ref, func(r lint.Rule) bool { return r.Family() != "crd" }) { // which take most of the time
		fmt.Fprintf(&out, "%+v\n", f)
	}
	return rendered.ReplaceAllString(strings.ReplaceAll(out.String(), prefix, ""), "$1 FILE >")
}

// findingsWithoutPositions lints a catalog and returns the number of findings by their text without positions.
func findingsWithoutPositions(t *testing.T, ref string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, f := range lintRef(t, ref, func(lint.Rule) bool { return true }) {
		found[fmt.Sprint(f.Rule, f.Severity, f.Gates, f.Subject, f.Message, f.Fix)]++
	}
	return found
}

func lintRef(t *testing.T, ref string, rule func(lint.Rule) bool) []lint.Finding {
	t.Helper()
	cats := opentest.Open(t, ref)
	return lintAll(t, cats, lint.Options{Rules: slices.DeleteFunc(All(), func(r lint.Rule) bool { return !rule(r) })})
}
