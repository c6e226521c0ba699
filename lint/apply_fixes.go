package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/repo"
)

// maxRounds limits the rounds of ApplyFixes. Two are enough: the fixes of names and lists, then those of rules with EditsLast.
const maxRounds = 10

// FixResult is the result of applying fixes. Nothing has been written.
type FixResult struct {
	Files   []FixedFile      // by name; changed ones only
	Fixed   int              // findings: one can be fixed in several files
	Unfixed []UnfixedFinding // findings whose fix was not applied
}

// FixedFile is a file that fixes change.
type FixedFile struct {
	Name     string // as in positions
	Old, New []byte
	Fixed    int // findings that are fixed in it
}

// UnfixedFinding is a finding whose fix was not applied, with the reason.
type UnfixedFinding struct {
	Finding
	Why string
}

// Reopen opens the catalogs of a run again with revised contents of some files, keyed by their names in positions.
type Reopen func(revised map[string][]byte) ([]*catalogs.Catalog, error)

// ApplyFixes applies the fixes of the unsuppressed findings of Run, round by round until none is left. It writes nothing. It then
// lints the result, and drops the fixes of each package in which opm or OLM v0 would reject something that they accept now.
func ApplyFixes(ctx context.Context, cats []*catalogs.Catalog, o Options, open Reopen) (*FixResult, error) {
	o.AllRules = o.allRules()
	o.Rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return !r.HasEdits })
	rejected := map[Subject]string{}
	for {
		x := newFixer(cats, o)
		x.ctx, x.open, x.rejected = ctx, open, rejected
		after, err := x.run()
		if err != nil {
			return nil, err
		}
		problems, err := x.newProblems(after)
		if err != nil {
			return nil, err
		}
		if len(problems) == 0 {
			return x.result(), nil
		}
		for pkg, why := range problems {
			rejected[pkg] = why
		}
	}
}

// FixOnce applies the fixes of findings once, as one round of ApplyFixes. It writes nothing and does not lint the result.
func FixOnce(cats []*catalogs.Catalog, findings []Finding, rules []Rule) (*FixResult, error) {
	x := newFixer(cats, Options{Rules: rules})
	if _, err := x.round(cats, findings); err != nil {
		return nil, err
	}
	return x.result(), nil
}

// fixer is one attempt to apply fixes.
type fixer struct {
	ctx      context.Context
	options  Options
	open     Reopen
	before   []*catalogs.Catalog
	rejected map[Subject]string // packages that are not changed, with the reason

	original, edited map[string][]byte
	fixed            map[*Finding]bool // of all rounds
	fixedIn          map[string]int    // number of findings, by file
	touched          map[Subject]bool
	unfixed          []UnfixedFinding // of the last round
}

func newFixer(cats []*catalogs.Catalog, o Options) *fixer {
	return &fixer{options: o, before: cats,
		original: map[string][]byte{}, edited: map[string][]byte{}, fixed: map[*Finding]bool{}, fixedIn: map[string]int{}, touched: map[Subject]bool{}}
}

// packageSubject returns the package of a finding.
func packageSubject(f *Finding) Subject { return Subject{Catalog: f.Catalog, Package: f.Package} }

// run applies fixes until none is left, and returns the catalogs as they are then.
func (x *fixer) run() ([]*catalogs.Catalog, error) {
	cats := x.before
	for range maxRounds {
		findings, err := Run(x.ctx, cats, x.options)
		if err != nil {
			return nil, err
		}
		changed, err := x.round(cats, findings)
		if err != nil || !changed {
			return cats, err
		}
		if cats, err = x.open(x.edited); err != nil {
			return nil, err
		}
	}
	return cats, nil
}

// round applies the fixes of findings, those of rules with EditsLast only if there are no others. It reports whether it changed
// anything.
func (x *fixer) round(cats []*catalogs.Catalog, findings []Finding) (changed bool, err error) {
	x.unfixed = nil
	for _, last := range []bool{false, true} {
		if changed, err = x.applyFixes(cats, findings, last); changed || err != nil {
			break
		}
	}
	return changed, err
}

// editsLast reports whether the rule of a finding has EditsLast.
func (x *fixer) editsLast(f *Finding) bool {
	return slices.ContainsFunc(x.options.Rules, func(r Rule) bool { return r.ID == f.Rule && r.EditsLast })
}

// applyFixes applies the fixes of the findings whose rules have EditsLast, or of the others.
func (x *fixer) applyFixes(cats []*catalogs.Catalog, findings []Finding, last bool) (changed bool, err error) {
	var names []string
	byFile := map[string]*fileEdits{}
	for i := range findings {
		f := &findings[i]
		if len(f.Edits) == 0 || f.Suppressed != "" || x.editsLast(f) != last {
			continue
		}
		if why := x.rejected[packageSubject(f)]; why != "" {
			x.unfixed = append(x.unfixed, UnfixedFinding{*f, why})
			continue
		}
		for _, e := range f.Edits {
			b := byFile[e.Pos.File]
			if b == nil {
				b = &fileEdits{catalog: namedCatalog(cats, f.Catalog)}
				byFile[e.Pos.File] = b
				names = append(names, e.Pos.File)
			}
			b.edits, b.findings = append(b.edits, e), append(b.findings, f)
		}
	}
	for _, name := range names {
		some, err := x.editFile(name, byFile[name])
		if err != nil {
			return false, err
		}
		changed = changed || some
	}
	return changed, nil
}

