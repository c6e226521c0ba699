package lint

import (
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

// LineEdits returns the fix of a finding as edits of whole lines, file by file and from top to bottom; none if the fix is only a sentence, or the
// files cannot be read or have changed.
func LineEdits(c *catalogs.Catalog, f *Finding) (all []LineEdit) {
	if c == nil {
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
	for _, file := range slices.Compact(files) {
		if c.Source.IsRestricted(file) || repo.TemplateFor(c, file) != "" {
			return nil // its text is not shown, or it is made of a template, which is to be fixed
		}
		text, err := c.ReadFile(file)
		if err != nil {
			return nil
		}
		revised, ok := f.revise(file, text)
		if !ok {
			return nil
		}
		all = append(all, linesBetween(file, string(text), string(revised))...)
	}
	return all
}

// revise applies the fix of a finding to the text of a file, and reports whether all of it could be.
func (f *Finding) revise(file string, text []byte) ([]byte, bool) {
	edits := slices.DeleteFunc(slices.Clone(f.Edits), func(e edit.Edit) bool { return e.Pos.File != file })
	if len(edits) > 0 {
		revised, refused := edit.ApplyEdits(text, edits)
		return revised, !slices.ContainsFunc(refused, func(err error) bool { return err != nil })
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, s := range f.Suggested {
		if s.Pos.File != file {
			continue
		}
		if s.Pos.Line < 1 || s.Pos.Line > len(lines) {
			return nil, false
		}
		line := lines[s.Pos.Line-1]
		from := min(max(s.Pos.Col-1, 0), len(line))
		at := strings.Index(line[from:], s.Was)
		if at < 0 || s.Was == "" || at > 1 { // a quote can come first
			return nil, false
		}
		at += from
		lines[s.Pos.Line-1] = line[:at] + s.Is + line[at+len(s.Was):]
	}
	return []byte(strings.Join(lines, "")), true
}

// linesBetween returns the edits that lead from one text to another.
func linesBetween(file, was, is string) (all []LineEdit) {
	old, new := strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n")
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	for line := 1; len(old)+len(new) > 0; {
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
