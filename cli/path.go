package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/mirror"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/text"
)

const pathHelp = `examples:
  olmgraph path catalog/ prometheus 0.32.0             the automatic upgrades, up to the head
  olmgraph path catalog/ prometheus 0.32.0 0.47.0      the shortest path
  olmgraph path catalog/ prometheus all                the automatic upgrades of each version of a channel
  olmgraph path catalog/ prometheus 0.32.0 0.56.3 --switch-channels
  olmgraph path catalog/ prometheus 0.32.0 0.47.0 --changes   what they change: permissions, CRDs, images, …
  olmgraph path catalog/ prometheus 0.32.0 --olm v1    a ClusterExtension without channels
  olmgraph path catalog/ prometheus 0.32.0 --snapshot crds.yaml   on a cluster: kubectl get crd -o yaml
  olmgraph path catalogs/ prometheus 0.32.0 --ocp 4.14..4.18   on a cluster that is updated to OpenShift 4.18
  olmgraph path catalog/ prometheus 0.32.0 --imageset --catalog-image IMAGE -o imageset.yaml

CATALOG is a folder, a file, or - for standard input. FROM and TO are versions or names of bundles, and can also be given with --from
and --to. PACKAGE can be left out if the catalog has only one. Dependencies on other operators are shown, but not resolved: olmgraph
cluster does that.

Under OLM v0 each bundle upgrades to one other, and a user can only stop before an upgrade, so there is at most one path in a
channel. Under OLM v1 a user can ask for the version of any successor; automatically it takes the highest. It installs no bundle with the
properties olm.gvk.required, olm.package.required or olm.constraint. Between equal versions build metadata decides, as in
operator-controller v1.8 to v1.10.

FROM may be a version or a bundle that the catalog no longer has: an entry that replaces,
skips or covers it upgrades it. If its name does not end in its version, give NAME@VERSION.
With --images or --imageset it may be head: then the answer is of the newest version alone.

With --snapshot each upgrade is checked against the CRDs of the cluster and their status.storedVersions, as OLM does. FILE may hold objects of these
kinds too: OLM v0 validates them with the new schemas. Its ClusterVersion or nodes tell the version of Kubernetes,
and its Subscriptions what is installed: then FROM may be left out.

With a range of OpenShift versions, or --ocp all, CATALOG is a folder with a catalog for each. FROM is installed
at the first version. At each version OLM v0 upgrades it automatically, and then OpenShift is updated to the next.
If TO is given, the operator stays there, by manual approval. --ocp all begins at the first version that has FROM.

exit status: 0 there is a path; 1 there is none, it ends before the last OpenShift version, or an upgrade
on it fails; 2 misuse; 3 the catalog could not be opened or read completely, is not a catalog, or lacks manifests that --snapshot
needs.`

const pathName = "path"

const throughVersions = "--ocp FROM..TO goes through the catalogs of several OpenShift versions"

func pathCommand() command {
	return command{
		name:  pathName,
		usage: "find the upgrade path from one version of an operator to another",
		args:  "[flags] CATALOG [PACKAGE] FROM [TO]",
		help:  pathHelp,
		flags: append(answerFormats(render.PathFormats()).flags(),
			&cli.StringFlag{Name: "from", Usage: "the installed version or bundle, `FROM`; or all, for a table of the channel"},
			&cli.StringFlag{Name: "to", Usage: "the wanted version or bundle, `TO` (default: the head; under OLM v1 what a new installation gets)"},
			&cli.StringSliceFlag{Name: "channel", Usage: "the `CHANNEL` of the subscription (default: the default channel, or the first that has FROM); with OLM v1 one of the ClusterExtension (default: all channels)"},
			olmFlag(),
			featureGatesFlag(),
			&cli.BoolFlag{Name: "switch-channels", Usage: "allow switching the subscription to other channels"},
			&cli.BoolFlag{Name: "all", Usage: "with OLM v1, every path, the shortest first"},
			&cli.IntFlag{Name: "limit", Value: 20, Usage: "at most `N` paths with --all"},
			&cli.BoolFlag{Name: "changes", Usage: "also what differs between the bundles at both ends: permissions, CRDs, images, …"},
			&cli.BoolFlag{Name: "details", Usage: "with --changes, all of them"},
			&cli.BoolFlag{Name: "images", Usage: "only the images of the path, one on each line, including those of the installed bundle"},
			&cli.BoolFlag{Name: "imageset", Usage: "only an ImageSetConfiguration for oc-mirror v2 that mirrors the path and what it requires"},
			&cli.StringFlag{Name: "catalog-image", Usage: "the catalog `IMAGE` that --imageset is to name (default: CATALOG)"},
			&cli.StringFlag{Name: "kube", Usage: "the cluster's `VERSION` of Kubernetes, as 1.29, which upgrades may require (minKubeVersion; default: that of the snapshot, or of the OpenShift version of the catalog)"},
			snapshotFlag("a `FILE` with the CRDs of the cluster"),
			colorFlag(),
		),
		needless: map[string]string{"to-ocp": throughVersions, "from-ocp": throughVersions, "target-ocp": throughVersions, "lifecycle": andListed, "lifecycles": andListed},
		synonyms: map[string]string{"images": "--images", "generate imageset": "--imageset", "imageset create": "--imageset", "create imageset": "--imageset", "imageset generate": "--imageset", "mirror create": "--imageset", "mirror init": "--imageset", "mirror new": "--imageset", "mirror suggest": "--imageset", "mirror generate": "--imageset", "changelog": "--changes", "why": "", "next": "", "upgrade": "", "upgrades": "", "update": "", "paths": "", "route": "", "skips": ""},
		takes:    takes{catalog: true, ranges: true, follows: true, channel: "--channel", arguments: []argumentKind{packageOrVersionArgument, versionArgument, versionArgument}},
		answer:   runPath,
	}
}

