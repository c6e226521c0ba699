package render

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/mirror/coverage"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Mirror is what an image set leaves. Fix may be nil.
type Mirror struct {
	*coverage.Report
	Fix   *coverage.Fix
	Asked bool // for the fix: a smaller image set is shown only then
}

// MirrorFormats returns the formats of what an image set leaves.
func MirrorFormats() []text.Format[Mirror] { return answer.Formats(Mirror.say, Mirror.json) }

// say says the findings, the worst first, what is left of each catalog, and another image set.
func (m Mirror) say() *answer.Answer {
	a := &answer.Answer{}
	a.InMarkdown().Title("olmgraph mirror")
	for i := range m.Findings {
		f := &m.Findings[i]
		role := [...]text.Role{text.Error, text.Warning, text.Info}[f.Severity]
		a.Say(text.Styled(f.Pos.String()+":", text.Place), " ", text.Styled(f.Severity.String()+":", role), " ", f.Message)
		if f.Fix != "" {
			a.Item(text.Styled("fix:", text.Fix), " ", f.Fix)
		}
	}
	if len(m.Findings) > 0 {
		a.Section()
	}
	a.Table(m.left())
	m.sayFix(a)
	a.Section()
	a.Say(m.summary())
	return a
}

// left returns a row for each catalog.
func (m Mirror) left() *answer.Table {
	table := &answer.Table{Columns: []string{"catalog", "CatalogSource", "packages", "bundles", "images"}, Right: []int{2, 3, 4}}
	for _, c := range m.Catalogs {
		catalog, source := c.Operator.Catalog.Value, text.Dash(c.Source)
		if c.Left == nil {
			table.Add(catalog, source, "rejected", "", "")
			continue
		}
		all, whole := c.Bundles(), 0
		for _, p := range c.Whole.Packages {
			whole += len(p.Bundles)
		}
		table.Add(catalog, source, fmt.Sprintf("%d of %d", len(c.Left.Packages), len(c.Whole.Packages)), fmt.Sprintf("%d of %d", len(all), whole),
			len(coverage.ImagesOf(all)))
	}
	return table
}

// sayFix says the packages that another image set changes.
func (m Mirror) sayFix(a *answer.Answer) {
	if !m.Fix.Repairs && !m.Asked {
		if m.Fix.Changes() {
			bundles, images := m.Fix.Report.Count()
			a.Section()
			a.Say("A smaller image set strands no user either, with ", phrase.Count(bundles, "bundle"), " and ", phrase.Count(images, "image"), ": --fix --diff shows it.")
		}
		return
	}
	a.Section(m.heading())
	for i := range m.Fix.Operators {
		o := &m.Fix.Operators[i]
		if len(o.Changed) > 0 && len(m.Catalogs) > 1 {
			a.Section()
			a.Say(o.Catalog.Value, ":")
		}
		for _, name := range o.Changed {
			a.Section()
			a.Code("yaml", packageYAML(o, name))
		}
	}
	for _, note := range m.Fix.Notes {
		a.Say(text.Styled("note:", text.Heading), " ", note)
	}
	for _, p := range m.Fix.Problems {
		a.Say(text.Styled("not fixed:", text.Warning), " ", p)
	}
}

// packageYAML returns the item of a package. Its names are in quotes if they have anything but letters, digits, dots and dashes.
func packageYAML(o *coverage.FixedOperator, name string) string {
	for i := range o.Packages {
		if o.Packages[i].Name.Value == name {
			return imageset.PackageYAML(&o.Packages[i])
		}
	}
	return ""
}

// heading says what the other image set is for, and how large it is.
func (m Mirror) heading() string {
	bundles, images := m.Fix.Report.Count()
	size := fmt.Sprintf("%s, %s", phrase.Count(bundles, "bundle"), phrase.Count(images, "image"))
	switch fix := m.Fix; {
	case fix.Report.Failed() && !fix.Changes():
		return "The image set cannot be repaired."
	case fix.Report.Failed():
		return "The image set, repaired as far as it can be, with these packages:"
	case fix.Repairs:
		return fmt.Sprintf("Repaired, the image set has %s, with these packages:", size)
	case fix.Changes():
		return fmt.Sprintf("A smaller image set strands no user either: it has %s, with these packages:", size)
	case fix.Exact:
		return fmt.Sprintf("Every smaller image set strands users: %s.", size)
	}
	return fmt.Sprintf("No smaller image set was found: %s.", size)
}

