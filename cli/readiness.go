package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
)

const readinessHelp = `examples:
  olmgraph readiness catalog/                               what OLM v1 installs of each package, and what blocks others
  olmgraph readiness catalog/ --package prometheus          all blockers, with their positions
  olmgraph readiness catalog/ --operator-controller v1.6    with another release of OLM v1
  olmgraph readiness a/ b/                                  packages that both have, too: OLM v1 installs none then
  olmgraph readiness catalogs/ --package prometheus         a line for the catalog of each OpenShift version
  kubectl get -A -o yaml subscriptions.operators.coreos.com,csv,og,catsrc,operatorconditions,crd,clustercatalogs,clusterextensions > cluster.yaml
  olmgraph readiness --snapshot cluster.yaml catalog/ -o runbook.md
  olmgraph readiness --snapshot cluster.yaml community=a/ certified=b/ -o extensions.yaml

CATALOG is a folder, a file, or - for standard input; NAME is that of its ClusterCatalog. With --snapshot it is the catalog of a
CatalogSource: NAME=CATALOG where the subscriptions use several, with the name of the CatalogSource, NAMESPACE/NAME, or the name of the
ClusterCatalog.

OLM v1 chooses the highest version that is not deprecated, of all channels or of those that the ClusterExtension names, and installs no
other one if that is blocked. CHOSEN is that version, INSTALLS the newest that it installs on request. ready: nothing blocks
it. gate: it needs a feature gate of operator-controller that is off. blocked: something else blocks it. unknown: the catalog does not have
all that decides it; a catalog for OpenShift 4.17 or later has no webhooks and CRDs, which --bundles FOLDER adds.

With --snapshot the answer is what becomes of each Subscription: what blocks a ClusterExtension in its place, what changes, and
as markdown what to do step by step. As yaml it is the ClusterExtensions alone, for kubectl apply.

exit status: 0, and what --package or --snapshot asks for is ready; 1 some of it is not; 2 misuse; 3 some
or all of it is unknown, or a catalog or FILE could not be opened or read completely, or is not a catalog.`

const readinessName = "readiness"

func readinessCommand() command {
	return command{
		name:  readinessName,
		usage: "show what OLM v1 installs, what blocks it, and how to migrate to it",
		args:  "[flags] [NAME=]CATALOG...",
		help:  readinessHelp,
		flags: []cli.Flag{
			enumFlagValue{documentedFlag: &cli.StringFlag{Name: "operator-controller", Value: readiness.NewestRelease().String(), Usage: "the `RELEASE` of OLM v1"},
				values: readiness.ReleaseNames(), openEnded: true},
			enumFlagValue{documentedFlag: &cli.StringSliceFlag{Name: "feature-gates", Usage: "feature `GATES` of operator-controller that are not as by default, as " + judge.FeatureNamespaces + "=true"},
				values: gateValues(), openEnded: true},
			&cli.StringSliceFlag{Name: "package", Usage: "only this `PACKAGE`, with all blockers"},
			snapshotFlag("the objects of a cluster in a `FILE`"),
			colorFlag(),
		},
		takes:   takes{ranges: true, named: true},
		formats: answerFormats(render.ReadinessFormats()),
		answer:  runReadiness,
	}
}

