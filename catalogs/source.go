package catalogs

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/excerpt"
	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/misspelt"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/suppression"
	"github.com/olmgraph/olmgraph/catalogs/syntax"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// source is the file system of a catalog. Texts are read from it again when they are needed, and not kept.
type source struct {
	fsys       fs.FS
	prefix     string       // of the file names in positions
	noSlash    bool         // no slash follows the prefix, as in git:REVISION:
	single     string       // the only file of the catalog; "" if it is a folder
	onDisk     bool         // positions name files on disk
	gitRoot    bool         // the root of a git repository, though there is no .git in it
	root       string       // of a catalog on disk: see quotableRoot
	asIntended bool         // see Options.AsIntended
	within     fs.FS        // of a git tree: the root of its repository
	at         string       // the path in it of the source
	database   bool         // the files are rows of a database, in which lines mean nothing
	readError  func() error // returns why a file that exists could not be read; may be nil
	valid      validValues
	// restrictions caches restriction by display name.
	restrictions sync.Map
	// own has what was read of the files, unless shared has it.
	own    readCache
	shared *readCache
	// ignores are the comments that suppress findings, in the order in which files are read.
	ignores  []comment
	ignoring sync.Mutex // guards ignores
	// buffers are for texts that are read again.
	buffers bufferPool
}

// display returns the name of a file in positions, as a user would write it.
func (s *source) display(name string) string {
	if s.prefix == "" || s.noSlash {
		return s.prefix + name
	}
	return path.Join(s.prefix, name)
}

// path returns the path in fsys of a file by its display name.
func (s *source) path(display string) string {
	if s.prefix == "" || s.prefix == "." {
		return display
	}
	return strings.TrimPrefix(strings.TrimPrefix(display, path.Clean(s.prefix)), "/")
}

// file returns a file of the source.
func (s *source) file(name string) *file {
	return s.file(name)
}

// file is one file of a source.
type file struct {
	source    *source
	path      string        // in source.fsys
	name      string        // in positions
	embedding *embeddedText // where the text is that is read, if that is a value in the file
}

// blobID returns the hash of the file's text as a git blob, which git trees have already. It returns false if the file cannot be read.
func (f *file) blobID() (string, bool) {
	if id, isGit := f.gitID(); isGit {
		return id, id != ""
	}
	text, err := f.readManifest()
	return blobIDOf(text), err == nil
}

