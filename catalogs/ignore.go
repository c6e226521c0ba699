package catalogs

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/stream"
)

// Ignore is a comment in a YAML source that asks not to be told of something: # olmgraph:ignore RULE REASON, behind what it is
// about or on a line of its own above that.
type Ignore struct {
	Pos    Pos
	Line   int    // that it is about
	Rule   string // an ID or a pattern; "" if it names none
	Reason string // "" if it gives none
}

const ignoreMark = "# olmgraph:ignore"

// ignores are the comments of a source, gathered while it is read.
type ignores struct {
	mu  sync.Mutex
	all []Ignore
}

// Ignores returns the comments that ask not to be told of something, by place.
func (c *Catalog) Ignores() []Ignore {
	if c.source == nil {
		return nil
	}
	c.source.ignores.mu.Lock()
	defer c.source.ignores.mu.Unlock()
	all := slices.Clone(c.source.ignores.all)
	slices.SortFunc(all, func(a, b Ignore) int {
		return cmp.Or(comparePos(a.Pos, b.Pos), strings.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(all)
}

// noteIgnores gathers the comments of a chunk. JSON has none.
func noteIgnores(f *file, c stream.Chunk) {
	if c.JSON || f.source == nil || !bytes.Contains(c.Text, []byte(ignoreMark)) {
		return
	}
	var found []Ignore
	var waiting []int // comments on lines of their own, which wait for what they are about
	line := c.Line
	for text := range bytes.Lines(c.Text) {
		before, comment, ok := bytes.Cut(text, []byte(ignoreMark))
		alone := len(bytes.TrimSpace(before)) == 0
		if ok && (alone || before[len(before)-1] == ' ' || before[len(before)-1] == '\t') {
			one := Ignore{Pos: Pos{File: f.name, Line: line, Col: len(before) + 1}, Line: line}
			one.Rule, one.Reason, _ = strings.Cut(strings.TrimSpace(string(comment)), " ")
			one.Reason = strings.TrimSpace(one.Reason)
			found = append(found, one)
		}
		switch {
		case ok && alone:
			waiting = append(waiting, len(found)-1)
		case !isComment(text):
			for _, i := range waiting {
				found[i].Line = line
			}
			waiting = waiting[:0]
		}
		line++
	}
	f.source.ignores.mu.Lock()
	defer f.source.ignores.mu.Unlock()
	f.source.ignores.all = append(f.source.ignores.all, found...)
}

// isComment reports whether a line says nothing to a YAML reader.
func isComment(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}
