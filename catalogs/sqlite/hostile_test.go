package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// inMemory returns a database that is nowhere on the disk.
func inMemory(text []byte) Source {
	return Source{FS: fstest.MapFS{"a/index.db": &fstest.MapFile{Data: text}}, Name: "a/index.db"}
}

func readSource(t testing.TB, s Source) []byte {
	t.Helper()
	text, err := fs.ReadFile(s.FS, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRefused: a file that is no index, or that could make SQLite work for it, ends in one line.
func TestRefused(t *testing.T) {
	many := make([]string, 600)
	for i := range many {
		many[i] = fmt.Sprintf("CREATE TABLE t%d (a)", i)
	}
	for _, c := range []struct {
		name, want string
		changes    []string
	}{
		{"a view", `no operator index: its schema holds a "view" named "package" that is not a plain table, index or trigger`,
			[]string{"DROP TABLE package", "CREATE VIEW package AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS name, i AS default_channel FROM n"}},
		{"a virtual table", `no operator index: its schema holds a "table" named "x" that is not a plain table, index or trigger`,
			[]string{"CREATE VIRTUAL TABLE x USING fts5(a)"}},
		{"a missing table", "no operator index: it has no table package", []string{"DROP TABLE package",
			"CREATE TRIGGER package AFTER DELETE ON channel BEGIN DELETE FROM operatorbundle; END"}},
		{"statistics", "no operator index: it holds statistics of ANALYZE, which are not read", []string{"CREATE INDEX i ON operatorbundle(csv)", "ANALYZE"}},
		{"many tables", "no operator index: its schema has more than 512 parts", many},
		{"a long statement", "no operator index: a statement of ", []string{"CREATE TABLE x (a DEFAULT '" + strings.Repeat("x", 9000) + "')"}},
	} {
		_, _, err := readAll(t, change(t, c.changes...), Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOddTables: tables with the right names and the wrong insides become problems; no expression in them is evaluated.
func TestOddTables(t *testing.T) {
	for _, c := range []struct {
		name, want string
		changes    []string
	}{
		{"generated columns", "", []string{"DROP TABLE package",
			"CREATE TABLE package (name TEXT, default_channel TEXT GENERATED ALWAYS AS (zeroblob(900000000)) VIRTUAL)", "INSERT INTO package VALUES ('p')"}},
		{"no rowids", "package: cannot be read: SQL logic error: no such column: rowid (1)\n", []string{"DROP TABLE package",
			"CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT) WITHOUT ROWID"}},
		{"a trigger on everything", "", []string{"CREATE TRIGGER x AFTER INSERT ON package BEGIN DELETE FROM operatorbundle; END"}},
		{"values of other types", "", []string{"UPDATE operatorbundle SET version = 1.5, bundlepath = x'ff00', skiprange = 7"}},
		{"foreign columns only", "", []string{"DROP TABLE related_image", "CREATE TABLE related_image (x DATETIME)", "INSERT INTO related_image VALUES ('2020-01-01')"}},
		{"an index that lies", "", []string{"CREATE INDEX i ON properties(operatorbundle_name) WHERE length(zeroblob(900000000)) > 0"}},
	} {
		objects, problems, err := readAll(t, change(t, c.changes...), Options{})
		if err != nil || lines(problems) != c.want || len(objects) < 5 {
			t.Errorf("%s: %v\n%s%d objects", c.name, err, lines(problems), len(objects))
		}
	}
}

// TestLimits: a value that is too large is never built, and all of them together have a limit too.
func TestLimits(t *testing.T) {
	huge := change(t, "UPDATE operatorbundle SET bundle = zeroblob(90000000) WHERE name = 'c'")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	objects, problems, err := readAll(t, huge, Options{})
	runtime.ReadMemStats(&after)
	want := "operatorbundle, row 1: the column bundle holds 90000000 bytes, of which none are read: the limit is 67108864\n"
	if err != nil || lines(problems) != want || len(objects) != 6 {
		t.Errorf("%v\n%s%d objects", err, lines(problems), len(objects))
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}

	_, _, err = readAll(t, change(t, "UPDATE operatorbundle SET bundle = zeroblob(90000)"), Options{MaxTotal: 100_000})
	if err == nil || err.Error() != "operatorbundle, row 2: holds more than is read: the limit is 100000 bytes in all values" {
		t.Error(err)
	}
	_, _, err = readAll(t, change(t, "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i+1 FROM n LIMIT 2000) "+
		"INSERT INTO channel_entry SELECT i, 'stable', 'p', 'c', i+1, 9 FROM n"), Options{MaxTotal: 1 << 20})
	if err == nil || !strings.HasPrefix(err.Error(), "channel_entry, row 1") || !errors.Is(err, errOverLimit) {
		t.Error(err)
	}
	_, _, err = readAll(t, change(t, "DROP TABLE channel", "CREATE TABLE channel (name, package_name, head_operatorbundle_name)",
		"WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i+1 FROM n LIMIT 500) INSERT INTO channel_entry SELECT i, 'stable', 'p', 'c' || i, i+1, 0 FROM n",
		"WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i+1 FROM n LIMIT 500) INSERT INTO channel SELECT 'stable', 'p', 'c' FROM n"), Options{MaxTotal: 1 << 20})
	if err == nil || !strings.HasPrefix(err.Error(), "holds more than is read: its objects repeat what is read") {
		t.Error(err)
	}
}

// TestManyPackages: a bundle in many packages takes no time that grows with their square.
func TestManyPackages(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 25_000, func(n int) {
		g := graph{}
		for i := range n {
			g.rows = append(g.rows, entryRow{id: int64(i), key: channelKey{fmt.Sprintf("%06d", i), "stable"}, bundle: "b"})
		}
		if g.build(); len(g.packages["b"]) != n {
			t.Errorf("%d packages", len(g.packages["b"]))
		}
	})
}

// TestManyProblems: a file cannot make endless problems.
func TestManyProblems(t *testing.T) {
	_, problems, err := readAll(t, change(t, "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i+1 FROM n LIMIT 3000) "+
		"INSERT INTO properties SELECT 'x', '{', 'c', '', '' FROM n"), Options{})
	if err != nil || len(problems) != maxProblems || problems[maxProblems-1].String() != "there are 999 problems like these and more: the others are not shown" {
		t.Error(err, len(problems))
	}
}

// TestLongChain: a chain as long as the table costs no more than reading it.
func TestLongChain(t *testing.T) {
	objects, _, err := readAll(t, change(t, "DELETE FROM channel_entry", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 10000) "+
		"INSERT INTO channel_entry SELECT i, 'stable', 'p', 'v' || i, i % 10000 + 1, i FROM n"), Options{})
	if n := len(objects["olm.channel p stable"].Entries); err != nil || n != 10000 {
		t.Error(err, n)
	}
}

func TestEncoding(t *testing.T) {
	statements := append([]string{"PRAGMA encoding = 'UTF-16le'"}, aged(13)...)
	statements = append(statements, "UPDATE dependencies SET value = CAST(value AS TEXT)")
	objects, problems, err := readAll(t, Path(makeDatabase(t, statements...)), Options{})
	if err != nil || len(problems) > 0 || len(objects) != 6 || objects["olm.bundle p c"].Image != "i/c" {
		t.Error(err, problems, objects)
	}
}

// TestDamaged truncates a database at every kilobyte and fills it with noise behind the magic.
func TestDamaged(t *testing.T) {
	whole := readSource(t, change(t))
	for n := 0; n < len(whole); n += 1024 {
		_, problems, err := readAll(t, inMemory(whole[:n]), Options{})
		if err == nil && len(problems) == 0 {
			t.Errorf("nothing is said of a database cut at %d of %d", n, len(whole))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		noise := make([]byte, 20_000)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		copy(noise, magic)
		if _, problems, err := readAll(t, inMemory(noise), Options{}); err == nil && len(problems) == 0 {
			t.Error("nothing is said of noise")
		}
	}
	if _, _, err := readAll(t, inMemory([]byte("schema: olm.package")), Options{}); err == nil ||
		err.Error() != `no SQLite database: it does not begin with "SQLite format 3"` {
		t.Error(err)
	}
}

// broken is a file system of which the files end in an error.
type broken struct {
	fs.FS
	fault error
}

type brokenFile struct {
	fs.File
	fault error
}

func (b broken) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	return brokenFile{f, b.fault}, err
}

func (f brokenFile) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		return 0, f.fault
	}
	return f.File.(io.ReaderAt).ReadAt(p, off)
}

// stream is a file system of which the files can be read from the start only.
type stream struct{ fs.FS }

func (s stream) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return struct{ fs.File }{f}, err
}

