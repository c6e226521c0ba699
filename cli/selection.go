package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/render"
)

// pathRequest is a question about the upgrades of a package in the words of the command line.
type pathRequest struct {
	from, to       string // a version or bundle, or NAME@VERSION if the catalog does not have it
	channels       []string
	olm            graph.Generation
	releases       bool // the feature gate BundleReleaseSupport is on
	switchChannels bool
	limit          int    // of paths; 0 is 1
	kubernetes     string // the version of the cluster; "": not known
	cluster        *judge.Cluster
}

// takeVersions sets the versions as setVersions does. The error of too many arguments suggests the command line without the others.
func (q *pathRequest) takeVersions(c *cli.Context, o *opener, args []string) error {
	err := q.setVersions(args)
	if err == nil || len(args) <= 2 || errors.As(err, new(suggestion)) {
		return err
	}
	return suggestCommand(err, o.command.arrange(c.Context, o.given)...)
}

// setVersions sets what arguments say of the versions: FROM, and TO.
func (q *pathRequest) setVersions(args []string) error {
	if len(args) == 2 && args[1] == "-" {
		return suggestInstead(misusef("FROM and TO follow each other, without ->: a shell takes its > for a redirection"), "-")
	}
	if len(args) == 3 && slices.Contains([]string{"to", "->", "-"}, args[1]) {
		return suggestInstead(misusef("FROM and TO follow each other, without %q", args[1]), args[1])
	}
	if len(args) == 3 && isImageSet(args[2]) {
		return suggestInstead(misusef("%s: path writes a new image set, and mirror judges one", args[2]), args[2])
	}
	if len(args) > 2 {
		return misusef("path takes a catalog, a package and two versions, not also %s", strings.Join(args[2:], " "))
	}
	for i, version := range []*string{&q.from, &q.to}[:len(args)] {
		if *version != "" {
			return misusef("%s and %s are given for the same version: give one", args[i], *version)
		}
		*version = args[i]
	}
	if isHead(q.to) {
		q.to = ""
	}
	return nil
}

func (q *pathRequest) check() error {
	switch {
	case q.olm == graph.V0 && len(q.channels) > 1:
		return misusef("a Subscription has one channel, not %s: several channels need --olm v1", strings.Join(q.channels, " and "))
	case q.olm == graph.V0 && q.releases:
		return misusef("--feature-gates needs --olm v1")
	case q.olm == graph.V0 && q.limit > 0:
		return misusef("--all needs --olm v1: OLM v0 upgrades each bundle to one other")
	case q.olm == graph.V1 && q.switchChannels:
		return misusef("--switch-channels is for OLM v0: with --olm v1 leave out --channel to use all channels")
	}
	return nil
}

// answer finds the bundles and channels of the question, and answers it.
// newestHead returns the newest head of some channels, of the default channel if there are none.
func (s selector) newestHead(graphs []*graph.Graph) (string, error) {
	if g := s.defaultChannel(); len(graphs) == 0 && g != nil {
		graphs = []*graph.Graph{g}
	}
	var heads []string
	for _, g := range graphs {
		heads = append(heads, g.Names(g.Heads())...)
	}
	if len(heads) == 0 {
		return "", misusef("no channel has a head: give a version instead of head")
	}
	return s.newest(heads), nil
}

// newest returns the bundle with the highest version.
func (s selector) newest(names []string) string {
	return slices.MaxFunc(names, func(a, b string) int {
		v, w := graph.ParseVersion(s.Version(a)), graph.ParseVersion(s.Version(b))
		if v == nil || w == nil {
			return strings.Compare(a, b)
		}
		return v.Compare(*w)
	})
}

