// Package sqlite reads the SQLite database of an old operator index (index.db) and converts it to objects of a file-based catalog.
//
// The graph of a channel comes from the table channel_entry alone, as OLM and opm read it: the columns replaces and skips
// of operatorbundle are what the authors wrote, not what the index does (opm: pkg/sqlite SQLQuerier.SendBundles, ToModel).
// Every version of the schema is supported: what a column or table of a later version has is read from the CSV, or absent.
//
// What opm's conversion drops is dropped here as well, with a note: a bundle with the property olm.deprecated (edges to it are kept), and
// a bundle that is in no channel. It differs from opm on purpose in four points: a bundle without a path or a version is kept, which opm
// drops, and with it every bundle of an index older than bundle images; a bundle in a chain of replaces that does not exist stays an
// entry; dependencies of types other than olm.gvk and olm.package are kept as OLM reads them from an index; and a fault does not end the
// conversion.
package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// Document is one object of a file-based catalog.
type Document struct {
	// Name is where it comes from: "package/NAME", "channel/PACKAGE/CHANNEL" or "operatorbundle/NAME". It is a valid path for an fs.FS,
	// and unique in the database.
	Name string
	Row  int64 // the rowid in the table that Name begins with; 0 for a channel that has entries but no row
	JSON []byte
}

// Source is the file of a database. If it does not implement io.ReaderAt it is read into memory.
type Source struct {
	FS   fs.FS
	Name string
	// Path is the path of the file for commands in messages; "" if it is not on disk.
	Path string
}

// Path returns the database in a file of the system.
func Path(name string) Source {
	return Source{FS: disk.Folder(filepath.Dir(name)), Name: filepath.Base(name), Path: name}
}

// Options are the limits of reading, and what to do with problems.
type Options struct {
	MaxCell  int64 // bytes in one value; 64 MiB if it is 0
	MaxTotal int64 // bytes in all values that are read; 2 GiB if it is 0
	// Problem is called for each problem, if it is not nil.
	Problem func(Problem)
}

// Problem is something in the database that could not be read, or, if it is a note, was left out on purpose.
type Problem struct {
	Table   string // "" if it is about the whole file
	Row     int64  // the rowid; 0 if it is about the whole table
	Bundle  string // the name of the row, "" if it is about something else
	Message string
	Note    bool
}

const magic = "SQLite format 3\x00"

// Recognise reports whether a file that begins with head is a SQLite database.
func Recognise(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

const (
	defaultCell  = 64 << 20
	defaultTotal = 2 << 30
	maxProblems  = 1000
)

// Read calls emit for each bundle, then for each channel and each package of the database. What is damaged or exceeds the limits becomes
// a Problem, and the rest is read. An error means that the file is not an index or hostile as a whole, that a file beside it has changes
// that are not merged, that ctx has ended or that emit returned an error. The file is not written or locked, nothing is written beside
// it, and no SQL in it is run.
func Read(ctx context.Context, source Source, o Options, emit func(Document) error) (err error) {
	if o.MaxCell <= 0 {
		o.MaxCell = defaultCell
	}
	if o.MaxTotal <= 0 {
		o.MaxTotal = defaultTotal
	}
	if err := rejectUnmerged(source); err != nil {
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
	r := &reader{ctx: ctx, db: db, o: o, emit: emit, left: o.MaxTotal, names: map[string]bool{}, reported: map[bool]int{}}
	if image.missing > 0 {
		r.problem(Problem{Message: fmt.Sprintf("the file is cut off: %d bytes are missing at its end", image.missing)})
	}
	return r.read()
}

// reader reads one database. It keeps what bundles and channels need of other tables: at most an eighth of MaxTotal.
type reader struct {
	ctx      context.Context
	db       *database
	o        Options
	emit     func(Document) error
	left     int64 // of MaxTotal
	retained int64
	sent     int64        // bytes of objects
	reported map[bool]int // number of problems, by Note
	names    map[string]bool

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
	n := r.reported[p.Note] + 1
	r.reported[p.Note] = n
	if r.o.Problem == nil || n > maxProblems {
		return
	}
	if n == maxProblems {
		p = Problem{Note: p.Note, Message: fmt.Sprintf("there are %d problems like these and more: the others are not shown", n-1)}
	}
	p.Message = oneLine(p.Message)
	r.o.Problem(p)
}

// oneLine returns a message, which may have names of a hostile file in it, as one line of limited length.
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

// send emits an object under a unique name.
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
	// Base64 makes manifests a third longer. A damaged file may have a channel in many rows, or a bundle in many packages.
	if r.sent += int64(len(text)); r.sent/2 > r.o.MaxTotal {
		return fmt.Errorf("%w: its objects repeat what is read, and have more than %d bytes", errOverLimit, 2*r.o.MaxTotal)
	}
	return r.emit(Document{Name: name, Row: row, JSON: text})
}

var errOverLimit = errors.New("holds more than is read")

// spend counts bytes that are read; retain counts those that stay in memory.
func (r *reader) spend(n int64) error {
	if r.left -= n; r.left < 0 {
		return fmt.Errorf("%w: the limit is %d bytes in all values", errOverLimit, r.o.MaxTotal)
	}
	return nil
}

func (r *reader) retain(texts ...string) error {
	r.retained += 64 // for the structures around them
	for _, t := range texts {
		r.retained += int64(len(t))
	}
	if limit := r.o.MaxTotal / 8; r.retained > limit {
		return fmt.Errorf("%w: the limit is %d bytes in the tables beside operatorbundle", errOverLimit, limit)
	}
	return nil
}
