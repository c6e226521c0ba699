package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/history"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Verdict is what lint says of a change.
type Verdict string

const (
	Blocked     Verdict = "blocked"
	Warned      Verdict = "warned"
	Told        Verdict = "told" // infos
	Clean       Verdict = "clean"
	Skipped     Verdict = "skipped" // it touches no package
	NoCatalogs  Verdict = "no catalog"
	NotReadable Verdict = "not readable"
)

// judged are the verdicts of changes that were judged, the worst first.
var judged = []Verdict{Blocked, Warned, Told, Clean}

// Judged reports whether the change was judged.
func (v Verdict) Judged() bool { return slices.Contains(judged, v) }

// HistoryChange is a change of a repository, what lint says of it, and what became of it.
type HistoryChange struct {
	gittree.Commit
	Verdict     Verdict
	Why         string                     // it is not readable
	Rules       map[lint.Severity][]string // with findings, sorted: a rule where its worst finding is
	Fate        history.Fate               // "" if it was not judged
	Corrections []history.Correction       // By is an index in History.Changes
}

// Judge sets the verdict of findings on a change, of which some block it. differs says whether it touches a package.
func (c *HistoryChange) Judge(findings []lint.Finding, differs bool, blocks func(*lint.Finding) bool) {
	worst := map[string]lint.Severity{}
	if c.Verdict = Clean; !differs && len(findings) == 0 {
		c.Verdict = Skipped
	}
	for i := range findings {
		f := &findings[i]
		if known, ok := worst[f.Rule]; !ok || f.Severity > known {
			worst[f.Rule] = f.Severity
		}
		verdict := Told
		switch {
		case blocks(f):
			verdict = Blocked
		case f.Severity >= lint.Warning:
			verdict = Warned
		}
		if slices.Index(judged, verdict) < slices.Index(judged, c.Verdict) || c.Verdict == Skipped {
			c.Verdict = verdict
		}
	}
	c.Rules = map[lint.Severity][]string{}
	for _, rule := range slices.Sorted(maps.Keys(worst)) {
		c.Rules[worst[rule]] = append(c.Rules[worst[rule]], rule)
	}
}

func (c *HistoryChange) short() string { return c.Hash[:12] }

func (c *HistoryChange) day() string { return time.Unix(c.Date, 0).UTC().Format(time.DateOnly) }

// History is what lint says of the last changes of a repository, and what became of them.
type History struct {
	Revision string
	Asked    int             // how many changes were asked for
	Changes  []HistoryChange // the oldest first
	All      bool            // the text lists all that were judged
}

// of counts the changes of a kind by what lint says of them.
func (h *History) of(is func(*HistoryChange) bool) jsonVerdicts {
	var n jsonVerdicts
	for i := range h.Changes {
		if c := &h.Changes[i]; is(c) {
			n.All++
			if count := map[Verdict]*int{Blocked: &n.Blocked, Warned: &n.Warned, Told: &n.Told, Clean: &n.Clean}[c.Verdict]; count != nil {
				*count++
			}
		}
	}
	return n
}

func (h *History) ofFate(fate history.Fate) jsonVerdicts {
	return h.of(func(c *HistoryChange) bool { return c.Fate == fate })
}

func (h *History) withVerdict(v Verdict) int {
	return h.of(func(c *HistoryChange) bool { return c.Verdict == v }).All
}

// kinds counts the mistakes by what was corrected; one can be of several kinds.
func (h *History) kinds() []jsonMistakes {
	var all []jsonMistakes
	for _, kind := range history.Kinds() {
		n := h.of(func(c *HistoryChange) bool {
			return c.Fate == history.Mistake && slices.ContainsFunc(c.Corrections, func(o history.Correction) bool {
				return slices.ContainsFunc(o.Steps, func(s history.Corrected) bool { return s.Kind() == kind })
			})
		})
		if n.All > 0 {
			all = append(all, jsonMistakes{kind, n})
		}
	}
	return all
}

// rules counts the changes that each rule has findings on, those first that block or warn of most innocent ones.
func (h *History) rules() []jsonHistoryRule {
	byRule := map[string]*jsonHistoryRule{}
	for i := range h.Changes {
		c := &h.Changes[i]
		for severity, rules := range c.Rules {
			for _, rule := range rules {
				n := byRule[rule]
				if n == nil {
					n = &jsonHistoryRule{Rule: rule}
					byRule[rule] = n
				}
				of := map[history.Fate]*jsonSeverities{history.Mistake: &n.Mistakes, history.Innocent: &n.Innocent, history.TooEarly: &n.TooEarly}[c.Fate]
				*map[lint.Severity]*int{lint.Info: &of.Infos, lint.Warning: &of.Warnings, lint.Error: &of.Errors}[severity]++
			}
		}
	}
	all := slices.Collect(maps.Values(byRule))
	slices.SortFunc(all, func(a, b *jsonHistoryRule) int {
		return cmp.Or(cmp.Compare(b.Innocent.Errors, a.Innocent.Errors), cmp.Compare(b.Innocent.Warnings, a.Innocent.Warnings), strings.Compare(a.Rule, b.Rule))
	})
	return phrase.Of(all, func(r *jsonHistoryRule) jsonHistoryRule { return *r })
}

