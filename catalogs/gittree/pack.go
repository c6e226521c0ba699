package gittree

import (
	"fmt"
	"io"
	"math"

	"github.com/go-git/go-git/v5/plumbing"
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
