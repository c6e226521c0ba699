package graphviz

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"unicode/utf8"

	"github.com/goccy/go-graphviz"
)

// layouter is Graphviz, of which there is one in a process. It is unusable after an error.
type layouter struct{ *graphviz.Graphviz }

func newLayouter() (layouter, error) {
	graphviz.SetFileSystem(noFiles{})
	g, err := graphviz.New(context.Background())
	return layouter{g}, err
}

// picture draws a graph.
func (l layouter) picture(r request) ([]byte, error) {
	if r.Format == SVG {
		return l.layOut(r.DOT, graphviz.SVG)
	}
	laidOut, err := l.layOut(r.DOT, "json")
	if err != nil {
		return nil, err
	}
	return paint(laidOut)
}

// layOut lays out a graph and returns it in a format of Graphviz.
func (l layouter) layOut(dot []byte, f graphviz.Format) ([]byte, error) {
	graph, err := graphviz.ParseBytes(sanitize(dot))
	if err != nil {
		return nil, err
	}
	if graph == nil { // without an error
		return nil, errors.New("there is no graph")
	}
	var picture bytes.Buffer
	// The module is unusable after a cancelled context.
	if err := l.Render(context.Background(), graph, f, &picture); err != nil {
		return nil, err
	}
	if picture.Len() == 0 { // Render does not report errors of the module
		return nil, errors.New("there is no picture")
	}
	return picture.Bytes(), graph.Close()
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
