package tree

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

var start = Place{Line: 1, Col: 1}

// dump writes a tree with its places, a value a line.
func dump(n Node) string {
	var b strings.Builder
	dumpTo(&b, "", n)
	return b.String()
}

func dumpTo(b *strings.Builder, indent string, n Node) {
	fmt.Fprintf(b, "%d:%d+%d %v", n.Line, n.Col, n.Off, n.Kind)
	if n.Kind != Map && n.Kind != List && n.Kind != Null {
		fmt.Fprintf(b, " %q", n.Text)
	}
	if n.Source != "" {
		fmt.Fprintf(b, " from %q", n.Source)
	}
	b.WriteByte('\n')
	for _, f := range n.Fields {
		fmt.Fprintf(b, "%s  %d:%d+%d %q: ", indent, f.Line, f.Col, f.Off, f.Key)
		dumpTo(b, indent+"  ", f.Value)
	}
	for _, item := range n.Items {
		fmt.Fprintf(b, "%s  - ", indent)
		dumpTo(b, indent+"  ", item)
	}
}

func firstDifference(a, b Node) string {
	x, y := strings.Split(dump(a), "\n"), strings.Split(dump(b), "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("fast %.300s\nfull %.300s", x[i], y[i])
		}
	}
	return "one is longer"
}

// expandAll builds every value that is still Raw.
func expandAll(t *testing.T, text []byte, at Place, n Node) Node {
	t.Helper()
	if n.Kind == Raw {
		built, err := new(Scratch).ExpandYAML(text, at, n)
		if err != nil {
			t.Fatalf("expand %d:%d: %v", n.Line, n.Col, err)
		}
		return built
	}
	for i := range n.Fields {
		n.Fields[i].Value = expandAll(t, text, at, n.Fields[i].Value)
	}
	for i := range n.Items {
		n.Items[i] = expandAll(t, text, at, n.Items[i])
	}
	return n
}

// checkReaders compares the block reader with the full parser, and reports whether it took the text.
func checkReaders(t *testing.T, text []byte, at Place) bool {
	t.Helper()
	fast, ok := parseBlock(new(Scratch), text, at, nil)
	if !ok {
		return false
	}
	full, lost, err := parseFull(text, at)
	if err != nil {
		t.Fatalf("the block reader takes what the parser does not: %d:%d %v", err.Line, err.Col, err)
	}
	if lost != nil {
		t.Fatalf("the block reader misses a document at %d:%d", lost.Line, lost.Col)
	}
	if !reflect.DeepEqual(fast, full) {
		t.Fatalf("readers differ:\n%s", firstDifference(fast, full))
	}
	for depth := 1; depth <= 3; depth++ {
		skipped, ok := parseBlock(new(Scratch), text, at, func(path []string) bool { return len(path) == depth })
		if !ok {
			t.Fatalf("not taken when fields at depth %d are skipped", depth)
		}
		if built := expandAll(t, text, at, skipped); !reflect.DeepEqual(built, fast) {
			t.Fatalf("expanded fields at depth %d differ:\n%s", depth, firstDifference(built, fast))
		}
	}
	return true
}

type document struct {
	text []byte
	at   Place
}

// split cuts a stream at its --- lines.
func split(stream []byte) []document {
	var docs []document
	from, at := 0, start
	for i, line := 0, 1; i < len(stream); line++ {
		if bytes.HasPrefix(stream[i:], []byte("---")) {
			docs = append(docs, document{stream[from:i], at})
			from, at = i, Place{Line: line, Col: 1}
		}
		next := bytes.IndexByte(stream[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
	}
	return append(docs, document{stream[from:], at})
}

// realDocuments reads the YAML catalogs under a folder of test data that is not part of the repository.
func realDocuments(t testing.TB, folder string) (docs []document, size int64) {
	t.Helper()
	files := catalogtest.Match(t, "fbc/"+folder+"/*/*.yaml")
	for _, file := range files {
		stream, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		size += int64(len(stream))
		docs = append(docs, split(stream)...)
	}
	return docs, size
}

func TestReadersAgreeOnRealCatalogs(t *testing.T) {
	docs, _ := realDocuments(t, "*")
	taken := 0
	for _, d := range docs {
		if checkReaders(t, d.text, d.at) {
			taken++
		}
	}
	t.Logf("%d of %d documents are in plain block style", taken, len(docs))
	if taken*100 < len(docs)*99 {
		t.Errorf("the block reader took %d of %d documents", taken, len(docs))
	}
}

func BenchmarkBlock(b *testing.B) {
	for _, folder := range []string{"community-v4.14", "community-v4.20"} {
		docs, size := realDocuments(b, folder)
		for _, reader := range []struct {
			name string
			read func(d document) bool
		}{
			{"skip", func(d document) bool {
				_, ok := parseBlock(new(Scratch), d.text, d.at, SkipPath("properties [] value"))
				return ok
			}},
			{"all", func(d document) bool {
				_, ok := parseBlock(new(Scratch), d.text, d.at, nil)
				return ok
			}},
			{"full", func(d document) bool {
				_, _, err := parseFull(d.text, d.at)
				return err == nil
			}},
		} {
			b.Run(folder+"/"+reader.name, func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					for _, d := range docs {
						if !reader.read(d) {
							b.Fatal("not read")
						}
					}
				}
			})
		}
	}
}