func (q *pathRequest) answer(pg *graph.PackageGraph) (*render.Path, error) {
	s := selector{pg}
	graphs, err := s.channels(q.channels)
	if err != nil {
		return nil, err
	}
	if isHead(q.from) {
		if q.from, err = s.newestHead(graphs); err != nil {
			return nil, err
		}
	}
	path := &render.Path{PackageGraph: pg, ExplicitTarget: q.to != "", Kubernetes: q.kubernetes, Cluster: q.cluster}
	from, err := s.completeVersion(q.from, graphs, path)
	if err != nil {
		return nil, err
	}
	installed, err := s.findInstalled(from, graphs)
	if err != nil {
		return nil, err
	}
	if !pg.Has(installed.Name) {
		path.PackageGraph = pg.WithRemoved(installed)
		path.Nearest = s.nearestVersions(installed.Version)
	}
	question := graph.Question{From: installed.Name, SwitchChannels: q.switchChannels, Limit: cmp.Or(q.limit, 1)}
	switch {
	case q.olm == graph.V1:
		question.Extension = path.PackageGraph.Extension(q.releases, graphs...)
		path.IgnoresReleases = !q.releases && slices.ContainsFunc(pg.Package.Bundles, func(b *catalogs.Bundle) bool { return b.Release.Value != "" })
	case len(graphs) > 0:
		question.Channel = graphs[0]
	default:
		question.Channel, path.OtherChannels = s.installedChannel(installed)
	}
	if q.switchChannels && q.to == "" {
		path.DefaultHead = s.headOfDefaultChannel(question.Channel)
	}
	if graphs = append(graphs, question.Channel); q.switchChannels {
		graphs = s.Graphs
	}
	to, err := s.completeVersion(q.to, graphs, path)
	if err != nil {
		return nil, err
	}
	if question.To = path.DefaultHead; question.To == "" {
		question.To, err = s.target(to, &question)
	}
	if err != nil {
		return nil, err
	}
	path.Answer = path.PackageGraph.Ask(question)
	return path, nil
}

// partialVersion is a version without all its parts, as 1.10.
var partialVersion = regexp.MustCompile(`^v?(\d{1,9})(?:\.(\d{1,9}))?$`)

// completeVersion returns the highest version that a partial one stands for, of the channels if these have one, and notes it in the answer; text itself if it is
// no partial version, or there is none. A range is an error.
func (s selector) completeVersion(text string, graphs []*graph.Graph, path *render.Path) (string, error) {
	if from, to, isRange := strings.Cut(text, ".."); isRange {
		return "", suggestInstead(misusef("%q is a range: give two versions, FROM and TO", text), text, from, to)
	}
	m := partialVersion.FindStringSubmatch(text)
	if m == nil {
		return text, nil
	}
	var found []string
	for _, b := range s.Package.Bundles {
		if v := b.Semver(); v != nil && fmt.Sprint(v.Major) == m[1] && (m[2] == "" || fmt.Sprint(v.Minor) == m[2]) {
			found = append(found, b.Name.Value)
		}
	}
	graphs = slices.DeleteFunc(graphs, func(g *graph.Graph) bool { return g == nil })
	var highest *catalogs.Bundle
	for _, name := range s.filterPreferred(graphs, found) {
		if b := s.Package.Bundle(name); highest == nil || b.Semver().GT(*highest.Semver()) {
			highest = b
		}
	}
	switch {
	case highest == nil:
		return text, nil
	case len(found) == 1:
		return highest.Name.Value, nil
	}
	path.Partial = append(path.Partial, fmt.Sprintf("%s stands for %s, its highest version.", text, highest.Version.Value))
	return highest.Name.Value, nil
}

// selector finds the channels and bundles that a command line names in a package.
type selector struct{ *graph.PackageGraph }

// defaultChannel returns the default channel, or nil if the package has none.
func (s selector) defaultChannel() *graph.Graph { return s.Graph(s.Package.DefaultChannel.Value) }

// channels returns the channels with these names, each once. A package without channels is an error.
func (s selector) channels(names []string) ([]*graph.Graph, error) {
	if len(s.Graphs) == 0 {
		return nil, misusef("package %q has no channels", s.Package.Name.Value)
	}
	var graphs []*graph.Graph
	for _, name := range names {
		g := s.Graph(name)
		if g == nil {
			names := channelNames(s.Graphs)
			return nil, suggestName(misusef("no channel %q in package %q%s", name, s.Package.Name.Value, didYouMean(name, names)), name, names)
		}
		if !slices.Contains(graphs, g) {
			graphs = append(graphs, g)
		}
	}
	return graphs, nil
}

