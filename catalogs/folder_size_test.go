package catalogs

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
)

// TestConfigMapSize: a size that is large enough to matter is exact, and the estimate of a smaller one stays below.
func TestConfigMapSize(t *testing.T) {
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
		s := &source{fsys: fstest.MapFS{"a.yaml": &fstest.MapFile{Data: text}, "b.yaml": &fstest.MapFile{Data: text}}}
		m := newManifestFolder(s, ".")
		m.names = []string{"a.yaml", "b.yaml"}
		exact, err := m.folder.ConfigMapSize(0)
		if err != nil || exact < 2*len(text)/1000 {
			t.Errorf("%s: %d, %v", name, exact, err)
		}
		for _, atLeast := range []int{1, exact, exact + 1, 4*exact/3 + 1, 2 * exact, 20 * exact} {
			got, err := m.folder.ConfigMapSize(atLeast)
			if err != nil || exact >= atLeast && got != exact || exact < atLeast && got >= atLeast {
				t.Errorf("%s: %d of at least %d, want %d; %v", name, got, atLeast, exact, err)
			}
		}
	}
	missing := newManifestFolder(&source{fsys: fstest.MapFS{}}, ".")
	missing.names = []string{"a.yaml"}
	if _, err := missing.folder.ConfigMapSize(1); err == nil {
		t.Error("no error for a file that is gone")
	}
}
