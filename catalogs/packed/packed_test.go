package packed

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestText reads a text of several blocks at any place, at the same time.
func TestText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	plain := make([]byte, 3*BlockSize+100)
	for i := range plain {
		plain[i] = "abcdefg"[random.IntN(7)]
	}
	var p Packer
	text, err := p.Pack(bytes.NewReader(plain), int64(len(plain)))
	if err != nil || text.Size() != int64(len(plain)) {
		t.Fatal(text.Size(), err)
	}
	var c Cache
	var wg sync.WaitGroup
	for range 4 {
		seed := random.Uint64()
		wg.Go(func() { readPieces(t, c.Reader(text), plain, seed) })
	}
	wg.Wait()
	if _, err := p.Pack(strings.NewReader("short"), 6); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

func readPieces(t *testing.T, r io.ReaderAt, text []byte, seed uint64) {
	random := rand.New(rand.NewPCG(seed, seed))
	buffer := make([]byte, 2*BlockSize)
	for range 300 {
		piece, off := buffer[:random.IntN(len(buffer))], random.IntN(len(text)+10)
		want := text[min(off, len(text)):min(off+len(piece), len(text))]
		n, err := r.ReadAt(piece, int64(off))
		if n != len(want) || !bytes.Equal(piece[:n], want) || (err == io.EOF) != (n < len(piece)) {
			t.Errorf("%d bytes at %d: %d, %v; want %d", len(piece), off, n, err, len(want))
		}
	}
	if _, err := r.ReadAt(buffer, -1); err == nil {
		t.Error("no error for a negative offset")
	}
}
