package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// CRDs is what the bundles of a channel bring of CRDs.
type CRDs struct {
	Catalog   *catalogs.Catalog
	Package   *catalogs.Package
	Channel   *catalogs.Channel
	Histories []lint.CRDHistory
	All       bool // in text, each bundle has a line, be its CRD as it was before or not
}

// crdsText writes the histories as tables, newest bundle on top.
func crdsText(w io.Writer, c CRDs, style Style) error {
	t := &text{Writer: bufio.NewWriter(w), style: style, colors: newPalette(w, style.Color)}
	t.line(t.colors.heading.paint(safe(headingOfChannel(c.Package, c.Channel))))
	if len(c.Histories) == 0 {
		t.line("")
		t.wrapped("", "", plain("No bundle of the channel has the manifest of a CRD here. A file-based catalog for OpenShift 4.17 or later has none: "+
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

func (t *text) history(h *lint.CRDHistory, all bool) {
	t.line("")
	title := h.Name
	if h.Kind != "" {
		title += fmt.Sprintf(": %s, %s", h.Kind, strings.ToLower(h.Scope))
	}
	t.line(t.colors.heading.paint(safe(title)))
	table := &table{header: []string{"BUNDLES", "VERSIONS", "MAY BE STORED", "CHANGED"}}
	for rest := h.Stations; len(rest) > 0; {
		n := 1
		for !all && n < len(rest) && quiet(&rest[n-1]) && sameCRD(&rest[n-1], &rest[n]) {
			n++
		}
		oldest := &rest[n-1]
		changed, brush := t.changed(oldest)
		table.add(cell{text: span(rest[:n])}, cell{text: versionsText(oldest)}, cell{text: orDash(strings.Join(oldest.Stored, ", "))}, cell{changed, brush})
		rest = rest[n:]
	}
	width := 0
	if t.style.Fit {
		width = t.style.Width
	}
	table.write(t, width)
}

// quiet reports whether there is nothing to say of a bundle's CRD but that it is as before.
func quiet(s *lint.CRDStation) bool {
	return len(s.Changes) == 0 && s.Fault == "" && len(s.Lost()) == 0
}

func sameCRD(a, b *lint.CRDStation) bool {
	return a.Since == b.Bundle && a.Brought == b.Brought && slices.Equal(a.Versions, b.Versions) && slices.Equal(a.Stored, b.Stored)
}

// span names bundles that follow each other, newest first.
func span(stations []lint.CRDStation) string {
	newest, oldest := stations[0].Bundle, stations[len(stations)-1].Bundle
	if len(stations) == 1 {
		return newest
	}
	return fmt.Sprintf("%s … %s (%d)", oldest, newest, len(stations))
}

// versionsText names the versions of a CRD; the plain ones are served.
func versionsText(s *lint.CRDStation) string {
	switch {
	case s.Fault != "":
		return "cannot be read"
	case !s.Brought:
		return "-"
	}
	var all []string
	for _, v := range s.Versions {
		var marks []string
		if v.Storage {
			marks = append(marks, "stored")
		}
		if !v.Served {
			marks = append(marks, "not served")
		}
		if v.Deprecated {
			marks = append(marks, "deprecated")
		}
		if len(marks) > 0 {
			all = append(all, v.Name+" ("+strings.Join(marks, ", ")+")")
		} else {
			all = append(all, v.Name)
		}
	}
	return strings.Join(all, ", ")
}

// changed says in a few words what is new with a bundle, and how that looks.
func (t *text) changed(s *lint.CRDStation) (string, brush) {
	if s.Fault != "" {
		return s.Fault, t.colors.error
	}
	var said []string
	refused := 0
	for _, c := range s.Changes {
		if c.Schema {
			refused++
		} else {
			said = append(said, c.Message)
		}
	}
	switch {
	case refused == 1:
		said = append(said, "1 change that OLM v1 refuses")
	case refused > 1:
		said = append(said, fmt.Sprintf("%d changes that OLM v1 refuses", refused))
	case s.Altered && len(said) == 0:
		said = append(said, "additions or words only")
	}
	if lost := s.Lost(); len(lost) > 0 {
		return strings.Join(append([]string{"refused where " + strings.Join(lost, " or ") + " is still stored"}, said...), "; "), t.colors.error
	}
	if refused > 0 {
		return strings.Join(said, "; "), t.colors.warning
	}
	return orDash(strings.Join(said, "; ")), nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
