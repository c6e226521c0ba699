package image

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/ulikunitz/xz"
)

// unxz decompresses xz with limits: xz.Reader allocates as much memory as the header of a block requests, up to 4 GiB.
func unxz(r *bufio.Reader) (io.ReadCloser, error) {
	unpacked, err := xz.NewReader(bufio.NewReader(&xzGuard{r: r, next: (*xzGuard).stream}))
	if err != nil {
		return nil, err
	}
	return io.NopCloser(unpacked), nil
}

// xzGuard passes an xz file on, and stops before a block whose window is larger than maxWindow. It only determines where blocks
// begin (The .xz File Format 1.2.1; LZMA2 as in Linux: lib/xz/xz_dec_lzma2.c). Invalid data is passed on, for xz.Reader to reject.
type xzGuard struct {
	r       *bufio.Reader
	next    func(*xzGuard) error // reads the next header, and determines how much to pass on
	left    int64                // to be passed on before the next call
	at      int64                // offset in the stream
	check   int64                // size of the checksum of a block
	records uint64               // of the index that follow

	unpacked uint64 // the decompressed size of the chunks so far
	windows  uint64 // the sum of the windows of the blocks so far
}

func (g *xzGuard) Read(p []byte) (int, error) {
	for g.left == 0 {
		if err := g.next(g); err != nil {
			return 0, err
		}
	}
	n, err := g.r.Read(p[:min(int64(len(p)), g.left)])
	g.left -= int64(n)
	g.at += int64(n)
	if err == io.EOF { // within a stream, where xz.Reader takes some ends for that of the stream
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// pass passes bytes on before next is called, or everything if next is nil.
func (g *xzGuard) pass(n int64, next func(*xzGuard) error) error {
	if next == nil {
		n, next = math.MaxInt64, (*xzGuard).stream
	}
	g.left, g.next = n, next
	return nil
}

func (g *xzGuard) stream() error {
	g.at = 0
	switch head, err := g.r.Peek(12); {
	case len(head) == 0:
		return err
	case len(head) >= 4 && binary.LittleEndian.Uint32(head) == 0:
		return g.pass(4, (*xzGuard).stream) // padding
	case len(head) < 12:
		return g.pass(0, nil)
	default:
		g.check = int64([16]byte{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[head[7]&15])
		return g.pass(12, (*xzGuard).block)
	}
}

// block reads the header of a block: its size, flags, the sizes of the block, and its filters.
func (g *xzGuard) block() error {
	size, err := g.r.Peek(1)
	if err != nil {
		return g.pass(0, nil)
	}
	if size[0] == 0 {
		return g.index()
	}
	head, err := g.r.Peek(4 * (int(size[0]) + 1))
	if err != nil {
		return g.pass(0, nil)
	}
	flags, fields := head[1], head[2:]
	for _, sizes := range []byte{0x40, 0x80} {
		if flags&sizes != 0 {
			_, fields = number(fields)
		}
	}
	for range flags&3 + 1 {
		id, rest := number(fields)
		count, rest := number(rest)
		if count > uint64(len(rest)) {
			return g.pass(0, nil)
		}
		if id == lzma2 && count == 1 {
			if err := g.addWindow(windowOf(rest[0])); err != nil {
				return err
			}
		}
		fields = rest[count:]
	}
	return g.pass(int64(len(head)), (*xzGuard).chunk)
}

// addWindow counts the window of a block. A file of many almost empty blocks would otherwise take a window for each.
func (g *xzGuard) addWindow(window uint64) error {
	g.windows += window
	switch {
	case window > maxWindow:
		return fmt.Errorf("%w: it was packed with xz for %d MiB", ErrMemory, window>>20)
	case g.windows > 16*(maxWindow+g.unpacked):
		return errors.New("it was packed with xz in blocks that are far smaller than the memory that each of them takes")
	}
	return nil
}

// lzma2 is the ID of the filter.
const lzma2 = 0x21

// windowOf returns the memory that LZMA2 takes, by its properties.
func windowOf(properties byte) uint64 {
	bits := properties & 0x3f
	return uint64(2|bits&1) << (bits/2 + 11)
}

// chunk reads the header of a chunk of LZMA2.
func (g *xzGuard) chunk() error {
	head, _ := g.r.Peek(6)
	switch {
	case len(head) > 0 && head[0] == 0:
		return g.pass(1, (*xzGuard).checksum)
	case len(head) >= 3 && head[0] <= 2:
		n := 1 + int64(binary.BigEndian.Uint16(head[1:]))
		g.unpacked += uint64(n)
		return g.pass(3+n, (*xzGuard).chunk)
	case len(head) == 6 && head[0] >= 0x80:
		n := 5 + 1 + int64(binary.BigEndian.Uint16(head[3:]))
		if head[0] >= 0xc0 {
			n++ // properties
		}
		g.unpacked += uint64(head[0]&0x1f)<<16 + uint64(binary.BigEndian.Uint16(head[1:])) + 1
		return g.pass(n, (*xzGuard).chunk)
	}
	return g.pass(0, nil)
}

// aligned returns how many bytes are missing up to a multiple of four.
func (g *xzGuard) aligned() int64 { return -g.at & 3 }

func (g *xzGuard) checksum() error { return g.pass(g.aligned()+g.check, (*xzGuard).block) }

// index reads how many records the index has.
func (g *xzGuard) index() error {
	head, _ := g.r.Peek(1 + maxNumber)
	count, rest := number(head[1:])
	g.records = count
	return g.pass(int64(len(head)-len(rest)), (*xzGuard).record)
}

func (g *xzGuard) record() error {
	if g.records == 0 {
		return g.pass(g.aligned()+4+12, (*xzGuard).stream) // with the index's checksum, and the footer
	}
	g.records--
	head, _ := g.r.Peek(2 * maxNumber)
	_, rest := number(head)
	_, rest = number(rest)
	if len(rest) == len(head) {
		return g.pass(0, nil)
	}
	return g.pass(int64(len(head)-len(rest)), (*xzGuard).record)
}

// maxNumber is the maximum size of a number, in bytes.
const maxNumber = 9

// number returns the variable-length number at the start of a text, seven bits a byte, the lowest first, and the rest.
func number(text []byte) (uint64, []byte) {
	var n uint64
	for i := 0; i < min(len(text), maxNumber); i++ {
		n |= uint64(text[i]&0x7f) << (7 * i)
		if text[i] < 0x80 {
			return n, text[i+1:]
		}
	}
	return n, nil
}