func TestSources(t *testing.T) {
	source := change(t)
	fault := errors.New("the disk is gone")
	if _, problems, err := readAll(t, Source{FS: broken{source.FS, fault}, Name: source.Name}, Options{}); err != nil ||
		!strings.HasPrefix(lines(problems), "package: cannot be read: the disk is gone\n") {
		t.Error(err, problems)
	}
	if objects, problems, err := readAll(t, Source{FS: stream{source.FS}, Name: source.Name}, Options{}); err != nil || len(problems) > 0 || len(objects) != 6 {
		t.Error(err, problems)
	}
	if _, _, err := readAll(t, Source{FS: stream{source.FS}, Name: source.Name}, Options{MaxTotal: 1000}); err == nil {
		t.Error("a file of any size is read into memory")
	}
	if _, _, err := readAll(t, Path(t.TempDir()), Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
	if _, _, err := readAll(t, Path("nowhere.db"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// FuzzRead changes bytes of a small database: there is an end, no panic, and what comes out is JSON.
func FuzzRead(f *testing.F) {
	pages := makeDatabase(f, append([]string{"PRAGMA page_size = 512"}, aged(9)...)...)
	seed := readSource(f, Path(pages))
	f.Add(uint(0), []byte{}, uint(0), []byte{})
	f.Add(uint(100), []byte{0x05}, uint(28), []byte{0, 0, 0, 9})
	f.Add(uint(512), []byte{0x0d, 0, 0, 0xff, 0xff}, uint(1024), []byte{0x05})
	f.Add(uint(18), []byte{2, 2}, uint(56), []byte{0, 0, 0, 3})
	f.Fuzz(func(t *testing.T, at uint, change []byte, at2 uint, change2 []byte) {
		text := append([]byte(nil), seed...)
		copy(text[at%uint(len(text)):], change)
		copy(text[at2%uint(len(text)):], change2)
		_, problems, err := readAll(t, inMemory(text), Options{MaxCell: 1 << 20, MaxTotal: 8 << 20})
		if err != nil && strings.Contains(err.Error(), "\n") || strings.Count(lines(problems), "\n") != len(problems) {
			t.Errorf("an error or a problem of several lines: %v\n%s", err, lines(problems))
		}
	})
}

// TestSideEffects: the driver is never given what makes it write.
func TestSideEffects(t *testing.T) {
	db, err := connect(t.Context(), mustOpen(t, change(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{"DELETE FROM package", "CREATE TABLE x (a)", "ATTACH 'x.db' AS x", "PRAGMA user_version = 7", "VACUUM INTO 'x.db'"} {
		if _, err := db.conn.ExecContext(t.Context(), s); err == nil {
			t.Errorf("%s is allowed", s)
		}
	}
	var mode string
	if err := db.conn.QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil || errors.Is(err, sql.ErrNoRows) {
		t.Error(err, mode)
	}
}

func mustOpen(t *testing.T, s Source) *file {
	t.Helper()
	f, err := open(s, defaultTotal)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
