package image

import (
	"io"
	"sync"

	"github.com/klauspost/compress/s2"
)

const (
	// blockSize is how much text is packed together: the time that reading a few bytes takes against the memory that all
	// of it takes.
	blockSize = 256 << 10
	// cachedBlocks is how many unpacked blocks are kept for those who read one piece after the other.
	cachedBlocks = 16
)

// text is what is in a file, packed in blocks.
type text struct {
	blocks [][]byte
	size   int64
}

// packer packs texts.
type packer struct {
	plain, packed []byte
}

// pack reads all of a text.
func (p *packer) pack(r io.Reader, size int64) (*text, error) {
	if p.plain == nil {
		p.plain, p.packed = make([]byte, blockSize), make([]byte, s2.MaxEncodedLen(blockSize))
	}
	t := &text{blocks: make([][]byte, 0, min(size/blockSize+1, 64)), size: size}
	for left := size; left > 0; {
		block := p.plain[:min(left, blockSize)]
		if _, err := io.ReadFull(r, block); err != nil {
			return nil, err
		}
		packed := s2.Encode(p.packed, block)
		t.blocks = append(t.blocks, append(make([]byte, 0, len(packed)), packed...))
		left -= int64(len(block))
	}
	return t, nil
}

// cache holds the blocks that were unpacked last. Its methods may be called at the same time.
type cache struct {
	mu    sync.Mutex
	slots [cachedBlocks]slot
	tick  int64
}

// slot holds a block; one that is being filled holds nothing.
type slot struct {
	text  *text
	index int
	plain []byte
	used  int64
}

// readAt is the ReadAt of an io.ReaderAt.
func (c *cache) readAt(t *text, p []byte, off int64) (n int, err error) {
	for n < len(p) && off < t.size {
		m, err := c.readBlock(t, int(off/blockSize), p[n:], int(off%blockSize))
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

// readBlock copies a block from a byte on.
func (c *cache) readBlock(t *text, index int, p []byte, off int) (int, error) {
	packed := t.blocks[index]
	if size, err := s2.DecodedLen(packed); err == nil && off == 0 && len(p) >= size {
		_, err := s2.Decode(p[:size], packed) // wanted whole: likely not wanted again soon
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

func (c *cache) copyCached(t *text, index int, p []byte, off int) (int, bool) {
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

// oldest returns the slot that was not used for longest.
func (c *cache) oldest() *slot {
	oldest := &c.slots[0]
	for i := range c.slots {
		if c.slots[i].used < oldest.used {
			oldest = &c.slots[i]
		}
	}
	return oldest
}

// evict takes a block out, so that its memory can be used for another.
func (c *cache) evict() slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.oldest()
	taken := *s
	*s = slot{}
	return taken
}

func (c *cache) keep(s slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick++
	s.used = c.tick
	*c.oldest() = s
}
