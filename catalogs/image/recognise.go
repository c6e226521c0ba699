package image

import (
	"archive/tar"
	"bufio"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// maxRecognised bounds how many headers of a tar Recognise reads: in an image of a thousand layers manifest.json comes after them
// all. maxRecogniseBytes bounds how much it decompresses.
const (
	maxRecognised     = 4096
	maxRecogniseBytes = 8 << 30
)

// Recognise reports whether there is an image at a path, and in which form. The path may be followed by a selection as for Open. It
// only looks at the names of files: the image may still be unreadable.
func Recognise(ref string) (Kind, bool) {
	name, _, err := splitReference(ref)
	if err != nil {
		return 0, false
	}
	if disk.IsFolder(name) {
		return OCILayout, isLayout(name)
	}
	f, err := disk.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	return RecogniseArchive(f)
}

func isLayout(dir string) bool {
	return disk.IsFile(filepath.Join(dir, "index.json")) && (disk.IsFile(filepath.Join(dir, "oci-layout")) ||
		disk.Exists(filepath.Join(dir, "blobs", "sha256")))
}

// RecogniseArchive looks for the files that an archive of images has at its root, compressed or not. Recent versions of docker save
// write those of both forms; then it is an OCI archive, which has digests.
func RecogniseArchive(text archiveText) (Kind, bool) {
	head := make([]byte, 10)
	n, _ := text.ReadAt(head, 0)
	if Compression(head[:n]) == "" {
		return recogniseTar(io.NewSectionReader(text, 0, math.MaxInt64), false)
	}
	unpacked, err := decompress(bufio.NewReader(io.NewSectionReader(text, 0, math.MaxInt64)))
	if err != nil {
		return 0, false
	}
	defer unpacked.Close()
	return recogniseTar(io.LimitReader(unpacked, maxRecogniseBytes), true)
}

// recogniseTar recognises an archive by the names in it. A compressed one is read only up to the first name that no archive of
// images has.
func recogniseTar(r io.Reader, packed bool) (Kind, bool) {
	seen := map[string]bool{}
	tr := tar.NewReader(r)
	for range maxRecognised {
		header, err := tr.Next()
		if err != nil {
			break
		}
		name := path.Clean(header.Name)
		if packed && !isOfImages(name) {
			return 0, false
		}
		if !strings.Contains(name, "/") {
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

// isOfImages reports whether an archive of images may have a file of that name, as docker, podman, skopeo, buildah and crane write
// them.
func isOfImages(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	isHex := len(top) >= 64 && strings.Trim(top[:64], "0123456789abcdef") == ""
	isLayer := strings.HasSuffix(name, ".tar") || strings.HasSuffix(name, ".tar.gz")
	return isHex || isLayer || strings.HasPrefix(name, "sha256:") ||
		slices.Contains([]string{".", "blobs", "index.json", "oci-layout", "manifest.json", "repositories"}, top)
}
