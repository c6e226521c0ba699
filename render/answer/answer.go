// Package answer is a model of what a command says: a title, and blocks of sentences, tables and code. It is written as text and as
// Markdown.
package answer

import (
	"io"

	"github.com/olmgraph/olmgraph/render/text"
)

// Answer is what a command says, in the order in which it was said. Parts of sentences are what text.Say takes.
type Answer struct{ blocks []block }

// block is written in two ways.
type block interface {
	text(*text.Writer)
	markdown(*markdown)
}

// New returns an answer with a title.
func New(title ...any) *Answer {
	a := &Answer{}
	a.Title(title...)
	return a
}

// Title adds a title.
func (a *Answer) Title(parts ...any) { a.add(heading{text.Say(parts...), titleLevel}) }

func (a *Answer) add(b block) { a.blocks = append(a.blocks, b) }

// Section begins a section, with a heading if there are parts of one.
func (a *Answer) Section(parts ...any) {
	a.add(gap{})
	if len(parts) > 0 {
		a.Heading(parts...)
	}
}

// Heading adds a heading of what follows.
func (a *Answer) Heading(parts ...any) { a.add(heading{text.Say(parts...), sectionLevel}) }

// Say adds a paragraph. In text the next one follows without a blank line.
func (a *Answer) Say(parts ...any) { a.add(paragraph(text.Say(parts...))) }

// Item adds an item of a list.
func (a *Answer) Item(parts ...any) { a.add(item{words: text.Say(parts...), level: 1}) }

// Detail adds an item below the last one.
func (a *Answer) Detail(parts ...any) { a.add(item{words: text.Say(parts...), level: 2}) }

// NumberedItem adds an item with a number.
func (a *Answer) NumberedItem(number int, parts ...any) {
	a.add(item{words: text.Say(parts...), level: 1, number: number})
}

// TodoItem adds a numbered item to tick off, and items below it.
func (a *Answer) TodoItem(number int, todo string, below []string) {
	a.add(item{words: text.Say(todo), level: 1, number: number, todo: true})
	for _, one := range below {
		a.add(item{words: text.Say(one), level: 2, todo: true})
	}
}

// List adds an item for each sentence.
func (a *Answer) List(sentences []string) {
	for _, one := range sentences {
		a.Item(one)
	}
}

// Each adds an item for each sentence, after words of a role.
func (a *Answer) Each(role text.Role, label string, sentences []string) {
	for _, one := range sentences {
		a.Item(text.Styled(label, role), " ", one)
	}
}

// Code adds lines in a language. Those of a diff are coloured.
func (a *Answer) Code(language, lines string) { a.add(code{language, lines}) }

// Table adds a table.
func (a *Answer) Table(t *Table) { a.add(t) }

// InText returns what is said in text only, in this place.
func (a *Answer) InText() *Answer {
	part := &only{inText: true}
	a.add(part)
	return &part.Answer
}

// InMarkdown returns what is said in Markdown only, in this place.
func (a *Answer) InMarkdown() *Answer {
	part := &only{}
	a.add(part)
	return &part.Answer
}

// Fold returns what Markdown shows if a reader opens its summary.
func (a *Answer) Fold(summary string) *Answer {
	part := &fold{summary: summary}
	a.add(part)
	return &part.Answer
}

// Add adds what another answer says.
func (a *Answer) Add(more *Answer) { a.blocks = append(a.blocks, more.blocks...) }

// Text writes an answer as text.
func (a *Answer) Text(w io.Writer, style text.Style) error {
	t := text.NewWriter(w, style)
	a.text(t)
	return t.Flush()
}

func (a *Answer) text(t *text.Writer) {
	for _, b := range a.blocks {
		b.text(t)
	}
}

// Markdown writes an answer as GitHub-flavoured Markdown.
func (a *Answer) Markdown(w io.Writer) error {
	var m markdown
	a.markdown(&m)
	_, err := io.WriteString(w, m.String())
	return err
}

func (a *Answer) markdown(m *markdown) {
	for _, b := range a.blocks {
		b.markdown(m)
	}
}

// Formats returns the formats of an answer: text, JSON, Markdown, and others. say returns what is said, and value what is encoded as
// JSON.
func Formats[T, J any](say func(T) *Answer, value func(T) J, others ...text.Format[T]) []text.Format[T] {
	return append([]text.Format[T]{Text(say), JSON(value), Markdown(say)}, others...)
}

// Itself is the value of an answer that is encoded as it is.
func Itself[T any](of T) T { return of }

// Text returns the format text.
func Text[T any](say func(T) *Answer) text.Format[T] {
	return text.Format[T]{Name: "text", Write: func(w io.Writer, of T, style text.Style) error { return say(of).Text(w, style) }}
}

// JSON returns the format json.
func JSON[T, J any](value func(T) J) text.Format[T] {
	return text.Format[T]{Name: "json", Write: text.Unstyled(func(w io.Writer, of T) error { return text.JSON(w, text.NewDocument(value(of))) })}
}

// Markdown returns the format markdown.
func Markdown[T any](say func(T) *Answer) text.Format[T] {
	return text.Format[T]{Name: "markdown", Write: text.Unstyled(func(w io.Writer, of T) error { return say(of).Markdown(w) })}
}
