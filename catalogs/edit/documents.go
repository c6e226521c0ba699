package edit

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Edit is a change of the value at a position of a source.
type Edit struct {
	Pos catalogs.Pos
	Change
}

// ApplyEdits applies edits to the text of a file. It returns the new text, in which every other byte is the same, and for each edit nil or
// why it was not applied.
func ApplyEdits(text []byte, edits []Edit) ([]byte, []error) {
	changed, refused := NewFile(text).Apply(edits)
	var pieces [][]byte
	done := 0
	for _, p := range changed {
		pieces = append(pieces, text[done:p.From], p.Text)
		done = p.To
	}
	return slices.Concat(append(pieces, text[done:])...), refused
}

// File is the text of a file, with what is found in it once for all edits.
type File struct {
	Text      []byte
	Edited    int   // bytes of the documents that Apply has edited, each as often as it was
	starts    []int // of its lines
	documents []source.Document
	last      int       // the document that was edited last
	read      *document // its values; nil if there are none
}

// NewFile returns a file with a text.
func NewFile(text []byte) *File { return &File{Text: text, starts: lineStarts(text)} }

// Line returns the offsets at which a line begins and ends, with its line break; false if the file does not have it.
func (f *File) Line(number int) (from, to int, ok bool) {
	switch {
	case number < 1 || number > len(f.starts):
		return 0, 0, false
	case number == len(f.starts):
		return f.starts[number-1], len(f.Text), true
	}
	return f.starts[number-1], f.starts[number], true
}

// LineAt returns the number of the line of an offset.
func (f *File) LineAt(off int) int {
	i, found := slices.BinarySearch(f.starts, off)
	if found {
		i++
	}
	return i
}

// Piece replaces a part of a text.
type Piece struct {
	From, To int
	Text     []byte
}

// Apply returns what edits change in each document, from top to bottom, and for each edit nil or why it is not applied. The file stays as it is.
func (f *File) Apply(edits []Edit) ([]Piece, []error) {
	if f.documents == nil {
		f.documents = documentsIn(f.Text)
	}
	refused := make([]error, len(edits))
	perDocument := map[int][]int{} // indexes of edits, by that of their document
	for i, e := range edits {
		d := documentIndex(f.documents, posOffset(f.starts, e.Pos))
		if d < 0 {
			refused[i] = ErrChanged
			continue
		}
		perDocument[d] = append(perDocument[d], i)
	}
	var pieces []Piece
	for _, d := range slices.Sorted(maps.Keys(perDocument)) {
		from := int(f.documents[d].Off)
		var changes []changeAt
		for _, i := range perDocument[d] {
			changes = append(changes, changeAt{Off: posOffset(f.starts, edits[i].Pos) - from, Change: edits[i].Change})
		}
		changed, errs := f.applyChanges(d, changes)
		f.Edited += f.documents[d].Size
		for n, i := range perDocument[d] {
			refused[i] = errs[n]
		}
		was := f.Text[from : from+f.documents[d].Size]
		if end := commonSuffix(was, changed); end < max(len(was), len(changed)) {
			start := commonPrefix(was[:len(was)-end], changed[:len(changed)-end])
			pieces = append(pieces, Piece{from + start, from + len(was) - end, changed[start : len(changed)-end]})
		}
	}
	return pieces, refused
}

// applyChanges applies changes to a document, which is read again only if another one was edited since.
func (f *File) applyChanges(d int, changes []changeAt) ([]byte, []error) {
	if f.read == nil || f.last != d {
		doc := f.documents[d]
		read, err := read(f.Text[doc.Off:int(doc.Off)+doc.Size], doc.Json)
		if err != nil {
			return f.Text[doc.Off : int(doc.Off)+doc.Size], slices.Repeat([]error{err}, len(changes))
		}
		f.last, f.read = d, read
	}
	return f.read.apply(changes)
}

