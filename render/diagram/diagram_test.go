package diagram

import (
	"fmt"
	"slices"
	"testing"
)

// TestTooLarge checks that a diagram that Graphviz would not finish is rejected, and a merely large one is not.
func TestTooLarge(t *testing.T) {
	d := &Diagram{}
	for i := range 60 {
		for j := range 30 {
			d.Edges = append(d.Edges, &Edge{From: fmt.Sprint("a", i), To: fmt.Sprint("b", j)})
			if (d.TooLarge() != nil) != (len(d.Edges) > maxEdges) {
				t.Fatalf("%d edges: %v", len(d.Edges), d.TooLarge())
			}
		}
	}
}

func TestWrapText(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       {""},
		"short":                  {"short"},
		"ten letter s here":      {"ten letter", "\u00a0\u00a0\u00a0s here"},
		"onewordthatistoolong x": {"onewordthatistoolong", "\u00a0\u00a0\u00a0x"},
	} {
		if got := wrapText(text, 10); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
