package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// maxRounds bounds how often Mend looks again. It takes two: the fixes of names and lists, then those that depend on them.
const maxRounds = 10

// FixResult is what the fixes of findings make of a run's sources.
type FixResult struct {
	Files   []FixedFile      // by name; only those that change
	Unfixed []UnfixedFinding // findings that have a fix, and why it was not made
}

// Fixed is how many findings were mended.
func (m *FixResult) Fixed() int {
	n := 0
	for i := range m.Files {
		n += m.Files[i].Fixed
	}
	return n
}

// FixedFile is a file, what it said and what it is to say.
type FixedFile struct {
	Name     string // as in positions
	Old, New []byte
	Fixed    int // findings
}

// UnfixedFinding is a finding that has a fix which was not made.
type UnfixedFinding struct {
	Finding
	Why string
}

// Reopen reads the catalogs of a run again, as if files said something else: by their names in positions.
type Reopen func(revised map[string][]byte) ([]*catalogs.Catalog, error)

// ApplyFixes makes the fixes of the findings that Run reports and that count, round by round until there is none left, and writes
// nothing. It looks again at what comes out: a package in which opm or OLM v0 would then refuse anything that they do not
// refuse now is left as it is.
func ApplyFixes(ctx context.Context, cats []*catalogs.Catalog, o Options, open Reopen) (*FixResult, error) {
	o.AllRules = o.allRules()
	o.Rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return !r.HasEdits })
	worse := map[Subject]string{}
	for {
		m := newFixer(cats, o)
		m.ctx, m.open, m.rejected = ctx, open, worse
		after, err := m.run()
		if err != nil {
			return nil, err
		}
		gained, err := m.newProblems(after)
		if err != nil {
			return nil, err
		}
		if len(gained) == 0 {
			return m.result(), nil
		}
		for pkg, why := range gained {
			worse[pkg] = why
		}
	}
}

// FixOnce makes the fixes of findings of rules once, as one round of ApplyFixes, and writes nothing. It does not look at what comes out.
func FixOnce(cats []*catalogs.Catalog, findings []Finding, rules []Rule) (*FixResult, error) {
	m := newFixer(cats, Options{Rules: rules})
	if _, err := m.round(cats, findings); err != nil {
		return nil, err
	}
	return m.result(), nil
}

// fixer is one attempt.
type fixer struct {
	ctx      context.Context
	options  Options
	open     Reopen
	before   []*catalogs.Catalog
	rejected map[Subject]string // packages, and why they are left as they are

	original, edited map[string][]byte
	fixed            map[string]int // findings, by file
	touched          map[Subject]bool
	unfixed          []UnfixedFinding // in the last round
}

func newFixer(cats []*catalogs.Catalog, o Options) *fixer {
	return &fixer{options: o, before: cats,
		original: map[string][]byte{}, edited: map[string][]byte{}, fixed: map[string]int{}, touched: map[Subject]bool{}}
}

// packageOf is the package that a finding is about.
func packageOf(f *Finding) Subject { return Subject{Catalog: f.Catalog, Package: f.Package} }

// run mends until there is nothing left, and returns the catalogs as they are then.
func (m *fixer) run() ([]*catalogs.Catalog, error) {
	cats := m.before
	for range maxRounds {
		findings, err := Run(m.ctx, cats, m.options)
		if err != nil {
			return nil, err
		}
		changed, err := m.round(cats, findings)
		if err != nil || !changed {
			return cats, err
		}
		if cats, err = m.open(m.edited); err != nil {
			return nil, err
		}
	}
	return cats, nil
}

// round makes the fixes of some findings, those that depend on others where there are no others to make, and reports whether it
// made any.
func (m *fixer) round(cats []*catalogs.Catalog, findings []Finding) (changed bool, err error) {
	m.unfixed = nil
	for _, depends := range []bool{false, true} {
		if changed, err = m.applyFixes(cats, findings, depends); changed || err != nil {
			break
		}
	}
	return changed, err
}

// editsLast reports whether the edits of a finding are made when there are no others left.
func (m *fixer) editsLast(f *Finding) bool {
	return slices.ContainsFunc(m.options.Rules, func(r Rule) bool { return r.ID == f.Rule && r.EditsLast })
}

