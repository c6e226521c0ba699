// Package report writes findings in every format.
package report

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// Report is the outcome of one run.
type Report struct {
	Catalogs []*catalogs.Catalog
	Findings []lint.Finding // as lint.Options.ForReport has them
	Packages []string       // that were checked; all if empty
	Base     string         // the commit that was compared with, and why; "" if that was no git tree
	Guides   func() []Guide // of the rules that ran; may be nil
	Version  string         // of olmgraph, as v1.2.3 or (devel); "" if it is not known
	Rules    []*lint.Rule   // that ran
	NoRules  bool           // no rule ran, so that nothing was checked
	Linted   int            // number of packages that rules ran on: with a base those that differ from it
	Hidden   int            // number of findings that --min-severity leaves out, without suppressed ones
	Infos    bool           // people see infos too, and not only their number
	Details  bool           // people see all details and places

	FixCommand     string // shows what can be fixed; "" if nothing can be
	DetailsCommand string // shows this report with Details; may be ""
	InsteadCommand string // is for what was given instead of a catalog; "" if there is none

	editor *lint.LineEditor // of the formats that show edits
}

// Formats returns the formats of a report, the default first.
func Formats() []text.Format[Report] {
	return []text.Format[Report]{
		{Name: "text", For: "people: findings with their source lines, and a summary", Write: inertFormat(Text)},
		{Name: "compact", For: "Vim's quickfix list, Emacs and grep: a line for each finding, `file:line:col: severity: message [rule]`", Write: inertFormat(bounded(mostLines, Compact))},
		{Name: "json", For: "programs: all data; see below", Write: text.Unstyled(JSON)},
		{Name: "sarif", For: "code scanning: SARIF 2.1.0, with documentation of the rules that found something", Write: bounded(mostFindings, SARIF)},
		{Name: "junit", For: "test reports: JUnit XML, a suite for each package, a case for each rule with findings", Write: inertFormat(bounded(mostFindings, JUnit))},
		{Name: "github", For: "GitHub Actions: annotations, at most ten of a level, the worst first", Write: text.Unstyled(GitHub)},
		{Name: "gitlab", For: "GitLab merge requests: a Code Quality report", Write: bounded(mostFindings, GitLab)},
		{Name: "markdown", For: "a comment on a pull request: the most severe findings, cut to the size of a comment", Write: inertFormat(text.Unstyled(Markdown))},
	}
}

// What a report has of one rule, and how many times as much with Details: a catalog can have any number of mistakes.
const (
	mostLines       = 200  // for people
	mostFindings    = 1000 // for programs
	moreWithDetails = 50
)

// most returns a bound as it is for the report.
func (r Report) most(n int) int {
	if r.Details {
		return n * moreWithDetails
	}
	return n
}

// bounded makes a format write at most a number of findings of a kind, and one that stands for the others.
func bounded(most int, write func(io.Writer, Report) error) func(io.Writer, Report, text.Style) error {
	return text.Unstyled(func(w io.Writer, r Report) error {
		r.Findings = r.boundFindings(r.Findings, most)
		return write(w, r)
	})
}

// boundFindings returns at most a number of findings of a kind, and one that stands for the others.
func (r Report) boundFindings(findings []lint.Finding, most int) []lint.Finding {
	type kind struct {
		rule       string
		severity   lint.Severity
		suppressed bool
	}
	count, omitted, at := map[kind]int{}, map[kind]int{}, map[kind]int{}
	var kept []lint.Finding
	for i := range findings {
		f := &findings[i]
		k := kind{f.Rule, f.Severity, f.Suppressed != ""}
		if count[k]++; count[k] <= r.most(most) {
			kept = append(kept, *f)
			continue
		}
		if omitted[k] == 0 {
			at[k] = len(kept)
			kept = append(kept, lint.Finding{Rule: f.Rule, Severity: f.Severity, Gates: f.Gates, Subject: f.Subject, Pos: f.Pos, Suppressed: f.Suppressed})
		}
		omitted[k] += f.Count()
	}
	for k, n := range omitted {
		kept[at[k]].Message = r.omittedMessage(n)
	}
	return kept
}

// omittedMessage says that findings of a rule are left out.
func (r Report) omittedMessage(n int) string {
	said := words.CountPlural(n, "more finding of this rule is", "more findings of this rule are") + " left out"
	if !r.Details {
		said += ": --details shows up to " + words.Count(moreWithDetails, "time") + " as many"
	}
	return said
}

// inertFormat makes a format safe for a log that is shown line by line.
func inertFormat(write func(io.Writer, Report, text.Style) error) func(io.Writer, Report, text.Style) error {
	return func(w io.Writer, r Report, style text.Style) error {
		lines := &words.Writer{To: w, Color: style.Color}
		if err := write(lines, r, style); err != nil {
			return err
		}
		return lines.Flush()
	}
}

