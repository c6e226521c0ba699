package lint

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

// TestLinesBetween: who replaces the lines gets the other text.
func TestLinesBetween(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	text := func() string {
		var b strings.Builder
		for range random.IntN(8) {
			b.WriteString(string(rune('a'+random.IntN(3))) + "\n")
		}
		if random.IntN(3) == 0 {
			b.WriteString("end")
		}
		return b.String()
	}
	for range 5000 {
		was, is := text(), text()
		edits := linesBetween("f", was, is)
		lines := strings.SplitAfter(was, "\n")
		for i := len(edits) - 1; i >= 0; i-- {
			e := edits[i]
			n := strings.Count(e.Was, "\n")
			if !strings.HasSuffix(e.Was, "\n") && e.Was != "" {
				n++
			}
			if got := strings.Join(lines[e.Line-1:e.Line-1+n], ""); got != e.Was {
				t.Fatalf("%q to %q: %q is not at %d", was, is, e.Was, e.Line)
			}
			lines = append(append(append([]string{}, lines[:e.Line-1]...), e.Is), lines[e.Line-1+n:]...)
		}
		if got := strings.Join(lines, ""); got != is {
			t.Fatalf("%q to %q: %v makes %q", was, is, edits, got)
		}
		if was == is && len(edits) > 0 || was != is && len(edits) == 0 {
			t.Errorf("%q to %q: %v", was, is, edits)
		}
	}
}

// TestLinesBetweenFar: the time is that of the lines between two edits, not of their square; what is too different is one edit.
func TestLinesBetweenFar(t *testing.T) {
	same := strings.Repeat("same\n", 300_000)
	edits := linesBetween("f", "a\n"+same+"b\nend\n", "A\n"+same+"end\n")
	want := []LineEdit{{File: "f", Line: 1, Was: "a\n", Is: "A\n"}, {File: "f", Line: 300_002, Was: "b\n"}}
	if !slices.Equal(edits, want) {
		t.Errorf("got %d edits, the first %+v", len(edits), edits[0])
	}
	long := strings.Repeat("long\n", maxDifferent+1)
	if edits := linesBetween("f", "a\n"+long+"b\nend\n", "b\nend\nc\n"); len(edits) != 1 || edits[0].Line != 1 {
		t.Errorf("got %d edits of what is too different", len(edits))
	}
}

// TestSuggestion: a replacement is only made where the old text is, with or without a quote before it.
func TestSuggestion(t *testing.T) {
	const text = "defaultChannel: \"stabel\"\nname: boat\n"
	for at, want := range map[catalogs.Pos]string{
		{File: "f", Line: 1, Col: 17}: "defaultChannel: \"stable\"\nname: boat\n",
		{File: "f", Line: 2, Col: 7}:  "",
		{File: "f", Line: 1, Col: 99}: "",
		{File: "f", Line: 9, Col: 1}:  "",
		{File: "f"}:                   "",
	} {
		f := Finding{}
		f.Suggest(catalogs.Text{Value: "stabel", Pos: at}, "stable")
		if got, ok := f.revise("f", []byte(text)); ok != (want != "") || string(got) != want {
			t.Errorf("%v: %q, %v", at, got, ok)
		}
	}
	f := Finding{}
	f.Suggest(catalogs.Text{Value: "boat", Pos: catalogs.Pos{File: "f", Line: 1}}, "ship") // the column is not known
	if got, ok := f.revise("f", []byte("boat\n")); !ok || string(got) != "ship\n" {
		t.Errorf("%q, %v", got, ok)
	}
}