// existingChannels returns those of the channels that the package has.
func (s selector) existingChannels(names []string) (graphs []*graph.Graph) {
	for _, name := range names {
		if g := s.Graph(name); g != nil {
			graphs = append(graphs, g)
		}
	}
	return graphs
}

// installedChannel returns the channel of an installed bundle: the default channel if it has the bundle, or the first that has it. For
// a bundle that is in no channel it is the default channel if that upgrades it, the first that upgrades it, or the default
// channel. others are the names of the other candidates.
func (s selector) installedChannel(installed graph.InstalledBundle) (channel *graph.Graph, others []string) {
	from := s.GraphsContaining(installed.Name)
	if !s.Has(installed.Name) {
		from = slices.DeleteFunc(slices.Clone(s.Graphs), func(g *graph.Graph) bool {
			_, upgraded := g.NextOfInstalled(installed.Name, installed.Version)
			return !upgraded
		})
	}
	chosen := s.defaultChannel()
	if len(from) > 0 && !slices.Contains(from, chosen) {
		chosen = from[0]
	}
	if chosen == nil {
		chosen = s.Graphs[0]
	}
	return chosen, channelNames(slices.DeleteFunc(from, func(g *graph.Graph) bool { return g == chosen }))
}

// findInstalled returns the installed bundle that text names: a version, a name or NAME@VERSION. The catalog need not have the
// bundle.
func (s selector) findInstalled(text string, graphs []*graph.Graph) (graph.InstalledBundle, error) {
	if strings.Contains(text, "@") {
		return s.parseInstalled(text)
	}
	found := s.filterPreferred(graphs, s.Find(text))
	if len(found) == 0 {
		found = s.FindRemoved(text)
	}
	switch {
	case len(found) == 1 && !s.Has(found[0]):
		return graph.ParseBundleName(found[0]), nil
	case len(found) == 1:
		return graph.InstalledBundle{Name: found[0], Version: s.Version(found[0])}, nil
	case len(found) > 1:
		return graph.InstalledBundle{}, ambiguousBundle(text, found)
	}
	if v, err := semver.ParseTolerant(text); err == nil { // its name is not known
		return graph.InstalledBundle{Name: text, Version: v.String()}, nil
	}
	if gone := graph.ParseBundleName(text); gone.Version != "" && s.Graph(text) == nil { // which is not the name of a channel
		return gone, nil
	}
	return graph.InstalledBundle{}, misusef("%w; give a bundle that the catalog does not have as NAME@VERSION", s.unknownBundle(text))
}

// parseInstalled parses NAME@VERSION.
func (s selector) parseInstalled(text string) (graph.InstalledBundle, error) {
	name, version, ok := graph.SplitName(text)
	switch {
	case name == "" || !ok:
		return graph.InstalledBundle{}, misusef("%q has no version at its end: give it as NAME@VERSION", text)
	case s.Has(name):
		return graph.InstalledBundle{}, misusef("the catalog has %s, of version %s: leave out the @", name, s.Version(name))
	}
	return graph.InstalledBundle{Name: name, Version: version.String()}, nil
}

// filterPreferred returns the bundles that are in one of the channels, or in the default channel if graphs is empty; all of them if
// none is.
func (s selector) filterPreferred(graphs []*graph.Graph, names []string) []string {
	if g := s.defaultChannel(); len(graphs) == 0 && g != nil {
		graphs = []*graph.Graph{g}
	}
	here := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(graphs, func(g *graph.Graph) bool {
			_, ok := g.Index(name)
			return ok
		})
	})
	if len(here) > 0 {
		return here
	}
	return names
}

