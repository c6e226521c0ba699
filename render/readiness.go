package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/graph/snapshot"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Readiness is what OLM v1 installs of catalogs, or of the operators of a cluster.
type Readiness struct {
	Release  readiness.Release
	Catalogs []*catalogs.Catalog
	// Packages are those of the catalogs; nil where a cluster is asked for.
	Packages []*readiness.Package
	Detailed bool // packages were asked for by name: the text has all blockers
	// EachVersion says that the catalogs are for several OpenShift versions, of which a cluster has one: the text has a line for each.
	EachVersion bool
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

// say says what OLM v1 installs of packages, or what becomes of the operators of a cluster.
func (r *Readiness) say() *answer.Answer {
	a := &answer.Answer{}
	if r.Snapshot != nil {
		a.InMarkdown().Title("From OLM v0 to OLM v1, ", r.Release.Title())
		a.InText().Title("OLM v1, ", r.Release.Title())
		r.sayOperators(a)
		return a
	}
	a.Title("OLM v1, ", r.Release.Title())
	if !r.Detailed || r.EachVersion {
		r.sayPackages(a)
		return a
	}
	for _, p := range r.Packages {
		a.Section(r.heading(p))
		r.sayPackage(a, p)
	}
	return a
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

// sayPackages says the verdict of each package, and counts them.
func (r *Readiness) sayPackages(a *answer.Answer) {
	a.Section()
	a.InText().Table(r.packageTable(inTheWay))
	a.InMarkdown().Table(r.packageTable(allInTheWay))
	if !r.EachVersion {
		a.Section()
		a.Say(countVerdicts(r.Packages))
	}
	if slices.ContainsFunc(r.Packages, func(p *readiness.Package) bool { return p.Verdict() == readiness.Unknown }) {
		how := "--package NAME"
		if r.EachVersion {
			a.Section()
			how += " --ocp VERSION"
		}
		a.Say("unknown: no blocker is known, but the catalog lacks the data to decide. --bundles FOLDER adds the manifests; ", how, " says what is not known.")
	}
}

func (r *Readiness) packageTable(way func([]readiness.Obstacle) string) *answer.Table {
	table := &answer.Table{Columns: []string{"catalog", "package", "chosen", "verdict", "installs", "blockers"}, Groups: 2}
	for _, p := range r.Packages {
		table.Add(p.Source, text.Styled(p.Name.Value, text.Place), versionOfBundle(p.Choice), verdictCell(p.Verdict()), versionOfBundle(p.Newest),
			text.Dash(way(p.Obstacles())))
	}
	if len(r.Catalogs) == 1 {
		table.Drop(0)
	}
	return table
}

func versionOfBundle(b *readiness.Bundle) string {
	if b == nil {
		return "-"
	}
	return text.Dash(b.Version)
}

// inTheWay lists the kinds of obstacles, each once, with the feature gate that helps.
func inTheWay(all []readiness.Obstacle) string {
	words := words.Map(all, func(o readiness.Obstacle) string {
		if o.Gate != "" {
			return o.Kind + " (feature gate)"
		}
		return o.Kind
	})
	return strings.Join(find.Distinct(words), ", ")
}

// allInTheWay lists all obstacles, and where they are.
func allInTheWay(all []readiness.Obstacle) string {
	var said []string
	for _, o := range all {
		at := ""
		if o.Pos.IsKnown() {
			at = " (" + o.Pos.String() + ")"
		}
		said = append(said, o.Text+at)
	}
	return strings.Join(said, "; ")
}

// countVerdicts counts packages by verdict.
func countVerdicts(all []*readiness.Package) string {
	count := map[readiness.Verdict]int{}
	for _, p := range all {
		count[p.Verdict()]++
	}
	return fmt.Sprintf("%s: %d ready, %d unknown, %d with a feature gate, %d blocked.", words.Count(len(all), "package"),
		count[readiness.Ready], count[readiness.Unknown], count[readiness.Gate], count[readiness.Blocked])
}

// sayPackage says all blockers of a package, and the ClusterExtension that installs it.
func (r *Readiness) sayPackage(a *answer.Answer, p *readiness.Package) {
	a.List(packageNotes(p))
	for _, o := range p.Obstacles() {
		sayWithPos(a, text.Styled("blocked by:", text.Error), o.Text, o.Pos)
	}
	if p.Choice != nil {
		a.Each(text.Faint, "not known:", p.Choice.NotKnown)
		a.Each(text.Faint, "note:", p.Choice.Notes)
	}
	if len(p.Channels) > 1 {
		a.Section()
		a.Table(readyChannels(p))
	}
	if e := r.Release.Extension(p); e != nil {
		a.Section()
		a.Code("yaml", extensionYAML(e))
	}
}

func sayWithPos(a *answer.Answer, label text.Word, said string, pos catalogs.Pos) {
	a.Item(label, " ", said)
	if pos.IsKnown() {
		a.Detail(text.Styled(pos.String(), text.Place))
	}
}

func (r *Readiness) heading(p *readiness.Package) string {
	title := "package " + p.Name.Value
	if len(r.Catalogs) > 1 {
		title += " in catalog " + p.Source
	}
	if p.Choice == nil {
		return title + ": OLM v1 chooses no bundle"
	}
	return fmt.Sprintf("%s: %s (%s): %s", title, p.Choice.Name, p.Choice.Version, p.Verdict())
}

// packageNotes returns what decides the choice of a package beside its bundles.
func packageNotes(p *readiness.Package) []string {
	var all []string
	if p.Deprecated != "" {
		all = append(all, "the package is deprecated: "+p.Deprecated)
	}
	if len(p.Tied) > 0 {
		all = append(all, "also in catalog "+words.And(p.Tied))
	}
	if p.Instead != "" {
		all = append(all, "OLM v1 chooses from catalog "+p.Instead+", unless the ClusterExtension selects this one")
	}
	if p.Choice == nil {
		return all
	}
	if p.Choice.Deprecated != "" {
		all = append(all, "all bundles are deprecated, this one too: "+p.Choice.Deprecated)
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
		all = append(all, fmt.Sprintf("the newest version with no known blocker is %s: OLM v1 installs it only if it is requested", p.Newest.Version))
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

// readyChannels returns what OLM v1 chooses in each channel.
func readyChannels(p *readiness.Package) *answer.Table {
	table := &answer.Table{Columns: []string{"channel", "chosen", "verdict", "blockers"}}
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
		table.Add(name, versionOfBundle(c.Choice), verdict, way)
	}
	return table
}

// sayOperators says the verdict of each operator of a cluster, and what each needs; Markdown has what to do step by step.
func (r *Readiness) sayOperators(a *answer.Answer) {
	table := &answer.Table{Columns: []string{"namespace", "subscription", "installed", "verdict", "next"}, Groups: 1}
	for _, o := range r.Operators {
		table.Add(o.Namespace, text.Styled(o.Subscription, text.Place), text.Dash(o.Name), verdictCell(o.Verdict()), nextCell(o))
	}
	a.Section()
	a.Table(table)
	a.InMarkdown().Say("Migrate one operator after the other. The operator is down between the deletion of its ClusterServiceVersion and its installation by OLM v1; ",
		"its CRDs and their objects stay.")
	for _, o := range r.Operators {
		to := a
		if len(o.Hard)+len(o.Soft)+len(o.NotKnown)+len(o.Notes) == 0 {
			to = a.InMarkdown()
		}
		r.sayOperator(to, o)
	}
	if len(r.extensions()) > 0 {
		hint := a.InText()
		hint.Section()
		hint.Say("-o markdown writes what to do step by step, and -o yaml the ClusterExtensions.")
	}
}

func (r *Readiness) sayOperator(a *answer.Answer, o *readiness.Operator) {
	a.Section(o.Subscription, " in namespace ", o.Namespace, ": ", o.Verdict())
	for _, one := range o.Hard {
		sayWithPos(a, text.Styled("blocked by:", text.Error), one.Text, one.Pos)
	}
	for _, one := range o.Soft {
		sayWithPos(a, text.Styled("changes:", text.Warning), one.Text, one.Pos)
	}
	a.Each(text.Faint, "not known:", o.NotKnown)
	a.Each(text.Faint, "note:", slices.Concat(o.Notes, rejectedNotes(o)))
	steps := a.InMarkdown()
	for i := range o.Steps {
		s := &o.Steps[i]
		steps.Say(text.Styled(fmt.Sprintf("%d. %s", i+1, s.Title), text.Heading))
		steps.Say(s.Text)
		commands := strings.Join(s.Commands, "\n")
		if manifest := r.manifest(o, s); manifest != "" {
			commands = "kubectl apply -f - <<'EOF'\n" + manifest + "EOF\n" + commands
		}
		if commands != "" {
			steps.Code("sh", commands)
		}
	}
}

// manifest returns the object that a step creates, or "".
func (r *Readiness) manifest(o *readiness.Operator, s *readiness.Step) string {
	switch s.Object {
	case readiness.CatalogObject:
		return catalogYAML(o.Extension.Catalog, o.Image)
	case readiness.ExtensionObject:
		return extensionYAML(o.Extension)
	}
	return ""
}

// nextCell says what OLM v1 upgrades an operator to.
func nextCell(o *readiness.Operator) string {
	if o.Next == nil {
		return "-"
	}
	if o.Next.Verdict != readiness.Ready {
		return fmt.Sprintf("%s (%s)", o.Next.Version, o.Next.Verdict)
	}
	if len(o.Rejected) > 0 {
		return o.Next.Version + " (rejected)"
	}
	return o.Next.Version
}

func rejectedNotes(o *readiness.Operator) []string {
	var all []string
	for _, r := range o.Rejected {
		all = append(all, fmt.Sprintf("OLM v1 fails to upgrade to %s: %s", o.Next.Name, r))
	}
	return all
}
