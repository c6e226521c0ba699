package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// table is a table of an index and the columns that are read from it, if the file has them.
type table struct {
	name    string
	columns []string
}

// The tables at migration 13 of the schema. An older file lacks some; api_provider and api_requirer had channel_entry_id
// instead of operatorbundle_name before migration 6.
var (
	packageTable = table{"package", []string{"name", "default_channel"}}
	channelTable = table{"channel", []string{"name", "package_name", "head_operatorbundle_name"}}
	entryTable   = table{"channel_entry", []string{"entry_id", "channel_name", "package_name", "operatorbundle_name", "replaces",
		"depth"}}
	bundleTable     = table{"operatorbundle", []string{"name", "csv", "bundle", "bundlepath", "skiprange", "version"}}
	propertyTable   = table{"properties", []string{"type", "value", "operatorbundle_name"}}
	dependencyTable = table{"dependencies", []string{"type", "value", "operatorbundle_name"}}
	imageTable      = table{"related_image", []string{"image", "operatorbundle_name"}}
	providerTable   = table{"api_provider", []string{"group_name", "version", "kind", "operatorbundle_name", "channel_entry_id"}}
	requirerTable   = table{"api_requirer", []string{"group_name", "version", "kind", "operatorbundle_name", "channel_entry_id"}}
)

// readSchema checks that the file has the tables that every version of the schema has, and nothing that runs SQL when it is read, as a
// view or a virtual table.
func (r *reader) readSchema() error {
	if err := r.db.limitCells(r.o.MaxCell); err != nil {
		return err
	}
	found := map[string]bool{}
	err := r.db.query(r.ctx, "SELECT type, name, sql FROM sqlite_schema", 3, func(v []any) error {
		kind, name, text := cell{v[0]}.text(), cell{v[1]}.text(), cell{v[2]}.text()
		begin := strings.ToUpper(text)
		switch {
		case kind == "table" && strings.HasPrefix(begin, "CREATE TABLE"):
			found[strings.ToLower(name)] = true
		case kind == "index" && (text == "" || strings.HasPrefix(begin, "CREATE INDEX") || strings.HasPrefix(begin, "CREATE UNIQUE INDEX")):
		case kind == "trigger" && strings.HasPrefix(begin, "CREATE TRIGGER"): // which only writing pulls
		default:
			return fmt.Errorf("no operator index: its schema holds a %.20q named %.60q that is not a plain table, index or trigger", kind, name)
		}
		return nil
	})
	if s, ok := errors.AsType[callbackError](err); ok {
		return s.error
	}
	if err != nil {
		return r.contextError(fmt.Errorf("a damaged SQLite database: %w", err))
	}
	for _, t := range []table{packageTable, channelTable, entryTable, bundleTable} {
		if !found[t.name] {
			return fmt.Errorf("no operator index: it has no table %s", t.name)
		}
	}
	return nil
}

// contextError returns the error of the context, if it has one, instead of another error.
func (r *reader) contextError(err error) error {
	if ctxErr := r.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	return err
}

// tableColumns returns the columns that the file has; none if it lacks the table. table_info does not list generated columns, which would
// run an expression of the file.
func (r *reader) tableColumns(t table) ([]string, error) {
	var columns []string
	err := r.db.query(r.ctx, `SELECT name FROM pragma_table_info('`+t.name+`', 'main')`, 1, func(v []any) error {
		if name := strings.ToLower(cell{v[0]}.text()); slices.Contains(t.columns, name) {
			columns = append(columns, name)
		}
		return nil
	})
	return columns, err
}

// scan calls row for each row of a table, in the order of the rowids, with a cell for each column of t: null if the file has no such
// column. What cannot be read becomes a problem. An error is one of row, or of a limit.
func (r *reader) scan(t table, row func(id int64, cells []cell) error) error {
	columns, err := r.tableColumns(t)
	if err != nil {
		return r.reportDamage(t, 0, err)
	}
	if len(columns) == 0 {
		return nil
	}
	last := int64(0)
	err = r.db.query(r.ctx, selection(t.name, columns, r.o.MaxCell), 1+2*len(columns), func(v []any) error {
		last, _ = cell{v[0]}.int()
		cells, size := make([]cell, len(t.columns)), int64(64)
		for i, name := range columns {
			value, length := v[1+2*i], v[2+2*i]
			n, _ := cell{length}.int()
			if value == nil && length != nil {
				r.problem(Problem{Table: t.name, Row: last, Message: fmt.Sprintf(
					"the column %s holds %d bytes, of which none are read: the limit is %d", name, n, r.o.MaxCell)})
				n = 0
			}
			size += n
			cells[slices.Index(t.columns, name)] = cell{value}
		}
		if err := r.spend(size); err != nil {
			return err
		}
		return row(last, cells)
	})
	return r.reportDamage(t, last, err)
}

// reportDamage reports an error of SQLite in a table after a row as a problem.
func (r *reader) reportDamage(t table, last int64, err error) error {
	if err == nil {
		return nil
	}
	if s, ok := errors.AsType[callbackError](err); ok {
		if errors.Is(s.error, errOverLimit) {
			return fmt.Errorf("%s, row %d: %w", t.name, last, s.error)
		}
		return s.error
	}
	if ctxErr := r.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	message := fmt.Sprintf("cannot be read: %v", err)
	if last != 0 {
		message = fmt.Sprintf("cannot be read beyond row %d: %v", last, err)
	}
	r.problem(Problem{Table: t.name, Message: message})
	return nil
}
