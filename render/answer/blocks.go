package answer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// markdown writes blocks, with blank lines between them.
type markdown struct {
	strings.Builder
	listed bool // the last block is an item of a list
}

// begin begins a block. Items follow each other without a blank line.
func (m *markdown) begin(listed bool) {
	if m.Len() > 0 && !(listed && m.listed) {
		m.WriteByte('\n')
	}
	m.listed = listed
}

// marker matches what Markdown takes for the beginning of a list or for a rule.
var marker = regexp.MustCompile(`^(?:[-+]+|\d+[.)])(?: |$)`)

// sentence writes words as a block or item of their own.
func (m *markdown) sentence(s text.Sentence) {
	said := s.Markdown()
	if mark := strings.TrimSpace(marker.FindString(said)); mark != "" {
		said = mark[:len(mark)-1] + `\` + said[len(mark)-1:]
	}
	m.WriteString(said + "\n")
}

// Levels of headings in Markdown.
const (
	titleLevel   = "###"
	sectionLevel = "####"
)

type heading struct {
	words text.Sentence
	level string
}

func (h heading) text(t *text.Writer) {
	words := slices.Clone(h.words)
	for i, w := range words {
		if w.Role == text.Normal || w.Role == text.Name {
			words[i].Role = text.Heading
		}
	}
	t.Sentence("", "  ", words)
}

func (h heading) markdown(m *markdown) {
	m.begin(false)
	m.WriteString(h.level + " " + h.words.Markdown() + "\n")
}

// gap is a blank line in text. In Markdown each block has one.
type gap struct{}

func (gap) text(t *text.Writer) { t.Line("") }
func (gap) markdown(*markdown)  {}

type paragraph text.Sentence

func (p paragraph) text(t *text.Writer) { t.Sentence("", "  ", text.Sentence(p)) }

func (p paragraph) markdown(m *markdown) {
	m.begin(false)
	m.sentence(text.Sentence(p))
}

type item struct {
	words  text.Sentence
	level  int // from 1
	number int // or 0
	todo   bool
}

func (i item) text(t *text.Writer) {
	indent := strings.Repeat("    ", i.level)[2:]
	hanging := indent + "  "
	if i.number > 0 {
		indent = fmt.Sprintf("%d. ", i.number)
	}
	t.Sentence(indent, hanging, i.words)
}

func (i item) markdown(m *markdown) {
	m.begin(true)
	mark := "- "
	switch {
	case i.todo && i.number > 0:
		mark = fmt.Sprintf("- [ ] %d\\. ", i.number)
	case i.todo:
		mark = "- [ ] "
	case i.number > 0:
		mark = fmt.Sprintf("%d. ", i.number)
	}
	m.WriteString(strings.Repeat("    ", i.level-1) + mark)
	m.sentence(i.words)
}

type code struct{ language, lines string }

func (c code) text(t *text.Writer) {
	for line := range strings.Lines(c.lines) {
		line = safeLine(line)
		if c.language != "diff" {
			t.Line(strings.TrimRight("  "+line, " "))
			continue
		}
		t.Line(t.Paint(diffRole(line), line))
	}
}

// diffRole returns the role of a line of a unified diff.
func diffRole(line string) text.Role {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
		return text.Faint
	case strings.HasPrefix(line, "+"):
		return text.Fix
	case strings.HasPrefix(line, "-"):
		return text.Error
	}
	return text.Normal
}

func (c code) markdown(m *markdown) {
	var lines strings.Builder
	for line := range strings.Lines(c.lines) {
		lines.WriteString(safeLine(line) + "\n")
	}
	fence := text.Fence(lines.String(), 3)
	m.begin(false)
	m.WriteString(fence + c.language + "\n" + lines.String() + fence + "\n")
}

// safeLine returns a line without its end, in which only tabs are control characters.
func safeLine(line string) string {
	parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	for i := range parts {
		parts[i] = text.Safe(parts[i])
	}
	return strings.Join(parts, "\t")
}

// only is what one of the two formats says.
type only struct {
	Answer
	inText bool
}

func (o *only) text(t *text.Writer) {
	if o.inText {
		o.Answer.text(t)
	}
}

func (o *only) markdown(m *markdown) {
	if !o.inText {
		o.Answer.markdown(m)
	}
}

type fold struct {
	Answer
	summary string
}

func (f *fold) markdown(m *markdown) {
	m.begin(false)
	m.WriteString("<details><summary>" + text.MarkdownHTML(f.summary) + "</summary>\n")
	f.Answer.markdown(m)
	m.begin(false)
	m.WriteString("</details>\n")
}
