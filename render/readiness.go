package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/graph/snapshot"
	"github.com/olmgraph/olmgraph/render/text"
)

// Readiness is what OLM v1 installs of catalogs, or of the operators of a cluster.
type Readiness struct {
	Release  readiness.Release
	Catalogs []*catalogs.Catalog
	// Packages are those of the catalogs; nil where a cluster is asked for.
	Packages []*readiness.Package
	Detailed bool // packages were asked for by name: the text has everything in the way
	// Snapshot and Operators are those of a cluster.
	Snapshot  *snapshot.Snapshot
	Operators []*readiness.Operator
}

// extensions returns the ClusterExtensions, in the order of the packages or operators.
func (r *Readiness) extensions() []*readiness.Extension {
	var all []*readiness.Extension
	for _, p := range r.Packages {
		if e := r.Release.Extension(p); e != nil {
			all = append(all, e)
		}
	}
	for _, o := range r.Operators {
		if o.Extension != nil {
			all = append(all, o.Extension)
		}
	}
	return all
}

// readinessWriter writes readiness as text.
type readinessWriter struct {
	*text.Writer
	*Readiness
}

func readinessText(w io.Writer, r *Readiness, style text.Style) error {
	t := readinessWriter{text.NewWriter(w, style), r}
	t.Title("OLM v1, " + r.Release.Title())
	t.Line("")
	switch {
	case r.Snapshot != nil:
		t.operators()
	case r.Detailed:
		for i, p := range r.Packages {
			if i > 0 {
				t.Line("")
			}
			t.packageDetails(p)
		}
	default:
		t.packages()
	}
	return t.Flush()
}

// verdictCell returns the cell of a verdict.
func verdictCell(v readiness.Verdict) text.Word {
	switch v {
	case readiness.Blocked:
		return text.Styled(string(v), text.Error)
	case readiness.Gate, readiness.Unknown:
		return text.Styled(string(v), text.Warning)
	}
	return text.Plain(text.Dash(string(v)))
}

// packages writes a table of the packages, and counts them.
func (t *readinessWriter) packages() {
	table := &text.Table{Header: []string{"CATALOG", "PACKAGE", "CHOSEN", "VERDICT", "INSTALLS", "IN THE WAY"}, Groups: 2}
	for _, p := range t.Packages {
		table.Add(text.Plain(p.Source), text.Styled(p.Name.Value, text.Place), text.Plain(versionOfBundle(p.Choice)), verdictCell(p.Verdict()),
			text.Plain(versionOfBundle(p.Newest)), text.Plain(text.Dash(inTheWay(p.Obstacles()))))
	}
	if len(t.Catalogs) == 1 {
		table.Header, table.Groups = table.Header[1:], 1
		for i := range table.Rows {
			table.Rows[i] = table.Rows[i][1:]
		}
	}
	t.Table(table)
	t.Line("")
	t.Wrapped("", "", text.Plain(countVerdicts(t.Packages)))
	if slices.ContainsFunc(t.Packages, func(p *readiness.Package) bool { return p.Verdict() == readiness.Unknown }) {
		t.Wrapped("", "", text.Plain("unknown: nothing known is in the way, but the catalog lacks what decides it. --bundles FOLDER adds the manifests; --package NAME says what is not known."))
	}
}

func versionOfBundle(b *readiness.Bundle) string {
	if b == nil {
		return "-"
	}
	return text.Dash(b.Version.Value)
}