// commonPrefix returns how many bytes two texts begin with alike.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// commonSuffix returns how many bytes two texts end with alike.
func commonSuffix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// Document changes the document at a position of a file, or without a line the first one with a value: see edit.rewrite.
func Document(text []byte, at catalogs.Pos, change func(root *tree.Node) error) ([]byte, error) {
	doc, ok := findDocument(text, at)
	if !ok {
		return text, ErrChanged
	}
	from, to := int(doc.Off), int(doc.Off)+doc.Size
	changed, err := rewrite(text[from:to], doc.Json, change)
	return slices.Concat(text[:from], changed, text[to:]), err
}

// AddDocument adds a document to a file after the one at a position, in its style.
func AddDocument(text []byte, at catalogs.Pos, value tree.Node) ([]byte, error) {
	doc, ok := findDocument(text, at)
	if !ok {
		return text, ErrChanged
	}
	from, to := int(doc.Off), int(doc.Off)+doc.Size
	made, err := formatLike(text[from:to], doc.Json, value)
	if err != nil {
		return text, err
	}
	end := "\n"
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		end = "\r\n"
	}
	separator := end
	if !doc.Json {
		separator = "---" + end
	}
	switch broken := to > 0 && text[to-1] == '\n'; {
	case !doc.Json && broken:
		made = slices.Concat([]byte(separator), made, []byte(end))
	case !doc.Json:
		made = slices.Concat([]byte(end+separator), made)
	default:
		made = slices.Concat([]byte(separator), made)
	}
	return slices.Concat(text[:to], made, text[to:]), nil
}

// RemoveDocuments removes the documents of a file that a function accepts. If there are no others, nothing is left of it.
func RemoveDocuments(text []byte, accepts func(root *tree.Node) bool) []byte {
	var pieces [][]byte
	kept, end := -1, 0 // the ends of the last document that stays, and of the last one
	done, cut := 0, -1 // what is copied or removed, and where what is removed next begins
	for root, doc := range form.NewTextDecoder(&source.File{}, text).Documents() {
		from := int(doc.Off)
		end = from + doc.Size
		switch gone := accepts(root); {
		case gone && cut < 0:
			cut = from
		case gone:
		case cut >= 0: // with the separator behind it
			pieces, done, cut, kept = append(pieces, text[done:cut]), from, -1, end
		default:
			kept = end
		}
	}
	if kept < 0 {
		return nil
	}
	if cut >= 0 { // the last ones, with the separator before them
		pieces, done = append(pieces, text[done:kept]), end
	}
	return slices.Concat(append(pieces, text[done:])...)
}

// findDocument returns the document at a position; without a line, the first one with a value, as that of a template.
func findDocument(text []byte, at catalogs.Pos) (source.Document, bool) {
	if at.Line == 0 {
		for root, doc := range form.NewTextDecoder(&source.File{}, text).Documents() {
			if root.Kind != tree.Null {
				return doc, true
			}
		}
		return source.Document{}, false
	}
	documents := documentsIn(text)
	i := documentIndex(documents, posOffset(lineStarts(text), at))
	if i < 0 {
		return source.Document{}, false
	}
	return documents[i], true
}

// documentsIn returns the documents of a text that can be read.
func documentsIn(text []byte) []source.Document {
	var found []source.Document
	for _, doc := range form.NewTextDecoder(&source.File{}, text).Documents() {
		found = append(found, doc)
	}
	return found
}

// documentIndex returns the index of the document at an offset, or -1.
func documentIndex(documents []source.Document, off int) int {
	i, _ := slices.BinarySearchFunc(documents, off, func(d source.Document, off int) int { return cmp.Compare(int(d.Off)+d.Size, off) })
	if i == len(documents) || off < int(documents[i].Off) {
		return -1
	}
	return i
}

// posOffset returns the offset of a position, or -1 if the text does not have it.
func posOffset(starts []int, p catalogs.Pos) int {
	if p.Line < 1 || p.Line > len(starts) || p.Col < 1 {
		return -1
	}
	return starts[p.Line-1] + p.Col - 1
}

// lineStarts returns the offsets at which the lines of a text begin.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
