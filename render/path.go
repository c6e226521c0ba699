package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Path is the answer to a question about an upgrade path, with what the output says about its bundles.
type Path struct {
	*graph.Answer
	PackageGraph *graph.PackageGraph
	// Dependencies are the dependencies of the bundles on the paths, by name.
	Dependencies map[string]*catalogs.Dependencies
	// OtherChannels are the other channels that have the installed bundle or upgrade it, unless a channel was given.
	OtherChannels []string
	// Partial says what versions without all their parts are taken as.
	Partial []string
	// Nearest are the versions of the package nearest to an installed version that the catalog does not have.
	Nearest []string
	// ExplicitTarget says that the target was given with --to.
	ExplicitTarget bool
	// IgnoresReleases says that bundles have releases, which do not count because the feature gate BundleReleaseSupport is off.
	IgnoresReleases bool
	// DefaultHead is the target if it is the head of the default channel, because no target was given and the subscription may
	// switch channels; otherwise "".
	DefaultHead string

	// Kubernetes is the version of the cluster, as 1.29; "": not known.
	Kubernetes string

	// Cluster is that of the user, nil if it is not known.
	Cluster *judge.Cluster

	// Changes are those of contents between both ends, nil if they are not wanted; Details says that all are listed.
	Changes *changes.Report
	Details bool

	judged         *judge.Package                   // nil until it is needed
	outcomesByPath memo.Map[string, judge.Outcomes] // by the names of the bundles
}

// PathText writes a path as text.
func PathText(w io.Writer, p *Path, style text.Style) error { return p.say().Text(w, style) }

// say says a path step by step, or why there is none.
func (p *Path) say() *answer.Answer {
	a := answer.New(questionHeading(p.PackageGraph.Package, p.Question))
	p.sayInstalled(a)
	for _, g := range p.Question.NamedChannels() {
		for _, note := range p.channelNotes(g) {
			a.Say(text.Styled("Note:", text.Warning), " ", note)
		}
	}
	switch {
	case p.Obstacle != nil:
		a.Section(text.Styled(fmt.Sprintf("There is no upgrade path from %s to %s.", p.nameAndVersion(p.From), p.nameAndVersion(p.To)), text.Error))
		a.List(p.whyNoPath())
		if len(p.Automatic) > 0 {
			a.Section("Automatic upgrades: ", countSteps(p.Automatic), wording.DescribeFailing(p.outcomes(p.Automatic)))
			p.saySteps(a, p.Automatic)
		}
		p.sayContents(a)
		return a
	case p.From == p.To:
		a.Section()
		if err := p.Unordered(); err != nil {
			a.Say(p.nameAndVersion(p.From), " is already installed. ", text.Styled(wording.Unordered(p.Channel, err), text.Error))
			break
		}
		is := " is already installed."
		if g := p.Question.Channel; g != nil && g.HeadName() == p.From {
			is = " is the head of the channel."
		}
		a.Say("Nothing to do: ", p.nameAndVersion(p.From), is)
		name := p.PackageGraph.Package.DefaultChannel.Value
		if g := p.PackageGraph.Graph(name); g != nil && p.Question.Channel != nil && p.Question.Channel != g && g.HeadName() != "" && g.HeadName() != p.From {
			a.Say(fmt.Sprintf("The default channel %q has %s: --to %[2]s says whether it can be reached.", name, wording.Version(p.PackageGraph, g.HeadName())))
		}
	}
	for i, path := range p.Paths {
		if len(path) > 0 {
			a.Section(p.title(i, path))
			p.saySteps(a, path)
		}
	}
	for _, more := range p.remarks() {
		a.Section()
		a.Say(more)
	}
	if len(p.Paths) > 0 && p.Unknown() < p.Paths[0].Hops() {
		a.Section()
		a.Say(p.judgement(p.Unknown()).String())
	}
	p.sayContents(a)
	return a
}

func (p *Path) sayContents(a *answer.Answer) {
	if p.Changes != nil {
		sayChanges(a, p.Changes, p.version(p.From), p.version(p.To), p.Details)
	}
}

