package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// summary writes what follows the findings: a table of the packages, the number of findings, what was checked, and the commands to
// type next.
func (t *reportText) summary(groups []*group) {
	r := t.report
	t.packages(groups)
	said, checked := r.tally(), "Checked "+r.describeChecked()
	switch {
	case r.NoRules && len(groups) == 0:
		said, checked = r.clean(), "Read "+r.read()+r.unread()+r.describeBase()
	case len(groups) == 0:
		said = r.clean()
	case !r.Infos && r.count().Infos > 0:
		said += " (--min-severity info shows infos)"
	}
	if r.hidesPruned() {
		checked += ". Channels no longer have all published bundles, and users of these may be stuck"
	}
	t.Wrapped("", "", text.Plain(said+". "+checked+"."+r.unseen()))
	t.writeNext()
}

// prunedRule reports bundles that opm registry add removed from their channels.
const prunedRule = "manifest/pruned"

// hidesPruned reports whether such findings are among the infos that are not shown.
func (r Report) hidesPruned() bool {
	return !r.Infos && slices.ContainsFunc(r.Findings, func(f lint.Finding) bool {
		return f.Rule == prunedRule && f.Severity == lint.Info && f.Suppressed == ""
	})
}

// packages writes a table of the packages with errors or warnings, unless there is only one.
func (t *reportText) packages(groups []*group) {
	table := &text.Table{Header: []string{"PACKAGE", "ERRORS", "WARNINGS", "INFOS", "WORST RULE"}, Right: []int{1, 2, 3}}
	for _, g := range groups {
		if g.worstSeverity() < lint.Warning {
			continue
		}
		count := func(s lint.Severity) text.Word { return text.Plain(strconv.Itoa(g.bySeverity[s])) }
		table.Add(text.Plain(g.name()), count(lint.Error), count(lint.Warning), count(lint.Info),
			text.Styled(worstRule(g.findings), SeverityRole(g.worstSeverity())))
	}
	left := len(table.Rows) - t.report.most(mostLines)
	table.Rows = table.Rows[:min(len(table.Rows), t.report.most(mostLines))]
	if len(table.Rows) > 1 {
		t.Table(table)
		if left > 0 {
			t.Line("and " + words.Count(left, "more package"))
		}
		t.Line("")
	}
}

// worstRule returns the rule with the most findings of the worst severity.
func worstRule(findings []*lint.Finding) string {
	counts := map[string]int{}
	worst := lint.Off
	for _, f := range findings {
		worst = max(worst, f.Severity)
	}
	rule := ""
	for _, f := range findings {
		if f.Severity < worst {
			continue
		}
		if counts[f.Rule] += f.Count(); rule == "" || counts[f.Rule] > counts[rule] {
			rule = f.Rule
		}
	}
	return rule
}

// describeChecked says what was checked, and what it was compared with.
func (r Report) describeChecked() string {
	checked := r.read()
	if n := r.rulesRun(); n > 0 {
		checked += ", with " + words.Count(n, "rule")
	}
	return checked + r.unread() + r.describeBase()
}

// describeBase says what was compared with; it is empty if that is not known.
func (r Report) describeBase() string { return words.Prefix("; compared with ", r.Base) }

// unseen are the bundles that were checked without manifests.
type unseen struct {
	Bundles int      `json:"bundles"`
	Rules   []string `json:"rules"` // IDs of the rules that found nothing in these, since they need manifests
	// Registries are those of their images, which --pull missing asks.
	Registries []string `json:"registries"`
}

// findUnseen returns the bundles that were checked without manifests.
func (r Report) findUnseen() (u unseen) {
	if u.Bundles = r.stats().Unseen; u.Bundles == 0 {
		return u
	}
	for _, rule := range r.Rules {
		if rule.NeedsManifests {
			u.Rules = append(u.Rules, rule.ID)
		}
	}
	for _, c := range r.Catalogs {
		u.Registries = append(u.Registries, c.UnseenIn...)
	}
	slices.Sort(u.Registries)
	u.Registries = slices.Compact(u.Registries)
	return u
}

// rulesRun returns the number of rules that could find something: without manifests some could not.
func (r Report) rulesRun() int {
	if s := r.stats(); s.Seen == 0 && s.Unseen > 0 {
		return len(r.Rules) - len(r.findUnseen().Rules)
	}
	return len(r.Rules)
}

