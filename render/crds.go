package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// CRDs are the CRDs of the bundles of a channel.
type CRDs struct {
	Catalog   *catalogs.Catalog  `json:"-"`
	Package   *catalogs.Package  `json:"package"`
	Channel   *catalogs.Channel  `json:"channel"`
	Unseen    int                `json:"unseen"` // entries of the channel without manifests, whose CRDs are not known
	Histories []judge.CRDHistory `json:"crds"`
	Folders   string             `json:"-"` // where folders of bundles are that were not read, if that is known
	All       bool               `json:"-"` // the text has a line for each bundle, even if its CRD is unchanged
}

// say says the history of each CRD, newest bundle first.
func (c CRDs) say() *answer.Answer {
	a := answer.New(headingOfChannel(c.Package, c.Channel))
	switch unseen := c.Unseen; {
	case unseen > 0 && unseen == len(c.Channel.Entries):
		a.Section()
		a.Say("The CRDs are not known: no manifests of the bundles were read. A file-based catalog for OpenShift 4.17 or later has none, nor has a template: ",
			"--bundles ", words.ShellWord(cmp.Or(c.Folders, "FOLDER")), ", with the folders of the bundles, or --pull missing can add them.")
	case unseen > 0:
		a.Section()
		a.Say(fmt.Sprintf("The CRDs of %s are not known: %s no manifests, which --bundles or --pull missing can add.", words.CountPlural(unseen, "bundle", "bundles"), words.Plural(unseen, "it has", "they have")))
	case len(c.Histories) == 0:
		a.Section()
		a.Say("No bundle of the channel has the manifest of a CRD.")
	}
	for i := range c.Histories {
		h := &c.Histories[i]
		kind := ""
		if h.Kind != "" {
			kind = ": " + h.Kind + ", " + strings.ToLower(h.Scope)
		}
		a.Section(h.Name, kind)
		a.Table(crdTable(h, c.All))
		saySchemaChanges(a, h)
	}
	return a
}

// saySchemaChanges says the newest changes that OLM v1 rejects, which the table counts.
func saySchemaChanges(a *answer.Answer, h *judge.CRDHistory) {
	const most = 3
	said := 0
	for i := range h.Revisions {
		for _, change := range h.Revisions[i].Changes {
			if !change.Schema {
				continue
			}
			if said++; said <= most {
				a.Item(h.Revisions[i].Bundle, ": ", change.Message)
			}
		}
	}
	if more := said - most; more > 0 {
		a.Item(fmt.Sprintf("%s: -o json lists all", words.CountPlural(more, "more change that OLM v1 rejects", "more changes that OLM v1 rejects")))
	}
}

// headingOfChannel names a channel: package lighthouse, channel "stable" (default).
func headingOfChannel(p *catalogs.Package, c *catalogs.Channel) string {
	said := fmt.Sprintf("package %s, channel %q", p.Name.Value, c.Name.Value)
	if c.Name.Value == p.DefaultChannel.Value {
		said += " (default)"
	}
	return said
}

// crdTable returns a row for consecutive bundles with the same CRD, or for each bundle.
func crdTable(h *judge.CRDHistory, all bool) *answer.Table {
	table := &answer.Table{Columns: []string{"bundles", "versions", "may be stored", "changed"}}
	for rest := h.Revisions; len(rest) > 0; {
		n := 1
		for !all && n < len(rest) && hasNothingNew(&rest[n-1]) && sameCRD(&rest[n-1], &rest[n]) {
			n++
		}
		oldest := &rest[n-1]
		said, severity := wording.CRDChanges(oldest)
		table.Add(bundleRange(rest[:n]), wording.CRDVersions(oldest), text.Dash(strings.Join(oldest.Stored, ", ")),
			text.Styled(text.Dash(said), report.SeverityRole(severity)))
		rest = rest[n:]
	}
	return table
}

// hasNothingNew reports whether the CRD of a bundle is unchanged and valid.
func hasNothingNew(s *judge.CRDRevision) bool {
	return len(s.Changes) == 0 && len(s.Fails) == 0 && s.Error == "" && len(s.MissingVersions) == 0
}

func sameCRD(a, b *judge.CRDRevision) bool {
	return a.Since == b.Bundle && a.InBundle == b.InBundle && a.Removed == b.Removed && slices.Equal(a.Versions, b.Versions) && slices.Equal(a.Stored, b.Stored)
}

// bundleRange names the oldest of consecutive bundles, which are sorted newest first, and counts the others.
func bundleRange(revisions []judge.CRDRevision) string {
	oldest := revisions[len(revisions)-1].Bundle
	if n := len(revisions) - 1; n > 0 {
		return fmt.Sprintf("%s and %d newer", oldest, n)
	}
	return oldest
}