// inTheWay lists the kinds of obstacles, each once, with the feature gate that helps.
func inTheWay(all []readiness.Obstacle) string {
	var words []string
	for _, o := range all {
		word := string(o.Kind)
		if o.Gate != "" {
			word += " (gate)"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// countVerdicts counts packages by verdict.
func countVerdicts(all []*readiness.Package) string {
	count := map[readiness.Verdict]int{}
	for _, p := range all {
		count[p.Verdict()]++
	}
	return fmt.Sprintf("%s: %d ready, %d unknown, %d with a feature gate, %d blocked.", text.Count(len(all), "package"),
		count[readiness.Ready], count[readiness.Unknown], count[readiness.Gate], count[readiness.Blocked])
}

// packageDetails writes everything in the way of a package, and the ClusterExtension that installs it.
func (t *readinessWriter) packageDetails(p *readiness.Package) {
	t.Title(t.heading(p))
	for _, line := range packageNotes(p) {
		t.Wrapped("  ", "    ", text.Plain(line))
	}
	t.obstacles(p.Obstacles())
	if p.Choice != nil {
		t.list("not known", p.Choice.NotKnown)
		t.list("note", p.Choice.Notes)
	}
	t.channels(p)
	if e := t.Release.Extension(p); e != nil {
		t.Line("")
		t.yaml(extensionYAML(e))
	}
}

func (t *readinessWriter) heading(p *readiness.Package) string {
	title := "package " + p.Name.Value
	if len(t.Catalogs) > 1 {
		title += " in catalog " + p.Source
	}
	if p.Choice == nil {
		return title + ": OLM v1 chooses no bundle"
	}
	return fmt.Sprintf("%s: %s (%s): %s", title, p.Choice.Name.Value, p.Choice.Version.Value, p.Verdict())
}

// packageNotes returns what decides the choice of a package beside its bundles.
func packageNotes(p *readiness.Package) []string {
	var all []string
	if p.Deprecated != "" {
		all = append(all, "the package is deprecated: "+p.Deprecated)
	}
	if len(p.Tied) > 0 {
		all = append(all, "also in catalog "+text.And(p.Tied))
	}
	if p.Instead != "" {
		all = append(all, "OLM v1 chooses from catalog "+p.Instead+", unless the ClusterExtension selects this one")
	}
	if p.Choice == nil {
		return all
	}
	if p.Choice.Deprecated != "" {
		all = append(all, "the bundle is deprecated, and no other one is not: "+p.Choice.Deprecated)
	}
	switch known := p.Choice.NotKnown; {
	case len(p.Choice.Releases) == 0:
		all = append(all, "no known release of operator-controller installs it")
	case len(known) > 0:
		all = append(all, "as far as is known, installed by "+releaseRanges(p.Choice.Releases))
	default:
		all = append(all, "installed by "+releaseRanges(p.Choice.Releases))
	}
	if p.Newest != nil && p.Newest != p.Choice {
		all = append(all, fmt.Sprintf("the newest version with nothing known in the way is %s: OLM v1 installs it only if it is requested", p.Newest.Version.Value))
	}
	return all
}

// releaseRanges writes releases, oldest first, as "v1.6 to v1.11, v1.13".
func releaseRanges(names []string) string {
	all := slices.Clone(readiness.ReleaseNames())
	slices.Reverse(all)
	var ranges []string
	for i := 0; i < len(names); {
		end := i
		for end+1 < len(names) && slices.Index(all, names[end+1]) == slices.Index(all, names[end])+1 {
			end++
		}
		if one := names[i]; end > i {
			ranges = append(ranges, one+" to "+names[end])
		} else {
			ranges = append(ranges, one)
		}
		i = end + 1
	}
	return strings.Join(ranges, ", ")
}

func (t *readinessWriter) obstacles(all []readiness.Obstacle) {
	for _, o := range all {
		t.Wrapped("  ", "    ", text.Styled("in the way:", text.Error), text.Plain(o.Text))
		t.place(o.Pos)
	}
}

func (t *readinessWriter) place(pos catalogs.Pos) {
	if pos.Known() {
		t.Wrapped("    ", "    ", text.Styled(pos.String(), text.Place))
	}
}

// list writes lines under a word.
func (t *readinessWriter) list(word string, lines []string) {
	for _, line := range lines {
		t.Wrapped("  ", "    ", text.Styled(word+":", text.Faint), text.Plain(line))
	}
}

// channels writes what OLM v1 chooses in each channel, if there are several.
func (t *readinessWriter) channels(p *readiness.Package) {
	if len(p.Channels) < 2 {
		return
	}
	t.Line("")
	table := &text.Table{Header: []string{"CHANNEL", "CHOSEN", "VERDICT", "IN THE WAY"}}
	for i := range p.Channels {
		c := &p.Channels[i]
		name := c.Name
		if c.Default {
			name += " (default)"
		}
		verdict, way := text.Plain("-"), "-"
		if c.Choice != nil {
			verdict, way = verdictCell(c.Choice.Verdict), text.Dash(inTheWay(c.Choice.Obstacles))
		}
		table.Add(text.Plain(name), text.Plain(versionOfBundle(c.Choice)), verdict, text.Plain(way))
	}
	t.Table(table)
}

// yaml writes a manifest as it is, indented.
func (t *readinessWriter) yaml(manifest string) {
	for line := range strings.Lines(manifest) {
		t.Line("  " + strings.TrimSuffix(line, "\n"))
	}
}

// operators writes a table of the operators of a cluster, and what each needs.
func (t *readinessWriter) operators() {
	table := &text.Table{Header: []string{"NAMESPACE", "SUBSCRIPTION", "INSTALLED", "VERDICT", "THEN"}, Groups: 1}
	for _, o := range t.Operators {
		table.Add(text.Plain(o.Namespace), text.Styled(o.Subscription, text.Place), text.Plain(text.Dash(o.Name)), verdictCell(o.Verdict()), text.Plain(nextOf(o)))
	}
	t.Table(table)
	for _, o := range t.Operators {
		if len(o.Hard)+len(o.Soft)+len(o.NotKnown)+len(o.Notes) == 0 {
			continue
		}
		t.Line("")
		t.Title(fmt.Sprintf("%s in namespace %s: %s", o.Subscription, o.Namespace, o.Verdict()))
		for _, r := range o.Hard {
			t.Wrapped("  ", "    ", text.Styled("in the way:", text.Error), text.Plain(r.Text))
			t.place(r.Pos)
		}
		for _, r := range o.Soft {
			t.Wrapped("  ", "    ", text.Styled("changes:", text.Warning), text.Plain(r.Text))
		}
		t.list("not known", o.NotKnown)
		t.list("note", slices.Concat(o.Notes, crdNotes(o)))
	}
	if len(t.extensions()) > 0 {
		t.Line("")
		t.Wrapped("", "", text.Plain("-o markdown writes what to do step by step, and -o yaml the ClusterExtensions."))
	}
}

// nextOf says what OLM v1 upgrades an operator to.
func nextOf(o *readiness.Operator) string {
	if o.Next == nil {
		return "-"
	}
	if o.Next.Verdict != readiness.Ready {
		return fmt.Sprintf("%s (%s)", o.Next.Version.Value, o.Next.Verdict)
	}
	if len(o.CRDs) > 0 {
		return o.Next.Version.Value + " (CRDs rejected)"
	}
	return o.Next.Version.Value
}

func crdNotes(o *readiness.Operator) []string {
	var all []string
	for _, r := range o.CRDs {
		all = append(all, fmt.Sprintf("OLM v1 rejects the upgrade to %s: CRD %s: %s", o.Next.Name.Value, r.CRD, r.Message))
	}
	return all
}
