package graphviz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/goccy/go-graphviz"
)

// picture draws the graph. It can be called only once in a process.
func picture(dot []byte, f Format) (io.Reader, error) {
	switch f {
	case SVG:
		return layOut(dot, graphviz.SVG)
	case PNG:
		laidOut, err := layOut(dot, "json")
		if err != nil {
			return nil, err
		}
		return paint(laidOut)
	}
	return nil, fmt.Errorf("no such format: %q", f)
}

// layOut lays out the graph with Graphviz and returns it in a format of Graphviz.
func layOut(dot []byte, f graphviz.Format) (io.Reader, error) {
	graphviz.SetFileSystem(noFiles{})
	ctx := context.Background() // the module is unusable after a cancelled context
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, err
	}
	graph, err := graphviz.ParseBytes(sanitize(dot))
	if err != nil {
		return nil, err
	}
	if graph == nil { // without an error
		return nil, errors.New("there is no graph")
	}
	var picture bytes.Buffer
	if err := g.Render(ctx, graph, f, &picture); err != nil {
		return nil, err
	}
	if picture.Len() == 0 { // Render does not report errors of the module
		return nil, errors.New("there is no picture")
	}
	return &picture, nil
}

// sanitize replaces invalid UTF-8 and characters that XML or JSON cannot have by U+FFFD: Graphviz would pass them on.
func sanitize(dot []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, dot)
}

// noFiles is the file system of Graphviz, which is empty: a graph can name images and include files.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
