// Package render shows what was found: functions from data to an io.Writer. It decides nothing and asks the environment
// nothing.
package render

import (
	"io"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// Report is the outcome of one run.
type Report struct {
	Catalogs []*catalogs.Catalog
	Findings []lint.Finding // sorted as lint.Run sorts them
}

// Style says how a report for people is laid out.
type Style struct {
	Width int  // of a line, in columns
	Fit   bool // whether tables give way to fit into the width, rather than say everything
	Color bool // whether colours may underline what the words say
}

// Format writes a report in one form.
type Format struct {
	Name  string
	Write func(io.Writer, Report, Style) error
}

// Formats returns the forms of a report, the one for people first.
func Formats() []Format {
	return []Format{
		{"text", Text},
		{"json", func(w io.Writer, r Report, _ Style) error { return JSON(w, r) }},
	}
}

// FormatNames returns the names of the forms.
func FormatNames() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// stats adds up what was looked at.
func (r Report) stats() catalogs.Stats {
	var sum catalogs.Stats
	for _, c := range r.Catalogs {
		sum.Files += c.Stats.Files
		sum.Objects += c.Stats.Objects
		sum.Packages += c.Stats.Packages
		sum.Channels += c.Stats.Channels
		sum.Entries += c.Stats.Entries
		sum.Bundles += c.Stats.Bundles
		sum.Bytes += c.Stats.Bytes
		sum.Unread += c.Stats.Unread
	}
	return sum
}

// count returns how many findings have a severity.
func (r Report) count(s lint.Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// RuleCount is how often a rule fired.
type RuleCount struct {
	Rule  string
	Count int
}

// byRule counts the findings of each rule, the most frequent first.
func (r Report) byRule() []RuleCount {
	var counts []RuleCount
	at := map[string]int{}
	for i := range r.Findings {
		rule := r.Findings[i].Rule
		if _, met := at[rule]; !met {
			at[rule] = len(counts)
			counts = append(counts, RuleCount{Rule: rule})
		}
		counts[at[rule]].Count++
	}
	slices.SortFunc(counts, func(a, b RuleCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if a.Rule < b.Rule {
			return -1
		}
		return 1
	})
	return counts
}
