package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/render"
)

const releaseHelp = `examples:
  olmgraph release catalog/ prometheus 0.66.0                  what to write in the default channel
  olmgraph release catalog/ prometheus 0.66.0 --write          and write it
  olmgraph release catalog/ prometheus 0.65.3 --channel stable --channel stable-0.65
  olmgraph release catalog/ prometheus 0.65.4 --instead-of 0.65.3
  olmgraph release catalog/ prometheus 0.66.0 --prune 0.50.0   and drop older entries
  olmgraph release catalogs/ prometheus 0.66.0 --ocp 4.16..4.20   in the catalogs for these OpenShift versions
  olmgraph release template.yaml prometheus 0.66.0 --image quay.io/org/bundle:v0.66.0 --write
  olmgraph release operators/prometheus prometheus 0.66.0 -o release-config

It finds the entries to add or change so that OLM v0 and v1 still upgrade every user who was upgraded to the head of a channel, nobody is
downgraded, and opm accepts the channels. The release is written like the newest entries of the channel, if that does. Otherwise it
replaces the head and skips what would be stranded; instead of more than ten skips it has a skipRange. It also skips published bundles of
its major version that the channels no longer have, and never upgrade, if nobody is worse off then. The answer says how the files of
the catalog or template change; --write changes only that. Of a bundle that the catalog has, it names the upgrades that fail on a cluster.

VERSION is a version or the name of a bundle. The name of a new bundle is that of the package's newest one with this version. If the head of a channel is higher, the release is inserted below it. A channel that the package does
not have is a new one. A bundle that exists already is added to further channels as it is. --instead-of withdraws a bundle: OLM v0 no
longer offers it. For a template of schema olm.semver the answer is where to list the image, and what opm makes of it.

exit status: 0; 1 if no edges are right, with the reason; 2 misuse; 3 the catalog could
not be opened or read completely, is not a catalog, or the answer could not be written.`

const releaseName = "release"

func releaseCommand() command {
	return command{
		name:  releaseName,
		usage: "find the edges of a new version with which no user is stranded",
		args:  "[flags] CATALOG [PACKAGE] VERSION",
		help:  releaseHelp,
		flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "channel", Usage: "a `CHANNEL` of the release (default: the default channel, and those with its head)"},
			&cli.StringSliceFlag{Name: "instead-of", Usage: "withdraw the bundle of this `VERSION` from these channels"},
			&cli.StringFlag{Name: "prune", Usage: "drop the entries of these channels below this `VERSION`"},
			&cli.StringFlag{Name: "image", Usage: "for a template: list this `IMAGE` of the release too"},
			&cli.BoolFlag{Name: "write", Usage: "write it into the files of the catalog or template"},
			colorFlag(),
		},
		synonyms: map[string]string{"should": "", "write": "", "add": "", "add bundle": "", "add entry": "", "new entry": "", "generate entry": "", "index": "", "index add": "", "new": "", "new-version": "", "next-version": "", "suggest": "", "what-if": "", "convert": "", "create": "", "generate": "", "simulate": "", "publish": "", "release-check": "", "bump": "", "skipRange": "", "skiprange": ""},
		needless: map[string]string{"replaces": "release finds what a release replaces", "skips": "release finds what a release skips", "skip-range": "release finds what a release skips", "dry-run": "without --write it writes no file"},
		takes:    takes{catalog: true, ranges: true, writes: true, channel: "--channel", arguments: []argumentKind{packageArgument}},
		formats:  answerFormats(render.ReleaseFormats()),
		answer:   runRelease,
	}
}