func (m Mirror) summary() string {
	var n [3]int
	for i := range m.Findings {
		n[m.Findings[i].Severity]++
	}
	checked := fmt.Sprintf("Checked the upgrades of %s under OLM v0", phrase.Count(m.Users, "installed version"))
	if m.Cluster != nil {
		checked = fmt.Sprintf("Checked the upgrades of %s under OLM v0", phrase.Count(m.Users, "Subscription"))
		if other := len(m.Cluster.Elsewhere); other > 0 {
			checked += fmt.Sprintf(", and not those of %s whose catalogs the image set does not mirror", phrase.Count(other, "Subscription"))
		}
	}
	return fmt.Sprintf("%s: %s, %s, %s.", checked, phrase.Count(n[0], "error"), phrase.Count(n[1], "warning"), phrase.CountOf(n[2], "info", "infos"))
}

// jsonMirror is the JSON form of the check of an image set.
type jsonMirror struct {
	text.Document
	Checked  int                 `json:"checked"` // installed versions
	Catalogs []jsonMirrorCatalog `json:"catalogs"`
	Findings []jsonMirrorFinding `json:"findings"`
	Fix      *jsonMirrorFix      `json:"fix"`
}

type jsonMirrorCatalog struct {
	Catalog       string `json:"catalog"`
	CatalogSource string `json:"catalogSource"`
	Rejected      bool   `json:"rejected"`
	Packages      int    `json:"packages"`
	Bundles       int    `json:"bundles"`
	Images        int    `json:"images"`
}

type jsonMirrorFinding struct {
	Kind     string `json:"kind" enum:"graph/mirror/coverage.Kind.String"`
	Severity string `json:"severity" enum:"info,warning,error"`
	coverage.Finding
	Users []jsonMirrorUser `json:"users"`
}

type jsonMirrorUser struct {
	Namespace string `json:"namespace"` // "" without --snapshot
	Name      string `json:"name"`
	Version   string `json:"version"`
}

type jsonMirrorFix struct {
	coverage.Fix
	Strands  bool                `json:"strands"` // it could not be fixed
	Bundles  int                 `json:"bundles"`
	Images   int                 `json:"images"`
	Packages []jsonMirrorPackage `json:"packages"`
}

// jsonMirrorPackage is an item of packages that is changed or added.
type jsonMirrorPackage struct {
	Catalog string `json:"catalog"`
	imageset.Package
}

func (m Mirror) json() jsonMirror {
	out := jsonMirror{Document: text.NewDocument(), Checked: m.Users, Fix: m.fixJSON()}
	for _, c := range m.Catalogs {
		one := jsonMirrorCatalog{Catalog: c.Operator.Catalog.Value, CatalogSource: c.Source, Rejected: c.Left == nil}
		if c.Left != nil {
			all := c.Bundles()
			one.Packages, one.Bundles, one.Images = len(c.Left.Packages), len(all), len(coverage.ImagesOf(all))
		}
		out.Catalogs = append(out.Catalogs, one)
	}
	for i := range m.Findings {
		f := &m.Findings[i]
		out.Findings = append(out.Findings, jsonMirrorFinding{f.Kind.String(), f.Severity.String(), *f, phrase.Of(f.Users, func(u coverage.User) jsonMirrorUser {
			return jsonMirrorUser{u.Namespace, u.Installed.Name, u.Installed.Version}
		})})
	}
	return out
}

func (m Mirror) fixJSON() *jsonMirrorFix {
	bundles, images := m.Fix.Report.Count()
	out := &jsonMirrorFix{Fix: *m.Fix, Strands: m.Fix.Report.Failed(), Bundles: bundles, Images: images}
	for i := range m.Fix.Operators {
		o := &m.Fix.Operators[i]
		for j := range o.Packages {
			if p := o.Packages[j]; slices.Contains(o.Changed, p.Name.Value) {
				out.Packages = append(out.Packages, jsonMirrorPackage{o.Catalog.Value, p})
			}
		}
	}
	return out
}
