package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/repo"
)

// Replacement is a fix that writes another text at a position, if the old one is there.
type Replacement struct {
	Pos     catalogs.Pos
	Was, Is string
}

// Suggest adds a replacement to the fix.
func (f *Finding) Suggest(t catalogs.Text, is string) {
	f.Suggested = append(f.Suggested, Replacement{t.Pos, t.Value, is})
}

// LineEdit replaces whole lines of a file.
type LineEdit struct {
	File string `json:"file"`
	// Line is the first of the lines that go; if none goes, the one before which the new ones come.
	Line int    `json:"line"`
	Was  string `json:"was"` // the lines that go, each with its end
	Is   string `json:"is"`  // the lines that come
}

// LineEditor returns fixes as edits of whole lines. It keeps the files that it has read, up to maxKept bytes of them and the last one. Each edit is tried on
// its document: after maxEdited bytes of those it returns no more.
type LineEditor struct {
	files  map[editedFile]*edit.File
	kept   int // bytes
	edited int // bytes of documents
}

type editedFile struct {
	catalog *catalogs.Catalog
	name    string
}

const maxKept, maxEdited = 32 << 20, 64 << 20

// LineEdits returns the fix of a finding as edits of whole lines, file by file and from top to bottom; none if the fix is only a sentence, the
// files cannot be read or have changed, or too much was edited before.
func (l *LineEditor) LineEdits(c *catalogs.Catalog, f *Finding) (all []LineEdit) {
	if c == nil || l.edited > maxEdited {
		return nil
	}
	var files []string
	for _, e := range f.Edits {
		files = append(files, e.Pos.File)
	}
	for _, s := range f.Suggested {
		files = append(files, s.Pos.File)
	}
	slices.Sort(files)
	for _, name := range slices.Compact(files) {
		if c.Source.IsRestricted(name) || repo.TemplateFor(c, name) != "" {
			return nil // its text is not shown, or it is made of a template, which is to be fixed
		}
		file, err := l.read(c, name)
		if err != nil {
			return nil
		}
		before := file.Edited
		pieces, ok := f.revise(name, file)
		l.edited += file.Edited - before
		if !ok {
			return nil
		}
		all = append(all, lineEdits(name, file, pieces)...)
	}
	return all
}

// read returns a file, which it reads unless it has it.
func (l *LineEditor) read(c *catalogs.Catalog, name string) (*edit.File, error) {
	key := editedFile{c, name}
	if known := l.files[key]; known != nil {
		return known, nil
	}
	text, err := c.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if l.files == nil || l.kept+len(text) > maxKept {
		l.files, l.kept = map[editedFile]*edit.File{}, 0
	}
	file := edit.NewFile(text)
	l.files[key], l.kept = file, l.kept+len(text)
	return file, nil
}

// revise returns what the fix of a finding changes in a file, from top to bottom, and reports whether all of it can be applied.
func (f *Finding) revise(name string, file *edit.File) (pieces []edit.Piece, ok bool) {
	edits := slices.DeleteFunc(slices.Clone(f.Edits), func(e edit.Edit) bool { return e.Pos.File != name })
	if len(edits) > 0 {
		pieces, refused := file.Apply(edits)
		return pieces, !slices.ContainsFunc(refused, func(err error) bool { return err != nil })
	}
	for _, s := range f.Suggested {
		if s.Pos.File != name {
			continue
		}
		from, to, ok := file.Line(s.Pos.Line)
		if !ok || s.Was == "" {
			return nil, false
		}
		from = min(from+max(s.Pos.Col-1, 0), to)
		at := bytes.Index(file.Text[from:min(from+1+len(s.Was), to)], []byte(s.Was)) // a quote can come first
		if at < 0 {
			return nil, false
		}
		pieces = append(pieces, edit.Piece{From: from + at, To: from + at + len(s.Was), Text: []byte(s.Is)})
	}
	slices.SortFunc(pieces, func(a, b edit.Piece) int { return a.From - b.From })
	for i := 1; i < len(pieces); i++ {
		if pieces[i].From < pieces[i-1].To {
			return nil, false
		}
	}
	return pieces, true
}

// lineEdits returns the edits of whole lines that make changes, which are from top to bottom. Those in the same lines, or in neighbours, are made together.
func lineEdits(name string, file *edit.File, pieces []edit.Piece) (all []LineEdit) {
	for len(pieces) > 0 {
		first := file.LineAt(pieces[0].From)
		from, _, _ := file.Line(first)
		var is []byte
		done, last := from, first
		for len(pieces) > 0 && file.LineAt(pieces[0].From) <= last+1 {
			p := pieces[0]
			is = append(append(is, file.Text[done:p.From]...), p.Text...)
			done, last, pieces = p.To, file.LineAt(p.To), pieces[1:]
		}
		_, to, _ := file.Line(last)
		is = append(is, file.Text[done:to]...)
		all = append(all, linesBetween(name, first, string(file.Text[from:to]), string(is))...)
	}
	return all
}

// linesBetween returns the edits that lead from one text to another, which begin with a line of a file.
func linesBetween(file string, line int, was, is string) (all []LineEdit) {
	old, new := strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n")
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	for len(old)+len(new) > 0 {
		if len(old) > 0 && len(new) > 0 && old[0] == new[0] {
			old, new = old[1:], new[1:]
			line++
			continue
		}
		gone, come := differentLines(old, new)
		all = append(all, LineEdit{File: file, Line: line, Was: strings.Join(old[:gone], ""), Is: strings.Join(new[:come], "")})
		old, new = old[gone:], new[come:]
		line += gone
	}
	return all
}

// maxDifferent bounds the lines of one edit that has others after it.
const maxDifferent = 1000

// differentLines returns how many lines of each text, the fewest together, are before a line that both have; all if those are too many.
func differentLines(old, new []string) (gone, come int) {
	for n := 1; n <= min(maxDifferent, len(old)+len(new)); n++ {
		for gone := max(0, n-len(new)+1); gone <= min(n, len(old)-1); gone++ {
			if old[gone] == new[n-gone] {
				return gone, n - gone
			}
		}
	}
	return len(old), len(new)
}
