package image

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression returns the program whose magic number a file begins with: gzip, zstd, bzip2 or xz; "" if it is none of these.
func Compression(head []byte) string {
	begins := func(magic string) bool { return strings.HasPrefix(string(head[:min(len(head), 16)]), magic) }
	switch {
	case begins("\x1f\x8b"):
		return "gzip"
	case begins("\x28\xb5\x2f\xfd"):
		return "zstd"
	case begins("\xfd7zXZ\x00"):
		return "xz"
	case begins("BZh") && len(head) >= 10 && string(head[4:10]) == "1AY&SY":
		return "bzip2"
	}
	return ""
}

// decompress decompresses by the first bytes: media types are not always right.
func decompress(r *bufio.Reader) (io.ReadCloser, error) {
	magic, _ := r.Peek(10)
	switch Compression(magic) {
	case "gzip":
		return gzip.NewReader(r)
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case "bzip2":
		return io.NopCloser(bzip2.NewReader(r)), nil
	case "xz":
		return nil, errors.New("packed with xz, which is not read: unpack it (tar -xJf), or pack it with gzip or zstd")
	}
	return io.NopCloser(r), nil
}

// DecompressHead decompresses the start of a compressed file, up to size bytes, as far as head has it. The error says if
// decompression would take too much memory; it is nil at the end of head.
func DecompressHead(head []byte, size int) ([]byte, error) {
	r, err := decompress(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		return nil, nil
	}
	defer r.Close()
	inside := make([]byte, size)
	n, err := io.ReadFull(r, inside)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return nil, fmt.Errorf("unpacking takes more than %d MiB of memory", maxWindow>>20)
	}
	return inside[:n], nil
}
