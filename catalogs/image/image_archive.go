package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
)

const (
	// maxArchive bounds how many files an archive of images may have: each image has few.
	maxArchive = 100_000
	// maxKept bounds the small files of a compressed archive that are kept, in bytes: they need not be decompressed again.
	maxKept, maxSmall = 64 << 20, 1 << 20
)

// archiveText is the text of an archive: a file, or what is in memory.
type archiveText interface {
	io.ReadSeeker
	io.ReaderAt
}

// archive is a tar whose files are read at their offsets, or, if it is compressed, by decompressing it again up to them.
type archive struct {
	text  archiveText
	files map[string]archived
	// unpack unpacks the text; nil if it is not packed.
	unpack func() (io.ReadCloser, error)
}

type archived struct {
	off, size int64
	link      string
	kept      []byte // the text, or nil
}

// readArchive indexes the files of a tar.
func readArchive(ctx context.Context, text archiveText) (*archive, error) {
	a := &archive{text: text, files: map[string]archived{}}
	head := make([]byte, 10)
	n, _ := text.ReadAt(head, 0)
	if Compression(head[:n]) == "" {
		offset := func() (int64, error) { return text.Seek(0, io.SeekCurrent) } // tar reads no further than the header
		return a, a.note(ctx, text, offset)
	}
	left := int64(maxUnpacked)
	a.unpack = func() (io.ReadCloser, error) { return unpackArchive(ctx, text, &left) }
	unpacked, err := a.unpack()
	if err != nil {
		return nil, fmt.Errorf("the archive cannot be unpacked: %w", err)
	}
	defer unpacked.Close()
	counted := &countingReader{r: unpacked}
	return a, a.note(ctx, counted, func() (int64, error) { return counted.n, nil })
}

// note indexes the files of a tar that is read from r; offset returns how much of it was read.
func (a *archive) note(ctx context.Context, r io.Reader, offset func() (int64, error)) error {
	tr := tar.NewReader(r)
	kept := int64(maxKept)
	for n := 0; ; n++ {
		header, err := tr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return cmp.Or(ctx.Err(), notArchive(n, err))
		}
		if n >= maxArchive || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), fmt.Errorf("more than %d files are in the archive", maxArchive))
		}
		off, err := offset()
		if err != nil {
			return err
		}
		f := archived{off: off, size: header.Size}
		switch header.Typeflag {
		case tar.TypeReg:
			if a.unpack != nil && f.size <= min(maxSmall, kept) {
				kept -= f.size
				if f.kept, err = io.ReadAll(tr); err != nil {
					return cmp.Or(ctx.Err(), notArchive(n+1, err))
				}
			}
		case tar.TypeSymlink: // old versions of docker save link layers that images share
			f.link = path.Join(path.Dir(header.Name), header.Linkname)
		case tar.TypeLink:
			f.link = path.Clean(header.Linkname)
		default:
			continue
		}
		a.files[path.Clean(header.Name)] = f
	}
}

func notArchive(n int, err error) error {
	if n > 0 {
		return fmt.Errorf("the archive is damaged after its file %d: %w", n, err)
	}
	return errors.New("expected a tar archive of images")
}

func (a *archive) open(name string) (io.ReadCloser, error) {
	f, ok := a.files[path.Clean(name)]
	for hops := 0; ok && f.link != "" && hops < 8; hops++ {
		f, ok = a.files[f.link]
	}
	switch {
	case !ok || f.link != "":
		return nil, fs.ErrNotExist
	case f.kept != nil:
		return io.NopCloser(bytes.NewReader(f.kept)), nil
	case a.unpack == nil:
		return io.NopCloser(io.NewSectionReader(a.text, f.off, f.size)), nil
	}
	unpacked, err := a.unpack()
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, unpacked, f.off); err != nil {
		unpacked.Close()
		return nil, err
	}
	return limitedFile{io.LimitReader(unpacked, f.size), unpacked}, nil
}

// limitedFile is a part of a decompressed archive.
type limitedFile struct {
	io.Reader
	io.Closer
}

// unpackArchive decompresses an archive from its start. left is how many bytes may still be decompressed, in all calls together.
func unpackArchive(ctx context.Context, text io.ReaderAt, left *int64) (io.ReadCloser, error) {
	r, err := decompress(bufio.NewReaderSize(io.NewSectionReader(text, 0, math.MaxInt64), 64<<10))
	if err != nil {
		return nil, err
	}
	return limitedFile{&boundedReader{ctx: ctx, r: r, left: left}, r}, nil
}

// boundedReader reads at most left bytes, and nothing once the context has ended.
type boundedReader struct {
	ctx  context.Context
	r    io.Reader
	left *int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if *b.left -= int64(n); *b.left < 0 {
		return n, errUnpackFirst
	}
	return n, err
}

var errUnpackFirst = fmt.Errorf("the archive is unpacked anew for each large file in it, which comes to more than %d GiB: unpack it first", maxUnpacked>>30)

// countingReader counts the bytes that were read. It is not an io.Seeker, so that tar reads everything.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
