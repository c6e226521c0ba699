package catalogs

import (
	"context"
	"os"
	"path/filepath"
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
		{"repository", "bundle-repo"},
	} {
		b.Run(form.name, func(b *testing.B) {
			ref := filepath.Join("..", "..", "shared", "data", filepath.FromSlash(form.ref))
			if _, err := os.Stat(ref); err != nil {
				b.Skip("no real data beside the project: ", err)
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