func runRelease(c *cli.Context, o *opener, to outputs) error {
	if c.NArg() < 2 {
		return suggestCommand(misusef("release needs a catalog, a package and the new version"), o.command.arrange(c.Context, o.given)...)
	}
	if last := c.Args().Get(c.NArg() - 1); disk.Exists(last) && strings.ContainsAny(last, `/\`) {
		return suggestCommand(misusef("the version comes last, and %s is a file or folder", last), o.command.arrange(c.Context, o.given)...)
	}
	jobs, version, err := newReleaseJobs(c, o)
	if err != nil {
		return err
	}
	show, err := jobs.outputs(to)
	if err != nil {
		return err
	}
	out, err := jobs.makePlan(c, version)
	jobs.noteTemplates(version)
	if err == nil {
		err = show(out)
	}
	if err != nil {
		return err
	}
	return jobs.write(&out)
}

// checkReleaseOutputs rejects formats that the catalog has no answer in.
func checkReleaseOutputs(to outputs, cat *catalogs.Catalog) error {
	for _, o := range to.all {
		if o.format == "release-config" && cat.Template == nil {
			return misusef("-o release-config: it is for the pipelines, which add a release to a template, and %s is not one", cat.Pos())
		}
	}
	return nil
}

// makePlan returns the plan of a release.
func (j *releaseJob) makePlan(c *cli.Context, version string) (*render.Release, error) {
	s := selector{graph.NewPackageGraph(j.pkg)}
	channels := j.channels
	if t := j.cat.Template; t != nil && t.IsGenerated() {
		if c.IsSet("instead-of") || c.IsSet("prune") {
			return nil, misusef("--instead-of and --prune are for channels with entries: opm makes those of a template of schema olm.semver of its images")
		}
		return j.planGenerated(s, version, channels)
	}
	request, err := s.release(version, channels, c.StringSlice("instead-of"))
	if err != nil {
		return nil, err
	}
	if c.IsSet("prune") {
		if request.Prune, err = s.lowerThan(c.String("prune"), request.Channels); err != nil {
			return nil, err
		}
	}
	request.Before = j.before
	if len(channels) == 0 {
		s.noteUnordered(j.logger, request.Channels)
		s.noteOtherVersion(j.logger, &request)
	}
	out := &render.Release{Catalog: j.cat, Package: j.pkg, Plan: release.NewPlan(s.PackageGraph, request), Image: j.image}
	if j.pkg.Bundle(request.Name) != nil && out.Refusal == nil {
		out.Failing = judge.FailingInto(out.After.Package, request.Name)
	}
	return out, nil
}

// release returns the request for a version or bundle.
func (s selector) release(text string, channels, insteadOf []string) (release.Request, error) {
	r := release.Request{}
	var err error
	if r.Name, r.Version, err = s.releaseName(text); err != nil {
		return r, err
	}
	for _, name := range channels {
		if !slices.Contains(r.Channels, name) {
			r.Channels = append(r.Channels, name)
		}
	}
	if len(channels) == 0 {
		g := s.channelFor(r.Version)
		if g == nil {
			return r, misusef("package %q has no default channel: give one with --channel", s.Package.Name.Value)
		}
		r.Channels = s.sameHead(g, r.Version)
	}
	for _, text := range insteadOf {
		switch found := s.filterPreferred(s.existingChannels(r.Channels), s.Find(text)); len(found) {
		case 0:
			return r, s.unknownBundle(text)
		case 1:
			r.InsteadOf = append(r.InsteadOf, found[0])
		default:
			return r, ambiguousBundle(text, found)
		}
	}
	return r, nil
}

// channelFor returns the channel of a release if none is given: the default one, or, if that is named after another version, the only one that is named
// after this version; nil if there is none.
func (s selector) channelFor(version string) *graph.Graph {
	g := s.defaultChannel()
	if g == nil || fitsChannel(g, version) {
		return g
	}
	fitting := slices.DeleteFunc(slices.Clone(s.Graphs), func(other *graph.Graph) bool {
		return !graph.NamesVersion(other.Channel.Name.Value) || !fitsChannel(other, version)
	})
	if len(fitting) == 1 {
		return fitting[0]
	}
	return g
}

// sameHead returns a channel and the others that have its head, but for those that are named after another version than that of the release.
func (s selector) sameHead(g *graph.Graph, version string) []string {
	names := []string{g.Channel.Name.Value}
	head, ok := g.Head()
	for _, other := range s.Graphs {
		if i, one := other.Head(); other != g && ok && one && other.Name(i) == g.Name(head) && fitsChannel(other, version) {
			names = append(names, other.Channel.Name.Value)
		}
	}
	return names
}

// noteUnordered says which other channels have the head of one with the release, and another head beside it: they do not get the release.
func (s selector) noteUnordered(l *logger, channels []string) {
	for _, g := range s.Graphs {
		names := words.Map(g.Heads(), g.Name)
		of := find.Pointer(s.Graphs, func(o *graph.Graph) bool {
			return slices.Contains(channels, o.Channel.Name.Value) && slices.Contains(names, o.HeadName())
		})
		if len(names) > 1 && of != nil {
			l.logf("channel %q has %s as the others, and is left out: it has %d heads; fix that first", g.Channel.Name.Value, (*of).HeadName(), len(names))
		}
	}
}

// noteOtherVersion says that the default channel of a release is named after another version, and which channel has the same minor version.
func (s selector) noteOtherVersion(l *logger, r *release.Request) {
	v, err := semver.Parse(r.Version)
	name := r.Channels[0]
	if err != nil || graph.FitsChannelName(name, v) {
		return
	}
	effect := ""
	var other []string
	for _, g := range s.Graphs {
		switch head := g.HeadVersion(); {
		case head == nil:
		case g.Channel.Name.Value == name && head.LT(v):
			effect = ", to which its users are upgraded then"
		case g.Channel.Name.Value != name && head.Major == v.Major && head.Minor == v.Minor && head.LT(v) && (len(head.Pre) == 0 || head.Pre[0].IsNum): // as 0.4.1-2, and no nightly build
			other = []string{fmt.Sprintf("--channel %s has %s", words.ShellWord(g.Channel.Name.Value), head)}
		}
	}
	if renamed := graph.RenameChannel(name, v); s.Graph(renamed) == nil {
		other = append(other, fmt.Sprintf("--channel %s is for a new channel", words.ShellWord(renamed)))
	}
	l.logf("channel %q is named after another version than %s%s%s", name, r.Version, effect, words.Prefix(": ", strings.Join(other, ", and ")))
}

func fitsChannel(g *graph.Graph, version string) bool {
	v, err := semver.Parse(version)
	return err == nil && graph.FitsChannelName(g.Channel.Name.Value, v)
}

// releaseName returns the name and the version of a bundle that is to be released, which the package may have already.
func (s selector) releaseName(text string) (name, version string, err error) {
	switch found := s.Find(text); {
	case len(found) > 1:
		return "", "", ambiguousBundle(text, found)
	case len(found) == 1 && s.Version(found[0]) != "":
		return found[0], s.Version(found[0]), nil
	}
	if v, err := semver.Parse(strings.TrimPrefix(text, "v")); err == nil {
		name, ok := s.guessName(v.String())
		if !ok {
			return "", "", misusef("no name of a bundle of package %q contains its version: give NAME@%s", s.Package.Name.Value, v)
		}
		return name, v.String(), nil
	}
	if v, err := semver.ParseTolerant(text); err == nil { // as 1.13
		name, _ := s.guessName(v.String())
		return "", "", suggestInstead(misusef("%q is not a full version: give %s for the bundle %s", text, v, cmp.Or(name, "NAME@"+v.String())), text, v.String())
	}
	name, v, known := graph.SplitName(text)
	if !known || name == "" {
		return "", "", misusef("%q is not a version and does not end in one: give NAME@VERSION", text)
	}
	return name, v.String(), nil
}

// guessName returns the name that a bundle of a new version has if it is like that of the newest bundle that contains its version.
func (s selector) guessName(version string) (string, bool) {
	var like *catalogs.Bundle
	var newest semver.Version
	for _, b := range s.Package.Bundles {
		v, err := semver.ParseTolerant(b.Version.Value)
		if err != nil || !strings.Contains(b.Name.Value, b.Version.Value) {
			continue
		}
		if like == nil || v.GT(newest) {
			like, newest = b, v
		}
	}
	if like == nil {
		return "", false
	}
	at := strings.LastIndex(like.Name.Value, like.Version.Value)
	return fmt.Sprint(like.Name.Value[:at], version, like.Name.Value[at+len(like.Version.Value):]), true
}
