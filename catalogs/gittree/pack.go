package gittree

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/klauspost/compress/zlib"
)

// go-git's reader of packs counts and sums every compressed byte, which takes longer than to decompress it.

// header is what is before the compressed text of an object in a pack (gitformat-pack(5)).
type header struct {
	kind plumbing.ObjectType
	size int64 // of the text
	base int64 // of a delta, the offset of the object that it is the difference to
}

// header reads the header of the object at an offset of the pack.
func (p *openPack) header(offset int64) (header, error) {
	if offset <= 0 {
		return header{}, io.ErrUnexpectedEOF
	}
	p.text.Reset(io.NewSectionReader(p.file, offset, math.MaxInt64-offset))
	b, err := p.text.ReadByte()
	h := header{kind: plumbing.ObjectType(b >> 4 & 7), size: int64(b & 15)}
	for shift := 4; err == nil && b&0x80 != 0; shift += 7 {
		if b, err = p.text.ReadByte(); shift > 53 {
			return h, fmt.Errorf("the size of an object has more than %d bits", shift)
		}
		h.size |= int64(b&0x7f) << shift
	}
	if err != nil {
		return h, err
	}
	switch h.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject:
		h.base, err = p.baseBefore(offset)
	case plumbing.REFDeltaObject:
		h.base, err = p.readBase()
	default:
		err = plumbing.ErrInvalidType
	}
	return h, err
}

// baseBefore reads the distance of a delta at an offset to its base, and returns the offset of that.
func (p *openPack) baseBefore(offset int64) (int64, error) {
	b, err := p.text.ReadByte()
	distance := int64(b & 0x7f)
	for err == nil && b&0x80 != 0 && distance < offset {
		b, err = p.text.ReadByte()
		distance = (distance+1)<<7 | int64(b&0x7f)
	}
	return offset - distance, err
}

// readBase reads the hash of the base of a delta, and returns its offset.
func (p *openPack) readBase() (int64, error) {
	var base hash
	if _, err := io.ReadFull(&p.text, base[:]); err != nil {
		return 0, err
	}
	offset, err := p.index.FindOffset(base)
	if err != nil {
		return 0, errMissing
	}
	return offset, nil
}

// inflate returns a reader of the text of the object whose header was read.
func (p *openPack) inflate() (io.Reader, error) {
	var err error
	if p.inflater == nil {
		p.inflater, err = zlib.NewReader(&p.text)
	} else {
		err = p.inflater.(zlib.Resetter).Reset(&p.text, nil)
	}
	return p.inflater, err
}

// patch returns the object that a delta makes of its base (gitformat-pack(5)). go-git's begins with a small buffer, which it copies again and again.
func patch(base, delta []byte) ([]byte, error) {
	from, n := binary.Uvarint(delta)
	size, m := binary.Uvarint(delta[max(n, 0):])
	if n <= 0 || m <= 0 || from == 0 || from != uint64(len(base)) {
		return nil, packfile.ErrInvalidDelta
	}
	text := make([]byte, 0, min(size, maxEager))
	for delta = delta[n+m:]; len(delta) > 0; {
		op := delta[0]
		delta = delta[1:]
		piece := delta
		count := uint64(op)
		if op&0x80 != 0 {
			var at uint64
			if at, count, delta = copyPart(op, delta); at > from {
				return nil, packfile.ErrInvalidDelta
			}
			piece = base[at:]
		}
		if count == 0 || count > uint64(len(piece)) || count > size-uint64(len(text)) {
			return nil, packfile.ErrInvalidDelta
		}
		text = append(text, piece[:count]...)
		if op&0x80 == 0 {
			delta = delta[count:]
		}
	}
	if uint64(len(text)) != size {
		return nil, packfile.ErrInvalidDelta
	}
	return text, nil
}

// copyPart reads the offset and the number of the bytes that an operation copies from the base: those of seven bytes that its bits name. One that
// is cut off has neither.
func copyPart(op byte, delta []byte) (at, count uint64, rest []byte) {
	for i := range 7 {
		if op&(1<<i) == 0 {
			continue
		}
		if len(delta) == 0 {
			return math.MaxUint64, 0, nil
		}
		if i < 4 {
			at |= uint64(delta[0]) << (8 * i)
		} else {
			count |= uint64(delta[0]) << (8 * (i - 4))
		}
		delta = delta[1:]
	}
	if count == 0 {
		count = 0x10000
	}
	return at, count, delta
}
