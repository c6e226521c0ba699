// Package filetype recognises by their first bytes files that are neither YAML nor JSON.
package filetype

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/sqlite"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// HeadSize is how much of a file tells what it is: more than the header of a tar, packed or not.
const HeadSize = 4 << 10

// Kind is a kind of file that is neither YAML nor JSON.
type Kind struct {
	What string // "a tar archive"
	fix  string // what to do: a sentence in which FILE is its name; "" if it cannot become a catalog
}

// Error says that a file is neither YAML nor JSON, but something known.
type Error struct {
	Kind
	name string
}

func (e *Error) Error() string { return e.What + ", neither YAML nor JSON" }

// Fix is what to do with the file, by its name; "" if nothing makes a catalog of it.
func (e *Error) Fix() string {
	name := e.name
	if name != "-" { // standard input
		name = words.ShellFile(name)
	}
	return strings.ReplaceAll(e.fix, "FILE", name)
}

const (
	unpackTar  = "give it alone, as FILE: among the files of a catalog it is not read"
	unpackText = " -dc FILE | olmgraph COMMAND -, or unpack it first"
)

// magicNumbers are what files of a kind begin with.
var magicNumbers = []struct {
	prefix string
	Kind
}{
	{"PK\x03\x04", Kind{"a zip archive", "unpack it into an empty folder, and give that"}},
	{"PK\x05\x06", Kind{"an empty zip archive", ""}},
	{"7z\xbc\xaf\x27\x1c", Kind{"a 7z archive", "unpack it into an empty folder, and give that"}},
	{"\x04\x22\x4d\x18", Kind{"a file packed with lz4", "unpack it first (lz4 -d); a tar in it as well"}},
	{"\x7fELF", Kind{"a program (ELF)", ""}},
	{"\xcf\xfa\xed\xfe", Kind{"a program (Mach-O)", ""}},
	{"\x89PNG\r\n", Kind{"a picture (PNG)", ""}},
	{"\xff\xd8\xff", Kind{"a picture (JPEG)", ""}},
}

// Recognise says what a file is that begins with head, if it is surely neither YAML nor JSON: YAML takes none of the
// control characters that these begin with.
func Recognise(head []byte) (Kind, bool) {
	for _, m := range magicNumbers {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.Kind, true
		}
	}
	switch {
	case isTar(head):
		return Kind{"a tar archive", unpackTar}, true
	case image.Compression(head) != "":
		return packedWith(image.Compression(head), head), true
	case sqlite.Recognise(head):
		return Kind{"a SQLite database", "give it alone, as FILE"}, true
	case mostlyControls(head):
		return Kind{"a binary file", ""}, true
	}
	return Kind{}, false
}

// mostlyControls reports whether a text has a NUL and so many other control characters that it is none. YAML can be in UTF-16,
// which has NULs.
func mostlyControls(head []byte) bool {
	if bytes.IndexByte(head, 0) < 0 || bytes.HasPrefix(head, []byte("\xfe\xff")) || bytes.HasPrefix(head, []byte("\xff\xfe")) {
		return false
	}
	controls := 0
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			controls++
		}
	}
	return 16*controls > len(head)
}

// isTar reports whether a file begins with the header of a tar, whose checksum is right. The extended header that it begins with
// may be longer than what is at hand.
func isTar(head []byte) bool {
	_, err := tar.NewReader(bytes.NewReader(head)).Next()
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF) && len(head) >= tarBlock
}

// tarBlock is the size of a header of a tar.
const tarBlock = 512

// packedWith says what a packed file has in it, by the little of that that is in its head.
func packedWith(program string, head []byte) Kind {
	switch inside, err := image.DecompressHead(head, tarBlock); {
	case err != nil:
		return Kind{"a file packed with " + program + ", of which " + err.Error(), program + unpackText}
	case isTar(inside):
		return Kind{"a tar archive packed with " + program, unpackTar}
	case sqlite.Recognise(inside):
		return Kind{"a SQLite database packed with " + program, "unpack it first (" + program + " -d)"}
	case program == "xz":
		return Kind{"a file packed with xz", "xz" + unpackText + " (a tar: tar -xJf FILE); a tar packed with gzip or zstd is read, given alone"}
	case program == "bzip2": // it unpacks large blocks only
		return Kind{"a file packed with bzip2", "unpack it first (bzip2 -d); a tar of a catalog is read as it is, given alone"}
	}
	return Kind{"a file packed with " + program, program + unpackText}
}

// IsContainer reports whether something else may be in a file that is known: then it is not known whether that is a catalog.
func (k *Kind) IsContainer() bool { return k.fix != "" }

// RejectBinary returns an error for what is surely neither YAML nor JSON, and else a reader of the whole.
func RejectBinary(r io.Reader, name string) (io.Reader, error) {
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if kind, known := Recognise(head[:n]); known {
		return nil, &Error{kind, name}
	}
	return io.MultiReader(bytes.NewReader(head[:n]), r), nil
}

// RejectContainer returns an error for a file that is given as a catalog, and in which one may be that is not read. name is what
// a command takes for it.
func RejectContainer(head []byte, shown, name string) error {
	if kind, known := Recognise(head); known && kind.IsContainer() {
		err := &Error{kind, name}
		return fmt.Errorf("%s: %w: %s", shown, err, err.Fix())
	}
	return nil
}

// Head returns the first HeadSize bytes of a file, or all.
func Head(fsys fs.FS, name string) ([]byte, error) {
	return disk.Head(fsys, name, HeadSize)
}
