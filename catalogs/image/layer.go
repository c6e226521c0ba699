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
	maxUnpacked = 64 << 30
	// maxWindow bounds the memory of the decoder of a layer compressed with zstd or xz, in bytes.
	maxWindow = 64 << 20

	pieceSize  = 128 << 10
	pieceCount = 4
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

// layerReader decompresses a layer in a goroutine of its own, concurrently with its reader. After the last byte it has checked the
// digests.
type layerReader struct {
	pieces chan piece
	free   chan []byte
	cancel context.CancelFunc
	diff   *digester // nil: there is none to compare
	piece  []byte    // the one that was received last
	rest   []byte    // of it
	err    error
}

// piece is a part of the unpacked layer, or how it ended.
type piece struct {
	text []byte
	err  error
}

// read starts to read a layer. The reader must be closed.
func (l layer) read(ctx context.Context, b *budget) (*layerReader, error) {
	var diff *digester
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
	r := &layerReader{pieces: make(chan piece), free: make(chan []byte, pieceCount), cancel: cancel, diff: diff}
	for range pieceCount {
		r.free <- nil
	}
	go func() {
		defer close(r.pieces)
		defer packed.Close()
		err := l.unpack(ctx, packed, r, b)
		select {
		case r.pieces <- piece{err: err}:
		case <-ctx.Done():
		}
	}()
	return r, nil
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
		if err != nil {
			return cmp.Or(r.damage(err), err)
		}
	}
	_, err = io.Copy(io.Discard, r)
	return err
}

// unpack sends the decompressed layer in pieces.
func (l layer) unpack(ctx context.Context, packed io.Reader, to *layerReader, b *budget) error {
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
		err = pump(ctx, r, to, b)
	}
	if errors.Is(err, errTooMuch) || ctx.Err() != nil {
		return err
	}
	// The rest of a layer that cannot be decompressed is read as well: a wrong digest is the better explanation.
	if _, restErr := io.Copy(io.Discard, buffered); err == nil {
		err = restErr
	}
	if in.sum != nil {
		if damaged := in.sum.check("blob"); damaged != nil {
			return damaged
		}
	}
	return err
}

func pump(ctx context.Context, r io.Reader, to *layerReader, b *budget) error {
	for {
		var buffer []byte
		select {
		case buffer = <-to.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		if buffer == nil {
			buffer = make([]byte, pieceSize)
		}
		n, err := fill(r, buffer[:pieceSize])
		if b.unpacked -= int64(n); b.unpacked < 0 {
			return errTooMuch
		}
		if n > 0 {
			select {
			case to.pieces <- piece{text: buffer[:n]}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// fill is io.ReadFull, but returns the error of r: an unexpected end in a decompressor is not an end.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var m int
		m, err = r.Read(buffer[n:])
		n += m
	}
	return n, err
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

func (r *layerReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.next()
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next waits for the next piece.
func (r *layerReader) next() {
	if r.piece != nil {
		r.free <- r.piece
		r.piece = nil
	}
	p, ok := <-r.pieces
	switch {
	case !ok:
		r.err = context.Canceled
	case p.text != nil:
		if r.diff != nil {
			r.diff.Write(p.text)
		}
		r.rest, r.piece = p.text, p.text
	case p.err != nil:
		r.err = p.err
	default:
		r.err = io.EOF
		if r.diff != nil {
			if err := r.diff.check("layer"); err != nil {
				r.err = err
			}
		}
	}
}

// damage returns why the layer could not be read to its end, or that its digest is wrong if that explains the error that was found.
// A tar with an error is read to its end for that, since its digests are the better explanation.
func (r *layerReader) damage(found error) error {
	if errors.Is(found, tar.ErrHeader) || errors.Is(found, io.ErrUnexpectedEOF) {
		io.Copy(io.Discard, r)
	}
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Close stops the goroutine and waits for it.
func (r *layerReader) Close() error {
	r.cancel()
	for range r.pieces {
	}
	return nil
}
