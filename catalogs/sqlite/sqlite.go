// Package sqlite reads the SQLite database of an old operator index (index.db) and hands out what it says as objects of a
// file-based catalog.
//
// The graph of a channel comes from the table channel_entry alone, as OLM and opm read it: the columns replaces and skips
// of operatorbundle are what the authors wrote, not what the index does (opm: pkg/sqlite SQLQuerier.SendBundles, ToModel).
// Every age of the schema is understood: what a file lacks is absent, or is read from the CSV.
//
// Where opm's conversion drops something, so does this package, and it says so in a note: a bundle with the property
// olm.deprecated (edges to it stay), and a bundle that is in no channel. It differs from opm on purpose in four things: a
// bundle without a path or a version is kept, though opm drops it, and with it every bundle of an index older than bundle
// images; a bundle that a chain of replaces names and that does not exist stays an entry; dependencies of types other than
// olm.gvk and olm.package are kept as OLM reads them from an index; one fault does not end the conversion.
package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Document is one object of a file-based catalog.
type Document struct {
	// Name is where it stands: "package/NAME", "channel/PACKAGE/CHANNEL" or "operatorbundle/NAME". It is a valid path for
	// an fs.FS and no other document of the database has it.
	Name string
	Row  int64 // the rowid in the table that Name begins with; 0 for a channel that has entries but no row
	JSON []byte
}

// Source is a database: a file that implements io.ReaderAt, or else is read into memory.
type Source struct {
	FS   fs.FS
	Name string
	// Path is what a command takes for the file; "" where it is not on disk.
	Path string
}

// Path returns the database in a file of the system.
func Path(name string) Source {
	return Source{FS: os.DirFS(filepath.Dir(name)), Name: filepath.Base(name), Path: name}
}

// Options say how much is read and who is told of what could not be.
type Options struct {
	MaxCell  int64 // bytes in one value; 64 MiB if it is 0
	MaxTotal int64 // bytes in all values that are read; 2 GiB if it is 0
	// Problem is called for what could not be read, if it is not nil.
	Problem func(Problem)
}

// Problem is something in the database that could not be read, or, if it is a note, was not read on purpose.
type Problem struct {
	Table   string // "" where it concerns the whole file
	Row     int64  // the rowid; 0 where it concerns the whole table
	Message string
	Note    bool
}

// String returns one line that begins with the place.
func (p Problem) String() string {
	switch {
	case p.Table == "":
		return p.Message
	case p.Row == 0:
		return p.Table + ": " + p.Message
	}
	return fmt.Sprintf("%s, row %d: %s", p.Table, p.Row, p.Message)
}

const magic = "SQLite format 3\x00"

// Recognise reports whether a file that begins with head is a SQLite database.
func Recognise(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

const (
	defaultCell  = 64 << 20
	defaultTotal = 2 << 30
	maxProblems  = 1000
)

// Read calls emit for each bundle, then for each channel and each package of the database. What is damaged or exceeds the
// limits becomes a Problem, and the rest is read; an error means that the file is no index, that it is hostile as a whole,
// that a file beside it changes what SQLite would read, that ctx ended or that emit returned one. The file is never written, locked or waited for, nothing is written beside it,
// and no SQL in it is run.
func Read(ctx context.Context, source Source, o Options, emit func(Document) error) (err error) {
	if o.MaxCell <= 0 {
		o.MaxCell = defaultCell
	}
	if o.MaxTotal <= 0 {
		o.MaxTotal = defaultTotal
	}
	if err := refuseUnmerged(source); err != nil {
		return err
	}
	image, err := open(source, o.MaxTotal)
	if err != nil {
		return err
	}
	defer image.Close()
	if err := checkSchemaPages(image); err != nil {
		return err
	}
	db, err := connect(ctx, image)
	if err != nil {
		return err
	}
	defer db.Close()
	r := &reader{ctx: ctx, db: db, o: o, emit: emit, left: o.MaxTotal, names: map[string]bool{}, told: map[bool]int{}}
	if image.missing > 0 {
		r.problem(Problem{Message: fmt.Sprintf("the file is cut off: %d bytes are missing at its end", image.missing)})
	}
	return r.read()
}

// reader reads one database. What a bundle or a channel needs from other tables is kept: at most an eighth of MaxTotal.
type reader struct {
	ctx   context.Context
	db    *database
	o     Options
	emit  func(Document) error
	left  int64 // of MaxTotal
	kept  int64
	told  map[bool]int // problems, by whether they are notes
	names map[string]bool

	packages []packageRow
	channels []channelRow
	graph    graph
	extras   map[string]*extra     // by bundle
	bundles  map[string]bundleSeen // by name
}

func (r *reader) read() error {
	if err := r.readSchema(); err != nil {
		return err
	}
	steps := []func() error{r.readPackages, r.readChannels, r.readGraph, r.readExtras, r.readBundles, r.emitChannels, r.emitPackages}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) problem(p Problem) {
	n := r.told[p.Note] + 1
	r.told[p.Note] = n
	if r.o.Problem == nil || n > maxProblems {
		return
	}
	if n == maxProblems {
		p = Problem{Note: p.Note, Message: fmt.Sprintf("there are %d problems like these and more: the others are not shown", n-1)}
	}
	p.Message = oneLine(p.Message)
	r.o.Problem(p)
}

// oneLine keeps what names in a hostile file do to a message within bounds.
func oneLine(message string) string {
	if len(message) > 500 {
		message = strings.ToValidUTF8(message[:500], "") + "…"
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, message)
}

// send emits an object under a name that no other has.
func (r *reader) send(table string, row int64, object any, segments ...string) error {
	name := table
	for _, s := range segments {
		name += "/" + segment(s)
	}
	if r.names[name] {
		name += fmt.Sprintf(" (row %d)", row)
		if r.names[name] { // rowids are not unique in a damaged file
			name += fmt.Sprintf(" (%d)", len(r.names))
		}
	}
	r.names[name] = true
	text, err := marshal(object)
	if err != nil {
		r.problem(Problem{Table: table, Row: row, Message: err.Error()})
		return nil
	}
	return r.emit(Document{Name: name, Row: row, JSON: text})
}

var errTooMuch = errors.New("holds more than is read")

// take counts bytes that were read; keep counts such as stay in memory.
func (r *reader) take(n int64) error {
	if r.left -= n; r.left < 0 {
		return fmt.Errorf("%w: the limit is %d bytes in all values", errTooMuch, r.o.MaxTotal)
	}
	return nil
}

func (r *reader) keep(texts ...string) error {
	r.kept += 64 // for what holds them
	for _, t := range texts {
		r.kept += int64(len(t))
	}
	if limit := r.o.MaxTotal / 8; r.kept > limit {
		return fmt.Errorf("%w: the limit is %d bytes in the tables beside operatorbundle", errTooMuch, limit)
	}
	return nil
}