// blobIDOf returns the hash of a text as a git blob.
func blobIDOf(text []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// gitID returns the blobID of a file in a git tree, "" if it cannot be read, and whether it is in one.
func (f *file) gitID() (string, bool) {
	tree, ok := f.source.fsys.(interface{ ID(string) (string, bool) })
	if !ok {
		return "", false
	}
	id, _ := tree.ID(f.path)
	return id, true
}

// document is where the text of an object is, to read it again.
type document struct {
	file *file
	off  int64
	size int
	at   tree.Place // of its first byte
	json bool
}

// expand builds a value of the document that was left Raw.
func (d document) expand(text []byte, n tree.Node) (tree.Node, *tree.Error) {
	if n.Kind != tree.Raw {
		return n, nil
	}
	if d.json {
		return tree.ExpandJSON(text, d.at, n)
	}
	return tree.ExpandYAML(text, d.at, n)
}

// fits reports whether a value of the document that was left Raw fits a shape; it may return false for one that does: see tree.Shape.
func (d document) fits(text []byte, n tree.Node, s *tree.Shape) bool {
	if d.json {
		return s.FitsJSON(text[n.Off:n.End])
	}
	return s.FitsYAML(text, d.at, n)
}

// bufferPool is a sync.Pool of *[]byte.
type bufferPool struct{ pool sync.Pool }

func (p *bufferPool) Get() *[]byte {
	if b, ok := p.pool.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// maxPooled is how large a buffer may be to be kept, in bytes.
const maxPooled = 1 << 20

func (p *bufferPool) Put(b *[]byte) {
	if cap(*b) <= maxPooled {
		p.pool.Put(b)
	}
}

// again reads the text and calls do with it, which must not keep it.
func (d document) again(do func(text []byte) error) error {
	buffer := d.file.source.buffers.Get()
	defer d.file.source.buffers.Put(buffer)
	text, err := d.read(buffer)
	if err != nil {
		return fmt.Errorf("%s cannot be read a second time: %w", d.file.name, err)
	}
	return do(text)
}

// read reads the text into the buffer.
func (d document) read(buffer *[]byte) ([]byte, error) {
	f, err := d.file.source.fsys.Open(d.file.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	*buffer = slices.Grow((*buffer)[:0], d.size)
	text := (*buffer)[:d.size]
	if err := readAt(f, text, d.off); err != nil {
		return nil, fmt.Errorf("read %s again: %w", d.file.name, err)
	}
	return text, nil
}

func readAt(f fs.File, text []byte, off int64) error {
	if r, ok := f.(io.ReaderAt); ok {
		n, err := r.ReadAt(text, off)
		if n == len(text) {
			return nil
		}
		return err
	}
	if _, err := io.CopyN(io.Discard, f, off); err != nil {
		return err
	}
	_, err := io.ReadFull(f, text)
	return err
}

// Excerpts returns the lines of places in the catalog's files, by place. Places that are unknown, cannot be read or are outside the
// catalog are left out. Each file is read once, and only what is returned is kept.
func (c *Catalog) Excerpts(places []Pos) map[Pos]excerpt.Excerpt {
	byFile := map[string][]excerpt.Place{}
	for _, p := range places {
		if p.Known() && p.Line > 0 {
			byFile[p.File] = append(byFile[p.File], excerpt.Place{Line: p.Line, Col: p.Col})
		}
	}
	found := map[Pos]excerpt.Excerpt{}
	for name, places := range byFile {
		if c.source.restricted(name) {
			continue
		}
		f, err := c.source.fsys.Open(c.source.path(name))
		if err != nil {
			continue
		}
		slices.SortFunc(places, func(a, b excerpt.Place) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
		for at, e := range excerpt.Read(f, slices.Compact(places)) {
			found[Pos{name, at.Line, at.Col}] = e
		}
		f.Close()
	}
	return found
}

// comment is one in a file that suppresses findings.
type comment struct {
	file string
	suppression.Comment
}

// Ignore is a comment in a YAML source that suppresses findings: # olmgraph:ignore RULE REASON.
type Ignore struct {
	Pos    Pos
	Line   int    // that it is about
	Rule   string // an ID or a pattern; "" if it names none
	Reason string // "" if it gives none
	Text   string // the line that it is about, without the comment
}

// Ignores returns the comments that suppress findings, by place.
func (c *Catalog) Ignores() []Ignore {
	if c.source == nil {
		return nil
	}
	c.source.ignoring.Lock()
	defer c.source.ignoring.Unlock()
	all := make([]Ignore, 0, len(c.source.ignores))
	for _, one := range c.source.ignores {
		all = append(all, Ignore{Pos{one.file, one.Line, one.Col}, one.About, one.Rule, one.Reason, one.Text})
	}
	slices.SortFunc(all, func(a, b Ignore) int { return cmp.Or(comparePos(a.Pos, b.Pos), strings.Compare(a.Rule, b.Rule)) })
	return slices.Compact(all)
}

// noteIgnores adds the comments of a chunk that suppress findings, and returns their number. JSON has no comments.
func noteIgnores(f *file, c stream.Chunk) (n int) {
	if c.JSON || f.source == nil {
		return 0
	}
	comments := suppression.Comments(c.Text, c.Line)
	f.source.ignoring.Lock()
	defer f.source.ignoring.Unlock()
	for _, one := range comments {
		f.source.ignores = append(f.source.ignores, comment{f.name, one})
	}
	return len(comments)
}

// packageFilter is the name of the package that is read, "" for all packages.
type packageFilter string

// wants reports whether objects of a package are read.
func (o packageFilter) wants(pkg string) bool { return o == "" || string(o) == pkg }

// unreadValues are the values that are not built before the type of their property is known.
var unreadValues = tree.SkipPath("properties [] value")

// read decodes the documents of a chunk that belong to the wanted package. The scratch may be used again afterwards.
func read(f *file, c stream.Chunk, o packageFilter, scratch *tree.Scratch) *objects {
	d := newObjectDecoder(newDecoder(f, c, scratch), o)
	d.inCatalog = true
	if o != "" && !mention.Possible(c.Text, string(o)) {
		return d.read()
	}
	noteIgnores(f, c)
	return d.stream()
}

// decoderOf returns a decoder of a whole text.
func decoderOf(f *file, text []byte) *decoder {
	return newDecoder(f, stream.Whole(text), new(tree.Scratch))
}

// stream calls a function for each document of the chunk, in which the values that are skipped are left Raw.
func (d *decoder) stream(skip tree.Skip, do func(root *tree.Node, text []byte, doc document)) {
	r := stream.Reader{Skip: skip, Scratch: d.scratch, Fault: d.fault, Document: func(root *tree.Node, doc stream.Document) {
		do(root, doc.Text, document{file: d.file, off: doc.Off, size: len(doc.Text), at: doc.At, json: doc.JSON})
	}}
	d.firstError = r.Read(d.chunk)
}

// fault reports text that is not read as a document.
func (d *decoder) fault(f stream.Fault, lost stream.Document, err *tree.Error) {
	d.unread.Add(lost.Text)
	switch f {
	case stream.Separator:
		d.problem(ParseProblem, err.Place, "opm accepts only a comment after the document separator ---").Fix = "write --- alone in its line"
	case stream.Lost:
		d.problem(LostDocument, err.Place, "opm reads only the first document up to the next --- line and silently drops what begins here")
	case stream.NotJSON:
		p := d.problem(ParseProblem, err.Place, "this is not JSON: %s; opm reads the text as YAML then, and of that the first object only", err.Msg)
		p.Fix = syntax.JSONFix(err.Msg)
	default:
		d.syntaxIn(lost, err)
	}
}

// documents yields the documents of the decoder's text, of any kind and schema, and where each of them is. What cannot be read is
// left out, and returned by faults afterwards.
func (d *decoder) documents() iter.Seq2[*tree.Node, document] {
	return func(yield func(*tree.Node, document) bool) {
		wanted := true
		d.stream(nil, func(root *tree.Node, _ []byte, doc document) { wanted = wanted && yield(root, doc) })
	}
}

// faults returns why documents could not be read.
func (d *decoder) faults() []Problem {
	var found []Problem
	for _, p := range d.problems {
		if p.Kind == ParseProblem || p.Kind == UnknownKey {
			found = append(found, p)
		}
	}
	return found
}

// fileReader reads files of a source that are not of a file-based catalog, and counts them and their problems.
type fileReader struct {
	in       *source
	problems []Problem
	bytes    int64
	files    int
	ignores  int // comments that suppress findings
	unread   mention.Words
}

// attribute sets the package and the bundle of misspelt keys, which are known only once the files are read.
func (r *fileReader) attribute(pkg, bundle string) {
	for i := range r.problems {
		if p := &r.problems[i]; p.Kind == UnknownKey {
			p.Package, p.Bundle = pkg, bundle
		}
	}
}

func (r *fileReader) addProblem(kind ProblemKind, pos Pos, format string, args ...any) {
	r.problems = append(r.problems, Problem{Kind: kind, Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// documents reads a file and yields its documents, of any kind, each with a decoder that has its positions.
func (r *fileReader) documents(name string) iter.Seq2[*decoder, *tree.Node] {
	return func(yield func(*decoder, *tree.Node) bool) {
		f := r.in.file(name)
		r.files++
		text, err := f.readManifest()
		if err != nil {
			r.addUnreadable(f.name, err)
			return
		}
		r.bytes += int64(len(text))
		d := decoderOf(f, text)
		r.ignores += noteIgnores(f, d.chunk)
		for root := range d.documents() {
			if d.asIntended() {
				d.misspelt(misspelt.Manifest(root))
			}
			if !yield(d, root) {
				break
			}
		}
		r.unread.Merge(&d.unread)
		r.problems = append(r.problems, d.faults()...)
	}
}