// Compare sets Changes, if the catalog has both bundles.
func (p *Path) Compare() error {
	from, to := p.PackageGraph.Package.Bundle(p.From), p.PackageGraph.Package.Bundle(p.To)
	if from == nil || to == nil || from == to {
		return nil
	}
	var err error
	p.Changes, err = changes.Compare(p.manifests(), from, to, p.OLM())
	return err
}

// manifests reads the manifests of the package.
func (p *Path) manifests() *judge.Package {
	if p.judged == nil {
		p.judged = judge.New(p.PackageGraph.Package, judge.Options{Kubernetes: p.Kubernetes})
	}
	return p.judged
}

// sayInstalled says what is to be known of the installed bundle and the target.
func (p *Path) sayInstalled(a *answer.Answer) {
	for _, taken := range p.Partial {
		a.Say(taken)
	}
	if !p.PackageGraph.Has(p.From) {
		a.Say(p.notInCatalog("this catalog"), p.nearestVersions())
	} else if holding := p.PackageGraph.GraphsContaining(p.From); len(holding) == 0 {
		a.Say(p.nameAndVersion(p.From), " is in no channel.")
	} else if named := p.Question.NamedChannels(); len(named) > 0 && !slices.ContainsFunc(named, func(g *graph.Graph) bool { return slices.Contains(holding, g) }) {
		a.Say(p.nameAndVersion(p.From), " is not in ", p.source(), ", but in channel ", quoteChannels(holding), ".")
	}
	if len(p.OtherChannels) > 0 {
		verb := "is also in"
		if !p.PackageGraph.Has(p.From) {
			verb = "is also upgraded in"
		}
		a.Say(p.nameAndVersion(p.From), " ", verb, " channel ", strings.Join(p.OtherChannels, ", "), ": see --channel.")
	}
	if p.IgnoresReleases {
		a.Say("Releases of bundles are ignored; if operator-controller considers them, add --feature-gates BundleReleaseSupport=true.")
	}
	if p.DefaultHead != "" {
		a.Say("The target is ", p.version(p.DefaultHead), ", the head of the default channel; --to selects another bundle.")
	}
	if d := p.PackageGraph.Package.Deprecation(catalogs.SchemaPackage, ""); d != nil {
		a.Say(text.Styled("The package is deprecated:", text.Warning), " ", d.Message.Value)
	}
}

// title names path number i.
func (p *Path) title(i int, path graph.Path) string {
	title := fmt.Sprintf("%s to %s", p.version(p.From), p.version(p.To))
	switch {
	case !p.IsHead(p.To):
	case p.OLM() == graph.V1:
		title += ", which new installations get"
	default:
		title += ", the head"
	}
	title += ": " + countSteps(path)
	if len(p.Paths) > 1 {
		title = fmt.Sprintf("path %d, %s", i+1, title)
	}
	if automatic(path) {
		title += ", automatic"
	}
	return title + wording.DescribeFailing(p.outcomes(path))
}

// saySteps says the upgrades of a path, their edges, and where these are defined.
func (p *Path) saySteps(a *answer.Answer, path graph.Path) {
	steps := &answer.Table{Columns: []string{"", "upgrade", "via", "defined in"}, Right: []int{0}, Steps: true}
	file := commonFile(path)
	if file != "" {
		steps.Caption = "edges in " + file
	}
	p.addSteps(steps, path, 1, file)
	a.Table(steps)
}

// addSteps adds rows of a path, numbered from first. If all edges are in one file it is given, and the rows have lines only.
func (p *Path) addSteps(steps *answer.Table, path graph.Path, first int, file string) {
	outcomes := p.outcomes(path)
	for i := range path {
		s := &path[i]
		if s.Switch() {
			steps.Add(first+i, fmt.Sprintf("switch to channel %q", s.Graph.Channel.Name.Value))
		} else {
			where := s.Edge.Where.Pos.String()
			if file != "" {
				where = fmt.Sprintf("line %d", s.Edge.Where.Pos.Line)
			}
			steps.Add(first+i, text.Styled(p.upgrade(s), text.Place), p.edgeText(s), text.Styled(where, text.Faint))
		}
		steps.Note(p.notes(s)...)
		if !s.Switch() {
			steps.Note(wording.Failure(&outcomes[0], p.OLM())...)
			steps.Note(p.storedNotes(&outcomes[0])...)
			outcomes = outcomes[1:]
		}
	}
}

