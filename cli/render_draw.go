package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// diagram returns the diagram of a package or, with --base, of its changes.
func (j *renderJob) diagram(pg *graph.PackageGraph, o diagram.UpgradeOptions) (*diagram.Diagram, error) {
	d, err := j.unfoldedDiagram(pg, o)
	if err == nil && !o.Unfold {
		d = diagram.Fold(d)
	}
	return d, err
}

func (j *renderJob) unfoldedDiagram(pg *graph.PackageGraph, o diagram.UpgradeOptions) (*diagram.Diagram, error) {
	o.Failing = j.judgements.failingUpgrades(pg.Package)
	if j.base == nil {
		o.Root = j.cat.Pos().File
		return diagram.Upgrades(pg, o), nil
	}
	return render.ChangeDiagram(compare.Pair{Base: j.base, Now: j.cat}, pg.Package.Name.Value, j.baseRef, o)
}

// draw draws a package; with fewer edges, and then with fewer entries, if that would take too long.
func (j *renderJob) draw(ctx context.Context, pg *graph.PackageGraph, o diagram.UpgradeOptions) ([]byte, error) {
	for _, reduced := range diagram.Reductions(o) {
		d, err := j.diagram(pg, reduced.Options)
		if err != nil {
			return nil, err
		}
		if reduced.Note != "" {
			d.Notes = append(d.Notes, reduced.Note)
		}
		if d.TooLarge() != nil && !reduced.Last {
			continue
		}
		picture, err := j.drawUnreduced(ctx, d)
		if !errors.Is(err, graphviz.ErrTimeout) && !errors.Is(err, graphviz.ErrMemory) || reduced.Last {
			if reduced.Note != "" && err == nil {
				j.note("package %s: %s", pg.Package.Name.Value, reduced.Note)
			}
			return picture, err
		}
	}
	return nil, nil
}

// drawUnreduced draws a diagram as it is, unless it is too large for Graphviz: the picture is that of Graphviz, or what becomes of its SVG.
func (w *drawer) drawUnreduced(ctx context.Context, d *diagram.Diagram) ([]byte, error) {
	if w.format == "mermaid" {
		return []byte(diagram.Mermaid(d)), nil
	}
	if err := d.TooLarge(); err != nil && w.format != "dot" {
		return nil, err
	}
	var dot, svg bytes.Buffer
	if err := diagram.DOT(&dot, d); err != nil || w.format == "dot" {
		return dot.Bytes(), err
	}
	format := graphviz.SVG
	if w.format == "png" {
		format = graphviz.PNG
	}
	picture, err := w.pool.Draw(ctx, dot.Bytes(), format, w.timeout)
	switch {
	case errors.Is(err, graphviz.ErrTimeout):
		return nil, fmt.Errorf("%w, more than %s; --timeout allows more", err, w.timeout)
	case err != nil || format == graphviz.PNG:
		return picture, err
	}
	err = diagram.SVG(&svg, d, picture)
	return svg.Bytes(), err
}

// writePicture writes a picture to the output file, or to a file in the output folder whose name, without the ending, is given.
func (j *renderJob) writePicture(file string, picture []byte) error {
	ext := j.format
	if ext == "mermaid" {
		ext = "mmd"
	}
	to := j.output
	if to.folder {
		to.path = filepath.Join(to.path, file+"."+ext)
	}
	return j.outputs.write(to, picture)
}

// fileName percent-encodes all characters of a name but letters, digits, -, _ and ., so that it is a valid file name.
func fileName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