// say says the totals first, and then the changes that were blocked or corrected.
func (h *History) say() *answer.Answer {
	judgedOnes := h.of(func(c *HistoryChange) bool { return c.Verdict.Judged() })
	a := answer.New(fmt.Sprintf("%s up to %s, of which %s judged", phrase.Count(len(h.Changes), "change"), h.Revision, phrase.CountOf(judgedOnes.All, "is", "are")))
	a.Section()
	totals := &answer.Table{Columns: []string{"changes", "all", "blocked", "warned", "told", "clean"}, Right: []int{1, 2, 3, 4, 5}}
	for _, t := range []struct {
		what string
		n    jsonVerdicts
	}{{"mistakes: corrected within 90 days", h.ofFate(history.Mistake)}, {"innocent: not corrected", h.ofFate(history.Innocent)}, {"too early to tell", h.ofFate(history.TooEarly)}} {
		addVerdicts(totals, t.what, t.n)
	}
	a.Table(totals)
	h.sayRest(a)
	if kinds := h.kinds(); len(kinds) > 0 {
		a.Section("Mistakes by what was corrected")
		table := &answer.Table{Columns: []string{"corrected", "all", "blocked", "warned", "told", "clean"}, Right: []int{1, 2, 3, 4, 5}}
		for _, k := range kinds {
			addVerdicts(table, k.Kind, k.jsonVerdicts)
		}
		a.Table(table)
	}
	h.sayRules(a)
	h.sayChanges(a)
	return a
}

func addVerdicts(t *answer.Table, what string, n jsonVerdicts) {
	t.Add(what, n.All, n.Blocked, n.Warned, n.Told, n.Clean)
}

// sayRest says why changes were not judged.
func (h *History) sayRest(a *answer.Answer) {
	var rest []string
	for _, r := range []struct {
		of        Verdict
		one, said string
	}{{Skipped, "touches no catalog, template or bundle", "touch no catalog, template or bundle"}, {NoCatalogs, "has no catalog there", "have no catalog there"},
		{NotReadable, "could not be read", "could not be read"}} {
		if n := h.withVerdict(r.of); n > 0 {
			rest = append(rest, phrase.CountOf(n, r.one, r.said))
		}
	}
	if len(rest) > 0 {
		a.Section()
		a.Say("Not judged: ", strings.Join(rest, "; "), ".")
	}
	if i := slices.IndexFunc(h.Changes, func(c HistoryChange) bool { return c.Verdict == NotReadable }); i >= 0 {
		a.Say("The first that could not be read is ", h.Changes[i].short(), ": ", h.Changes[i].Why)
	}
	if len(h.Changes) < h.Asked {
		a.Say(fmt.Sprintf("The history that is here has no more than %s.", phrase.Count(len(h.Changes), "change")))
	}
}

// sayRules says on how many mistakes and innocent changes each rule has errors and warnings.
func (h *History) sayRules(a *answer.Answer) {
	table := &answer.Table{Columns: []string{"rule", "mistakes: errors", "warnings", "innocent: errors", "warnings"}, Right: []int{1, 2, 3, 4}}
	for _, r := range h.rules() {
		if r.Mistakes.Errors+r.Mistakes.Warnings+r.Innocent.Errors+r.Innocent.Warnings > 0 {
			table.Add(r.Rule, r.Mistakes.Errors, r.Mistakes.Warnings, r.Innocent.Errors, r.Innocent.Warnings)
		}
	}
	if table.Rows() > 0 {
		a.Section("Rules by the changes that they are about")
		a.Table(table)
	}
}

// sayChanges lists the changes that were blocked or corrected, the newest first.
func (h *History) sayChanges(a *answer.Answer) {
	table := &answer.Table{Columns: []string{"change", "date", "lint", "later", "rules"}}
	left := 0
	for i := range slices.Backward(h.Changes) {
		c := &h.Changes[i]
		switch {
		case !c.Verdict.Judged():
			continue
		case !h.All && c.Verdict != Blocked && c.Fate != history.Mistake:
			left++
			continue
		}
		table.Add(text.Styled(c.short(), text.Place), c.day(), verdictWord(c.Verdict), string(c.Fate), text.Dash(strings.Join(c.told(), ", ")))
		table.Note(c.Subject)
		for _, o := range c.Corrections {
			by := &h.Changes[o.By]
			said := o.Said()
			more := ""
			if n := len(said) - maxSaid; n > 0 {
				said, more = said[:maxSaid], fmt.Sprintf("; and %d more", n)
			}
			table.Note(fmt.Sprintf("corrected by %s on %s: %s%s", by.short(), by.day(), strings.Join(said, "; "), more))
		}
	}
	if table.Rows() > 0 {
		heading := "Changes that were blocked or corrected"
		if h.All {
			heading = "Changes that were judged"
		}
		a.Section(heading)
		a.Table(table)
	}
	if left > 0 {
		a.Section()
		a.InText().Say(fmt.Sprintf("%s neither blocked nor corrected: --details lists them.", phrase.CountOf(left, "other change was", "other changes were")))
	}
}

