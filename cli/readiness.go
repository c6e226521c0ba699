package cli

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render"
)

const readinessHelp = `examples:
  olmgraph readiness catalog/                               what OLM v1 installs of each package, and what is in the way
  olmgraph readiness catalog/ --package prometheus          everything in the way, with its position
  olmgraph readiness catalog/ --operator-controller v1.6    with another release of OLM v1
  olmgraph readiness a/ b/                                  packages that both have, too: OLM v1 installs none then
  kubectl get -A -o yaml subscriptions.operators.coreos.com,csv,og,catsrc,operatorconditions,crd,clustercatalogs,clusterextensions > cluster.yaml
  olmgraph readiness --snapshot cluster.yaml catalog/ -o runbook.md
  olmgraph readiness --snapshot cluster.yaml community=a/ certified=b/ -o extensions.yaml

CATALOG is a folder, a file, or - for standard input; NAME is that of its ClusterCatalog. With --snapshot it is the catalog of a
CatalogSource: NAME=CATALOG where the subscriptions use several, with the name of the CatalogSource, NAMESPACE/NAME, or the name of the
ClusterCatalog.

OLM v1 chooses the highest version that is not deprecated, of all channels or of those that the ClusterExtension names, and installs no
other one if something is in its way. CHOSEN is that version, INSTALLS the newest that it installs if it is requested. ready: nothing is
in the way. gate: a feature gate of operator-controller is, which is off. blocked: something else is. unknown: the catalog does not have
all that decides it; a catalog for OpenShift 4.17 or later has no webhooks and CRDs, which --bundles FOLDER adds.

With --snapshot the answer is what becomes of each Subscription: what is in the way of a ClusterExtension in its place, what changes, and
as markdown what to do step by step. As yaml it is the ClusterExtensions alone, for kubectl apply.

exit status: 0, or what was asked for by --package or --snapshot is ready; 1 some of it is not; 2 misuse; 3 some of it is unknown, a
catalog or FILE could not be opened or read, is no catalog, or something in it could not be read and may be missing.`

