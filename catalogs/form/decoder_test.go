package form

import (
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/source"
)

// TestDocuments wants the documents of a text, whatever they are, and why others cannot be read.
func TestDocuments(t *testing.T) {
	text := "a: 1\n---\n- b\n---\nc: [\n---\n# empty\n---\nd: 2\n"
	d := NewTextDecoder(&source.File{}, []byte(text))
	var got []string
	for _, doc := range d.Documents() {
		got = append(got, text[doc.Off:int(doc.Off)+doc.Size])
	}
	if joined := strings.Join(got, "|"); joined != "a: 1\n|- b\n|# empty\n|d: 2\n" || len(d.Faults()) != 1 {
		t.Errorf("got %q, and faults %v", got, d.Faults())
	}
	n := 0
	d = NewTextDecoder(&source.File{}, []byte(text))
	for range d.Documents() {
		n++
		break
	}
	if n != 1 || len(d.Faults()) != 1 {
		t.Errorf("got %d documents, and faults %v", n, d.Faults())
	}
}
