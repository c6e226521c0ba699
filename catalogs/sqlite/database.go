package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	driver "modernc.org/sqlite" // registers "sqlite"
	lib "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"
)

// database is a connection on which nothing but a few plain SELECTs runs.
//
// SQLite reaches the file through a virtual file system over an fs.FS with one file in it. So an index inside an image or a Git
// tree needs no copy on the disk, and SQLite cannot create a journal or a WAL, take a lock or wait for one: the file system is
// read-only, and its locks do nothing. immutable=1 keeps SQLite from looking for changes beside the file, and opens one in WAL
// mode, which else would need shared memory.
type database struct {
	file *file
	vfs  *vfs.FS
	pool *sql.DB
	conn *sql.Conn
}

func connect(ctx context.Context, f *file) (*database, error) {
	name, fsys, err := vfs.New(f)
	if err != nil {
		return nil, err
	}
	db := &database{file: f, vfs: fsys}
	if db.pool, err = sql.Open("sqlite", "file:"+fileName+"?mode=ro&immutable=1&vfs="+name); err == nil {
		err = db.restrict(ctx)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// restrict disables on the connection what a hostile file could use. The driver cannot set SQLITE_DBCONFIG_DEFENSIVE; that guards against
// hostile statements, and only ours are run.
func (db *database) restrict(ctx context.Context) (err error) {
	if db.conn, err = db.pool.Conn(ctx); err != nil {
		return db.file.cause(err)
	}
	for limit, value := range map[int]int{
		lib.SQLITE_LIMIT_SQL_LENGTH:      64 << 10,
		lib.SQLITE_LIMIT_COLUMN:          100,
		lib.SQLITE_LIMIT_EXPR_DEPTH:      50,
		lib.SQLITE_LIMIT_COMPOUND_SELECT: 2,
		lib.SQLITE_LIMIT_VDBE_OP:         10_000,
		lib.SQLITE_LIMIT_ATTACHED:        0,
		lib.SQLITE_LIMIT_TRIGGER_DEPTH:   1,
		lib.SQLITE_LIMIT_WORKER_THREADS:  0,
	} {
		if _, err := driver.Limit(db.conn, limit, value); err != nil {
			return err
		}
	}
	for _, pragma := range []string{"query_only=1", "trusted_schema=0", "cell_size_check=1", "temp_store=memory", "mmap_size=0"} {
		if _, err := db.conn.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return db.file.cause(err)
		}
	}
	return nil
}

// limitCells keeps SQLite from building a value larger than n bytes, whatever asks for it.
func (db *database) limitCells(n int64) error {
	_, err := driver.Limit(db.conn, lib.SQLITE_LIMIT_LENGTH, int(min(n, 1<<30-1)))
	return err
}

func (db *database) Close() error {
	var errs []error
	if db.conn != nil {
		errs = append(errs, db.conn.Close())
	}
	if db.pool != nil {
		errs = append(errs, db.pool.Close())
	}
	return errors.Join(append(errs, db.vfs.Close())...)
}

// query calls row with the values of each row, which are valid until row returns.
func (db *database) query(ctx context.Context, statement string, width int, row func([]any) error) error {
	rows, err := db.conn.QueryContext(ctx, statement)
	if err != nil {
		return db.file.cause(err)
	}
	defer rows.Close()
	values, pointers := make([]any, width), make([]any, width)
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return db.file.cause(err)
		}
		if err := row(values); err != nil {
			return callbackError{err}
		}
	}
	if err := rows.Err(); err != nil {
		return db.file.cause(err)
	}
	return nil
}

// callbackError is an error of the callback of query, and not of the database.
type callbackError struct{ error }

func (s callbackError) Unwrap() error { return s.error }

// cell is a value of a column, of any type.
type cell struct{ value any }

func (c cell) null() bool { return c.value == nil }

func (c cell) text() string {
	switch v := c.value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte: // opm stores what json.Marshal returned, which is a BLOB
		return string(v)
	}
	return fmt.Sprint(c.value)
}

func (c cell) int() (int64, bool) {
	switch v := c.value.(type) {
	case int64:
		return v, true
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// selection returns the statement that reads columns of a table: each value that is not too large, and its size. octet_length returns the
// size without building the value. The columns must exist in the file.
func selection(table string, columns []string, limit int64) string {
	var b strings.Builder
	b.WriteString("SELECT rowid")
	for _, c := range columns {
		fmt.Fprintf(&b, `, CASE WHEN octet_length("%[1]s") <= %[2]d THEN "%[1]s" END, octet_length("%[1]s")`, c, limit)
	}
	fmt.Fprintf(&b, ` FROM main."%s" NOT INDEXED`, table)
	return b.String()
}
