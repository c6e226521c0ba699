package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/mirror/coverage"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/render/text"
)

// Mirror is what an image set leaves. Fix may be nil.
type Mirror struct {
	*coverage.Report
	Fix   *coverage.Fix
	Asked bool // for the fix: a smaller image set is shown only then
}

// MirrorFormats returns the formats of what an image set leaves.
func MirrorFormats() []text.Format[Mirror] {
	return []text.Format[Mirror]{{Name: "text", Write: mirrorText}, {Name: "json", Write: text.Unstyled(mirrorJSON)}, {Name: "markdown", Write: text.Unstyled(mirrorMarkdown)}}
}

// mirrorText writes the findings, the worst first, what is left of each catalog, and another image set.
func mirrorText(w io.Writer, m Mirror, style text.Style) error {
	t := mirrorWriter{text.NewWriter(w, style), m}
	for i := range m.Findings {
		t.finding(&m.Findings[i])
	}
	if len(m.Findings) > 0 {
		t.Line("")
	}
	t.left()
	t.fix()
	t.Line("")
	t.Wrapped("", "", text.Plain(m.summary()))
	return t.Flush()
}

type mirrorWriter struct {
	*text.Writer
	Mirror
}

func (t mirrorWriter) finding(f *coverage.Finding) {
	role := [...]text.Role{text.Error, text.Warning, text.Info}[f.Severity]
	t.Wrapped("", "  ", text.Styled(f.Pos.String()+":", text.Place), text.Styled(f.Severity.String()+":", role), text.Plain(f.Message))
	if f.Fix != "" {
		t.Wrapped("  ", "  ", text.Styled("fix:", text.Fix), text.Plain(f.Fix))
	}
}

// left writes a row for each catalog.
func (t mirrorWriter) left() {
	table := &text.Table{Header: []string{"CATALOG", "CATALOGSOURCE", "PACKAGES", "BUNDLES", "IMAGES"}, Right: []int{2, 3, 4}}
	for _, c := range t.Catalogs {
		n := countsOf(c)
		row := []string{n.Packages, n.Bundles, n.Images}
		if c.Left == nil {
			row = []string{"rejected", "", ""}
		}
		table.Add(text.Plain(c.Operator.Catalog.Value), text.Plain(text.Dash(c.Source)), text.Plain(row[0]), text.Plain(row[1]), text.Plain(row[2]))
	}
	t.Table(table)
}

type mirrorCounts struct{ Packages, Bundles, Images string }

func countsOf(c *coverage.Catalog) mirrorCounts {
	if c.Left == nil {
		return mirrorCounts{}
	}
	all, whole := c.Bundles(), 0
	for _, p := range c.Whole.Packages {
		whole += len(p.Bundles)
	}
	return mirrorCounts{fmt.Sprintf("%d of %d", len(c.Left.Packages), len(c.Whole.Packages)), fmt.Sprintf("%d of %d", len(all), whole), fmt.Sprint(len(coverage.ImagesOf(all)))}
}

// fix writes the packages that another image set changes.
func (t mirrorWriter) fix() {
	t.Line("")
	if !t.Fix.Repairs && !t.Asked {
		if t.Fix.Changes() {
			bundles, images := t.Fix.Report.Count()
			t.Wrapped("", "", text.Plain(fmt.Sprintf("A smaller image set strands nobody either, with %s and %s: --fix --diff shows it.", text.Count(bundles, "bundle"), text.Count(images, "image"))))
		}
		return
	}
	t.Wrapped("", "", text.Styled(t.Mirror.heading(), text.Heading))
	for i := range t.Fix.Operators {
		o := &t.Fix.Operators[i]
		if len(o.Changed) > 0 && len(t.Catalogs) > 1 {
			t.Line("")
			t.Wrapped("", "  ", text.Plain(o.Catalog.Value+":"))
		}
		for _, name := range o.Changed {
			t.Line("")
			t.Line(indented(packageYAML(o, name)))
		}
	}
	for _, note := range t.Fix.Notes {
		t.Wrapped("", "  ", text.Styled("note:", text.Heading), text.Plain(note))
	}
	for _, p := range t.Fix.Problems {
		t.Wrapped("", "  ", text.Styled("not fixed:", text.Warning), text.Plain(p))
	}
}

func indented(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ")
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
	size := fmt.Sprintf("%s, %s", text.Count(bundles, "bundle"), text.Count(images, "image"))
	switch fix := m.Fix; {
	case fix.Report.Failed() && !fix.Changes():
		return "The image set cannot be repaired."
	case fix.Report.Failed():
		return "The image set, repaired as far as it can be, with these packages:"
	case fix.Repairs:
		return fmt.Sprintf("Repaired, the image set has %s, with these packages:", size)
	case fix.Changes():
		return fmt.Sprintf("A smaller image set strands nobody either: it has %s, with these packages:", size)
	case fix.Exact:
		return fmt.Sprintf("No smaller image set strands nobody: %s.", size)
	}
	return fmt.Sprintf("No smaller image set was found: %s.", size)
}

func (m Mirror) summary() string {
	var n [3]int
	for i := range m.Findings {
		n[m.Findings[i].Severity]++
	}
	checked := fmt.Sprintf("Checked the upgrades of %s under OLM v0", text.Count(m.Users, "installed version"))
	if m.Cluster != nil {
		checked = fmt.Sprintf("Checked the upgrades of %s under OLM v0", text.Count(m.Users, "Subscription"))
		if other := len(m.Cluster.Elsewhere); other > 0 {
			checked += fmt.Sprintf(", and not those of %s whose catalogs the image set does not mirror", text.Count(other, "Subscription"))
		}
	}
	return fmt.Sprintf("%s: %s, %s, %s.", checked, text.Count(n[0], "error"), text.Count(n[1], "warning"), text.CountOf(n[2], "info", "infos"))
}

