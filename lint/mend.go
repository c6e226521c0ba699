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

// dependsOnOthers reports whether the fix of a finding is right only once the others are made: what OLM v0 offers, and so who should
// skip what is stuck, depends on what the names in a channel mean.
func dependsOnOthers(f *Finding) bool { return f.Rule == "graph/stuck" }

// Mended is what the fixes of findings make of a run's sources.
type Mended struct {
	Files []MendedFile // by name; only those that change
	Left  []Unmended   // findings that have a fix, and why it was not made
}

// Fixed is how many findings were mended.
func (m *Mended) Fixed() int {
	n := 0
	for i := range m.Files {
		n += m.Files[i].Fixed
	}
	return n
}

// MendedFile is a file, what it said and what it is to say.
type MendedFile struct {
	Name     string // as in positions
	Old, New []byte
	Fixed    int // findings
}

// Unmended is a finding that has a fix which was not made.
type Unmended struct {
	Finding
	Why string
}

// Opener reads the catalogs of a run again, as if files said something else: by their names in positions.
type Opener func(revised map[string][]byte) ([]*catalogs.Catalog, error)

// Mend makes the fixes of the findings that Run reports and that count, round by round until there is none left, and writes
// nothing. It looks again at what comes out: a package in which opm or OLM v0 would then refuse anything that they do not
// refuse now is left as it is.
func Mend(ctx context.Context, cats []*catalogs.Catalog, o Options, open Opener) (*Mended, error) {
	o.Known = o.known()
	o.Rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return !r.Fixes })
	worse := map[Subject]string{}
	for {
		m := &mending{ctx: ctx, options: o, open: open, before: cats, leaves: worse,
			old: map[string][]byte{}, revised: map[string][]byte{}, fixed: map[string]int{}, touched: map[Subject]bool{}}
		after, err := m.rounds()
		if err != nil {
			return nil, err
		}
		gained, err := m.gained(after)
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

// mending is one attempt.
type mending struct {
	ctx     context.Context
	options Options
	open    Opener
	before  []*catalogs.Catalog
	leaves  map[Subject]string // packages, and why they are left as they are

	old, revised map[string][]byte
	fixed        map[string]int // findings, by file
	touched      map[Subject]bool
	left         []Unmended // in the last round
}

// packageOf is the package that a finding is about.
func packageOf(f *Finding) Subject { return Subject{Catalog: f.Catalog, Package: f.Package} }

// rounds mends until there is nothing left, and returns the catalogs as they are then.
func (m *mending) rounds() ([]*catalogs.Catalog, error) {
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
		if cats, err = m.open(m.revised); err != nil {
			return nil, err
		}
	}
	return cats, nil
}

// round makes the fixes of some findings, those that depend on others where there are no others to make, and reports whether it
// made any.
func (m *mending) round(cats []*catalogs.Catalog, findings []Finding) (changed bool, err error) {
	m.left = nil
	for _, depends := range []bool{false, true} {
		if changed, err = m.fix(cats, findings, depends); changed || err != nil {
			break
		}
	}
	return changed, err
}

// fix makes the fixes of findings that depend on others, or of those that do not.
func (m *mending) fix(cats []*catalogs.Catalog, findings []Finding, depends bool) (changed bool, err error) {
	var names []string
	byFile := map[string]*batch{}
	for i := range findings {
		f := &findings[i]
		if len(f.Fix) == 0 || f.Suppressed != "" || dependsOnOthers(f) != depends {
			continue
		}
		if why := m.leaves[packageOf(f)]; why != "" {
			m.left = append(m.left, Unmended{*f, why})
			continue
		}
		for _, e := range f.Fix {
			b := byFile[e.Pos.File]
			if b == nil {
				b = &batch{catalog: namedCatalog(cats, f.Catalog)}
				byFile[e.Pos.File] = b
				names = append(names, e.Pos.File)
			}
			b.edits, b.findings = append(b.edits, e), append(b.findings, f)
		}
	}
	for _, name := range names {
		some, err := m.revise(name, byFile[name])
		if err != nil {
			return false, err
		}
		changed = changed || some
	}
	return changed, nil
}

