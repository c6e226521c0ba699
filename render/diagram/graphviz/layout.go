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

// picture draws the graph. It can be called once in a process.
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

// layOut has Graphviz lay out the graph and write it in a format of its own.
func layOut(dot []byte, f graphviz.Format) (io.Reader, error) {
	graphviz.SetFileSystem(noFiles{})
	ctx := context.Background() // the module would be unusable after one that ends
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, err
	}
	graph, err := graphviz.ParseBytes(harmless(dot))
	if err != nil {
		return nil, err
	}
	if graph == nil { // nothing there is wrong, but there is no graph
		return nil, errors.New("there is no graph")
	}
	var picture bytes.Buffer
	if err := g.Render(ctx, graph, f, &picture); err != nil {
		return nil, err
	}
	if picture.Len() == 0 { // Render does not ask the module how it went
		return nil, errors.New("there is no picture")
	}
	return &picture, nil
}

// harmless puts U+FFFD in place of what is no UTF-8 and of characters that XML or JSON cannot have: Graphviz passes them on.
func harmless(dot []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, dot)
}

// noFiles is what Graphviz may read: a graph can name pictures to show and others to include.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
