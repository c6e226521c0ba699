package edit

import (
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// TestRevise edits documents of a stream, YAML and JSON, and leaves the others as they are.
func TestRevise(t *testing.T) {
	for text, want := range map[string]string{
		"\uFEFF# top\r\n---\r\nskips: [b, b]\r\n---\r\n{bad\r\n---\r\nskips:\r\n- b\r\n- b": "\uFEFF# top\r\n---\r\nskips: [b]\r\n---\r\n{bad\r\n---\r\nskips:\r\n- b",
		"{\"skips\": [\"b\", \"b\"]}\n{\"skips\": [\n\"b\",\n\"b\"]}\n{\n":                  "{\"skips\": [\"b\"]}\n{\"skips\": [\n\"b\"]}\n{\n",
		"{skips: [b, b]}\n": "{skips: [b]}\n",
	} {
		var edits []Edit
		starts := lineStarts([]byte(text))
		for line, start := range starts {
			end := len(text)
			if line+1 < len(starts) {
				end = starts[line+1]
			}
			if i := strings.LastIndex(text[start:end], "b"); i >= 0 && !strings.Contains(text[start:end], "bad") {
				if text[start:end][max(i-1, 0)] == '"' {
					i--
				}
				e := Edit{Pos: catalogs.Pos{Line: line + 1, Col: i + 1}}
				e.Was = "b"
				edits = append(edits, e)
			}
		}
		got, refused := ApplyEdits([]byte(text), edits)
		if string(got) != want { // the first b stays: without it the object would be empty
			t.Errorf("%q, want %q (%v)", text, want, refused)
		}
	}
	if got, refused := ApplyEdits([]byte("a: b\n"), []Edit{{Pos: catalogs.Pos{Line: 9, Col: 1}}}); refused[0] == nil || string(got) != "a: b\n" {
		t.Errorf("%q, %v", got, refused)
	}
}

func TestRemoveDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n---\nb: 1\n---\nc: 1\n":          "a: 1\n---\nc: 1\n",
		"a: 1\n---\nc: 1\n---\nb: 1\n":          "a: 1\n---\nc: 1\n",
		"a: 1\n---\nb: 1\n---\nb: 2":            "a: 1\n",
		"b: 1\n---\nb: 2\n---\na: 1\n":          "a: 1\n",
		"b: 0\n---\na: 1\n---\nb: 2\n":          "a: 1\n",
		"a: 1\n---\nb: 1\n---\nb: 2\n---\nc: 1": "a: 1\n---\nc: 1",
		"{\"a\":1}\n{\"b\":1}\n{\"c\":1}\n":     "{\"a\":1}\n{\"c\":1}\n",
		"{\"a\":1}\n{\"b\":1}\n":                "{\"a\":1}\n",
		"b: 1\n":                                "",
	} {
		if got := string(RemoveDocuments([]byte(text), func(root *tree.Node) bool { return root.Get("b") != nil })); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
