package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// CRDs are the CRDs of the bundles of a channel.
type CRDs struct {
	Catalog   *catalogs.Catalog
	Package   *catalogs.Package
	Channel   *catalogs.Channel
	Histories []preflight.CRDHistory
	All       bool // the text has a line for each bundle, even if its CRD is unchanged
}

// crdsText writes the histories as tables, newest bundle first.
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

// crdWriter writes histories of CRDs as text.
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
		for !all && n < len(rest) && hasNothingNew(&rest[n-1]) && sameCRD(&rest[n-1], &rest[n]) {
			n++
		}
		oldest := &rest[n-1]
		said, severity := wording.CRDChanges(oldest)
		table.Add(text.Plain(bundleRange(rest[:n])), text.Plain(wording.CRDVersions(oldest)), text.Plain(text.Dash(strings.Join(oldest.Stored, ", "))), text.Styled(text.Dash(said), report.SeverityRole(severity)))
		rest = rest[n:]
	}
	t.Table(table)
}

// hasNothingNew reports whether the CRD of a bundle is unchanged and valid.
func hasNothingNew(s *preflight.CRDRevision) bool {
	return len(s.Changes) == 0 && s.Error == "" && len(s.MissingVersions) == 0
}

func sameCRD(a, b *preflight.CRDRevision) bool {
	return a.Since == b.Bundle && a.InBundle == b.InBundle && slices.Equal(a.Versions, b.Versions) && slices.Equal(a.Stored, b.Stored)
}

// bundleRange names the oldest of consecutive bundles, which are sorted newest first, and counts the others.
func bundleRange(revisions []preflight.CRDRevision) string {
	oldest := revisions[len(revisions)-1].Bundle
	if n := len(revisions) - 1; n > 0 {
		return fmt.Sprintf("%s and %d newer", oldest, n)
	}
	return oldest
}