func (r Report) guides() []Guide {
	if r.Guides == nil {
		return nil
	}
	return r.Guides()
}

// stats returns the sum of the statistics of all catalogs.
func (r Report) stats() catalogs.Stats {
	var sum catalogs.Stats
	counted := map[string]bool{}
	for _, c := range r.Catalogs {
		sum.Files += c.Stats.Files
		sum.Objects += c.Stats.Objects
		if !ofRepository(c) {
			sum.Packages += c.Stats.Packages
		}
		sum.Channels += c.Stats.Channels
		sum.Entries += c.Stats.Entries
		sum.Bundles += c.Stats.Bundles
		sum.Bytes += c.Stats.Bytes
		sum.Unread += c.Stats.Unread
		sum.Seen += c.Stats.Seen
		sum.Unseen += c.Stats.Unseen
		for _, p := range c.Packages { // of a repository, the catalogs of all versions have the same ones
			if name := p.Name.Value; ofRepository(c) && !counted[name] {
				counted[name] = true
				sum.Packages++
			}
		}
	}
	return sum
}

// ofRepository reports whether a catalog is of bundle folders or templates, so that others have the same packages.
func ofRepository(c *catalogs.Catalog) bool {
	return c.Form == catalogs.Repository || c.Template != nil
}

// countedFindings yields the findings that count: those that are not suppressed.
func (r Report) countedFindings() iter.Seq[*lint.Finding] {
	return func(yield func(*lint.Finding) bool) {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Suppressed == "" && !yield(f) {
				return
			}
		}
	}
}

// shownFindings yields the findings that people see: without infos, unless Infos is set.
func (r Report) shownFindings() iter.Seq[*lint.Finding] {
	return func(yield func(*lint.Finding) bool) {
		for f := range r.countedFindings() {
			if r.shows(f) && !yield(f) {
				return
			}
		}
	}
}

func (r Report) shows(f *lint.Finding) bool {
	return r.Infos || f.Severity > lint.Info || f.Unchecked == lint.UnreadInBase
}

// summary is the numbers of findings.
type summary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	// Suppressed counts findings that the other counts leave out.
	Suppressed int `json:"suppressed"`
	// Unseen says of which bundles there were no manifests.
	Unseen unseen `json:"unseen"`
}

// count counts the findings.
func (r Report) count() summary {
	all := summary{Unseen: r.findUnseen()}
	for i := range r.Findings {
		f, n := &r.Findings[i], &all.Infos
		switch {
		case f.Suppressed != "":
			n = &all.Suppressed
		case f.Severity == lint.Error:
			n = &all.Errors
		case f.Severity == lint.Warning:
			n = &all.Warnings
		}
		*n += f.Count()
	}
	return all
}

// clean says what it means that there is no finding: of what was not checked it does not say that it has no problems.
func (r Report) clean() string {
	switch s := r.stats(); {
	case r.NoRules:
		return "No rules ran: the flags and the configuration leave none"
	case r.Linted == 0 && (s.Packages > 0 || s.Unread > 0):
		return "No package differs from the base" + r.hiddenNote()
	case r.Linted == 0:
		return "Nothing was checked" + r.hiddenNote()
	}
	return "No problems found" + r.hiddenNote()
}

// hiddenNote returns a note on the numbers of findings that are suppressed or hidden, or "".
func (r Report) hiddenNote() string {
	var notes []string
	if n := r.count().Suppressed; n > 0 {
		notes = append(notes, fmt.Sprintf("%d suppressed", n))
	}
	if r.Hidden > 0 {
		notes = append(notes, fmt.Sprintf("%d hidden by --min-severity", r.Hidden))
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}

// tally returns the number of findings of each severity in words.
func (r Report) tally() string {
	n := r.count()
	return words.Count(n.Errors, "error") + ", " + words.Count(n.Warnings, "warning") + ", " + words.Count(n.Infos, "info") + r.hiddenNote()
}

// Contents describes the form of a catalog and what is in it.
func Contents(c *catalogs.Catalog) string {
	form, s := DescribeForm(c), c.Stats
	if form == "" {
		form = string(c.Form)
	}
	return fmt.Sprintf("%s with %s, %s, %s, %s in %s (%s)", form, words.Count(len(c.Packages), "package"), words.Count(s.Channels, "channel"),
		words.CountPlural(s.Entries, "entry", "entries"), words.Count(s.Bundles, "bundle"), words.Count(s.Files, "file"), text.Size(s.Bytes))
}