const maxAlternatives = 10 // paths that are looked at if the shortest one fails

func runPath(c *cli.Context, o *opener, _ outputs) error {
	q, err := newPathRequest(c)
	if err != nil {
		return err
	}
	if err := checkPathOutput(c); err != nil {
		return err
	}
	to, err := pathOutputs(c).outputs(c, o.streams) // which depend on flags
	if err != nil {
		return err
	}
	ref := c.Args().First()
	cats, name, versions, err := o.openPackages(c.Context, ref, c.Args().Tail(), q.from == "", c.Bool("imageset"))
	if err != nil {
		return err
	}
	if err := q.takeVersions(c, o, versions); err != nil {
		return err
	}
	if o.versions.hasSeveral() && len(cats) > 1 {
		return writeVersionPath(to, q, cats, name)
	}
	cat, pkg, err := o.onlyWithPackage(cats, ref, name)
	if err != nil {
		return err
	}
	if err := readCluster(o, c, q, name); err != nil {
		return err
	}
	if err := checkPath(c, to, q); err != nil {
		return err
	}
	q.kubernetes = cmp.Or(q.kubernetes, catalogKubernetes(cat))
	edges := requireEdges(ref, cat)
	pg := graph.NewPackageGraph(pkg)
	if q.from == "all" {
		if edges != nil {
			return edges
		}
		return writeChannelTable(to, q, pg)
	}
	path, err := q.answer(pg)
	if err != nil {
		return err
	}
	path = q.widenSearch(pg, path)
	none := path.Answer.Obstacle != nil
	if edges != nil && (none || q.olm == graph.V1) {
		return edges
	}
	if c.Bool("changes") {
		if err := path.Compare(); err != nil {
			return err
		}
		path.Details = c.Bool("details")
	}
	return answerStatus(writeAnswer(o, to, cat, path), q.cluster != nil && path.Unknown() > 0, none || path.Fails() || path.Unordered() != nil && !writesInstead(c))
}

// readCluster reads the cluster with a package that --snapshot describes, if the flag is set.
func readCluster(o *opener, c *cli.Context, q *pathRequest, pkg string) error {
	files := snapshotFiles(c)
	if len(files) == 0 {
		return nil
	}
	s, err := readSnapshot(o, c, files)
	if err != nil {
		return err
	}
	if len(s.CRDs) == 0 {
		o.logf("the snapshot has no CustomResourceDefinition: what is stored in the cluster is not known, and its OperatorGroup is not judged")
	} else if q.cluster, err = judge.NewCluster(s.CRDs, s.CustomResources); err != nil {
		return snapshotError(files, err)
	}
	q.kubernetes = cmp.Or(q.kubernetes, s.Kubernetes())
	if subs := installedBy(s, pkg); len(subs) == 1 && q.from == "" {
		q.from = subs[0].Status.Installed
		if channel := subs[0].Spec.Channel; len(q.channels) == 0 && q.olm == graph.V0 && channel != "" {
			q.channels = []string{channel}
		}
	}
	if q.from == "" {
		return misusef("the Subscriptions of the snapshot do not say which version of %s is installed: give FROM", pkg)
	}
	if in, group := findOperatorGroup(s, pkg); group != nil && q.cluster != nil {
		if targets, known := group.Targets(); known {
			q.cluster.Modes = resolve.NeededModes(in, targets)
		}
		q.cluster.ServiceAccount = group.Spec.ServiceAccount
	}
	return nil
}

// installedBy returns the Subscriptions by which a package is installed.
func installedBy(s *snapshot.Snapshot, pkg string) (all []snapshot.Subscription) {
	for sub := range s.Subscriptions.Each() {
		if sub.Spec.Package == pkg && sub.Status.Installed != "" {
			all = append(all, *sub)
		}
	}
	return all
}

