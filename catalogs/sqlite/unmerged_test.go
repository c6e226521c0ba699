package sqlite

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// wantRefused wants a database to be rejected with a text, and nothing to be written beside it.
func wantRefused(t *testing.T, path, text string) {
	t.Helper()
	before := listing(t, filepath.Dir(path))
	objects, _, err := readAll(t, Path(path), Options{})
	if err == nil || !strings.HasPrefix(err.Error(), text) || len(objects) > 0 {
		t.Errorf("%d objects, %v; want the error %q", len(objects), err, text)
	}
	if diff := cmp.Diff(before, listing(t, filepath.Dir(path))); diff != "" {
		t.Error(diff)
	}
}

func run(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestWAL: SQLite reads a database with the frames of the log beside it, so that without them it is another one. Once they are merged
// it is read again.
func TestWAL(t *testing.T) {
	path := makeDatabase(t, aged(13)...)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run(t, db, "PRAGMA journal_mode=wal", "PRAGMA wal_autocheckpoint=0", "BEGIN EXCLUSIVE", "DELETE FROM package", "COMMIT")
	wantRefused(t, path, "index.db-wal beside it holds changes")
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	if objects, problems, err := readAll(t, Path(path), Options{}); err != nil || len(problems) > 0 || len(objects) != 5 {
		t.Errorf("after the checkpoint: %d objects, %v, %v", len(objects), problems, err)
	}
}

// TestUselessWAL: SQLite ignores a log without a frame of its own.
func TestUselessWAL(t *testing.T) {
	path := makeDatabase(t, aged(13)...)
	for _, log := range []string{"", "no log", strings.Repeat("x", 100), "\x37\x7f\x06\x82" + strings.Repeat("\x00", 12) + "salts" + strings.Repeat("\x00", 100)} {
		catalogtest.Write(t, path+"-wal", log)
		if objects, problems, err := readAll(t, Path(path), Options{}); err != nil || len(problems) > 0 || len(objects) != 6 {
			t.Errorf("%q: %d objects, %v, %v", log, len(objects), problems, err)
		}
	}
}

// TestHotJournal: of a transaction that did not end SQLite takes back what it has written.
func TestHotJournal(t *testing.T) {
	path := makeDatabase(t, aged(13)...)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run(t, db, "PRAGMA journal_mode=delete", "PRAGMA synchronous=off", "BEGIN", "DELETE FROM package")
	dir := t.TempDir()
	for _, suffix := range []string{"", "-journal"} { // as after a crash
		text, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "index.db"+suffix), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wantRefused(t, filepath.Join(dir, "index.db"), "index.db-journal beside it belongs to a transaction")
	if err := os.WriteFile(filepath.Join(dir, "index.db-journal"), make([]byte, 512), 0o666); err != nil { // as journal_mode=persist leaves it
		t.Fatal(err)
	}
	if objects, problems, err := readAll(t, Path(filepath.Join(dir, "index.db")), Options{}); err != nil || len(problems) > 0 || len(objects) != 6 {
		t.Errorf("%d objects, %v, %v", len(objects), problems, err)
	}
}

// TestBesideCommand: the command is about the file that was given, as one word.
func TestBesideCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my indexes")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "index.db")
	text, err := os.ReadFile(makeDatabase(t, aged(13)...))
	if err == nil {
		err = errors.Join(os.WriteFile(path, text, 0o666), os.WriteFile(path+"-journal", journalMagic, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(t, Path(path), Options{}); err == nil || !strings.Contains(err.Error(), ": sqlite3 '"+path+"' 'PRAGMA integrity_check'") {
		t.Errorf("%v", err)
	}
	source := Path(path)
	source.Path = ""
	if _, _, err := readAll(t, source, Options{}); err == nil || strings.Contains(err.Error(), "sqlite3") {
		t.Errorf("in an image: %v", err)
	}
}
