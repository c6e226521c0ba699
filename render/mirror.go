package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/mirror"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Mirror is what an image set leaves. With Details text has each channel in which users are stranded, and what to mirror for them.
type Mirror struct {
	*mirror.Report
	Details bool
}

// MirrorFormats returns the formats of what an image set leaves.
func MirrorFormats() []text.Format[Mirror] { return answer.Formats(Mirror.say, Mirror.json) }

// say says the findings, the worst first, and what is left of each catalog.
func (m Mirror) say() *answer.Answer {
	a := &answer.Answer{}
	a.InMarkdown().Title("olmgraph mirror")
	if stranded := m.strandedPackages(); len(stranded) > manyStranded && !m.Details {
		sayStranded(a.InText(), stranded)
		m.sayFindings(a.InText(), func(f *mirror.Finding) bool { return !isStranded(f) })
		m.sayFindings(a.InMarkdown(), func(*mirror.Finding) bool { return true })
	} else {
		m.sayFindings(a, func(*mirror.Finding) bool { return true })
	}
	if len(m.Findings) > 0 {
		a.Section()
	}
	left := m.leftCatalogs()
	a.Table(leftTable(left))
	a.Section()
	m.sayUnmirrored(a, left)
	a.Say(m.summary())
	return a
}

// manyStranded is the number of packages with stranded users beyond which text has one line for each.
const manyStranded = 5

func isStranded(f *mirror.Finding) bool { return f.Kind == mirror.Stranded }

// strandedPackages returns the findings about stranded users, by package.
func (m Mirror) strandedPackages() [][]*mirror.Finding {
	var groups memo.Groups[string, *mirror.Finding]
	for i := range m.Findings {
		if f := &m.Findings[i]; isStranded(f) {
			groups.Add(f.Catalog+" "+f.Package, f)
		}
	}
	var all [][]*mirror.Finding
	for _, of := range groups.All() {
		all = append(all, of)
	}
	return all
}

func sayStranded(a *answer.Answer, packages [][]*mirror.Finding) {
	for _, of := range packages {
		versions, channels := map[string]bool{}, []string{} // one can be in several channels
		for _, f := range of {
			channels = append(channels, f.Channel)
			for i := range f.Users {
				versions[f.Users[i].Installed.Name] = true
			}
		}
		a.Say(text.Styled(of[0].Pos.String()+":", text.Place), " ", text.Styled("error:", text.Error), fmt.Sprintf(" package %q: %s stranded in %s", of[0].Package,
			words.CountPlural(len(versions), "version is", "versions are"), words.And(channels)))
	}
	a.Item(text.Styled("fix:", text.Fix), " mirror the versions between those that users have and the head, for example with minVersion; --details lists them")
}

// sayFindings says some of the findings.
func (m Mirror) sayFindings(a *answer.Answer, which func(*mirror.Finding) bool) {
	for i := range m.Findings {
		f := &m.Findings[i]
		if !which(f) {
			continue
		}
		role := [...]text.Role{text.Error, text.Warning, text.Info}[f.Severity]
		a.Say(text.Styled(f.Pos.String()+":", text.Place), " ", text.Styled(f.Severity.String()+":", role), " ", f.Message)
		switch {
		case m.Details && isStranded(f) && f.Fix != "":
			a.Item(text.Styled("fix:", text.Fix), " mirror ", strings.Join(f.Bundles, ", "))
		case f.Fix != "":
			a.Item(text.Styled("fix:", text.Fix), " ", f.Fix)
		}
	}
}

// sayUnmirrored says which channels of mirrored packages are not mirrored, unless what is installed is known.
func (m Mirror) sayUnmirrored(a *answer.Answer, left []leftCatalog) {
	var all []string
	for _, c := range left {
		all = append(all, c.Unmirrored...)
	}
	if len(all) == 0 || m.Cluster != nil {
		return
	}
	most := 8
	if m.Details {
		most = len(all)
	}
	a.Say(fmt.Sprintf("Not mirrored of these packages: %s %s. OLM v0 resolves nothing in a namespace that is subscribed to such a channel.",
		words.Plural(len(all), "channel", "channels"), words.JoinSome(all, most)))
}

// leftTable returns a row for each catalog.
func leftTable(left []leftCatalog) *answer.Table {
	table := &answer.Table{Columns: []string{"catalog", "CatalogSource", "packages", "bundles", "images"}, Right: []int{2, 3, 4}}
	for _, c := range left {
		source := text.Dash(c.CatalogSource)
		if c.Rejected {
			table.Add(c.Catalog, source, "rejected", "", "")
			continue
		}
		whole := 0
		for _, p := range c.whole.Packages {
			whole += len(p.Bundles)
		}
		table.Add(c.Catalog, source, fmt.Sprintf("%d of %d", c.Packages, len(c.whole.Packages)), fmt.Sprintf("%d of %d", c.Bundles, whole), c.Images)
	}
	return table
}

func (m Mirror) summary() string {
	var n [3]int
	for i := range m.Findings {
		n[m.Findings[i].Severity]++
	}
	checked := fmt.Sprintf("Checked the upgrades of %s under OLM v0", words.Count(m.Users, "installed version"))
	if len(m.Findings) > 0 && !slices.ContainsFunc(m.Catalogs, func(c *mirror.Catalog) bool { return c.Left != nil }) {
		checked = "No upgrades were checked, since oc-mirror rejects the image set"
	} else if m.Cluster != nil {
		checked = fmt.Sprintf("Checked the upgrades of %s under OLM v0", words.Count(m.Users, "Subscription"))
		if other := len(m.Cluster.Elsewhere); other > 0 {
			checked += fmt.Sprintf(", and not those of %s whose catalogs the image set does not mirror", words.Count(other, "Subscription"))
		}
	}
	return fmt.Sprintf("%s: %s, %s, %s.", checked, words.Count(n[0], "error"), words.Count(n[1], "warning"), words.CountPlural(n[2], "info", "infos"))
}

// jsonMirror is the JSON form of the check of an image set.
type jsonMirror struct {
	Checked  int              `json:"checked"` // installed versions
	Catalogs []leftCatalog    `json:"catalogs"`
	Findings []mirror.Finding `json:"findings"`
}

func (m Mirror) json() jsonMirror { return jsonMirror{m.Users, m.leftCatalogs(), m.Findings} }

// leftCatalog counts what is left of a catalog.
type leftCatalog struct {
	Catalog       string   `json:"catalog"`
	CatalogSource string   `json:"catalogSource"`
	Rejected      bool     `json:"rejected"`
	Packages      int      `json:"packages"`
	Bundles       int      `json:"bundles"`
	Images        int      `json:"images"`
	Unmirrored    []string `json:"channelsNotMirrored"` // of the packages that are mirrored, as PACKAGE/CHANNEL
	whole         *catalogs.Catalog
}

func (m Mirror) leftCatalogs() (all []leftCatalog) {
	for _, c := range m.Catalogs {
		one := leftCatalog{Catalog: c.Operator.Catalog.Value, CatalogSource: c.Source, Rejected: c.Left == nil, whole: c.Whole}
		if c.Left != nil {
			bundles := c.Bundles()
			one.Packages, one.Bundles, one.Images = len(c.Left.Packages), len(bundles), len(mirror.BundleImages(bundles))
			for _, left := range c.Left.Packages {
				for _, whole := range c.Whole.Package(left.Name.Value).Channels {
					if left.Channel(whole.Name.Value) == nil {
						one.Unmirrored = append(one.Unmirrored, left.Name.Value+"/"+whole.Name.Value)
					}
				}
			}
		}
		all = append(all, one)
	}
	return all
}
