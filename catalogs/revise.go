package catalogs

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/fbcwriter"
	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/catalogs/memfs"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Edit is a change of the value at a position of a source.
type Edit struct {
	Pos Pos
	edit.Change
}

// ApplyEdits applies edits to the text of a file. It returns the new text, in which every other byte is the same, and for each edit nil or
// why it was not applied.
func ApplyEdits(text []byte, edits []Edit) ([]byte, []error) {
	refused := make([]error, len(edits))
	starts := lineStarts(text)
	perDocument := map[int][]int{} // indexes of edits, by that of their document
	documents := documentsIn(text)
	for i, e := range edits {
		d := documentAt(documents, offsetOf(starts, e.Pos))
		if d < 0 {
			refused[i] = edit.ErrChanged
			continue
		}
		perDocument[d] = append(perDocument[d], i)
	}
	var pieces [][]byte
	done := 0
	for d, doc := range documents {
		if len(perDocument[d]) == 0 {
			continue
		}
		from, to := int(doc.off), int(doc.off)+doc.size
		var changes []edit.ChangeAt
		for _, i := range perDocument[d] {
			changes = append(changes, edit.ChangeAt{Off: offsetOf(starts, edits[i].Pos) - from, Change: edits[i].Change})
		}
		changed, errs := edit.Apply(text[from:to], doc.json, changes)
		for n, i := range perDocument[d] {
			refused[i] = errs[n]
		}
		pieces = append(pieces, text[done:from], changed)
		done = to
	}
	return slices.Concat(append(pieces, text[done:])...), refused
}

// Revise changes the document at a position of a file, or without a line the first one with a value: see edit.Revise.
func Revise(text []byte, at Pos, change func(root *tree.Node) error) ([]byte, error) {
	doc, ok := documentOf(text, at)
	if !ok {
		return text, edit.ErrChanged
	}
	from, to := int(doc.off), int(doc.off)+doc.size
	changed, err := edit.Revise(text[from:to], edit.Options{JSON: doc.json}, change)
	return slices.Concat(text[:from], changed, text[to:]), err
}

