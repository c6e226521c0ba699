package manifests

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"slices"

	"github.com/klauspost/compress/s2"
)

// gzippedSize returns the size in bytes of texts that are compressed with gzip, each on its own, and encoded in base64. If that is less than
// atLeast, the size may be an estimate that is less as well, which takes a small part of the time.
func gzippedSize(texts [][]byte, atLeast int) int {
	estimate := 0
	for _, text := range texts {
		estimate += base64.StdEncoding.EncodedLen(matchedSize(text))
	}
	if estimate < atLeast*3/4 {
		return estimate
	}
	size := 0
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for _, text := range texts {
		packed.Reset()
		w.Reset(&packed)
		w.Write(text)
		w.Close()
		size += base64.StdEncoding.EncodedLen(packed.Len())
	}
	return size
}

// matchedSize returns the size of a text whose repetitions are coded as in S2, but the rest is not. gzip, which codes both, and finds
// repetitions in the same window, compresses most texts to half of it, and none to much more.
func matchedSize(text []byte) int {
	const window, overhead = 32 << 10, 64
	size := overhead
	packed := make([]byte, s2.MaxEncodedLen(window))
	for block := range slices.Chunk(text, window) {
		size += len(s2.Encode(packed, block)) + len(block)/128 // gzip codes long repetitions in parts of 258 bytes
	}
	return size
}