// maxSaid is how many of the things that one change corrects of another are said.
const maxSaid = 2

// told returns the rules of the worst severity that found something.
func (c *HistoryChange) told() []string {
	for _, s := range []lint.Severity{lint.Error, lint.Warning} {
		if len(c.Rules[s]) > 0 {
			return c.Rules[s]
		}
	}
	return nil
}

func verdictWord(v Verdict) text.Word {
	switch v {
	case Blocked:
		return text.Styled(string(v), text.Error)
	case Warned:
		return text.Styled(string(v), text.Warning)
	}
	return text.Plain(string(v))
}

// jsonHistory is the JSON form of a History.
type jsonHistory struct {
	text.Document
	Revision    string              `json:"revision"`
	Judged      jsonVerdicts        `json:"judged"`      // all changes that were judged
	Skipped     int                 `json:"skipped"`     // they touch no catalog, template or bundle
	NoCatalog   int                 `json:"noCatalog"`   // there is no catalog at the path
	NotReadable int                 `json:"notReadable"` // the clone lacks objects, or a file could not be read
	Mistakes    jsonVerdicts        `json:"mistakes"`    // a later change corrects them within 90 days
	Innocent    jsonVerdicts        `json:"innocent"`    // no later change corrects them, within 90 days that have passed
	TooEarly    jsonVerdicts        `json:"tooEarly"`    // neither, yet
	Kinds       []jsonMistakes      `json:"kinds"`       // a mistake can be of several
	Rules       []jsonHistoryRule   `json:"rules"`
	Changes     []jsonHistoryChange `json:"changes"` // the newest first
}

// jsonVerdicts counts changes by the worst that lint says of them.
type jsonVerdicts struct {
	All     int `json:"all"`
	Blocked int `json:"blocked"`
	Warned  int `json:"warned"`
	Told    int `json:"told"` // infos alone
	Clean   int `json:"clean"`
}

type jsonMistakes struct {
	Kind string `json:"kind"` // what was corrected
	jsonVerdicts
}

// jsonHistoryRule counts the changes on which a rule has findings, by the worst of these.
type jsonHistoryRule struct {
	Rule     string         `json:"rule"`
	Mistakes jsonSeverities `json:"mistakes"`
	Innocent jsonSeverities `json:"innocent"`
	TooEarly jsonSeverities `json:"tooEarly"`
}

type jsonSeverities struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

type jsonHistoryChange struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"` // the day in UTC
	Subject string `json:"subject"`
	Verdict string `json:"verdict" enum:"blocked,warned,told,clean,skipped,no catalog,not readable"`
	Why     string `json:"why"`                                     // it is not readable; or empty
	Fate    string `json:"fate" enum:"mistake,innocent,too early,"` // empty if it was not judged
	// Errors, Warnings and Infos are rules: each once, where its worst finding is.
	Errors    []string         `json:"errors"`
	Warnings  []string         `json:"warnings"`
	Infos     []string         `json:"infos"`
	Corrected []jsonCorrection `json:"corrected"` // by later changes
}

type jsonCorrection struct {
	By    string              `json:"by"` // the commit
	Date  string              `json:"date"`
	Steps []jsonCorrectedStep `json:"steps"`
}

// jsonCorrectedStep is a step that was corrected. Of a value that was not there yet, or is not any more, it is empty.
type jsonCorrectedStep struct {
	Kind    string `json:"kind"`
	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Channel string `json:"channel"` // or empty
	Name    string `json:"name"`    // of an entry or a bundle, or empty
	Before  string `json:"before"`  // the value before the change
	Wrong   string `json:"wrong"`   // what the change made of it
	Now     string `json:"now"`     // what the later change made of it
}

func (h *History) json() jsonHistory {
	j := jsonHistory{Document: text.NewDocument(), Revision: h.Revision, Judged: h.of(func(c *HistoryChange) bool { return c.Verdict.Judged() }), Skipped: h.withVerdict(Skipped),
		NoCatalog: h.withVerdict(NoCatalogs), NotReadable: h.withVerdict(NotReadable), Mistakes: h.ofFate(history.Mistake), Innocent: h.ofFate(history.Innocent), TooEarly: h.ofFate(history.TooEarly),
		Kinds: h.kinds(), Rules: h.rules()}
	for _, c := range slices.Backward(h.Changes) {
		one := jsonHistoryChange{c.Hash, c.day(), c.Subject, string(c.Verdict), c.Why, string(c.Fate), c.Rules[lint.Error], c.Rules[lint.Warning], c.Rules[lint.Info], nil}
		for _, o := range c.Corrections {
			by := &h.Changes[o.By]
			one.Corrected = append(one.Corrected, jsonCorrection{by.Hash, by.day(), phrase.Of(o.Steps, func(s history.Corrected) jsonCorrectedStep {
				return jsonCorrectedStep{s.Kind(), s.Catalog, s.Package, s.Channel, s.Name, s.Was, s.Is, s.Later.Is}
			})})
		}
		j.Changes = append(j.Changes, one)
	}
	return j
}
