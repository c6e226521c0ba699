package lint

import (
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/source"
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
		edits := linesBetween("f", 1, was, is)
		got, ok := makeLineEdits(was, edits)
		if !ok {
			t.Fatalf("%q to %q: %v are not there", was, is, edits)
		}
		if got != is {
			t.Fatalf("%q to %q: %v makes %q", was, is, edits, got)
		}
		if was == is && len(edits) > 0 || was != is && len(edits) == 0 {
			t.Errorf("%q to %q: %v", was, is, edits)
		}
	}
}

// makeLineEdits returns a text with edits of whole lines, and whether the lines that go are there.
func makeLineEdits(text string, edits []LineEdit) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	for _, e := range slices.Backward(edits) {
		n := strings.Count(e.Was, "\n")
		if !strings.HasSuffix(e.Was, "\n") && e.Was != "" {
			n++
		}
		if strings.Join(lines[e.Line-1:e.Line-1+n], "") != e.Was {
			return "", false
		}
		lines = slices.Concat(lines[:e.Line-1], []string{e.Is}, lines[e.Line-1+n:])
	}
	return strings.Join(lines, ""), true
}

// TestLinesBetweenFar: the time is that of the lines between two edits, not of their square; what is too different is one edit.
func TestLinesBetweenFar(t *testing.T) {
	same := strings.Repeat("same\n", 300_000)
	edits := linesBetween("f", 1, "a\n"+same+"b\nend\n", "A\n"+same+"end\n")
	want := []LineEdit{{File: "f", Line: 1, Was: "a\n", Is: "A\n"}, {File: "f", Line: 300_002, Was: "b\n"}}
	if !slices.Equal(edits, want) {
		t.Errorf("got %d edits, the first %+v", len(edits), edits[0])
	}
	long := strings.Repeat("long\n", maxDifferent+1)
	if edits := linesBetween("f", 1, "a\n"+long+"b\nend\n", "b\nend\nc\n"); len(edits) != 1 || edits[0].Line != 1 {
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
		if got, ok := revised(f, text); ok != (want != "") || got != want {
			t.Errorf("%v: %q, %v", at, got, ok)
		}
	}
	f := Finding{}
	f.Suggest(catalogs.Text{Value: "boat", Pos: catalogs.Pos{File: "f", Line: 1}}, "ship") // the column is not known
	if got, ok := revised(f, "boat\n"); !ok || got != "ship\n" {
		t.Errorf("%q, %v", got, ok)
	}
}

// revised returns a text with the fix of a finding, and whether all of it could be made.
func revised(f Finding, text string) (string, bool) {
	file := edit.NewFile([]byte(text))
	pieces, ok := f.revise("f", file)
	if !ok {
		return "", false
	}
	return makeLineEdits(text, lineEdits("f", file, pieces))
}

// TestLineEditsOfEdits: edits of whole lines make the text that edits of values make, in one document or several, also if these share lines.
func TestLineEditsOfEdits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	made := 0
	for range 3000 {
		var b strings.Builder
		var places []edit.Edit
		line, last := 1, -1
		isJSON := random.IntN(2) == 0
		separators := []string{"\n---\n", "\n---\n\n"}
		if isJSON {
			separators = []string{"\n", "", " "} // some documents share a line
		}
		for range 1 + random.IntN(4) {
			text := "skips:\n- a\n- b\n- b\nname: x"
			if isJSON {
				text = []string{`{"skips": ["a", "b", "b"], "name": "x"}`, "{\"skips\": [\n\"a\",\n\"b\"\n], \"name\": \"x\"}"}[random.IntN(2)]
			}
			b.WriteString(text + separators[random.IntN(len(separators))])
		}
		text := strings.TrimSuffix(b.String(), "\n---\n")
		for i, c := range text {
			value := strings.TrimPrefix(text[i:], `"`)
			switch {
			case c == '\n':
				line, last = line+1, i
			case (c == '"' || !isJSON && text[i-min(i, 1)] == ' ') && value[0] >= 'a' && value[0] <= 'x' && len(value) > 1 && strings.Contains("\n\"", value[1:2]) && random.IntN(3) == 0:
				e := edit.Edit{Pos: catalogs.Pos{File: "f", Line: line, Col: i - last}}
				e.Kind, e.Was, e.Texts = edit.Kind(random.IntN(2)), value[:1], []string{"c"}
				places = append(places, e)
			}
		}
		want, refused := edit.ApplyEdits([]byte(text), places)
		refusal := slices.ContainsFunc(refused, func(err error) bool { return err != nil })
		got, ok := revised(Finding{Edits: places}, text)
		if ok == refusal && len(places) > 0 || ok && got != string(want) {
			t.Fatalf("%v of\n%s\nmake\n%s\nwant\n%s", places, text, got, want)
		}
		if ok && len(places) > 1 {
			made++
		}
	}
	if made < 500 {
		t.Errorf("only %d were made", made)
	}
}

// countingFS counts what is opened.
type countingFS struct {
	fs.FS
	opened int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened++
	return c.FS.Open(name)
}

// TestLineEditsReadOnce: a file is read once for all findings, of whichever files these are in turn, and not kept if there are many.
func TestLineEditsReadOnce(t *testing.T) {
	large := []byte("b: " + strings.Repeat("x", maxKept) + "\n")
	files := &countingFS{FS: fstest.MapFS{"f": {Data: []byte("a: b\n")}, "g": {Data: []byte("a: b\n")}, "large": {Data: large}}}
	c := &catalogs.Catalog{Source: &source.Source{Fsys: files}}
	var l LineEditor
	for range 100 {
		f := Finding{}
		for _, name := range []string{"f", "g"} {
			f.Suggest(catalogs.Text{Value: "b", Pos: catalogs.Pos{File: name, Line: 1, Col: 4}}, "c")
		}
		if edits := l.LineEdits(c, &f); len(edits) != 2 || edits[1] != (LineEdit{"g", 1, "a: b\n", "a: c\n"}) {
			t.Fatalf("%+v", edits)
		}
	}
	if files.opened != 2 {
		t.Errorf("opened %d times", files.opened)
	}
	f := Finding{}
	f.Suggest(catalogs.Text{Value: "b", Pos: catalogs.Pos{File: "large", Line: 1, Col: 1}}, "c")
	if edits := l.LineEdits(c, &f); len(edits) != 1 || len(l.files) != 1 {
		t.Errorf("%d edits, %d files kept", len(edits), len(l.files))
	}
}

// TestLineEditsBound: fixes are tried on documents of some size together, and later ones are not edited.
func TestLineEditsBound(t *testing.T) {
	text := "a: b\n"
	c := &catalogs.Catalog{Source: &source.Source{Fsys: fstest.MapFS{"f": {Data: []byte(text)}}}}
	f := Finding{Edits: []edit.Edit{{Pos: catalogs.Pos{File: "f", Line: 1, Col: 4}, Change: edit.Change{Kind: edit.Replace, Was: "b", Texts: []string{"c"}}}}}
	l := LineEditor{edited: maxEdited}
	if edits := l.LineEdits(c, &f); len(edits) != 1 || l.edited != maxEdited+len(text) {
		t.Errorf("%+v, %d bytes beyond the bound", edits, l.edited-maxEdited)
	}
	if edits := l.LineEdits(c, &f); edits != nil {
		t.Errorf("%+v", edits)
	}
}