func (p *program) readinessCommand() *cli.Command {
	return p.catalogCommand(&cli.Command{
		Name:        "readiness",
		Usage:       "show what OLM v1 installs, what is in the way, and how to migrate to it",
		UsageText:   "[flags] [NAME=]CATALOG...",
		Description: readinessHelp,
		Flags: append(formatsOf(render.ReadinessFormats()).flags(),
			enumFlagValue{documentedFlag: &cli.StringFlag{Name: "operator-controller", Value: readiness.Newest().String(), Usage: "the `RELEASE` of OLM v1"},
				values: readiness.ReleaseNames(), openEnded: true},
			enumFlagValue{documentedFlag: &cli.StringSliceFlag{Name: "feature-gates", Usage: "feature `GATES` of operator-controller that are not as by default, as " + readiness.GateNamespaces + "=true"},
				values: gateValues(), openEnded: true},
			&cli.StringSliceFlag{Name: "package", Usage: "only this `PACKAGE`, with everything in the way"},
			snapshotFlag("the objects of a cluster in a `FILE`"),
			colorFlag(),
		),
	}, p.readiness)
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

func (p *program) readiness(c *cli.Context, o *opener) error {
	release, err := releaseFlag(c)
	if err != nil {
		return err
	}
	to, err := formatsOf(render.ReadinessFormats()).outputs(c)
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
	if err := write(p, c, to, render.ReadinessFormats(), out); err != nil {
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
		if r, err = r.With(name, on); err != nil {
			return r, misusef("--feature-gates %s: %w%s", gate, err, didYouMean(name, r.GateNames()))
		}
	}
	return r, nil
}

// readinessOfCatalogs answers for the packages of catalogs.
func (o *opener) readinessOfCatalogs(c *cli.Context, out *render.Readiness) error {
	names := c.StringSlice("package")
	given, refs := namedCatalogs(c.Args().Slice())
	if readsStdinTwice(refs...) {
		return errStdinTwice
	}
	var sources []readiness.Source
	for i, ref := range refs {
		cats, err := o.openFor(c.Context, ref, "", true)
		if err != nil {
			return err
		}
		if err := requireEdges(ref, cats...); err != nil {
			return err
		}
		if len(cats) > 1 && !slices.ContainsFunc(cats, func(c *catalogs.Catalog) bool { return c.OpenShift == "" }) {
			return misusef("%s holds the catalogs of %d OpenShift versions, and a cluster has those of one: give one of %s", ref, len(cats), strings.Join(references(ref, cats), ", "))
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
	var err error
	out.Packages, err = out.Release.Packages(sources, names...)
	return err
}

// clusterCatalogName matches what the name of a ClusterCatalog can be.
var clusterCatalogName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// namedCatalogs splits arguments NAME=CATALOG; the name of one without is "".
func namedCatalogs(args []string) (names, refs []string) {
	for _, arg := range args {
		name, ref, named := strings.Cut(arg, "=")
		if !named || !clusterCatalogName.MatchString(name) {
			name, ref = "", arg
		}
		names, refs = append(names, name), append(refs, ref)
	}
	return names, refs
}

// readinessOfCluster answers for the operators of a cluster.
func (o *opener) readinessOfCluster(c *cli.Context, out *render.Readiness) error {
	files, args := snapshotFiles(c), c.Args().Slice()
	_, given := namedCatalogs(args)
	switch {
	case out.Detailed:
		return misusef("--package and --snapshot cannot be used together")
	case readsStdinTwice(append(given, files...)...):
		return errStdinTwice
	}
	out.Snapshot = &readiness.Snapshot{}
	if err := o.eachSnapshot(files, out.Snapshot.Read); err != nil {
		return err
	}
	if err := out.Snapshot.Check(); err != nil {
		return fmt.Errorf("--snapshot %s: %w", strings.Join(files, ", "), err)
	}
	refs, err := assignSources(out.Snapshot, args)
	if err != nil {
		return err
	}
	sources := map[string]*catalogs.Catalog{}
	for _, source := range slices.Sorted(maps.Keys(refs)) {
		ref := refs[source]
		cats, err := o.openFor(c.Context, ref, "", true)
		if err != nil {
			return err
		}
		if len(cats) != 1 {
			return misusef("%s holds %d catalogs, but a CatalogSource has one", ref, len(cats))
		}
		if err := requireEdges(ref, cats...); err != nil {
			return err
		}
		sources[source] = cats[0]
		out.Catalogs = append(out.Catalogs, cats[0])
	}
	out.Operators, err = out.Release.Operators(out.Snapshot, sources)
	return err
}

// assignSources returns the reference of each CatalogSource that has one.
func assignSources(s *readiness.Snapshot, args []string) (map[string]string, error) {
	refs := map[string]string{}
	for _, arg := range args {
		name, ref, named := strings.Cut(arg, "=")
		found := s.Sources()
		if named {
			found = s.SourcesNamed(name)
		} else {
			ref = arg
		}
		switch {
		case len(found) == 0:
			return nil, misusef("no Subscription uses a CatalogSource %q%s", name, didYouMean(name, s.Sources()))
		case len(found) > 1 && named:
			return nil, misusef("several namespaces have a CatalogSource %q: give NAMESPACE/NAME=%s", name, ref)
		case len(found) > 1:
			return nil, misusef("the CatalogSource of %s is ambiguous: give NAME=%[1]s for one of %s", arg, strings.Join(found, ", "))
		case ref == "":
			return nil, misusef("%s has no catalog after the =: give it as NAME=CATALOG", arg)
		case refs[found[0]] != "":
			return nil, misusef("CatalogSource %q is given twice, as %s and as %s: leave one out", found[0], refs[found[0]], ref)
		}
		refs[found[0]] = ref
	}
	return refs, nil
}

// readinessStatus returns the status of an answer for packages that were asked for by name, or for a cluster.
func readinessStatus(out *render.Readiness) error {
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
