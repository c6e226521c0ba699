package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// unifiedContext is how many lines a hunk shows around a change.
	unifiedContext = 3
	// maxChanges bounds the work on texts that have little in common.
	maxChanges = 3000
)

// Unified writes the difference of two texts as a unified diff, nothing if there is none. The leading slash of a path is left
// out, so that the diff applies in the root folder.
func Unified(w io.Writer, name string, old, new []byte) error {
	if bytes.Equal(old, new) {
		return nil
	}
	a, b := splitLines(old), splitLines(new)
	var out bytes.Buffer
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%[1]s\n", strings.TrimLeft(name, "/"))
	changes := lineChanges(a, b)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].fromA-changes[n-1].toA <= 2*unifiedContext {
			n++
		}
		writeHunk(&out, a, b, changes[:n])
		changes = changes[n:]
	}
	_, err := w.Write(out.Bytes())
	return err
}

func splitLines(text []byte) [][]byte { return slices.Collect(bytes.Lines(text)) }

// lineChange says that some lines of a text became some of another one.
type lineChange struct{ fromA, toA, fromB, toB int }

// writeHunk writes neighbouring changes with the lines around them.
func writeHunk(out *bytes.Buffer, a, b [][]byte, changes []lineChange) {
	first, last := changes[0], changes[len(changes)-1]
	before := min(unifiedContext, first.fromA)
	after := min(unifiedContext, len(a)-last.toA)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(first.fromA-before, last.toA+after), hunkRange(first.fromB-before, last.toB+after))
	at := first.fromA - before
	for _, c := range changes {
		writeLines(out, ' ', a[at:c.fromA])
		writeLines(out, '-', a[c.fromA:c.toA])
		writeLines(out, '+', b[c.fromB:c.toB])
		at = c.toA
	}
	writeLines(out, ' ', a[at:last.toA+after])
}

// hunkRange words lines as diff does: an empty range names the line before it.
func hunkRange(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	if to == from+1 {
		return fmt.Sprint(to)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *bytes.Buffer, mark byte, lines [][]byte) {
	for _, line := range lines {
		out.WriteByte(mark)
		out.Write(line)
		if !bytes.HasSuffix(line, []byte("\n")) {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lineChanges returns what was changed, in order.
func lineChanges(a, b [][]byte) []lineChange {
	start, endA, endB := 0, len(a), len(b)
	for start < min(endA, endB) && bytes.Equal(a[start], b[start]) {
		start++
	}
	for endA > start && endB > start && bytes.Equal(a[endA-1], b[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	changes := shortestEdit(a[start:endA], b[start:endB])
	for i := range changes {
		c := &changes[i]
		*c = lineChange{c.fromA + start, c.toA + start, c.fromB + start, c.toB + start}
	}
	return changes
}

// shortestEdit is Myers' greedy algorithm: for each number of edits, how far each diagonal gets. If there are too many, all is
// one change.
func shortestEdit(a, b [][]byte) []lineChange {
	var trace [][]int // the ends of the diagonals -d to d, by d
	last := []int{0}
	for d := 0; d <= min(len(a)+len(b), maxChanges); d++ {
		ends := make([]int, 2*d+1)
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				x, _ = stepInto(last, d, k)
			}
			for x < len(a) && x-k < len(b) && bytes.Equal(a[x], b[x-k]) {
				x++
			}
			ends[k+d] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(append(trace, ends), len(a), len(b))
			}
		}
		trace = append(trace, ends)
		last = ends
	}
	return []lineChange{{0, len(a), 0, len(b)}}
}

// stepInto returns where on diagonal k the d-th edit leads, and the diagonal that it comes from, given the ends after d-1.
func stepInto(ends []int, d, k int) (x, from int) {
	below := k == -d || k != d && ends[k-1+d-1] < ends[k+1+d-1]
	if below {
		return ends[k+1+d-1], k + 1 // a line of b is new
	}
	return ends[k-1+d-1] + 1, k - 1 // a line of a is gone
}

// backtrack collects the edits from the last one on.
func backtrack(trace [][]int, x, y int) []lineChange {
	var changes []lineChange
	for d := len(trace) - 1; d > 0; d-- {
		to, from := stepInto(trace[d-1], d, x-y)
		c := lineChange{to, to, to - (x - y) - 1, to - (x - y)}
		if from < x-y {
			c = lineChange{to - 1, to, to - (x - y), to - (x - y)}
		}
		if n := len(changes); n > 0 && changes[n-1].fromA == c.toA && changes[n-1].fromB == c.toB {
			changes[n-1].fromA, changes[n-1].fromB = c.fromA, c.fromB
		} else {
			changes = append(changes, c)
		}
		x, y = c.fromA, c.fromB
	}
	slices.Reverse(changes)
	return changes
}
