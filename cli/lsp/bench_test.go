package lsp

import (
	"os"
	"regexp"
	"testing"
)

// BenchmarkKeystroke measures the time from a keystroke in a catalog of 18 MB in one file until the findings that it makes are there, with the
// rules that run at once. The keystrokes add and remove a letter of the name in a replaces.
func BenchmarkKeystroke(b *testing.B) {
	text, err := os.ReadFile("../../../shared/data/fbc/community-v4.18.json")
	if err != nil {
		b.Skip(err)
	}
	name := writeFile(b, "catalog.json", string(text))
	places := regexp.MustCompile(`"replaces": "`).FindAllIndex(text, -1)
	at := newIndex(text, false).position(places[len(places)/2][1])
	next := at
	next.Character++
	o := options()
	o.Pause = 1 << 40
	c := started(b, o)
	c.open(name, string(text))
	c.waitFor(name, "graph/multiple-heads", false)
	c.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": fileURI(name)}, "range": textRange{}})
	for c.shown[fileURI(name)] == nil {
		c.read()
	}
	for i := 0; b.Loop(); i++ {
		was := len(c.shown[fileURI(name)])
		if i%2 == 0 {
			c.change(name, textRange{at, at}, "x")
		} else {
			c.change(name, textRange{at, next}, "")
		}
		for len(c.shown[fileURI(name)]) == was {
			c.read()
		}
	}
	c.end()
	b.SetBytes(int64(len(text)))
}
