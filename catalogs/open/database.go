package open

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/sqlite"
)

// imageDatabase returns the database in an image.
func imageDatabase(img *image.Image) sqlite.Source {
	return sqlite.Source{FS: img.FS, Name: path.Base(img.DatabasePath)}
}

// openDatabase reads a SQLite index in a file.
func openDatabase(ctx context.Context, name string, o form.Options) (*catalogs.Catalog, error) {
	return readDatabase(ctx, sqlite.Path(name), name, o)
}

// readDatabase reads a SQLite index. Each object that its rows are converted to is read like a file of a file-based catalog.
func readDatabase(ctx context.Context, db sqlite.Source, name string, o form.Options) (*catalogs.Catalog, error) {
	var rows source.PackedFiles
	var paths []string
	var problems []catalogs.Problem
	limits := sqlite.Options{MaxTotal: o.MaxSize, Problem: func(p sqlite.Problem) { problems = append(problems, rowProblem(name, p)) }}
	err := sqlite.Read(ctx, db, limits, func(d sqlite.Document) error {
		paths = append(paths, d.Name)
		rows.Add(d.Name, d.JSON)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c, err := fbc.Open(&source.Source{Fsys: &rows, Prefix: name, Database: true}, paths, problems, o).Load(ctx, paths)
	if c != nil {
		c.Form = catalogs.SQLite
		c.Stats.Files = 1
	}
	return c, err
}

// rowProblem returns the problem of a row or table.
func rowProblem(name string, p sqlite.Problem) catalogs.Problem {
	out := catalogs.Problem{Kind: catalogs.ParseProblem, Pos: catalogs.Pos{File: name}, Message: p.Message, Bundle: p.Bundle}
	if p.Note {
		out.Kind = catalogs.LostDocument
	}
	if p.Table != "" {
		out.Pos.File += "/" + p.Table
	}
	if p.Row > 0 {
		out.Message = fmt.Sprintf("row %d: %s", p.Row, p.Message)
	}
	return out
}

// isDatabase reports whether a file is a SQLite database.
func isDatabase(name string) bool {
	head, err := filetype.Head(disk.Folder(filepath.Dir(name)), filepath.Base(name))
	return err == nil && sqlite.Recognise(head)
}