// jsonMirror is the JSON form of the check of an image set.
type jsonMirror struct {
	Version  int                 `json:"version"`
	Tool     string              `json:"tool"`
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
	Kind     string           `json:"kind" enum:"graph/mirror/coverage.Kind.String"`
	Severity string           `json:"severity" enum:"info,warning,error"`
	File     string           `json:"file"`
	Line     int              `json:"line"`
	Column   int              `json:"column"`
	Catalog  string           `json:"catalog"`
	Package  string           `json:"package"`
	Channel  string           `json:"channel"`
	Message  string           `json:"message"`
	Fix      string           `json:"fix"`
	Users    []jsonMirrorUser `json:"users"`
	Bundles  []string         `json:"bundles"`
	Images   []string         `json:"images"`
}

type jsonMirrorUser struct {
	Namespace string `json:"namespace"` // "" without --snapshot
	Name      string `json:"name"`
	Version   string `json:"version"`
}

type jsonMirrorFix struct {
	Repairs  bool                `json:"repairs"` // else it is smaller, and nothing was wrong
	Exact    bool                `json:"exact"`
	Strands  bool                `json:"strands"` // it could not be fixed
	Bundles  int                 `json:"bundles"`
	Images   int                 `json:"images"`
	Packages []jsonMirrorPackage `json:"packages"`
	Notes    []string            `json:"notes"`
	Problems []string            `json:"problems"`
}

// jsonMirrorPackage is an item of packages that is changed or added.
type jsonMirrorPackage struct {
	Catalog        string              `json:"catalog"`
	Name           string              `json:"name"`
	DefaultChannel string              `json:"defaultChannel"`
	MinVersion     string              `json:"minVersion"`
	MaxVersion     string              `json:"maxVersion"`
	Channels       []jsonMirrorChannel `json:"channels"`
}

type jsonMirrorChannel struct {
	Name       string `json:"name"`
	MinVersion string `json:"minVersion"`
	MaxVersion string `json:"maxVersion"`
}

func mirrorJSON(w io.Writer, m Mirror) error {
	out := jsonMirror{Version: text.JSONVersion, Tool: "olmgraph", Checked: m.Users, Catalogs: []jsonMirrorCatalog{}, Findings: []jsonMirrorFinding{}}
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
		one := jsonMirrorFinding{Kind: f.Kind.String(), Severity: f.Severity.String(), File: f.Pos.File, Line: f.Pos.Line, Column: f.Pos.Col, Catalog: f.Catalog, Package: f.Package,
			Channel: f.Channel, Message: f.Message, Fix: f.Fix, Users: []jsonMirrorUser{}, Bundles: append([]string{}, f.Bundles...), Images: append([]string{}, f.Images...)}
		for _, u := range f.Users {
			one.Users = append(one.Users, jsonMirrorUser{u.Namespace, u.Installed.Name, u.Installed.Version})
		}
		out.Findings = append(out.Findings, one)
	}
	out.Fix = m.fixJSON()
	return text.JSON(w, out)
}

func (m Mirror) fixJSON() *jsonMirrorFix {
	bundles, images := m.Fix.Report.Count()
	out := &jsonMirrorFix{Repairs: m.Fix.Repairs, Notes: append([]string{}, m.Fix.Notes...), Exact: m.Fix.Exact, Strands: m.Fix.Report.Failed(), Bundles: bundles, Images: images, Packages: []jsonMirrorPackage{}, Problems: append([]string{}, m.Fix.Problems...)}
	for i := range m.Fix.Operators {
		o := &m.Fix.Operators[i]
		for j := range o.Packages {
			p := &o.Packages[j]
			if !slices.Contains(o.Changed, p.Name.Value) {
				continue
			}
			one := jsonMirrorPackage{Catalog: o.Catalog.Value, Name: p.Name.Value, DefaultChannel: p.DefaultChannel.Value, MinVersion: p.Min.Value, MaxVersion: p.Max.Value, Channels: []jsonMirrorChannel{}}
			for k := range p.Channels {
				ch := &p.Channels[k]
				one.Channels = append(one.Channels, jsonMirrorChannel{ch.Name.Value, ch.Min.Value, ch.Max.Value})
			}
			out.Packages = append(out.Packages, one)
		}
	}
	return out
}

// mirrorMarkdown writes a table of the findings, and another image set.
func mirrorMarkdown(w io.Writer, m Mirror) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### olmgraph mirror\n\n%s\n", text.Markdown(m.summary()))
	if len(m.Findings) > 0 {
		b.WriteString("\n| | where | finding | fix |\n|---|---|---|---|\n")
	}
	for i := range m.Findings {
		f := &m.Findings[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Severity, text.Markdown(f.Pos.String()), text.Markdown(f.Message), text.Markdown(f.Fix))
	}
	if m.Fix.Repairs || m.Asked {
		fmt.Fprintf(&b, "\n%s\n", text.Markdown(m.heading()))
		for i := range m.Fix.Operators {
			o := &m.Fix.Operators[i]
			if len(o.Changed) > 0 && len(m.Catalogs) > 1 {
				fmt.Fprintf(&b, "\n%s:\n", text.Markdown(o.Catalog.Value))
			}
			for _, name := range o.Changed {
				fmt.Fprintf(&b, "\n```yaml\n%s```\n", packageYAML(o, name))
			}
		}
		for _, note := range m.Fix.Notes {
			fmt.Fprintf(&b, "\nNote: %s\n", text.Markdown(note))
		}
		for _, p := range m.Fix.Problems {
			fmt.Fprintf(&b, "\nNot fixed: %s\n", text.Markdown(p))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
