package image

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// OpenTar unpacks a tar of a folder into memory, and returns the folder. The tar may be compressed with gzip, zstd or bzip2. Of two
// entries with the same name the last one counts, as in tar. Links cannot lead out of the folder.
func OpenTar(ctx context.Context, open func() (io.ReadCloser, error), o Options) (fs.FS, error) {
	u := newUnpacker(ctx, o)
	u.tree = newTree(".")
	l := layer{plain: true, open: func(context.Context) (io.ReadCloser, error) { return open() }}
	if err := u.apply(l, 0); err != nil {
		if _, isLarge := errors.AsType[tooLarge](err); isLarge {
			return nil, err
		}
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("the archive cannot be read to its end: %w", err))
	}
	u.tree.wanted = u.tree.top
	return &files{tree: u.tree, root: "."}, u.checkLinked()
}

// IsTar reports whether a text is a tar that OpenTar reads, by its first header.
func IsTar(r io.Reader) bool {
	unpacked, err := decompress(bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		return false
	}
	defer unpacked.Close()
	_, err = tar.NewReader(unpacked).Next()
	return err == nil
}
