package manifests

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEncoded: a size that is large enough to matter is exact, and the estimate of a smaller one stays below.
func TestEncoded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300<<10)
	for i := range noise {
		noise[i] = byte(random.IntN(256))
	}
	var words strings.Builder
	for words.Len() < len(noise) {
		words.WriteString([]string{"description: ", "the ", "replicas\n", "of a ", "Kafka ", "type: string\n"}[random.IntN(6)])
	}
	for name, text := range map[string][]byte{
		"empty": nil, "noise": noise, "words": []byte(words.String()), "zeros": make([]byte, len(noise)),
		"far": bytes.Repeat(noise[:40<<10], 7), "near": bytes.Repeat(noise[:1<<10], 300), "short": bytes.Repeat(noise[:5], 60<<10),
	} {
		twice := [][]byte{text, text}
		exact := gzippedSize(twice, 0)
		if exact < 2*len(text)/1000 {
			t.Errorf("%s: %d", name, exact)
		}
		for _, atLeast := range []int{1, exact, exact + 1, 4*exact/3 + 1, 2 * exact, 20 * exact} {
			got := gzippedSize(twice, atLeast)
			if exact >= atLeast && got != exact || exact < atLeast && got >= atLeast {
				t.Errorf("%s: %d of at least %d, want %d", name, got, atLeast, exact)
			}
		}
	}
}