// findOperatorGroup returns the namespace of a package, and its OperatorGroup; nil if there are several of either.
func findOperatorGroup(s *snapshot.Snapshot, pkg string) (in string, group *snapshot.OperatorGroup) {
	for sub := range s.Subscriptions.Each() {
		if sub.Spec.Package != pkg {
			continue
		}
		if in != "" && in != sub.Metadata.Namespace {
			return "", nil
		}
		in = sub.Metadata.Namespace
	}
	if groups := s.OperatorGroups[in]; len(groups) == 1 {
		group = &groups[0]
	}
	return in, group
}

// widenSearch returns paths with others than the shortest one, if that fails and another one does not.
func (q *pathRequest) widenSearch(pg *graph.PackageGraph, path *render.Path) *render.Path {
	if q.limit > 0 || !path.Fails() {
		return path
	}
	wider := *q
	wider.limit = maxAlternatives
	if more, err := wider.answer(pg); err == nil && !more.Fails() {
		return more
	}
	return path
}

// writeAnswer writes a path, what --images or --imageset ask of it, or why there is none.
func writeAnswer(o *opener, to outputs, cat *catalogs.Catalog, path *render.Path) error {
	switch {
	case path.Answer.Obstacle != nil:
		return writeNoPath(o, to, path)
	case to.c.Bool("images"):
		return writeImages(o, to, path.PackageGraph, path)
	case to.c.Bool("imageset"):
		return writeImageSet(o, to, cat, path)
	}
	return writePath(to, path)
}

// newPathRequest reads the flags of the question.
func newPathRequest(c *cli.Context) (*pathRequest, error) {
	q := &pathRequest{from: c.String("from"), to: c.String("to"), channels: c.StringSlice("channel"), olm: parseOLM(c.String("olm")),
		switchChannels: c.Bool("switch-channels"), kubernetes: c.String("kube")}
	if _, err := lint.ParseKubeVersion(q.kubernetes); c.IsSet("kube") && err != nil {
		return nil, misuse{fmt.Errorf("--kube: %w", err)}
	}
	if c.Bool("all") {
		q.limit = c.Int("limit")
	}
	var err error
	q.releases, err = bundleReleases(c.StringSlice("feature-gates"))
	return q, err
}

// catalogKubernetes returns the version of Kubernetes of the OpenShift version that a catalog is for, "" if that is not known.
func catalogKubernetes(cat *catalogs.Catalog) string {
	if major, minor, _ := strings.Cut(cat.OpenShift, "."); major == "4" {
		if n, err := strconv.Atoi(minor); err == nil {
			return fmt.Sprintf("1.%d", lint.KubeMinor(n))
		}
	}
	return ""
}

// checkPath rejects a missing version and flags that cannot be combined.
func checkPath(c *cli.Context, to outputs, q *pathRequest) error {
	if q.from == "" || isHead(q.from) && !writesInstead(c) {
		return noFrom(c)
	}
	if q.from == "all" {
		if err := checkChannelTable(c, to); err != nil {
			return err
		}
		if q.to != "" {
			return misusef("all is a table: it takes no target version")
		}
	}
	return q.check()
}

func noFrom(c *cli.Context) error {
	line := append([]string{pathName}, slices.DeleteFunc(c.Args().Slice(), isHead)...)
	for _, flag := range []string{"images", "imageset"} {
		if c.Bool(flag) {
			return suggestCommand(misusef("path --%s needs a version, or head for the newest one", flag), append(line, "head", "--"+flag)...)
		}
	}
	return suggestCommand(misusef("path needs the installed version or bundle, or all"), append(line, "all")...)
}

// writesInstead reports whether a list of images or an image set is written instead of the path.
func writesInstead(c *cli.Context) bool { return c.Bool("images") || c.Bool("imageset") }

// judgeImageSet returns the error of a path for which an image set is given, which mirror judges.
func judgeImageSet(args []string) error {
	line := []string{mirrorCommand().name, args[slices.IndexFunc(args, isImageSet)]}
	if i := slices.IndexFunc(args, func(w string) bool { return isReference(w) && !isImageSet(w) }); i >= 0 {
		line = append(line, args[i])
	}
	return suggestCommand(misusef("%s: --imageset takes no file, it writes a new image set; mirror shows who is stranded by an image set", line[1]), line...)
}

