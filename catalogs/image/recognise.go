package image

import (
	"archive/tar"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// maxLook bounds how many headers of a tar Recognise reads: an image of a thousand layers has its manifest.json behind
// them all.
const maxLook = 4096

// Recognise reports whether an image is at a path, and in which form. Behind the path there may stand what Open takes
// there. It opens the file and looks at names: that an image can be read is not said.
func Recognise(ref string) (Kind, bool) {
	name, _, err := locate(ref)
	if err != nil {
		return 0, false
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return 0, false
	case info.IsDir() && isDir(name):
		return Dir, true
	case info.IsDir():
		return OCILayout, isLayout(name)
	case !info.Mode().IsRegular():
		return 0, false
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	return recogniseTar(f)
}

func isLayout(dir string) bool {
	return isRegular(filepath.Join(dir, "index.json")) && (isRegular(filepath.Join(dir, "oci-layout")) ||
		exists(filepath.Join(dir, "blobs", "sha256")))
}

func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// recogniseTar looks for the files that an image archive has at its root. Recent versions of docker save write those of
// both forms; then the OCI one is taken, as it knows digests.
func recogniseTar(r io.ReadSeeker) (Kind, bool) {
	if names, err := gzip.NewReader(io.LimitReader(r, 1<<20)); err == nil {
		return recognisePacked(names)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, false
	}
	seen := map[string]bool{}
	tr := tar.NewReader(r)
	for range maxLook {
		header, err := tr.Next()
		if err != nil {
			break
		}
		if name := path.Clean(header.Name); !strings.Contains(name, "/") {
			seen[name] = true
		}
		if seen["index.json"] && seen["oci-layout"] {
			return OCIArchive, true
		}
	}
	switch {
	case seen["manifest.json"]:
		return DockerArchive, true
	case seen["index.json"] && seen["blobs"]:
		return OCIArchive, true
	}
	return 0, false
}

// recognisePacked recognises an archive that was packed with gzip by the first name in it, so that Open gets to say what
// is to be done with it.
func recognisePacked(r io.Reader) (Kind, bool) {
	header, err := tar.NewReader(io.LimitReader(r, 1<<20)).Next()
	if err != nil {
		return 0, false
	}
	switch name := path.Clean(header.Name); {
	case name == "blobs", strings.HasPrefix(name, "blobs/"), name == "index.json", name == "oci-layout":
		return OCIArchive, true
	case name == "manifest.json", strings.HasSuffix(name, "/layer.tar"), strings.HasPrefix(name, "sha256:"):
		return DockerArchive, true
	}
	return 0, false
}
