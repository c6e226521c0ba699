package catalogs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkOpen reads real catalogs.
func BenchmarkOpen(b *testing.B) {
	for _, name := range []string{"community-v4.14", "community-v4.18.json", "community-v4.20"} {
		b.Run(name, func(b *testing.B) {
			ref := filepath.Join("..", "..", "shared", "data", "fbc", name)
			if _, err := os.Stat(ref); err != nil {
				b.Skipf("the real catalogs are not beside the project: %v", err)
			}
			b.ReportAllocs()
			for b.Loop() {
				cats, err := Open(context.Background(), ref, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(cats[0].Stats.Bytes)
			}
		})
	}
}

// BenchmarkForms opens real catalogs in all their forms; the first ones hold the same.
func BenchmarkForms(b *testing.B) {
	for _, form := range []struct{ name, ref string }{
		{"folder", "fbc/community-v4.20"}, {"oci", "images/community-v4.20.oci"}, {"oci-archive", "images/community-v4.20.oci.tar"},
		{"docker-archive", "images/community-v4.20.docker.tar"}, {"sqlite", "sqlite/manifests.db"}, {"manifests", "manifests"},
		{"repository", "bundle-repo"}, {"git", "git:fbc/community-v4.20"}, {"git-repository", "git:bundle-repo"},
	} {
		b.Run(form.name, func(b *testing.B) {
			folder, isGit := strings.CutPrefix(form.ref, "git:")
			ref := filepath.Join("..", "..", "shared", "data", filepath.FromSlash(folder))
			if _, err := os.Stat(ref); err != nil {
				b.Skip("no real data beside the project: ", err)
			}
			if isGit {
				ref = committed(b, ref)
			}
			b.ReportAllocs()
			for b.Loop() {
				cats, err := Open(context.Background(), ref, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(cats[0].Stats.Bytes)
			}
		})
	}
}

// committed goes to a repository, packed by the program git, in which a folder was committed, and returns the reference to it.
func committed(b *testing.B, folder string) string {
	b.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("the program git is not there to make a repository with")
	}
	if folder, err = filepath.Abs(folder); err != nil {
		b.Fatal(err)
	}
	b.Chdir(b.TempDir())
	for _, args := range [][]string{{"init", "-q"}, {"--work-tree", folder, "add", "-f", folder},
		{"-c", "user.name=a", "-c", "user.email=a@b", "--work-tree", folder, "commit", "-qm", "a commit"}, {"repack", "-adq"}} {
		if out, err := exec.Command(git, append([]string{"--git-dir", ".git"}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return "git:HEAD"
}
