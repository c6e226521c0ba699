package sqlite

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

const (
	walHeader   = 32 // bytes before the first frame
	frameHeader = 24
	walMagic    = 0x377f0682 // or one more: the byte order of the checksums
)

var journalMagic = []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}

// rejectUnmerged returns an error if files beside the database have changes that SQLite would merge before it reads: frames of a
// write-ahead log, or a rollback journal of a transaction that did not end (sqlite.org: fileformat2.html, lockingv3.html). To merge them
// SQLite has to write.
func rejectUnmerged(source Source) error {
	wal, err := readHeadBeside(source, "-wal", walHeader+frameHeader)
	if err != nil {
		return err
	}
	if hasFrames(wal) {
		return fmt.Errorf("%s-wal beside it holds changes that may not be in the file yet: close the program that writes the index%s",
			source.Name, source.orRun(", or run", "PRAGMA wal_checkpoint(TRUNCATE)"))
	}
	journal, err := readHeadBeside(source, "-journal", len(journalMagic))
	if err != nil {
		return err
	}
	if bytes.Equal(journal, journalMagic) {
		return fmt.Errorf("%s-journal beside it belongs to a transaction that did not end: close the program that writes the index%s",
			source.Name, source.orRun(", or have SQLite roll it back:", "PRAGMA integrity_check"))
	}
	return nil
}

// orRun returns the end of a message with a command of SQLite's shell, for a file on disk, else "".
func (s *Source) orRun(lead, statement string) string {
	if s.Path == "" {
		return ""
	}
	return fmt.Sprintf("%s sqlite3 %s '%s'", lead, words.ShellFile(s.Path), statement)
}

// readHeadBeside returns the first bytes of a file beside the database; none if it does not exist, or is not a regular file.
func readHeadBeside(source Source, suffix string, size int) ([]byte, error) {
	name := source.Name + suffix
	if info, err := fs.Stat(source.FS, name); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	return disk.Head(source.FS, name, size)
}

// hasFrames reports whether a write-ahead log has a valid frame: one with the salts of its header. The frames of a log that was merged
// have other salts.
func hasFrames(head []byte) bool {
	return len(head) == walHeader+frameHeader && binary.BigEndian.Uint32(head)&^1 == walMagic &&
		bytes.Equal(head[16:24], head[walHeader+8:walHeader+16])
}
