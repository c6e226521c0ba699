package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// renderer draws diagrams in a format, within a time limit.
type renderer struct {
	format  string
	timeout time.Duration
	pool    *graphviz.Pool
}

func newRenderer(c *cli.Context, format string) renderer {
	return renderer{format, c.Duration("timeout"), graphviz.NewPool()}
}

// layOut returns the picture that Graphviz makes of a graph, or the graph itself if the format is dot. decorate turns the SVG
// of Graphviz into the final one.
func (r *renderer) layOut(ctx context.Context, dot []byte, decorate func(w io.Writer, laidOut []byte) error) ([]byte, error) {
	if r.format == "dot" {
		return dot, nil
	}
	format := graphviz.SVG
	if r.format == "png" {
		format = graphviz.PNG
	}
	picture, err := r.pool.Draw(ctx, dot, format, graphviz.Options{Timeout: r.timeout})
	if err != nil || format == graphviz.PNG {
		return picture, err
	}
	var out bytes.Buffer
	err = decorate(&out, picture)
	return out.Bytes(), err
}

var errGraphTooLarge = errors.New("the graph is too large to draw")

// dependencies draws a dependency graph.
func (r *renderer) dependencies(ctx context.Context, drawing *diagram.Diagram) ([]byte, error) {
	var text bytes.Buffer
	if r.format == "mermaid" {
		return []byte(diagram.Mermaid(drawing)[0].Text), nil
	}
	if err := diagram.DOT(&text, drawing); err != nil {
		return nil, err
	}
	if drawing.TooLarge() && r.format != "dot" {
		return nil, errGraphTooLarge
	}
	picture, err := r.layOut(ctx, text.Bytes(), func(w io.Writer, laidOut []byte) error { return diagram.SVG(w, drawing, laidOut) })
	if errors.Is(err, graphviz.ErrTimeout) {
		err = fmt.Errorf("it takes more than %s; --timeout allows more", r.timeout)
	}
	return picture, err
}
