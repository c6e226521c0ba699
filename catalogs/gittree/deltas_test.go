package gittree

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// deltaPack is a pack of one object, and of differences that are each to the object before.
type deltaPack struct {
	bytes.Buffer
	offsets []int64
	size    int64 // of the last object
}

func newDeltaPack(text string) *deltaPack {
	p := &deltaPack{size: int64(len(text))}
	p.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x00")
	p.add(plumbing.BlobObject, nil, []byte(text))
	return p
}

func (p *deltaPack) add(kind plumbing.ObjectType, distance, text []byte) {
	p.offsets = append(p.offsets, int64(p.Len()))
	size := len(text)
	b := byte(kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.WriteByte(b)
	p.Write(distance)
	w := zlib.NewWriter(p)
	w.Write(text)
	w.Close()
}

// repeat adds an object that has the one before some times.
func (p *deltaPack) repeat(times int) {
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(p.size)), uint64(p.size)*uint64(times))
	for range times {
		for at := int64(0); at < p.size; at += 0xff0000 {
			n := min(p.size-at, 0xff0000)
			delta = append(delta, 0xff, byte(at), byte(at>>8), byte(at>>16), byte(at>>24), byte(n), byte(n>>8), byte(n>>16))
		}
	}
	back := int64(p.Len()) - p.offsets[len(p.offsets)-1]
	distance := []byte{byte(back & 0x7f)}
	for back >>= 7; back > 0; back >>= 7 {
		back--
		distance = append([]byte{0x80 | byte(back&0x7f)}, distance...)
	}
	p.add(plumbing.OFSDeltaObject, distance, delta)
	p.size *= int64(times)
}

// read reads the last object.
func (p *deltaPack) read(tb testing.TB) (int, error) {
	disk := memfs.New()
	f, err := disk.Create("pack")
	if err != nil {
		tb.Fatal(err)
	}
	f.Write(p.Bytes())
	o := &objects{limit: defaultMaxSize, bases: cache.NewBufferLRU(cachedBases)}
	_, text, err := o.readPacked(&pack{index: idxfile.NewMemoryIndex(), open: func() (billy.File, error) { return disk.Open("pack") }},
		p.offsets[len(p.offsets)-1])
	return len(text), err
}

// TestDeltas reads nothing that is too large, and makes none of the objects before it.
func TestDeltas(t *testing.T) {
	for _, c := range []struct {
		times []int
		says  string
	}{
		{[]int{2, 3, 1}, ""},
		{append(slices.Repeat([]int{2}, 10), slices.Repeat([]int{2}, 11)...), "an object of 2147483648 bytes is stored as a difference"},
		{append(slices.Repeat([]int{2}, 10), slices.Repeat([]int{2}, 12)...), "an object of 4294967296 bytes: raise --max-size"},
		{append(slices.Repeat([]int{2}, 16), slices.Repeat([]int{1}, 300)...), "its differences make more than"},
	} {
		p := newDeltaPack(strings.Repeat("a line of text\n\n", 64))
		for _, n := range c.times {
			p.repeat(n)
		}
		switch n, err := p.read(t); {
		case c.says == "":
			if err != nil || int64(n) != p.size {
				t.Errorf("%v: %d bytes, %v", c.times, n, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.says):
			t.Errorf("%d differences: %v", len(c.times), err)
		}
	}
}

// BenchmarkDeltas reads an object at the end of n differences.
func BenchmarkDeltas(b *testing.B) {
	for _, n := range []int{100, 400, 1600} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			p := newDeltaPack(strings.Repeat("a line of text\n", 1000))
			for range n {
				p.repeat(1)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.read(b); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
