// Package help lays out the help of commands.
package help

import (
	"bytes"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render/text"
)

// Command returns the help of a command, at most width columns wide: the description, which has the examples, before the flags.
func Command(c *cli.Command, width int) string {
	var out bytes.Buffer
	h := writer{text.NewWriter(&out, text.Style{Width: width})}
	h.Wrapped("", "  ", text.Plain("olmgraph "+c.Name+": "+c.Usage))
	h.Line("")
	h.Wrapped("", "  ", text.Plain("usage: olmgraph "+c.Name+" "+c.UsageText))
	h.Line("")
	h.description(c.Description)
	h.Line("")
	h.Line("flags:")
	for _, f := range c.VisibleFlags() {
		h.flag(f)
	}
	h.Flush()
	return out.String()
}

// Text returns the text of help at most width columns wide.
func Text(s string, width int) string {
	var out bytes.Buffer
	h := writer{text.NewWriter(&out, text.Style{Width: width})}
	h.description(s)
	h.Flush()
	return out.String()
}

// writer writes help. It wraps text where it has blanks, and shell commands so that they can be copied.
type writer struct{ *text.Writer }

// description writes paragraphs, which are wrapped anew, and indented lines, which are wrapped only if they are too long.
func (h writer) description(s string) {
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			h.Wrapped("", "", text.Plain(strings.Join(paragraph, " ")))
		}
		paragraph = nil
	}
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case line == "":
			end()
			h.Line("")
		case !strings.HasPrefix(line, " "):
			if paragraph = append(paragraph, line); strings.HasSuffix(line, ":") {
				end()
			}
		default:
			end()
			comment := ""
			for ; i+1 < len(lines) && isContinued(lines[i+1]); i++ {
				comment += " " + strings.TrimSpace(lines[i+1])
			}
			h.example(line, comment)
		}
	}
	end()
}

// continued is the least indent of a line that continues the comment of the line above it.
const continued = 20

// isContinued reports whether a line continues the comment of the line above it.
func isContinued(line string) bool { return strings.HasPrefix(line, strings.Repeat(" ", continued)) }

// commentIndent indents the comment of an example that has no room next to it.
const commentIndent = "      "

// example writes an indented line: a command or a name, and a comment after at least two blanks or on the lines below.
func (h writer) example(line, below string) {
	command := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(command)]
	command, comment, _ := strings.Cut(command, "  ")
	comment = strings.TrimSpace(comment)
	before := strings.TrimSuffix(line, comment)
	const least = 24 // columns of a comment
	switch fits := len([]rune(line)) <= h.Style.Width; {
	case fits && below == "":
		h.Line(line)
	case comment != "" && len(before)+least <= h.Style.Width:
		h.Wrapped(before, strings.Repeat(" ", len(before)), text.Plain(comment+below))
	default:
		h.command(indent, command)
		if comment += below; comment != "" {
			h.Wrapped(commentIndent, commentIndent, text.Plain(comment))
		}
	}
}

// command writes a command, and continues it after a backslash where it is too long.
func (h writer) command(indent, command string) {
	line := indent
	var words []string // flags with their values, and > with its file
	for _, word := range strings.Fields(command) {
		last := len(words) - 1
		if last >= 0 && (words[last] == ">" || strings.HasPrefix(words[last], "-") && !strings.HasPrefix(word, "-") && !strings.Contains(words[last], " ")) {
			words[last] += " " + word
		} else {
			words = append(words, word)
		}
	}
	for i, word := range words {
		switch {
		case i == 0:
			line += word
		case len(line)+len(word)+len(" ")+len(` \`) > h.Style.Width:
			h.Line(line + ` \`)
			line = indent + "  " + word
		default:
			line += " " + word
		}
	}
	h.Line(line)
}

// flag writes the names of a flag and, in a second column, its usage.
func (h writer) flag(f cli.Flag) {
	const column = 26
	names, usage, _ := strings.Cut(f.String(), "\t")
	names, _, repeated := strings.Cut(names, " [ ")
	usage = strings.TrimSuffix(usage, " (default: false)")
	if repeated {
		usage += "; may be repeated"
	}
	before := "  " + strings.TrimSpace(names)
	if len(before)+2 > column {
		h.Line(before)
		before = ""
	}
	h.Wrapped(before+strings.Repeat(" ", column-len(before)), strings.Repeat(" ", column), text.Plain(usage))
}