// storedNotes says which versions of CRDs are stored on the cluster after an upgrade, of those with several.
func (p *Path) storedNotes(o *judge.Outcome) (all []string) {
	for _, s := range o.Stored {
		if p.Cluster != nil && len(o.Reasons) == 0 && len(s.Versions) > 1 {
			all = append(all, fmt.Sprintf("status.storedVersions of %s is %s afterwards", s.CRD, strings.Join(s.Versions, ", ")))
		}
	}
	return all
}

// outcomes says what becomes of the upgrades of a path.
func (p *Path) outcomes(path graph.Path) judge.Outcomes {
	return p.outcomesByPath.Get(namesAlong(path), func() judge.Outcomes { return p.manifests().Outcomes(path, p.OLM(), p.Cluster) })
}

// namesAlong returns the names of the bundles on a path.
func namesAlong(path graph.Path) string {
	var names strings.Builder
	for i := range path {
		names.WriteString(path[i].From + " " + path[i].To + "\n")
	}
	return names.String()
}

// Fails reports whether an upgrade fails on each of the paths to the target.
func (p *Path) Fails() bool {
	return len(p.Paths) > 0 && !slices.ContainsFunc(p.Paths, func(path graph.Path) bool { return !p.outcomes(path).IsRejected() })
}

// Unordered returns why OLM v0 cannot order the channel in which the bundle is installed; nil if it can, or OLM v1 is asked about.
func (p *Path) Unordered() *graph.OrderError {
	if p.OLM() != graph.V0 || p.Channel == nil {
		return nil
	}
	_, err := p.Channel.Order()
	return err
}

// Unknown counts the upgrades on the first path of which it is not known whether they succeed.
func (p *Path) Unknown() (n int) {
	if len(p.Paths) == 0 {
		return 0
	}
	for _, o := range p.outcomes(p.Paths[0]) {
		if len(o.Reasons) > 0 {
			return 0
		}
		if !o.Known {
			n++
		}
	}
	return n
}

// upgrade names what a step upgrades, and to what.
func (p *Path) upgrade(s *graph.Step) string {
	from, to := p.version(s.From), p.version(s.To)
	switch {
	case from == to:
		return s.From + " -> " + s.To
	case !strings.HasSuffix(s.To, to):
		return from + " -> " + to + "  " + s.To
	}
	return from + " -> " + to
}

// remarks says what applies to all paths: that there are more, and the automatic upgrades beyond the target, or those that do not lead to it.
func (p *Path) remarks() []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if p.From != p.To && p.MorePaths && p.Limit > 1 {
		say("There are more than these %d paths; --limit shows more.", len(p.Paths))
	}
	rest := p.Automatic[slices.IndexFunc(p.Automatic, func(s graph.Step) bool { return s.To == p.To })+1:]
	switch last := len(p.Automatic) - 1; {
	case last < 0 && p.OLM() == graph.V1 && p.From != p.To:
		say("OLM v1 does not upgrade %s automatically.", p.version(p.From))
	case len(rest) == 0 || p.Fails():
	case len(rest) < len(p.Automatic) || p.From == p.To:
		say("OLM %s does not stop there: it upgrades automatically to %s (%s). %s.",
			p.OLM(), p.version(p.Automatic[last].To), words.Count(len(rest), "more upgrade"), p.howToStop())
	case p.OLM() == graph.V1:
		say("OLM v1 upgrades automatically %s.", p.versionChain(p.Automatic))
	}
	if n := p.Unknown(); n > 0 {
		all = append(all, successUnknown(n))
	}
	if p.LastChoice.Refusal != nil {
		say("At %s %s.", p.version(p.endName()), wording.Refusal(p.PackageGraph, p.LastChoice.Refusal, p.endName()))
	}
	return all
}

