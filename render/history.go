package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/history"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// History is what lint says of the last changes of a repository, and what became of them.
type History struct {
	Revision    string          `json:"revision"`
	Judged      verdicts        `json:"judged"`      // all changes that were judged
	Skipped     int             `json:"skipped"`     // they touch no catalog, template or bundle
	NoCatalog   int             `json:"noCatalog"`   // there is no catalog at the path
	NotReadable int             `json:"notReadable"` // the clone lacks objects, or a file could not be read
	Mistakes    verdicts        `json:"mistakes"`    // a later change corrects them within 90 days
	Innocent    verdicts        `json:"innocent"`    // no later change corrects them, within 90 days that have passed
	TooEarly    verdicts        `json:"tooEarly"`    // neither, yet
	Kinds       []mistakes      `json:"kinds"`       // a mistake can be of several
	Rules       []historyRule   `json:"rules"`
	Changes     []HistoryChange `json:"changes"` // the newest first
	Asked       int             `json:"-"`       // how many changes were asked for
	All         bool            `json:"-"`       // the text lists all that were judged
}

// HistoryChange is a change of a repository, what lint says of it, and what became of it.
type HistoryChange struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"` // the day in UTC
	Subject string `json:"subject"`
	Verdict string `json:"verdict" enum:"blocked,warned,told,clean,skipped,no catalog,not readable"`
	Why     string `json:"why"`                                     // it is not readable; or empty
	Fate    string `json:"fate" enum:"mistake,innocent,too early,"` // empty if it was not judged
	// Errors, Warnings and Infos are rules, sorted: each where its worst finding is.
	Errors    []string         `json:"errors"`
	Warnings  []string         `json:"warnings"`
	Infos     []string         `json:"infos"`
	Corrected []CorrectedLater `json:"corrected"`
}

// CorrectedLater is what a later change corrects.
type CorrectedLater struct {
	By    string              `json:"by"` // the commit
	Date  string              `json:"date"`
	Steps []history.Corrected `json:"steps"`
}

// The verdicts, the worst first: the first four are of changes that were judged.
const (
	Blocked     = "blocked"
	Warned      = "warned"
	Told        = "told" // infos
	Clean       = "clean"
	Skipped     = "skipped" // it touches no package
	NoCatalog   = "no catalog"
	NotReadable = "not readable"
)

// Judge sets the verdict of findings on a change, of which some block it. differs says whether it touches a package.
func (c *HistoryChange) Judge(findings []lint.Finding, differs, blocked bool) {
	worst := map[string]lint.Severity{}
	for i := range findings {
		f := &findings[i]
		worst[f.Rule] = max(worst[f.Rule], f.Severity)
	}
	for _, rule := range slices.Sorted(maps.Keys(worst)) {
		list := map[lint.Severity]*[]string{lint.Error: &c.Errors, lint.Warning: &c.Warnings}[worst[rule]]
		list = cmp.Or(list, &c.Infos)
		*list = append(*list, rule)
	}
	switch {
	case blocked:
		c.Verdict = Blocked
	case len(c.Errors)+len(c.Warnings) > 0:
		c.Verdict = Warned
	case len(c.Infos) > 0:
		c.Verdict = Told
	case differs:
		c.Verdict = Clean
	default:
		c.Verdict = Skipped
	}
}

// verdicts counts changes by the worst that lint says of them.
type verdicts struct {
	All     int `json:"all"`
	Blocked int `json:"blocked"`
	Warned  int `json:"warned"`
	Told    int `json:"told"` // infos alone
	Clean   int `json:"clean"`
}

type mistakes struct {
	Kind string `json:"kind"` // what was corrected, and how
	verdicts
}

// historyRule counts the changes on which a rule has findings, by the worst of these.
type historyRule struct {
	Rule     string     `json:"rule"`
	Mistakes severities `json:"mistakes"`
	Innocent severities `json:"innocent"`
}

type severities struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