// target returns the bundle that text names. If text is "", it is the head of the channel or, under OLM v1, what a new
// ClusterExtension installs.
func (s selector) target(text string, q *graph.Question) (string, error) {
	v1 := q.OLM() == graph.V1
	switch {
	case text == "" && !v1:
		return s.head(q.Channel)
	case text == "":
		if best := q.Extension.Best(); best != "" {
			return best, nil
		}
		return "", misusef("package %q has no bundle to upgrade to", s.Package.Name.Value)
	}
	graphs := []*graph.Graph{q.Channel}
	if v1 {
		graphs = q.Extension.Channels
	}
	switch found := s.filterPreferred(graphs, s.Find(text)); len(found) {
	case 0:
		return "", s.unknownBundle(text)
	case 1:
		return found[0], nil
	default:
		return "", ambiguousBundle(text, found)
	}
}

// head returns the head of a channel; of several, for which OLM has no order, the one with the highest version.
func (s selector) head(g *graph.Graph) (string, error) {
	if heads := g.Names(g.Heads()); len(heads) > 0 {
		return s.newest(heads), nil
	}
	_, err := g.Order()
	return "", misusef("channel %q has no single head (%w): give --to; olmgraph lint shows the problem", g.Channel.Name.Value, err)
}

// headOfDefaultChannel returns the head of the default channel, or "" if that is the channel from or has no single head.
func (s selector) headOfDefaultChannel(from *graph.Graph) string {
	if g := s.defaultChannel(); g != nil && g != from {
		return g.HeadName()
	}
	return ""
}

func ambiguousBundle(text string, found []string) error {
	return misusef("%s is ambiguous: give one of %s", text, strings.Join(found, ", "))
}

// unknownBundle returns the error that there is no such bundle, with the nearest versions or names.
func (s selector) unknownBundle(text string) error {
	message := fmt.Sprintf("no version or bundle %s in package %q", text, s.Package.Name.Value)
	if s.Graph(text) != nil {
		return suggestion{error: misusef("%s: it is a channel", message), was: text, now: []string{"--channel", text}, withFlag: true}
	}
	if v, ok := strings.CutPrefix(text, s.Package.Name.Value+".v"); ok && len(s.Find(v)) > 0 { // whose bundles are named otherwise
		return suggestInstead(misusef("%s; did you mean %s?", message, v), text, v)
	}
	switch near := s.nearestVersions(text); len(near) {
	case 2:
		message += "; the nearest are " + near[0] + " and " + near[1]
	case 1:
		message += "; the nearest is " + near[0]
	default:
		message += didYouMean(text, s.entryNames())
	}
	return misuse{unknownName{errors.New(message)}}
}

// unknownName is an error that says which names there are instead of one.
type unknownName struct{ error }

// nearestVersions returns the versions of the entries just below and just above a version; none if text is not a version.
func (s selector) nearestVersions(text string) []string {
	want, err := semver.ParseTolerant(text)
	if err != nil {
		return nil
	}
	var below, above *semver.Version
	for _, g := range s.Graphs {
		for _, i := range g.Entries() {
			v := g.Version(i)
			switch {
			case v == nil:
			case v.LT(want) && (below == nil || v.GT(*below)):
				below = v
			case v.GT(want) && (above == nil || v.LT(*above)):
				above = v
			}
		}
	}
	var near []string
	for _, v := range []*semver.Version{below, above} {
		if v != nil {
			near = append(near, v.String())
		}
	}
	return near
}

// entryNames returns the names of all entries, each once.
func (s selector) entryNames() []string {
	var names []string
	for _, g := range s.Graphs {
		names = append(names, g.Names(g.Entries())...)
	}
	return find.Distinct(names)
}

func channelNames(graphs []*graph.Graph) []string {
	return words.Map(graphs, func(g *graph.Graph) string { return g.Channel.Name.Value })
}

// packageNames returns the names of the packages of some catalogs, each once.
func packageNames(cats []*catalogs.Catalog) []string {
	var names []string
	for _, c := range cats {
		names = append(names, c.PackageNames()...)
	}
	return find.Distinct(names)
}
