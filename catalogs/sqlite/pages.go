package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	maxSchemaRows = 512 // an index has about 25
	leafPage      = 0x0d
	interiorPage  = 0x05
)

// checkSchemaPages checks the pages of the table sqlite_schema before SQLite reads them. When SQLite opens a database it parses all
// statements in that table and reads the statistics of ANALYZE, without a limit of size: a file could fill the memory before the first
// query. An index has a few statements, each shorter than a page, and no statistics (format: sqlite.org/fileformat2.html, 1.3 and 1.6).
func checkSchemaPages(f *file) error {
	header := make([]byte, 100)
	if _, err := f.ReadAt(header, 0); err != nil && err != io.EOF {
		return err
	}
	if !Recognise(header) {
		return errors.New("no SQLite database: it does not begin with \"SQLite format 3\"")
	}
	size := int(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 || size&(size-1) != 0 || f.info.Size() < int64(size) {
		return fmt.Errorf("a damaged SQLite database: pages of %d bytes in a file of %d", size, f.info.Size())
	}
	// The number of pages in the header is valid if the last writer supported it.
	if pages := int64(binary.BigEndian.Uint32(header[28:])); bytes.Equal(header[24:28], header[92:96]) {
		f.missing = max(0, pages*int64(size)-f.info.Size())
	}
	s := schemaPages{file: f, size: size, usable: size - int(header[20])}
	return s.check(1, 100)
}

// schemaPages checks the B-tree of sqlite_schema.
type schemaPages struct {
	file   *file
	size   int
	usable int
	rows   int
	pages  int
}

// check checks a page whose header is at an offset, and the pages below it.
func (s *schemaPages) check(number uint32, at int) error {
	if s.pages++; s.pages > maxSchemaRows {
		return errSchemaTooLarge
	}
	page := make([]byte, s.size)
	if _, err := s.file.ReadAt(page, int64(number-1)*int64(s.size)); err != nil {
		return fmt.Errorf("a damaged SQLite database: page %d of the schema: %w", number, s.file.cause(err))
	}
	if bytes.Contains(page, []byte("sqlite_stat")) {
		return errors.New("no operator index: it holds statistics of ANALYZE, which are not read")
	}
	cells, kind := int(binary.BigEndian.Uint16(page[at+3:])), page[at]
	if kind == leafPage {
		return s.checkLeaf(page, at+8, cells)
	}
	if kind != interiorPage || at == 0 {
		return fmt.Errorf("a damaged SQLite database, or too large a schema: page %d of the schema is of kind %d", number, kind)
	}
	for i := range cells {
		place, ok := pointer(page, at+12, i, 4)
		if !ok {
			return errDamagedSchema
		}
		if err := s.checkChild(binary.BigEndian.Uint32(page[place:])); err != nil {
			return err
		}
	}
	return s.checkChild(binary.BigEndian.Uint32(page[at+8:]))
}

func (s *schemaPages) checkChild(number uint32) error {
	if number < 2 {
		return errDamagedSchema
	}
	return s.check(number, 0)
}

var (
	errSchemaTooLarge = fmt.Errorf("no operator index: its schema has more than %d parts", maxSchemaRows)
	errDamagedSchema  = errors.New("a damaged SQLite database: the pages of its schema are broken")
)

// checkLeaf checks that each row is in its page as a whole.
func (s *schemaPages) checkLeaf(page []byte, pointers, cells int) error {
	if s.rows += cells; s.rows > maxSchemaRows {
		return errSchemaTooLarge
	}
	for i := range cells {
		place, ok := pointer(page, pointers, i, 1)
		if !ok {
			return errDamagedSchema
		}
		// SQLite writes integers of up to nine groups of seven bits, the highest first.
		length, n := uint64(0), place
		for ; n < len(page) && n < place+8 && page[n] >= 0x80; n++ {
			length = length<<7 | uint64(page[n]&0x7f)
		}
		if n < len(page) {
			length = length<<7 | uint64(page[n]&0x7f)
		}
		if length > uint64(s.usable-35) {
			return fmt.Errorf("no operator index: a statement of %d bytes in its schema", length)
		}
	}
	return nil
}

// pointer returns the offset of a cell, which must have at least some bytes on the page.
func pointer(page []byte, pointers, i, least int) (int, bool) {
	at := pointers + 2*i
	if at+2 > len(page) {
		return 0, false
	}
	place := int(binary.BigEndian.Uint16(page[at:]))
	return place, place+least <= len(page)
}
