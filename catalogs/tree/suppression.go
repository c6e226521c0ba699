package tree

import (
	"bytes"
	"strings"
)

const mark = "# olmgraph:ignore"

// Comment is a comment that suppresses findings.
type Comment struct {
	Line, Col int    // 1-based, Col counts bytes
	About     int    // the line that it is about
	Rule      string // an ID or a pattern; "" if it names none
	Reason    string // "" if it gives none
	Text      string // the line that it is about, without the comment
}

// SuppressingComments returns the comments in a text of YAML, the first byte of which begins a line.
func SuppressingComments(text []byte, line int) []Comment {
	if !bytes.Contains(text, []byte(mark)) {
		return nil
	}
	var found []Comment
	var waiting []int // comments on lines of their own, above what they are about
	for text := range bytes.Lines(text) {
		before, comment, ok := bytes.Cut(text, []byte(mark))
		alone := len(bytes.TrimSpace(before)) == 0
		if ok && (alone || before[len(before)-1] == ' ' || before[len(before)-1] == '\t') {
			c := Comment{Line: line, Col: len(before) + 1, About: line, Text: strings.TrimSpace(string(before))}
			c.Rule, c.Reason, _ = strings.Cut(strings.TrimSpace(string(comment)), " ")
			c.Reason = strings.TrimSpace(c.Reason)
			found = append(found, c)
		}
		switch {
		case ok && alone:
			waiting = append(waiting, len(found)-1)
		case !isComment(text):
			for _, i := range waiting {
				found[i].About, found[i].Text = line, strings.TrimSpace(string(text))
			}
			waiting = waiting[:0]
		}
		line++
	}
	return found
}

// isComment reports whether a line of YAML is blank or a comment.
func isComment(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}
