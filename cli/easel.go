package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// easel makes pictures of texts in the DOT language.
type easel struct {
	format  string
	timeout time.Duration
	pool    *graphviz.Pool
}

// lay returns a text itself if that is asked for, or else what Graphviz makes of it. An SVG is dressed.
func (e *easel) lay(ctx context.Context, dot []byte, dress func(w io.Writer, laidOut []byte) error) ([]byte, error) {
	if e.format == "dot" {
		return dot, nil
	}
	format := graphviz.SVG
	if e.format == "png" {
		format = graphviz.PNG
	}
	picture, err := e.pool.Draw(ctx, dot, format, graphviz.Options{Timeout: e.timeout})
	if err != nil || format == graphviz.PNG {
		return picture, err
	}
	var out bytes.Buffer
	err = dress(&out, picture)
	return out.Bytes(), err
}

var errTooLarge = errors.New("there is too much for a picture")

// web draws a web, or writes it.
func (e *easel) web(ctx context.Context, web *render.Diagram) ([]byte, error) {
	var text bytes.Buffer
	if e.format == "mermaid" {
		return []byte(render.Mermaid(web)[0].Text), nil
	}
	if err := render.DOT(&text, web); err != nil {
		return nil, err
	}
	if web.TooLarge() && e.format != "dot" {
		return nil, errTooLarge
	}
	picture, err := e.lay(ctx, text.Bytes(), func(w io.Writer, laidOut []byte) error { return render.SVG(w, web, laidOut) })
	if errors.Is(err, graphviz.ErrTimeout) {
		err = fmt.Errorf("it takes more than %s; --timeout allows more", e.timeout)
	}
	return picture, err
}
