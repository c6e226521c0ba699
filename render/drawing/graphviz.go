package drawing

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/goccy/go-graphviz"
)

// picture draws the graph. It can be called once in a process.
func picture(dot []byte, f graphviz.Format) (io.Reader, error) {
	graphviz.SetFileSystem(noFiles{})
	ctx := context.Background() // one that ends would leave the module unusable; so would a timeout
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, err
	}
	graph, err := graphviz.ParseBytes(dot)
	if err != nil {
		return nil, err
	}
	if graph == nil { // what is there is not wrong, but no graph
		return nil, errors.New("there is no graph")
	}
	var picture bytes.Buffer
	if err := g.Render(ctx, graph, f, &picture); err != nil {
		return nil, err
	}
	if picture.Len() == 0 { // Render does not look at what the module says
		return nil, errors.New("there is no picture")
	}
	return &picture, nil
}

// noFiles is what Graphviz may read: a graph can name pictures to show and others to include.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