// AddDocument adds a document to a file after the one at a position, in its style.
func AddDocument(text []byte, at Pos, value tree.Node) ([]byte, error) {
	doc, ok := documentOf(text, at)
	if !ok {
		return text, edit.ErrChanged
	}
	from, to := int(doc.off), int(doc.off)+doc.size
	made, err := edit.Like(text[from:to], doc.json, value)
	if err != nil {
		return text, err
	}
	end := "\n"
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		end = "\r\n"
	}
	separator := end
	if !doc.json {
		separator = "---" + end
	}
	switch broken := to > 0 && text[to-1] == '\n'; {
	case !doc.json && broken:
		made = slices.Concat([]byte(separator), made, []byte(end))
	case !doc.json:
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
	for root, doc := range decoderOf(&file{}, text).documents() {
		from := int(doc.off)
		end = from + doc.size
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

// documentOf returns the document at a position; without a line, the first one with a value, as that of a template.
func documentOf(text []byte, at Pos) (document, bool) {
	if at.Line == 0 {
		for root, doc := range decoderOf(&file{}, text).documents() {
			if root.Kind != tree.Null {
				return doc, true
			}
		}
		return document{}, false
	}
	documents := documentsIn(text)
	i := documentAt(documents, offsetOf(lineStarts(text), at))
	if i < 0 {
		return document{}, false
	}
	return documents[i], true
}

// documentsIn returns the documents of a text that can be read.
func documentsIn(text []byte) []document {
	var found []document
	for _, doc := range decoderOf(&file{}, text).documents() {
		found = append(found, doc)
	}
	return found
}

// documentAt returns the index of the document at an offset, or -1.
func documentAt(documents []document, off int) int {
	i, _ := slices.BinarySearchFunc(documents, off, func(d document, off int) int { return cmp.Compare(int(d.off)+d.size, off) })
	if i == len(documents) || off < int(documents[i].off) {
		return -1
	}
	return i
}

func lineStarts(text []byte) []int {
	starts := []int{0}
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 {
			return starts
		}
		i += n + 1
		starts = append(starts, i)
	}
}

// offsetOf returns the offset of a position, or -1 if the text does not have it.
func offsetOf(starts []int, p Pos) int {
	if p.Line < 1 || p.Line > len(starts) || p.Col < 1 {
		return -1
	}
	return starts[p.Line-1] + p.Col - 1
}

// Written returns the objects of a file-based catalog to write them. The packages may have fewer channels, entries, bundles and deprecations
// than the text, and other default channels; of everything else the text counts. The bundles are read when they are written. An error means
// that a file has changed, or cannot be read a second time.
func (c *Catalog) Written() (*fbcwriter.Catalog, error) {
	out := &fbcwriter.Catalog{}
	add := map[Pos]func(*tree.Node){}
	var files []string
	note := func(at Pos, do func(*tree.Node)) {
		add[at] = do
		if !slices.Contains(files, at.File) {
			files = append(files, at.File)
		}
	}
	for _, p := range c.Packages {
		if p.Defined() {
			note(p.Pos, func(n *tree.Node) { out.AddPackageAs(*n, p.DefaultChannel.Value) })
		}
		for _, ch := range p.Channels {
			note(ch.Pos, func(n *tree.Node) { out.AddChannel(p.Name.Value, ch.Name.Value, ch.written(), n.Get("properties")) })
		}
		for _, b := range p.Bundles {
			out.AddBundle(p.Name.Value, b.Name.Value, func() (tree.Node, error) { return b.rendered() })
		}
		for _, d := range p.Deprecations {
			out.AddDeprecations(p.Name.Value, d.written())
		}
	}
	for i := range c.Others {
		note(c.Others[i].Pos, out.Add)
	}
	for _, name := range files {
		if err := c.eachObject(name, add); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachObject reads a file again, and calls the function for the position of each object that has one.
func (c *Catalog) eachObject(name string, do map[Pos]func(*tree.Node)) error {
	text, err := c.ReadFile(name)
	if err != nil {
		return err
	}
	for root, doc := range decoderOf(&file{}, text).documents() {
		found := do[Pos{File: name, Line: root.Line, Col: root.Col}]
		if found == nil {
			continue
		}
		n, syntax := doc.parse(text[doc.off : doc.off+int64(doc.size)]) // what is read of a document is overwritten by the next one
		if syntax != nil {
			return fmt.Errorf("%s has changed since it was read: %w", name, syntax)
		}
		found(&n)
	}
	return nil
}

// parse reads the text of the document.
func (d document) parse(text []byte) (root tree.Node, syntax *tree.Error) {
	if d.json {
		root, _, syntax = tree.ParseJSON(text, d.at, nil)
		return root, syntax
	}
	root, _, syntax = tree.ParseYAML(text, d.at, nil)
	return root, syntax
}

func (d *Deprecations) written() []fbcwriter.Deprecation {
	var all []fbcwriter.Deprecation
	for i := range d.Entries {
		e := &d.Entries[i]
		all = append(all, fbcwriter.Deprecation{Schema: e.Schema.Value, Name: e.Name.Value, Message: e.Message.Value})
	}
	return all
}

// OnDisk reports whether positions name files on disk, which can be edited.
func (c *Catalog) OnDisk() bool { return c.source != nil && c.source.onDisk }

// ReadFile returns the text of a file by its name in positions.
func (c *Catalog) ReadFile(name string) ([]byte, error) {
	return c.source.readNamed(name)
}

// readNamed returns the text of a file by its display name.
func (s *source) readNamed(name string) ([]byte, error) {
	text, err := fs.ReadFile(s.fsys, s.path(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, fserror.Cause(err))
	}
	return text, nil
}

// onDisk returns the source of a folder on disk, with texts instead of some of its files, by their display names.
func onDisk(dir string, overlay map[string][]byte) *source {
	s := &source{fsys: os.DirFS(dir), prefix: filepath.ToSlash(dir), onDisk: true, root: quotableRoot(dir)}
	if len(overlay) > 0 {
		s.fsys = memfs.Overlay{FS: s.fsys, Prefix: s.prefix, Texts: overlay}
	}
	return s
}
