package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

func xzOf(t testing.TB, text []byte, c xz.WriterConfig) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := c.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// blockOf is a block without text, with that window.
func blockOf(properties byte) []byte {
	header := []byte{2, 0, 0x21, 1, properties, 0, 0, 0}
	header = binary.LittleEndian.AppendUint32(header, crc32.ChecksumIEEE(header))
	return append(header, 0, 0, 0, 0) // the end of LZMA2, and padding
}

// streamOf begins a stream without checksums.
func streamOf(blocks ...[]byte) []byte {
	head := []byte("\xfd7zXZ\x00\x00\x00")
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(head[6:]))
	return append(head, bytes.Join(blocks, nil)...)
}

func unxzAll(text []byte) (string, error) {
	unpacked, err := io.ReadAll(unxz(bytes.NewReader(text)))
	return string(unpacked), err
}

// TestUnxz reads what xz writes: blocks, streams one after the other and padding between them.
func TestUnxz(t *testing.T) {
	noise := []byte(strings.Repeat("schema: olm.bundle\n", 20_000))
	for i := range noise {
		if i%7 == 0 {
			noise[i] = byte(i * i >> 3)
		}
	}
	for name, text := range map[string][]byte{
		"blocks":      xzOf(t, noise, xz.WriterConfig{BlockSize: 100_000, DictCap: 1 << 20}),
		"one":         xzOf(t, noise, xz.WriterConfig{}),
		"no checksum": xzOf(t, noise, xz.WriterConfig{NoCheckSum: true}),
		"sha256":      xzOf(t, noise, xz.WriterConfig{CheckSum: xz.SHA256, BlockSize: 7001, DictCap: 4096}),
	} {
		text = append(append(text, 0, 0, 0, 0, 0, 0, 0, 0), xzOf(t, []byte("end"), xz.WriterConfig{})...)
		got, err := unxzAll(text)
		if err != nil || got != string(noise)+"end" {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(noise), err)
		}
	}
}

// TestUnxzCut: a file that ends early is an error, also at the end of a block.
func TestUnxzCut(t *testing.T) {
	text := xzOf(t, bytes.Repeat([]byte("schema: olm.package\n"), 10), xz.WriterConfig{BlockSize: 50, DictCap: 4096})
	for end := range len(text) {
		if _, err := unxzAll(text[:end]); err == nil {
			t.Errorf("%d bytes of %d are whole", end, len(text))
		}
	}
}

// TestUnxzBounds wants no more memory to be taken for a window than for one of zstd, and no window for each of many blocks.
func TestUnxzBounds(t *testing.T) {
	const mib64, mib96 = 28, 29 // properties of LZMA2
	for _, block := range [][]byte{blockOf(mib96), blockOf(40), append(blockOf(0), blockOf(40)...)} {
		if _, err := unxzAll(streamOf(block)); !errors.Is(err, ErrMemory) {
			t.Errorf("a window that is too large: %v", err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	unxzAll(streamOf(bytes.Repeat(blockOf(mib64), 17)))
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken < maxWindow || taken > 2*maxWindow {
		t.Errorf("17 blocks take %d MiB", taken>>20)
	}
}

func FuzzUnxz(f *testing.F) {
	f.Add(xzOf(f, []byte("schema: olm.package\n"), xz.WriterConfig{}))
	f.Add(xzOf(f, bytes.Repeat([]byte("schema: olm.package\n"), 50), xz.WriterConfig{BlockSize: 100, DictCap: 4096}))
	f.Add(streamOf(blockOf(0), blockOf(1), []byte{0, 2, 14, 0, 14, 0, 0, 0}))
	f.Fuzz(func(t *testing.T, text []byte) {
		io.Copy(io.Discard, io.LimitReader(unxz(bytes.NewReader(text)), 1<<20))
	})
}
