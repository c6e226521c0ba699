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
func (d *renderJob) diagram(a *graph.PackageGraph, o diagram.UpgradeOptions) (*diagram.Diagram, error) {
	s, err := d.drawUnfolded(a, o)
	if err == nil && !o.Unfold {
		s = diagram.Fold(s)
	}
	return s, err
}

func (d *renderJob) drawUnfolded(a *graph.PackageGraph, o diagram.UpgradeOptions) (*diagram.Diagram, error) {
	if d.base == nil {
		o.Root, o.Failing = d.cat.Pos().File, d.judgements.failingUpgrades(a.Package)
		return diagram.Upgrades(a, o), nil
	}
	return render.ChangeDiagram(compare.Pair{Base: d.base, Now: d.cat}, a.Package.Name.Value, d.baseRef, o)
}

// draw draws a package; with fewer edges, and then with fewer entries, if that would take too long.
func (d *renderJob) draw(ctx context.Context, a *graph.PackageGraph, o diagram.UpgradeOptions) ([]byte, error) {
	for _, less := range diagram.Reductions(o) {
		s, err := d.diagram(a, less.Options)
		if err != nil {
			return nil, err
		}
		if less.Note != "" {
			s.Notes = append(s.Notes, less.Note)
		}
		if s.TooLarge() != nil && !less.Last {
			continue
		}
		picture, err := d.drawWhole(ctx, s)
		if !errors.Is(err, graphviz.ErrTimeout) && !errors.Is(err, graphviz.ErrMemory) || less.Last {
			if less.Note != "" && err == nil {
				d.note("package %s: %s", a.Package.Name.Value, less.Note)
			}
			return picture, err
		}
	}
	return nil, nil
}

// drawWhole draws a diagram as it is, unless it is too large for Graphviz: the picture is that of Graphviz, or what becomes of its SVG.
func (d *drawer) drawWhole(ctx context.Context, s *diagram.Diagram) ([]byte, error) {
	if d.format == "mermaid" {
		return []byte(diagram.Mermaid(s)), nil
	}
	if err := s.TooLarge(); err != nil && d.format != "dot" {
		return nil, err
	}
	var dot, svg bytes.Buffer
	if err := diagram.DOT(&dot, s); err != nil || d.format == "dot" {
		return dot.Bytes(), err
	}
	format := graphviz.SVG
	if d.format == "png" {
		format = graphviz.PNG
	}
	picture, err := d.pool.Draw(ctx, dot.Bytes(), format, graphviz.Options{Timeout: d.timeout})
	switch {
	case errors.Is(err, graphviz.ErrTimeout):
		return nil, fmt.Errorf("%w, more than %s; --timeout allows more", err, d.timeout)
	case err != nil || format == graphviz.PNG:
		return picture, err
	}
	err = diagram.SVG(&svg, s, picture)
	return svg.Bytes(), err
}

// writePicture writes a picture to the output file, or to a file in the output folder whose name, without the ending, is given.
func (d *renderJob) writePicture(file string, picture []byte) error {
	ext := d.format
	if ext == "mermaid" {
		ext = "mmd"
	}
	to := d.output
	if to.folder {
		to.path = filepath.Join(to.path, file+"."+ext)
	}
	return d.outputs.write(to, picture)
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