// judged says what upgrades are judged against, and what they are not judged against.
type judged struct {
	Kubernetes      string   `json:"kubernetes"` // of several OpenShift versions that of the last; "" if it is not known
	CRDs            int      `json:"crds"`       // of the snapshot
	CustomResources int      `json:"customResources"`
	Not             []string `json:"notJudged"`
	olm             graph.Generation
	snapshot        bool
}

// judgement says it of a path with some upgrades of which the manifests are not known.
func (p *Path) judgement(unknown int) judged {
	j := judged{Kubernetes: p.Kubernetes, olm: p.OLM(), snapshot: p.Cluster != nil}
	if p.Kubernetes == "" {
		j.Not = append(j.Not, "a version of Kubernetes (--kube)")
	}
	if p.Cluster == nil {
		j.Not = append(j.Not, "a cluster (--snapshot)")
	} else {
		j.CRDs, j.CustomResources = p.Cluster.CRDs(), p.Cluster.Objects()
		j.Not = append(j.Not, "other operators (olmgraph cluster)")
		if account := p.Cluster.ServiceAccount; account != "" {
			j.Not = append(j.Not, fmt.Sprintf("the permissions of service account %q, to which the OperatorGroup limits OLM", account))
		}
	}
	if unknown > 0 {
		j.Not = append(j.Not, "the manifests of "+words.Count(unknown, "upgrade"))
	}
	return j
}

// String says it in a line.
func (j judged) String() string {
	against := []string{"OLM " + j.olm.String()}
	if j.Kubernetes != "" {
		against = append(against, "Kubernetes "+j.Kubernetes)
	}
	if j.snapshot {
		against = append(against, words.Count(j.CRDs, "CRD"), words.Count(j.CustomResources, "custom resource"))
	}
	return fmt.Sprintf("Judged against %s; not against %s.", words.List(against, "and"), words.List(j.Not, "or"))
}

// successUnknown says that it is not known of n upgrades whether they succeed.
func successUnknown(n int) string {
	return fmt.Sprintf("Whether %s is not known: the catalog lacks manifests, which --bundles or --pull missing can add.", words.CountPlural(n, "upgrade succeeds", "upgrades succeed"))
}

func (p *Path) diagram() *diagram.Diagram {
	failing := map[[2]string][]judge.Reason{}
	for _, path := range append([]graph.Path{p.Automatic}, p.Paths...) {
		for _, o := range p.outcomes(path) {
			if len(o.Reasons) > 0 {
				failing[[2]string{o.From, o.To}] = o.Reasons
			}
		}
	}
	return diagram.Paths(p.PackageGraph, p.Answer, failing)
}

// pathMermaid writes the paths as a Mermaid flowchart.
func pathMermaid(w io.Writer, p *Path) error {
	_, err := io.WriteString(w, diagram.Mermaid(p.diagram()))
	return err
}

// pathDOT writes the paths in the DOT language.
func pathDOT(w io.Writer, p *Path) error { return diagram.DOT(w, p.diagram()) }

// version returns the version of a bundle, with its release, or its name if it has none.
func (p *Path) version(name string) string { return wording.Version(p.PackageGraph, name) }

// notes returns what a user should know before a step.
func (p *Path) notes(s *graph.Step) []string {
	if s.Switch() {
		return p.channelNotes(s.Graph)
	}
	var notes []string
	if jump := wording.VersionJump(p.PackageGraph, s.From, s.To); jump != "" {
		notes = append(notes, jump)
	}
	if d := p.PackageGraph.Package.Deprecation(catalogs.SchemaBundle, s.To); d != nil {
		notes = append(notes, "deprecated: "+d.Message.Value)
	}
	before := p.requirements(s.From)
	for _, need := range p.requirements(s.To) {
		if !slices.Contains(before, need) { // only new requirements
			notes = append(notes, need)
		}
	}
	return notes
}

// requirements describes what a bundle requires of its cluster.
func (p *Path) requirements(bundle string) []string {
	deps := p.Dependencies[bundle]
	if deps == nil {
		return nil
	}
	var needs []string
	if v := deps.MaxOpenShift.Value; v != "" {
		needs = append(needs, "blocks upgrades of OpenShift beyond "+v)
	}
	return append(needs, words.Map(deps.Requires, func(r catalogs.Requirement) string { return "requires " + r.String() })...)
}