// Count counts the changes.
func (h *History) Count() {
	kinds, rules := map[string]*mistakes{}, map[string]*historyRule{}
	for _, c := range h.Changes {
		switch c.Verdict {
		case Skipped:
			h.Skipped++
		case NoCatalog:
			h.NoCatalog++
		case NotReadable:
			h.NotReadable++
		default:
			h.Judged.add(c.Verdict)
			map[string]*verdicts{"mistake": &h.Mistakes, "innocent": &h.Innocent, "too early": &h.TooEarly}[c.Fate].add(c.Verdict)
			addKinds(kinds, &c)
			addRules(rules, &c)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		h.Kinds = append(h.Kinds, *kinds[kind])
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		h.Rules = append(h.Rules, *rules[rule])
	}
	slices.SortStableFunc(h.Rules, func(a, b historyRule) int {
		return cmp.Or(cmp.Compare(b.Innocent.Errors, a.Innocent.Errors), cmp.Compare(b.Innocent.Warnings, a.Innocent.Warnings))
	})
}

func (n *verdicts) add(verdict string) {
	n.All++
	*map[string]*int{Blocked: &n.Blocked, Warned: &n.Warned, Told: &n.Told, Clean: &n.Clean}[verdict]++
}

// addKinds counts a mistake once for each kind of what was corrected.
func addKinds(kinds map[string]*mistakes, c *HistoryChange) {
	own := map[string]bool{}
	for _, by := range c.Corrected {
		for _, s := range by.Steps {
			own[s.Kind+" "+s.How] = true
		}
	}
	for kind := range own {
		if kinds[kind] == nil {
			kinds[kind] = &mistakes{Kind: kind}
		}
		kinds[kind].add(c.Verdict)
	}
}

func addRules(rules map[string]*historyRule, c *HistoryChange) {
	for i, list := range [][]string{c.Errors, c.Warnings, c.Infos} {
		for _, rule := range list {
			n := rules[rule]
			if n == nil {
				n = &historyRule{Rule: rule}
				rules[rule] = n
			}
			if of := map[string]*severities{"mistake": &n.Mistakes, "innocent": &n.Innocent}[c.Fate]; of != nil {
				*[]*int{&of.Errors, &of.Warnings, &of.Infos}[i]++
			}
		}
	}
}

// say says the totals first, and at last the changes that were blocked or corrected.
func (h *History) say() *answer.Answer {
	a := answer.New(fmt.Sprintf("%s up to %s, of which %s judged", words.Count(len(h.Changes), "change"), h.Revision, words.CountPlural(h.Judged.All, "is", "are")))
	a.Section()
	sayVerdicts(a, "changes", []mistakes{{"mistakes: corrected within 90 days", h.Mistakes}, {"innocent: not corrected", h.Innocent}, {"too early to tell", h.TooEarly}})
	a.Section()
	if h.Judged.All < len(h.Changes) {
		a.Say(fmt.Sprintf("Not judged: %d without a change of a catalog, template or bundle, %d without a catalog, %d that could not be read.", h.Skipped, h.NoCatalog, h.NotReadable))
	}
	if i := slices.IndexFunc(h.Changes, func(c HistoryChange) bool { return c.Verdict == NotReadable }); i >= 0 {
		a.Say("The newest that could not be read is ", h.Changes[i].Commit[:12], ": ", h.Changes[i].Why)
	}
	if len(h.Changes) < h.Asked {
		a.Say("The clone has no more changes.")
	}
	if len(h.Kinds) > 0 {
		a.Section("Mistakes by what was corrected")
		sayVerdicts(a, "corrected", h.Kinds)
	}
	rules := &answer.Table{Columns: []string{"rule", "mistakes: errors", "warnings", "innocent: errors", "warnings"}, Right: []int{1, 2, 3, 4}}
	for _, r := range h.Rules {
		if r.Mistakes.Errors+r.Mistakes.Warnings+r.Innocent.Errors+r.Innocent.Warnings > 0 {
			rules.Add(r.Rule, r.Mistakes.Errors, r.Mistakes.Warnings, r.Innocent.Errors, r.Innocent.Warnings)
		}
	}
	if rules.Rows() > 0 {
		a.Section("Rules, by the changes that they are about")
		a.Table(rules)
	}
	h.sayChanges(a)
	return a
}

func sayVerdicts(a *answer.Answer, what string, all []mistakes) {
	table := &answer.Table{Columns: []string{what, "all", "blocked", "warned", "told", "clean"}, Right: []int{1, 2, 3, 4, 5}}
	for _, n := range all {
		table.Add(n.Kind, n.All, n.Blocked, n.Warned, n.Told, n.Clean)
	}
	a.Table(table)
}

// sayChanges lists the changes that were blocked or corrected, or all that were judged.
func (h *History) sayChanges(a *answer.Answer) {
	table := &answer.Table{Columns: []string{"change", "date", "lint", "later", "rules"}}
	left := 0
	for _, c := range h.Changes {
		switch {
		case c.Fate == "":
			continue
		case !h.All && c.Verdict != Blocked && len(c.Corrected) == 0:
			left++
			continue
		}
		rules := c.Errors
		switch c.Verdict {
		case Warned:
			rules = slices.Concat(c.Errors, c.Warnings)
		case Told:
			rules = c.Infos
		}
		role := map[string]text.Role{Blocked: text.Error, Warned: text.Warning}[c.Verdict]
		table.Add(text.Styled(c.Commit[:12], text.Place), c.Date, text.Styled(c.Verdict, role), c.Fate, text.Dash(strings.Join(rules, ", ")))
		table.Note(c.Subject)
		for _, by := range c.Corrected {
			said := words.Map(by.Steps, history.Corrected.String)
			slices.Sort(said)
			table.Note(fmt.Sprintf("corrected by %s on %s: %s", by.By[:12], by.Date, words.JoinSome(slices.Compact(said), maxSaid)))
		}
	}
	if table.Rows() > 0 {
		a.Section("The changes")
		a.Table(table)
	}
	if left > 0 {
		a.Section()
		a.InText().Say(fmt.Sprintf("%s neither blocked nor corrected: --details lists them.", words.CountPlural(left, "other change was", "other changes were")))
	}
}

// maxSaid is how many of the things that one change corrects of another are said.
const maxSaid = 2