// gateValues returns the feature gates of the releases with both values.
func gateValues() []string {
	var names, values []string
	for _, text := range readiness.ReleaseNames() {
		if r, err := readiness.ParseRelease(text); err == nil {
			names = append(names, r.GateNames()...)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		values = append(values, name+"=true", name+"=false")
	}
	return values
}

func runReadiness(c *cli.Context, o *opener, to outputs) error {
	release, err := releaseFlag(c)
	if err != nil {
		return err
	}
	out := &render.Readiness{Release: release, Detailed: c.IsSet("package")}
	if len(snapshotFiles(c)) > 0 {
		err = o.readinessOfCluster(c, out)
	} else {
		err = o.readinessOfCatalogs(c, out)
	}
	if err != nil {
		return err
	}
	if err := write(to, render.ReadinessFormats(), out); err != nil {
		return err
	}
	return readinessStatus(out)
}

// releaseFlag returns the release of operator-controller, with its feature gates.
func releaseFlag(c *cli.Context) (readiness.Release, error) {
	text := c.String("operator-controller")
	r, err := readiness.ParseRelease(text)
	if err != nil {
		return r, misusef("--operator-controller %q: %w%s", text, err, didYouMean(text, readiness.ReleaseNames()))
	}
	for _, gate := range c.StringSlice("feature-gates") {
		name, value, _ := strings.Cut(gate, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			return r, misusef("--feature-gates %s: want NAME=true or NAME=false", gate)
		}
		if r, err = r.WithGate(name, on); err != nil {
			return r, misusef("--feature-gates %s: %w%s", gate, err, didYouMean(name, r.GateNames()))
		}
	}
	return r, nil
}

// areOfVersions reports whether catalogs without given names are for one OpenShift version each.
func areOfVersions(cats []*catalogs.Catalog, given []string) bool {
	versions := map[string]bool{}
	for _, c := range cats {
		versions[c.OpenShift] = true
	}
	named := slices.ContainsFunc(given, func(name string) bool { return name != "" })
	return !named && len(cats) > 1 && len(versions) == len(cats) && !versions[""]
}

// readinessOfCatalogs answers for the packages of catalogs.
func (o *opener) readinessOfCatalogs(c *cli.Context, out *render.Readiness) error {
	names := c.StringSlice("package")
	var given, refs []string
	for _, arg := range c.Args().Slice() {
		name, ref := cutName(arg)
		given, refs = append(given, name), append(refs, ref)
	}
	if readsStdinTwice(refs...) {
		return errStdinTwice
	}
	var sources []readiness.Source
	for i, ref := range refs {
		cats, err := o.openMerged(c.Context, ref, "", true)
		if err != nil {
			return err
		}
		if err := requireEdges(ref, cats...); err != nil {
			return err
		}
		if len(cats) > 1 && !slices.ContainsFunc(cats, func(c *catalogs.Catalog) bool { return c.OpenShift == "" }) {
			if out.EachVersion = len(refs) == 1 && given[i] == ""; !out.EachVersion {
				return o.severalCatalogs(ref+" holds", ref, cats, "")
			}
		}
		for _, cat := range cats {
			switch {
			case given[i] != "":
				cat.Name = given[i]
			case len(refs) > 1:
				cat.Name = subReference(ref, cat.Name)
			}
			sources = append(sources, readiness.Source{Name: cat.Name, Catalog: cat})
			out.Catalogs = append(out.Catalogs, cat)
		}
	}
	for _, name := range names {
		if len(withPackage(out.Catalogs, name)) == 0 {
			return o.noPackage(name, refs[0], out.Catalogs)
		}
	}
	together := [][]readiness.Source{sources}
	if out.EachVersion = out.EachVersion || areOfVersions(out.Catalogs, given); out.EachVersion { // a cluster has one of them
		together = slices.Collect(slices.Chunk(sources, 1))
	}
	for _, of := range together {
		packages, err := out.Release.Packages(of, names...)
		if err != nil {
			return err
		}
		out.Packages = append(out.Packages, packages...)
	}
	return nil
}

// readinessOfCluster answers for the operators of a cluster.
func (o *opener) readinessOfCluster(c *cli.Context, out *render.Readiness) error {
	if out.Detailed {
		return misusef("--package and --snapshot cannot be used together")
	}
	in, err := o.clusterInput(c, snapshotFiles(c))
	if err != nil {
		return err
	}
	cluster, err := readiness.NewCluster(in.snapshot)
	if err != nil {
		return snapshotError(snapshotFiles(c), err)
	}
	if err := in.bind(c); err != nil {
		return err
	}
	out.Snapshot = in.snapshot
	sources := map[resolve.SourceKey]*catalogs.Catalog{}
	for _, b := range in.catalogs {
		for _, key := range b.keys {
			sources[key] = b.Catalog
		}
		out.Catalogs = append(out.Catalogs, b.Catalog)
	}
	out.Operators, err = out.Release.Operators(cluster, sources)
	return err
}

// readinessStatus returns the status of an answer for packages that were asked for by name, or for a cluster.
func readinessStatus(out *render.Readiness) error {
	if known := func(p *readiness.Package) bool { return p.Verdict() != readiness.Unknown }; len(out.Packages) > 0 && !slices.ContainsFunc(out.Packages, known) {
		return status(statusIncomplete)
	}
	var verdicts []readiness.Verdict
	for _, p := range out.Packages {
		if out.Detailed && p.Instead == "" {
			verdicts = append(verdicts, p.Verdict())
		}
	}
	for _, o := range out.Operators {
		verdicts = append(verdicts, o.Verdict())
	}
	switch {
	case slices.Contains(verdicts, readiness.Unknown):
		return status(statusIncomplete)
	case slices.ContainsFunc(verdicts, func(v readiness.Verdict) bool { return v != readiness.Ready }):
		return status(statusFindings)
	}
	return nil
}
