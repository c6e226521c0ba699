package stream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// TestReader wants the documents of a text with their places, and what is wrong with the others, in the order of the text.
func TestReader(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n---\n- b\n---\nc: [\n---\n# empty\n": "object at 1:1, list at 3:1, fault 0 at 6:1, null at 7:1",
		"a: 1\n--- b\nc: 1\n":                       "object at 1:1, fault 1 at 2:4, fault 0 at 3:1",
		"a: 1\n...\nb: 1\n":                         "fault 2 at 3:1, object at 1:1",
		"{\"a\": 1}\n{\"b\":\n{\"c\": 1}\n":         "json object at 1:1, fault 0 at 4:1",
		"{a: 1}\n---\nb: 1\n":                       "object at 1:1, object at 3:1", // YAML from the first object on
		"":                                          "",
	} {
		var got []string
		r := Reader{Scratch: new(tree.Scratch),
			Document: func(root *tree.Node, d Document) {
				format := ""
				if d.JSON {
					format = "json "
				}
				got = append(got, fmt.Sprintf("%s%s at %d:%d", format, root.Kind, d.At.Line, d.At.Col))
			},
			Fault: func(f Fault, _ Document, err *tree.Error) {
				got = append(got, fmt.Sprintf("fault %d at %d:%d", f, err.Line, err.Col))
			}}
		r.Read(WholeText([]byte(text)))
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestSplit joins chunks of any size to the same text, and begins each at a document.
func TestSplit(t *testing.T) {
	text := strings.Repeat("schema: olm.package\nname: a\n---\n", 20)
	for size := 1; size < 80; size++ {
		var joined string
		line := 1
		err := Split(strings.NewReader(text), int64(len(text)), func() []byte { return make([]byte, 0, size) }, func(c Chunk) {
			if int(c.Off) != len(joined) || c.Line != line || c.First != (joined == "") || c.Off > 0 && !strings.HasPrefix(string(c.Text), "---") && len(c.Text) > 0 {
				t.Fatalf("size %d: chunk %+v after %d bytes", size, c, len(joined))
			}
			joined += string(c.Text)
			line += strings.Count(string(c.Text), "\n")
		})
		if err != nil || joined != text {
			t.Fatalf("size %d: %d bytes of %d: %v", size, len(joined), len(text), err)
		}
	}
}

// TestManyFaults: after the first fault opm reads nothing more, so the rest of a file is not read as YAML once for each further one.
func TestManyFaults(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 5000, func(n int) {
		faults := 0
		r := Reader{Scratch: new(tree.Scratch), Document: func(*tree.Node, Document) {}, Fault: func(Fault, Document, *tree.Error) { faults++ }}
		if r.Read(WholeText([]byte(strings.Repeat("{]\n}\n", n)))); faults != n {
			t.Errorf("%d faults", faults)
		}
	})
}
