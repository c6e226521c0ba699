package image

import (
	"errors"
	"io"

	"github.com/therootcompany/xz"
)

// unxz decompresses xz with a window of at most maxWindow, which all blocks share.
func unxz(r io.Reader) io.Reader {
	unpacked, _ := xz.NewReader(r, maxWindow) // Read returns the error again
	return xzReader{unpacked}
}

type xzReader struct{ *xz.Reader }

func (r xzReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, xz.ErrMemlimit) {
		err = ErrMemory
	}
	return n, err
}