// unseen says how many bundles had no manifests, and what that means; it is empty if there are none, or no rule needs them.
func (r Report) unseen() string {
	s, u := r.stats(), r.findUnseen()
	need := len(u.Rules)
	switch {
	case need == 0:
		return ""
	case s.Seen == 0:
		return fmt.Sprintf(" %s not run: none of %s has manifests. %s.", words.CountPlural(need, "more rule was", "more rules were"), words.CountPlural(s.Unseen, "bundle", "bundles"), u.howSeen())
	}
	return fmt.Sprintf(" %d of %s no manifests, which %s. %s.", s.Unseen, words.CountPlural(s.Seen+s.Unseen, "bundle has", "bundles have"),
		words.CountPlural(need, "rule needs", "rules need"), u.howSeen())
}

// howSeen says how manifests are added.
func (u unseen) howSeen() string {
	from := u.Registries
	if len(from) == 0 {
		return "--bundles can add them"
	}
	where := from[0]
	if len(from) > 1 {
		where = words.CountPlural(len(from), "registry", "registries")
	}
	return fmt.Sprintf("--bundles can add them, or --pull missing, from %s", where)
}

// read says what was read.
func (r Report) read() string {
	s := r.stats()
	checked := fmt.Sprintf("%s, %s, %s, %s", words.Count(s.Packages, "package"), words.Count(s.Channels, "channel"),
		words.CountPlural(s.Entries, "entry", "entries"), words.Count(s.Bundles, "bundle"))
	if n := r.selectedPackages(); n < s.Packages {
		checked = fmt.Sprintf("%d of %s", n, words.Count(s.Packages, "package"))
	}
	checked += fmt.Sprintf(" in %s (%s)", words.Count(s.Files, "file"), text.Size(s.Bytes))
	isEmpty := func(c *catalogs.Catalog) bool { return ofRepository(c) && c.Stats.Packages == 0 && s.Packages > 0 }
	if n := len(slices.DeleteFunc(slices.Clone(r.Catalogs), isEmpty)); len(r.Catalogs) != 1 {
		checked = words.Count(n, "catalog") + ": " + checked
	} else if form := DescribeForm(r.Catalogs[0]); form != "" {
		checked = form + ": " + checked
	}
	return checked
}

// unread says how many files were not read, since the base has the same; it is empty if there are none.
func (r Report) unread() string {
	n := r.stats().Unread
	if n == 0 {
		return ""
	}
	one, many := "file is", "files are"
	if slices.ContainsFunc(r.Catalogs, func(c *catalogs.Catalog) bool { return c.Form != catalogs.FileBased && c.Stats.Unread > 0 }) {
		one, many = "bundle or file is", "bundles and files are"
	}
	return fmt.Sprintf("; %s the same as in the base, and not read", words.CountPlural(n, one, many))
}

// selectedPackages returns the number of packages that were checked, of all catalogs.
func (r Report) selectedPackages() int {
	if len(r.Packages) == 0 {
		return r.stats().Packages
	}
	n := 0
	for _, c := range r.Catalogs {
		for _, p := range c.Packages {
			if slices.Contains(r.Packages, p.Name.Value) {
				n++
			}
		}
	}
	return n
}

// writeNext writes what to type next. The lines are not wrapped, so that they can be copied.
func (t *reportText) writeNext() {
	var next []string
	var shown []*lint.Finding
	left, edits := len(t.omitted), false
	for f := range t.report.shownFindings() {
		shown = append(shown, f)
		for _, one := range lint.UnfoldCRDs([]lint.Finding{*f}) {
			left += len(one.Details) + max(0, len(one.Related)-mostRelated) + len(one.Also)
			edits = edits || len(one.Edits) > 0 && one.MadeOf == ""
		}
	}
	if len(shown) > 0 {
		next = append(next, "olmgraph explain "+worstRule(shown))
	}
	if t.report.FixCommand != "" && edits {
		next = append(next, t.report.FixCommand)
	}
	if t.report.DetailsCommand != "" && !t.report.Details && left > 0 {
		next = append(next, t.report.DetailsCommand)
	}
	if t.report.hidesPruned() {
		next = append(next, "olmgraph explain "+prunedRule)
	}
	if t.report.InsteadCommand != "" {
		next = []string{t.report.InsteadCommand}
	}
	for i, command := range next {
		start := "      "
		if i == 0 {
			start = "\nnext: "
		}
		t.Line(t.Paint(text.Faint, start) + text.Safe(command))
	}
}