// checkPathOutput rejects flags of the output that cannot be combined.
func checkPathOutput(c *cli.Context) error {
	instead := writesInstead(c)
	switch {
	case c.Bool("imageset") && slices.ContainsFunc(c.Args().Slice(), isImageSet):
		return judgeImageSet(c.Args().Slice())
	case c.Bool("all") && c.Int("limit") < 1:
		return misusef("--limit %d: want at least 1", c.Int("limit"))
	case c.IsSet("limit") && !c.Bool("all"):
		return misusef("--limit needs --all")
	case c.IsSet("catalog-image") && !c.Bool("imageset"):
		return misusef("--catalog-image needs --imageset")
	case c.Bool("details") && !c.Bool("changes"):
		return misusef("--details needs --changes")
	case instead && c.Bool("changes"):
		return misusef("--images and --imageset write no changes: leave out --changes")
	case c.Bool("images") && c.Bool("imageset"):
		return misusef("--images and --imageset cannot be used together")
	case instead && c.Bool("all"):
		return misusef("--images and --imageset write the shortest path: leave out --all")
	}
	return nil
}

// checkChannelTable rejects flags that cannot be used with --from all.
func checkChannelTable(c *cli.Context, to outputs) error {
	for _, name := range []string{"to", "switch-channels", "all", "images", "imageset", "changes", "kube", "snapshot"} {
		if c.IsSet(name) {
			return misusef("--from all is a table: it takes --channel, --olm, --feature-gates and -o only")
		}
	}
	return checkFormats(to, "--from all is a table", render.ChannelTableFormats())
}

// pathOutputs lists the formats of the path: --images and --imageset have their own.
func pathOutputs(c *cli.Context) formatList {
	switch {
	case c.Bool("images"):
		return formatList{names: []string{"images"}}
	case c.Bool("imageset"):
		return formatList{names: []string{"imageset"}}
	}
	return answerFormats(render.PathFormats())
}

// writeNoPath writes why there is no path: with --images or --imageset to standard error.
func writeNoPath(o *opener, to outputs, path *render.Path) error {
	if to.c.Bool("images") || to.c.Bool("imageset") {
		return render.PathText(o.stderr, path, text.Style{Width: streamWidth(o.stderr)})
	}
	return writePath(to, path)
}

func writePath(to outputs, path *render.Path) error {
	var err error
	if path.Dependencies, err = dependencies(path); err != nil {
		return err
	}
	return write(to, render.PathFormats(), path)
}

// dependencies returns the dependencies of the bundles on the paths, by name.
func dependencies(path *render.Path) (map[string]*catalogs.Dependencies, error) {
	names := []string{path.From}
	for _, steps := range append([]graph.Path{path.Automatic}, path.Paths...) {
		for i := range steps {
			names = append(names, steps[i].To)
		}
	}
	found := map[string]*catalogs.Dependencies{}
	for _, name := range names {
		b := path.PackageGraph.Package.Bundle(name)
		if b == nil || found[name] != nil {
			continue
		}
		deps, err := bundled.Dependencies(b)
		if err != nil {
			return nil, err
		}
		found[name] = deps
	}
	return found, nil
}

func writeImages(o *opener, to outputs, pg *graph.PackageGraph, path *render.Path) error {
	if !pg.Has(path.From) {
		o.logf("%s is not in this catalog: its image is not listed", path.From)
	}
	table := []text.Format[*render.Path]{{Name: "images", Write: text.Unstyled(func(w io.Writer, path *render.Path) error {
		return render.Images(w, path, path.Paths[0])
	})}}
	return write(to, table, path)
}

func writeImageSet(o *opener, to outputs, cat *catalogs.Catalog, path *render.Path) error {
	ref, image := to.c.Args().First(), to.c.String("catalog-image")
	selection, err := mirror.Select(to.c.Context, cat, path.PackageGraph.Package.Name.Value, path.Answer, path.Paths[0])
	if err != nil {
		return err
	}
	if image = cmp.Or(image, ref); image == ref {
		o.logf("oc-mirror needs an image: give the image of %s with --catalog-image", ref)
	}
	table := []text.Format[*mirror.Selection]{{Name: "imageset", Write: text.Unstyled(func(w io.Writer, selection *mirror.Selection) error {
		return render.ImageSet(w, image, selection)
	})}}
	return write(to, table, selection)
}

// writeChannelTable writes the automatic upgrades of each bundle that can be installed.
func writeChannelTable(to outputs, q *pathRequest, pg *graph.PackageGraph) error {
	s := selector{pg}
	graphs, err := s.channels(q.channels)
	if err != nil {
		return err
	}
	t := &render.ChannelTable{PackageGraph: pg}
	if q.olm == graph.V1 {
		t.Question.Extension = pg.Extension(q.releases, graphs...)
	} else if len(graphs) > 0 {
		t.Question.Channel = graphs[0]
	} else if t.Question.Channel = s.defaultChannel(); t.Question.Channel == nil {
		return misusef("package %q has no default channel: give one with --channel: %s", pg.Package.Name.Value, strings.Join(channelNames(pg.Graphs), ", "))
	}
	return write(to, render.ChannelTableFormats(), t)
}