// applyFixes makes the fixes of findings that depend on others, or of those that do not.
func (m *fixer) applyFixes(cats []*catalogs.Catalog, findings []Finding, depends bool) (changed bool, err error) {
	var names []string
	byFile := map[string]*fileEdits{}
	for i := range findings {
		f := &findings[i]
		if len(f.Edits) == 0 || f.Suppressed != "" || m.editsLast(f) != depends {
			continue
		}
		if why := m.rejected[packageOf(f)]; why != "" {
			m.unfixed = append(m.unfixed, UnfixedFinding{*f, why})
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
		some, err := m.editFile(name, byFile[name])
		if err != nil {
			return false, err
		}
		changed = changed || some
	}
	return changed, nil
}

// fileEdits is the edits of one file, and the findings they are the fixes of.
type fileEdits struct {
	catalog  *catalogs.Catalog
	edits    []catalogs.Edit
	findings []*Finding
}

func namedCatalog(cats []*catalogs.Catalog, name string) *catalogs.Catalog {
	return cats[slices.IndexFunc(cats, func(c *catalogs.Catalog) bool { return c.Name == name })]
}

// editFile makes the edits of one file.
func (m *fixer) editFile(name string, b *fileEdits) (bool, error) {
	if !b.catalog.OnDisk() {
		m.recordUnfixed(b, func(int) string { return "it is not in a local file" })
		return false, nil
	}
	if b.catalog.Outside(name) {
		m.recordUnfixed(b, func(int) string { return "a link leads out of the catalog to it" })
		return false, nil
	}
	text, err := b.catalog.ReadFile(name)
	if err != nil {
		return false, err
	}
	revised, refused := catalogs.ApplyEdits(text, b.edits)
	m.recordUnfixed(b, func(i int) string {
		if refused[i] != nil {
			return refused[i].Error()
		}
		return ""
	})
	if slices.Equal(revised, text) {
		return false, nil
	}
	if m.original[name] == nil {
		m.original[name] = text
	}
	m.edited[name] = revised
	return true, nil
}

// recordUnfixed notes which of the findings are mended, and which are left because one of their edits is.
func (m *fixer) recordUnfixed(b *fileEdits, why func(edit int) string) {
	for i, f := range b.findings {
		again := i > 0 && b.findings[i-1] == f
		switch reason := why(i); {
		case reason != "" && !again:
			m.unfixed = append(m.unfixed, UnfixedFinding{*f, reason})
		case reason == "" && !again:
			m.fixed[f.Edits[0].Pos.File]++
			m.touched[packageOf(f)] = true
		}
	}
}

// newProblems returns the packages in which opm or OLM v0 refuse something that they did not before, and what.
func (m *fixer) newProblems(after []*catalogs.Catalog) (map[Subject]string, error) {
	if len(m.edited) == 0 {
		return nil, nil
	}
	was, err := m.rejections(m.before)
	if err != nil {
		return nil, err
	}
	is, err := m.rejections(after)
	if err != nil {
		return nil, err
	}
	gained := map[Subject]string{}
	count := map[string]int{}
	for i := range was {
		count[rejectionKey(&was[i])]++
	}
	for i := range is {
		f := &is[i]
		if count[rejectionKey(f)]--; count[rejectionKey(f)] >= 0 {
			continue
		}
		for pkg := range m.touched {
			if pkg.Catalog == f.Catalog && (f.Package == "" || f.Package == pkg.Package) {
				gained[pkg] = fmt.Sprintf("the package would have a new problem: %s [%s]", f.Message, f.Rule)
			}
		}
	}
	return gained, nil
}

// rejections returns what opm and OLM v0 refuse in the packages that were touched, whatever the configuration says.
func (m *fixer) rejections(cats []*catalogs.Catalog) ([]Finding, error) {
	o := Options{Rules: m.options.AllRules, Gates: GateOPM | GateOLMv0, MinSeverity: Error}
	for pkg := range m.touched {
		o.Packages = append(o.Packages, pkg.Package)
	}
	return Run(m.ctx, cats, o)
}

func rejectionKey(f *Finding) string {
	return strings.Join([]string{f.Rule, f.Catalog, f.Package, f.Channel, f.Bundle, f.CRD}, "\x00")
}

func (m *fixer) result() *FixResult {
	r := &FixResult{Unfixed: m.unfixed}
	for name, text := range m.edited {
		r.Files = append(r.Files, FixedFile{Name: name, Old: m.original[name], New: text, Fixed: m.fixed[name]})
	}
	slices.SortFunc(r.Files, func(a, b FixedFile) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// fixable reports whether edits are of a form of catalog whose text says what the model does, and of known places.
func fixable(c *catalogs.Catalog, edits []catalogs.Edit) bool {
	return c.Form == catalogs.FileBased &&
		!slices.ContainsFunc(edits, func(e catalogs.Edit) bool { return e.Pos.Line == 0 })
}