// batch is the edits of one file, and the findings they are the fixes of.
type batch struct {
	catalog  *catalogs.Catalog
	edits    []catalogs.Edit
	findings []*Finding
}

func namedCatalog(cats []*catalogs.Catalog, name string) *catalogs.Catalog {
	return cats[slices.IndexFunc(cats, func(c *catalogs.Catalog) bool { return c.Name == name })]
}

// revise makes the edits of one file.
func (m *mending) revise(name string, b *batch) (bool, error) {
	if !b.catalog.OnDisk() {
		m.leave(b, func(int) string { return "it is not in a file on disk" })
		return false, nil
	}
	if b.catalog.Outside(name) {
		m.leave(b, func(int) string { return "a link leads out of the catalog to it" })
		return false, nil
	}
	text, err := b.catalog.ReadFile(name)
	if err != nil {
		return false, err
	}
	revised, refused := catalogs.ApplyEdits(text, b.edits)
	m.leave(b, func(i int) string {
		if refused[i] != nil {
			return refused[i].Error()
		}
		return ""
	})
	if slices.Equal(revised, text) {
		return false, nil
	}
	if m.old[name] == nil {
		m.old[name] = text
	}
	m.revised[name] = revised
	return true, nil
}

// leave notes which of the findings are mended, and which are left because one of their edits is.
func (m *mending) leave(b *batch, why func(edit int) string) {
	for i, f := range b.findings {
		again := i > 0 && b.findings[i-1] == f
		switch reason := why(i); {
		case reason != "" && !again:
			m.left = append(m.left, Unmended{*f, reason})
		case reason == "" && !again:
			m.fixed[f.Fix[0].Pos.File]++
			m.touched[packageOf(f)] = true
		}
	}
}

// gained returns the packages in which opm or OLM v0 refuse something that they did not before, and what.
func (m *mending) gained(after []*catalogs.Catalog) (map[Subject]string, error) {
	if len(m.revised) == 0 {
		return nil, nil
	}
	was, err := m.refusals(m.before)
	if err != nil {
		return nil, err
	}
	is, err := m.refusals(after)
	if err != nil {
		return nil, err
	}
	gained := map[Subject]string{}
	count := map[string]int{}
	for i := range was {
		count[refusal(&was[i])]++
	}
	for i := range is {
		f := &is[i]
		if count[refusal(f)]--; count[refusal(f)] >= 0 {
			continue
		}
		for pkg := range m.touched {
			if pkg.Catalog == f.Catalog && (f.Package == "" || f.Package == pkg.Package) {
				gained[pkg] = fmt.Sprintf("the package would be worse off: %s [%s]", f.Message, f.Rule)
			}
		}
	}
	return gained, nil
}

// refusals returns what opm and OLM v0 refuse in the packages that were touched, whatever the configuration says.
func (m *mending) refusals(cats []*catalogs.Catalog) ([]Finding, error) {
	o := Options{Rules: m.options.Known, Gates: GateOPM | GateOLMv0, MinSeverity: Error}
	for pkg := range m.touched {
		o.Packages = append(o.Packages, pkg.Package)
	}
	return Run(m.ctx, cats, o)
}

func refusal(f *Finding) string {
	return strings.Join([]string{f.Rule, f.Catalog, f.Package, f.Channel, f.Bundle, f.CRD}, "\x00")
}

func (m *mending) result() *Mended {
	r := &Mended{Left: m.left}
	for name, text := range m.revised {
		r.Files = append(r.Files, MendedFile{Name: name, Old: m.old[name], New: text, Fixed: m.fixed[name]})
	}
	slices.SortFunc(r.Files, func(a, b MendedFile) int { return strings.Compare(a.Name, b.Name) })
	return r
}