// fileEdits has the edits of one file, and the finding of each.
type fileEdits struct {
	catalog  *catalogs.Catalog
	edits    []edit.Edit
	findings []*Finding
}

// namedCatalog returns the catalog of that name. There must be one.
func namedCatalog(cats []*catalogs.Catalog, name string) *catalogs.Catalog {
	return cats[slices.IndexFunc(cats, func(c *catalogs.Catalog) bool { return c.Name == name })]
}

// editFile applies the edits of one file, and reports whether they change it.
func (x *fixer) editFile(name string, b *fileEdits) (bool, error) {
	if !b.catalog.OnDisk() {
		x.recordUnfixed(b, func(int) string { return "it is not in a local file" })
		return false, nil
	}
	if b.catalog.Source.IsRestricted(name) {
		x.recordUnfixed(b, func(int) string { return "a link leads out of the catalog to it" })
		return false, nil
	}
	if template := repo.TemplateFor(b.catalog, name); template != "" {
		x.recordUnfixed(b, func(int) string {
			return "it is made of a template: make it again from " + template + ", and if the finding stays, change that"
		})
		return false, nil
	}
	text, err := b.catalog.ReadFile(name)
	if err != nil {
		return false, err
	}
	revised, refused := edit.ApplyEdits(text, b.edits)
	x.recordUnfixed(b, func(i int) string {
		if refused[i] != nil {
			return refused[i].Error()
		}
		return ""
	})
	if slices.Equal(revised, text) {
		return false, nil
	}
	if x.original[name] == nil {
		x.original[name] = text
	}
	x.edited[name] = revised
	return true, nil
}

// recordUnfixed records which findings are fixed. A finding is not fixed if its first edit was rejected.
func (x *fixer) recordUnfixed(b *fileEdits, why func(edit int) string) {
	for i, f := range b.findings {
		again := i > 0 && b.findings[i-1] == f
		switch reason := why(i); {
		case reason != "" && !again:
			x.unfixed = append(x.unfixed, UnfixedFinding{*f, reason})
		case reason == "" && !again:
			x.fixed[f] = true
			x.fixedIn[b.edits[i].Pos.File]++
			x.touched[packageSubject(f)] = true
		}
	}
}

// newProblems returns the packages in which opm or OLM v0 reject something that they accepted before, with the reason.
func (x *fixer) newProblems(after []*catalogs.Catalog) (map[Subject]string, error) {
	if len(x.edited) == 0 {
		return nil, nil
	}
	was, err := x.rejections(x.before)
	if err != nil {
		return nil, err
	}
	is, err := x.rejections(after)
	if err != nil {
		return nil, err
	}
	problems := map[Subject]string{}
	count := map[string]int{}
	for i := range was {
		for _, key := range rejectionKeys(&was[i]) {
			count[key]++
		}
	}
	for i := range is {
		f := &is[i]
		isNew := false
		for _, key := range rejectionKeys(f) {
			count[key]--
			isNew = isNew || count[key] < 0
		}
		if !isNew {
			continue
		}
		for pkg := range x.touched {
			if pkg.Catalog == f.Catalog && (f.Package == "" || f.Package == pkg.Package) {
				problems[pkg] = fmt.Sprintf("the package would have a new problem: %s [%s]", f.Message, f.Rule)
			}
		}
	}
	return problems, nil
}

// rejections returns what opm and OLM v0 reject in the changed packages, whatever the configuration says.
func (x *fixer) rejections(cats []*catalogs.Catalog) ([]Finding, error) {
	o := Options{Rules: x.options.AllRules, Gates: GateOPM | GateOLMv0, MinSeverity: Error}
	for pkg := range x.touched {
		o.Packages = append(o.Packages, pkg.Package)
	}
	return Run(x.ctx, cats, o)
}

// rejectionKeys identify a rejection before and after the fixes, when its position and message may differ: one key for each fault
// in each channel.
func rejectionKeys(f *Finding) []string {
	var all []string
	for _, s := range f.places() {
		for _, fault := range f.AllFaults() {
			if fault != "" {
				s.Bundle = fault // entries that are stuck can have another cause then
			}
			all = append(all, strings.Join([]string{f.Rule, f.Catalog, f.Package, s.Channel, s.Bundle, s.CRD}, "\x00"))
		}
	}
	return all
}

func (x *fixer) result() *FixResult {
	r := &FixResult{Fixed: len(x.fixed), Unfixed: x.unfixed}
	for name, text := range x.edited {
		r.Files = append(r.Files, FixedFile{Name: name, Old: x.original[name], New: text, Fixed: x.fixedIn[name]})
	}
	slices.SortFunc(r.Files, func(a, b FixedFile) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// fixable reports whether edits can be applied: the catalog is file-based, and all positions are known.
func fixable(c *catalogs.Catalog, edits []edit.Edit) bool {
	return c.Editable() &&
		!slices.ContainsFunc(edits, func(e edit.Edit) bool { return e.Pos.Line == 0 })
}
