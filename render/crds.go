package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// CRDs is what the bundles of a channel bring of CRDs.
type CRDs struct {
	Catalog   *catalogs.Catalog
	Package   *catalogs.Package
	Channel   *catalogs.Channel
	Histories []preflight.CRDHistory
	All       bool // in text, each bundle has a line, be its CRD as it was before or not
}

// crdsText writes the histories as tables, newest bundle on top.
func crdsText(w io.Writer, c CRDs, style text.Style) error {
	t := crdWriter{text.NewWriter(w, style)}
	t.Title(headingOfChannel(c.Package, c.Channel))
	if len(c.Histories) == 0 {
		t.Line("")
		t.Wrapped("", "", text.Plain("No bundle of the channel has the manifest of a CRD. A file-based catalog for OpenShift 4.17 or later has none: "+
			"give its bundles with --bundles FOLDER."))
	}
	for i := range c.Histories {
		t.history(&c.Histories[i], c.All)
	}
	return t.Flush()
}

func headingOfChannel(p *catalogs.Package, c *catalogs.Channel) string {
	said := fmt.Sprintf("package %s, channel %q", p.Name.Value, c.Name.Value)
	if c.Name.Value == p.DefaultChannel.Value {
		said += " (default)"
	}
	return said
}

// crdWriter writes histories of CRDs for people.
type crdWriter struct{ *text.Writer }

func (t crdWriter) history(h *preflight.CRDHistory, all bool) {
	t.Line("")
	title := h.Name
	if h.Kind != "" {
		title += fmt.Sprintf(": %s, %s", h.Kind, strings.ToLower(h.Scope))
	}
	t.Title(title)
	table := &text.Table{Header: []string{"BUNDLES", "VERSIONS", "MAY BE STORED", "CHANGED"}}
	for rest := h.Revisions; len(rest) > 0; {
		n := 1
		for !all && n < len(rest) && quiet(&rest[n-1]) && sameCRD(&rest[n-1], &rest[n]) {
			n++
		}
		oldest := &rest[n-1]
		said, severity := wording.CRDChanges(oldest)
		table.Add(text.Plain(span(rest[:n])), text.Plain(wording.CRDVersions(oldest)), text.Plain(text.Dash(strings.Join(oldest.Stored, ", "))), text.Styled(text.Dash(said), t.severity(severity)))
		rest = rest[n:]
	}
	t.Table(table)
}

// quiet reports whether there is nothing to say of a bundle's CRD but that it is as before.
func quiet(s *preflight.CRDRevision) bool {
	return len(s.Changes) == 0 && s.Error == "" && len(s.MissingVersions()) == 0
}

func sameCRD(a, b *preflight.CRDRevision) bool {
	return a.Since == b.Bundle && a.InBundle == b.InBundle && slices.Equal(a.Versions, b.Versions) && slices.Equal(a.Stored, b.Stored)
}

// span names bundles that follow each other, newest first.
func span(stations []preflight.CRDRevision) string {
	newest, oldest := stations[0].Bundle, stations[len(stations)-1].Bundle
	if len(stations) == 1 {
		return newest
	}
	return fmt.Sprintf("%s … %s (%d)", oldest, newest, len(stations))
}

// severity is the style of what a change means.
func (t crdWriter) severity(s lint.Severity) text.Brush {
	switch s {
	case lint.Error:
		return t.Colors.Error
	case lint.Warning:
		return t.Colors.Warning
	}
	return nil
}
