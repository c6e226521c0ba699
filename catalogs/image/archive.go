package image

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxArchive bounds how many files an archive of images may have: each image has few.
const maxArchive = 100_000

// archive is a tar whose files are read where they lie.
type archive struct {
	tar   io.ReaderAt
	files map[string]archived
}

type archived struct {
	off, size int64
	link      string
}

// readArchive notes where the files of a tar lie.
func readArchive(ctx context.Context, f *os.File) (*archive, error) {
	a := &archive{tar: f, files: map[string]archived{}}
	tr := tar.NewReader(f)
	for n := 0; ; n++ {
		header, err := tr.Next()
		if err == io.EOF {
			return a, nil
		}
		if err != nil {
			return nil, notArchive(f, n, err)
		}
		if n >= maxArchive || ctx.Err() != nil {
			return nil, cmp.Or(ctx.Err(), fmt.Errorf("more than %d files are in the archive", maxArchive))
		}
		off, err := f.Seek(0, io.SeekCurrent) // tar reads no further than the header
		if err != nil {
			return nil, err
		}
		switch header.Typeflag {
		case tar.TypeReg:
			a.files[path.Clean(header.Name)] = archived{off: off, size: header.Size}
		case tar.TypeSymlink: // docker save once linked layers that images share
			a.files[path.Clean(header.Name)] = archived{link: path.Join(path.Dir(header.Name), header.Linkname)}
		case tar.TypeLink:
			a.files[path.Clean(header.Name)] = archived{link: path.Clean(header.Linkname)}
		}
	}
}

func notArchive(f io.ReaderAt, n int, err error) error {
	var magic [4]byte
	f.ReadAt(magic[:], 0)
	switch packed := packing(magic[:]); {
	case n > 0:
		return fmt.Errorf("the archive is damaged after its file %d: %w", n, err)
	case packed != "":
		return fmt.Errorf("the archive is packed with %s: unpack it first (%s -d)", packed, packed)
	}
	return errors.New("expected a tar archive of images, and it is none")
}

func (a *archive) open(name string) (io.ReadCloser, error) {
	f, ok := a.files[path.Clean(name)]
	for hops := 0; ok && f.link != "" && hops < 8; hops++ {
		f, ok = a.files[f.link]
	}
	if !ok || f.link != "" {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(io.NewSectionReader(a.tar, f.off, f.size)), nil
}

// packing names the tool whose magic number a file begins with, "" if it is neither.
func packing(magic []byte) string {
	switch {
	case strings.HasPrefix(string(magic), "\x1f\x8b"):
		return "gzip"
	case strings.HasPrefix(string(magic), "\x28\xb5\x2f\xfd"):
		return "zstd"
	}
	return ""
}