func (p *Path) channelNotes(g *graph.Graph) []string {
	if d := p.PackageGraph.Package.Deprecation(catalogs.SchemaChannel, g.Channel.Name.Value); d != nil {
		return []string{fmt.Sprintf("channel %q is deprecated: %s", d.Name.Value, d.Message.Value)}
	}
	return nil
}

// countSteps counts upgrades and switches: "3 upgrades", "1 upgrade and 1 switch to another channel".
func countSteps(path graph.Path) string {
	counts := words.Count(path.Hops(), "upgrade")
	if n := path.Switches(); n > 0 {
		counts += " and " + words.CountPlural(n, "switch to another channel", "switches to other channels")
	}
	return counts
}

func automatic(path graph.Path) bool {
	return !slices.ContainsFunc(path, func(s graph.Step) bool { return !s.Automatic })
}

// notInCatalog says that a catalog does not have the installed bundle, and which edges apply then.
func (p *Path) notInCatalog(catalog string) string {
	version := p.PackageGraph.Version(p.From)
	switch {
	case version == "":
		return fmt.Sprintf("%s is not in %s, and its version is unknown: only entries that replace or skip it upgrade it. Give it as %s@VERSION.", p.From, catalog, p.From)
	case graph.InstalledBundle{Name: p.From, Version: version}.HasOnlyVersion():
		return fmt.Sprintf("%s is not in %s, and its name is unknown: only a skipRange can upgrade it. Give it as NAME@%s.", p.From, catalog, version)
	}
	return fmt.Sprintf("%s is not in %s: an entry that replaces or skips it, or has %s in its skipRange, upgrades it.", p.From, catalog, version)
}

// nearestVersions names the nearest versions in the catalog.
func (p *Path) nearestVersions() string {
	switch len(p.Nearest) {
	case 0:
		return ""
	case 1:
		return " The closest version in it is " + p.Nearest[0] + "."
	}
	return " The closest versions in it are " + strings.Join(p.Nearest, " and ") + "."
}

// questionHeading names the subject of a question: package lighthouse, channel "stable" (default), OLM v0.
func questionHeading(p *catalogs.Package, q graph.Question) string {
	if q.OLM() == graph.V0 {
		return headingOfChannel(p, q.Channel.Channel) + ", OLM v0"
	}
	channels := "all channels"
	switch {
	case q.Extension.NamesChannels && len(q.Extension.Channels) == 1:
		channels = "channel " + quoteChannels(q.Extension.Channels)
	case q.Extension.NamesChannels:
		channels = "channels " + quoteChannels(q.Extension.Channels)
	}
	return fmt.Sprintf("package %s, %s, OLM v1", p.Name.Value, channels)
}

// nameAndVersion returns the name of a bundle, with its version if the name does not end in it.
func (p *Path) nameAndVersion(name string) string {
	if v := p.version(name); !strings.HasSuffix(name, v) {
		return v + " (" + name + ")"
	}
	return name
}

// edgeText names the edge of a step, and says if the version has to be requested.
func (p *Path) edgeText(s *graph.Step) string {
	why := wording.ShortEdge(s.Edge)
	if !s.Automatic {
		why += ", if requested: " + p.version(s.To)
	}
	return why
}

// commonFile returns the file that defines all edges of a path, or "" if there are several.
func commonFile(path graph.Path) string {
	file := ""
	for i := range path {
		switch where := path[i].Edge.Where.Pos.File; {
		case path[i].Switch():
		case file != "" && file != where:
			return ""
		default:
			file = where
		}
	}
	return file
}

// howToStop says how a user stops automatic upgrades at the target.
func (p *Path) howToStop() string {
	switch {
	case p.OLM() == graph.V0:
		return "To stop, set installPlanApproval: Manual"
	case p.Extension.IsShadowed(p.To):
		return "It cannot stop there: of the bundles of that version OLM v1 prefers another one"
	}
	return "To stop, set that version in the ClusterExtension"
}

func (p *Path) versionChain(path graph.Path) string {
	chain := p.version(p.From)
	for i := range path {
		chain += " -> " + p.version(path[i].To)
	}
	return chain
}
