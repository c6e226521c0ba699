package text

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Word is text with a role. It may have several words of a language.
type Word struct {
	Text string
	Role Role
}

// Plain returns s as a Word without a role, escaped.
func Plain(s string) Word { return Styled(s, Normal) }

// Styled returns s as a Word with a role, escaped.
func Styled(s string, role Role) Word { return Word{Safe(s), role} }

// Sentence is words that are written one after the other, with the blanks that they contain.
type Sentence []Word

// Say joins strings, integers, words and sentences.
func Say(parts ...any) Sentence {
	var all Sentence
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			all = append(all, Plain(part))
		case Word:
			all = append(all, part)
		case Sentence:
			all = append(all, part...)
		default:
			all = append(all, Plain(fmt.Sprint(part)))
		}
	}
	return all
}

// String returns the text of the words.
func (s Sentence) String() string {
	var b strings.Builder
	for _, w := range s {
		b.WriteString(w.Text)
	}
	return b.String()
}

// width returns the columns that a sentence takes on a terminal.
func (s Sentence) width() int { return Width(s.String()) }

// Width returns the columns that a text takes on a terminal.
func Width(s string) int {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return runewidth.StringWidth(s)
	}
	return len(s) // almost always: the search for characters of several runes takes most of the time of a large answer
}

// pieces splits a sentence at its blanks, but not within a command.
func (s Sentence) pieces() []Sentence {
	var all []Sentence
	open := false // the last piece goes on
	for _, w := range s {
		parts := []string{w.Text}
		if w.Role != Command {
			parts = strings.Split(w.Text, " ")
		}
		for i, part := range parts {
			open = open && i == 0
			if part == "" {
				continue
			}
			if !open {
				all = append(all, nil)
			}
			last := len(all) - 1
			all[last], open = append(all[last], Word{part, w.Role}), true
		}
	}
	return all
}

// Markdown returns a sentence in Markdown, as one line.
func (s Sentence) Markdown() string {
	const longestName = 80 // characters
	var b strings.Builder
	for _, w := range s {
		switch {
		case w.Text == "":
		case w.Role == Heading:
			b.WriteString("**" + Markdown(w.Text) + "**")
		case w.Role == Name:
			b.WriteString(MarkdownCode(Shorten(w.Text, longestName)))
		case w.Role == Command:
			b.WriteString(MarkdownCode(w.Text))
		default:
			b.WriteString(Markdown(w.Text))
		}
	}
	return strings.TrimSpace(b.String())
}
