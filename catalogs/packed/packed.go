// Package packed keeps texts in memory, compressed in blocks, and reads them at any offset: for files of images and git trees, which
// cannot be read again cheaply.
package packed

import (
	"io"
	"sync"

	"github.com/klauspost/compress/s2"
)

const (
	// BlockSize is how much text is compressed together, in bytes. Larger blocks take less memory, and more time to read a few bytes.
	BlockSize = 256 << 10
	// cachedBlocks is how many decompressed blocks are kept for sequential reading.
	cachedBlocks = 16
)

// Text is a compressed text.
type Text struct {
	blocks [][]byte
	size   int64
}

// Size returns the size of the uncompressed text, in bytes.
func (t *Text) Size() int64 { return t.size }

// Packer compresses texts. It is not safe for concurrent use.
type Packer struct {
	plain, packed []byte
}

// Pack reads and compresses a text of a size.
func (p *Packer) Pack(r io.Reader, size int64) (*Text, error) {
	if p.plain == nil {
		p.plain, p.packed = make([]byte, BlockSize), make([]byte, s2.MaxEncodedLen(BlockSize))
	}
	t := &Text{blocks: make([][]byte, 0, min(size/BlockSize+1, 64)), size: size}
	for left := size; left > 0; {
		block := p.plain[:min(left, BlockSize)]
		if _, err := io.ReadFull(r, block); err != nil {
			return nil, err
		}
		packed := s2.Encode(p.packed, block)
		t.blocks = append(t.blocks, append(make([]byte, 0, len(packed)), packed...))
		left -= int64(len(block))
	}
	return t, nil
}

// Cache has the blocks that were decompressed last. Its methods may be called concurrently.
type Cache struct {
	mu    sync.Mutex
	slots [cachedBlocks]slot
	tick  int64
}

// slot has a block, or none while one is decompressed.
type slot struct {
	text  *Text
	index int
	plain []byte
	used  int64
}

// Reader returns a reader of a text through the cache. Its ReadAt may be called concurrently.
func (c *Cache) Reader(t *Text) *io.SectionReader {
	return io.NewSectionReader(reader{c, t}, 0, t.size)
}

type reader struct {
	cache *Cache
	text  *Text
}

func (r reader) ReadAt(p []byte, off int64) (int, error) { return r.cache.readAt(r.text, p, off) }

// readAt implements io.ReaderAt, but off must not be negative, which io.SectionReader ensures.
func (c *Cache) readAt(t *Text, p []byte, off int64) (n int, err error) {
	for n < len(p) && off < t.size {
		m, err := c.readBlock(t, int(off/BlockSize), p[n:], int(off%BlockSize))
		if err != nil {
			return n, err
		}
		n += m
		off += int64(m)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readBlock copies the rest of a block from an offset.
func (c *Cache) readBlock(t *Text, index int, p []byte, off int) (int, error) {
	packed := t.blocks[index]
	if size, err := s2.DecodedLen(packed); err == nil && off == 0 && len(p) >= size {
		_, err := s2.Decode(p[:size], packed) // read as a whole, it is unlikely to be read again soon
		return size, err
	}
	if n, ok := c.copyCached(t, index, p, off); ok {
		return n, nil
	}
	s := c.evict()
	plain, err := s2.Decode(s.plain[:cap(s.plain)], packed)
	if err != nil {
		return 0, err
	}
	n := copy(p, plain[off:])
	c.keep(slot{text: t, index: index, plain: plain})
	return n, nil
}

func (c *Cache) copyCached(t *Text, index int, p []byte, off int) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.slots {
		if s := &c.slots[i]; s.text == t && s.index == index {
			c.tick++
			s.used = c.tick
			return copy(p, s.plain[off:]), true
		}
	}
	return 0, false
}

// oldestSlot returns the least recently used slot.
func (c *Cache) oldestSlot() *slot {
	oldest := &c.slots[0]
	for i := range c.slots {
		if c.slots[i].used < oldest.used {
			oldest = &c.slots[i]
		}
	}
	return oldest
}

// evict removes the oldest block, whose memory can be reused.
func (c *Cache) evict() slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.oldestSlot()
	taken := *s
	*s = slot{}
	return taken
}

func (c *Cache) keep(s slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick++
	s.used = c.tick
	*c.oldestSlot() = s
}
