package image

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	// maxUnpacked bounds the size of an image's layers, compressed and decompressed, in bytes.
	maxUnpacked = 16 << 30
	// maxWindow bounds the memory of the decoder of a layer compressed with zstd, in bytes.
	maxWindow = 64 << 20

	pieceSize = 128 << 10
)

// layer is a layer of an image.
type layer struct {
	name   string  // in messages
	digest v1.Hash // as stored; zero if a docker archive does not have it
	diffID v1.Hash // unpacked
	open   func(context.Context) (io.ReadCloser, error)
	plain  bool // a tar of a folder and not a layer: without digests and whiteouts
}

// digester compares what was read with a digest.
type digester struct {
	hash.Hash
	want v1.Hash
}

func newDigester(want v1.Hash) (*digester, error) {
	h, err := v1.Hasher(want.Algorithm)
	if err != nil {
		return nil, fmt.Errorf("digest %s: %w", want, err)
	}
	return &digester{h, want}, nil
}

func (s *digester) check(what string) error {
	if got := hex.EncodeToString(s.Sum(nil)); got != s.want.Hex {
		return fmt.Errorf("%s %s is damaged: what is there has the digest %s:%s", what, s.want, s.want.Algorithm, got)
	}
	return nil
}

// budget is what may still be read of an image.
type budget struct {
	packed, unpacked int64
	progress         func(int64)
}

// layerReader reads a layer that a goroutine of its own decompresses. At its end it has checked the digests. It must be closed.
type layerReader struct {
	*bufio.Reader
	unpacked *io.PipeReader
	cancel   context.CancelFunc
	done     chan struct{} // closed when the goroutine has ended
}

// read starts to read a layer.
func (l layer) read(ctx context.Context, b *budget) (*layerReader, error) {
	var diff *digester // nil: there is none to compare
	if !l.plain {
		var err error
		if diff, err = newDigester(l.diffID); err != nil {
			return nil, err
		}
	}
	packed, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	out, in := io.Pipe()
	r := &layerReader{bufio.NewReaderSize(checkedReader{out, diff}, pieceSize), out, cancel, make(chan struct{})}
	go func() {
		defer close(r.done)
		defer packed.Close()
		in.CloseWithError(l.unpack(ctx, packed, in, b))
	}()
	return r, nil
}

// Close stops the goroutine and waits for it.
func (r *layerReader) Close() error {
	r.cancel()
	r.unpacked.Close()
	<-r.done
	return nil
}

// checkedReader compares what is read to its end with a digest, if there is one.
type checkedReader struct {
	io.Reader
	sum *digester
}

func (c checkedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.sum == nil {
		return n, err
	}
	c.sum.Write(p[:n])
	if err == io.EOF {
		err = cmp.Or(c.sum.check("layer"), err)
	}
	return n, err
}

// each calls do for each entry of the layer. It reads the layer to its end, where the digests are checked, unless do returns an error.
func (l layer) each(ctx context.Context, b *budget, do func(*tar.Header, io.Reader) error) error {
	r, err := l.read(ctx, b)
	if err != nil {
		return err
	}
	defer r.Close()
	tr := tar.NewReader(r)
	for {
		header, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = do(header, tr)
		}
		if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) { // a wrong digest is the better explanation
			_, damage := io.Copy(io.Discard, r)
			err = cmp.Or(damage, err)
		}
		if err != nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, r)
	return err
}

// unpack writes the decompressed layer.
func (l layer) unpack(ctx context.Context, packed io.Reader, to io.Writer, b *budget) error {
	in := &packedReader{ctx: ctx, r: packed, budget: b}
	if l.digest.Hex != "" {
		var err error
		if in.sum, err = newDigester(l.digest); err != nil {
			return err
		}
	}
	buffered := bufio.NewReaderSize(in, 64<<10)
	r, err := decompress(buffered)
	if err == nil {
		defer r.Close()
		var n int64
		n, err = io.CopyBuffer(to, io.LimitReader(r, b.unpacked+1), make([]byte, pieceSize))
		if b.unpacked -= n; b.unpacked < 0 {
			err = errTooMuch
		}
	}
	if errors.Is(err, errTooMuch) || ctx.Err() != nil {
		return err
	}
	// The rest of a layer that cannot be decompressed is read as well: a wrong digest is the better explanation.
	if _, restErr := io.Copy(io.Discard, buffered); err == nil {
		err = restErr
	}
	if in.sum != nil {
		err = cmp.Or(in.sum.check("blob"), err)
	}
	return err
}

var errTooMuch = fmt.Errorf("the layers unpack to more than %d GiB", maxUnpacked>>30)

// packedReader reads a layer as it is stored.
type packedReader struct {
	ctx    context.Context
	r      io.Reader
	sum    *digester
	budget *budget
}

func (p *packedReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	if p.sum != nil {
		p.sum.Write(b[:n])
	}
	if p.budget.packed -= int64(n); p.budget.packed < 0 {
		return n, errTooMuch
	}
	if p.budget.progress != nil && n > 0 {
		p.budget.progress(int64(n))
	}
	return n, err
}
