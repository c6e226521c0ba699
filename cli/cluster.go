package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/wording"
)

// snapshotHelp says how FILE is made.
const snapshotHelp = `FILE is what kubectl prints, as YAML or JSON, compressed with gzip or not. Of a type that the cluster does not have kubectl prints an
error and nothing else, so each kind of cluster has a command of its own; give --snapshot once for each file:

  ` + wording.KubectlGet + ` > cluster.yaml   (OLM v0)
  ` + wording.KubectlGetOpenShift + ` > openshift.yaml   (OpenShift, as well)
  ` + wording.KubectlGetV1 + ` > v1.yaml   (OLM v1)`

const clusterHelp = `examples:
  olmgraph cluster --snapshot cluster.yaml catalog/                    with one CatalogSource
  olmgraph cluster --snapshot cluster.yaml community-operators=a/ redhat-operators=b/
  olmgraph cluster --snapshot cluster.yaml --snapshot openshift.yaml olm/community=a/ -o cluster.md

` + snapshotHelp + `

The table has each operator of each namespace: what is installed, its channel, NEXT, to which OLM upgrades it, with the version that it
gets to in the end if all goes on, and its state. Below is, for everything that is blocked, what to do and who has to: the
administrator of the cluster, the maintainer of the package, or the operator. A namespace that is blocked as a whole is there once.

A catalog is given as NAME=REF for a CatalogSource or ClusterCatalog, or NAMESPACE/NAME=REF where two have the same name. If one is not
given its operators are unknown, and assumed to stay as they are. Copied ClusterServiceVersions are left out. What FILE has no object of
is assumed to be in order, and reported. OLM v0 is as in olmgraph resolve, which explains one namespace in detail.

exit status: 0 nothing is blocked; 1 somebody has to act; 2 misuse; 3 a catalog or FILE could not be opened or read, not all of a
catalog could be read, it is none, or the answer takes more work than olmgraph tries.`

func (p *program) clusterCommand() *cli.Command {
	return p.catalogCommand(&cli.Command{
		Name:        "cluster",
		Usage:       "show what OLM does next with each operator of a cluster, what blocks it, and who has to act",
		UsageText:   "[flags] --snapshot FILE [NAME=]REF...",
		Description: clusterHelp,
		Flags: append(formatsOf(render.ClusterFormats()).flags(),
			snapshotFlag("the objects of a cluster in a `FILE`"),
			&cli.StringFlag{Name: "global-namespace", Usage: "the `NAME` of the namespace of global CatalogSources (default: olm, or openshift-marketplace if FILE is of OpenShift)"},
			colorFlag(),
		),
	}, p.cluster)
}

func (p *program) cluster(c *cli.Context, o *opener) error {
	files := snapshotFiles(c)
	switch {
	case len(files) == 0:
		return try(misusef("cluster needs the objects of the cluster in --snapshot FILE: %s > cluster.yaml", wording.KubectlGet),
			slices.Concat([]string{"cluster", "--snapshot", "cluster.yaml"}, p.given[1:])...)
	case readsStdinTwice(slices.Concat(files, referencesOf(c.Args().Slice()))...):
		return errStdinTwice
	}
	to, err := formatsOf(render.ClusterFormats()).outputs(c)
	if err != nil {
		return err
	}
	in, err := o.clusterInput(c, files)
	if err != nil {
		return err
	}
	report, err := cluster.Find(c.Context, *in)
	if err != nil {
		return err
	}
	switch err := write(p, c, to, render.ClusterFormats(), report); {
	case err != nil:
		return err
	case report.Undecided():
		return status(statusIncomplete)
	case report.Blocked():
		return status(statusFindings)
	}
	return nil
}

// referencesOf returns the catalogs of arguments of the form NAME=REF or REF.
func referencesOf(args []string) []string {
	var refs []string
	for _, arg := range args {
		if _, ref, named := strings.Cut(arg, "="); named {
			arg = ref
		}
		refs = append(refs, arg)
	}
	return refs
}

// clusterInput reads the snapshot and opens the catalogs.
func (o *opener) clusterInput(c *cli.Context, files []string) (*cluster.Input, error) {
	snapshot, err := o.readSnapshot(files)
	if err != nil {
		return nil, err
	}
	if err := checkSnapshot(snapshot, files); err != nil {
		return nil, err
	}
	in := &cluster.Input{Snapshot: snapshot, Global: c.String("global-namespace"), Catalogs: map[resolve.SourceKey]*cluster.Catalog{}, ClusterCatalogs: map[string]*cluster.Catalog{}}
	given := map[string]string{}
	for _, arg := range c.Args().Slice() {
		if err := o.addCatalog(c.Context, in, arg, c.NArg(), given); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// checkSnapshot rejects a snapshot without anything that OLM installs.
func checkSnapshot(s *resolve.Snapshot, files []string) error {
	if len(s.Namespaces()) > 0 || len(s.Extensions) > 0 {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Foreign)) {
		if group, ok := strings.CutPrefix(kind, "Subscription."); ok {
			return misusef("--snapshot %s: there is no Subscription of OLM: those of API group %q are another project's", strings.Join(files, ", "), group)
		}
	}
	return misusef("--snapshot %s: there is no Subscription, ClusterServiceVersion or ClusterExtension in it: want what this prints: %s", strings.Join(files, ", "), wording.KubectlGet)
}

// addCatalog opens the catalog of an argument, one of n.
func (o *opener) addCatalog(ctx context.Context, in *cluster.Input, arg string, n int, given map[string]string) error {
	name, ref, named := strings.Cut(arg, "=")
	if !named {
		ref = arg
	}
	sources, extensions, err := catalogTargets(in.Snapshot, name, named, n)
	if err != nil {
		return err
	}
	for _, target := range append(extensions, keysOf(sources)...) {
		if first, twice := given[target]; twice {
			return misusef("the catalog of %q is given twice, as %s and as %s: leave one out", target, first, ref)
		}
		given[target] = ref
	}
	if ref == "" {
		return misusef("%s has no catalog after the =: give it as NAME=REF", arg)
	}
	cats, err := o.openFor(ctx, ref, "", true)
	if err != nil {
		return err
	}
	if len(cats) != 1 {
		return misusef("%s holds %d catalogs, but a CatalogSource has one", ref, len(cats))
	}
	if err := requireEdges(ref, cats...); err != nil {
		return err
	}
	one := &cluster.Catalog{Packages: cats[0]}
	if one.Resolver, err = resolve.NewCatalog(ctx, cats[0]); err != nil {
		return err
	}
	for _, key := range sources {
		in.Catalogs[key] = one
	}
	for _, name := range extensions {
		in.ClusterCatalogs[name] = one
	}
	return nil
}

func keysOf(sources []resolve.SourceKey) []string {
	var all []string
	for _, key := range sources {
		all = append(all, key.String())
	}
	return all
}

// catalogTargets returns the CatalogSources and ClusterCatalogs whose catalog an argument gives: those of a name, or the only ones.
func catalogTargets(s *resolve.Snapshot, name string, named bool, n int) (sources []resolve.SourceKey, extensions []string, err error) {
	var short, names []string // the first for those who misspell one
	used := map[string]bool{}
	for _, key := range s.Sources() {
		short, names = append(short, key.Name), append(names, key.String())
		used[key.String()] = true
		if !named || name == key.Name || name == key.String() {
			sources = append(sources, key)
		}
	}
	for i := range s.ClusterCatalogs {
		known := s.ClusterCatalogs[i].Name()
		short, names = append(short, known), append(names, known)
		used[known] = true
		if !named || name == known {
			extensions = append(extensions, known)
		}
	}
	switch {
	case !named && (n > 1 || len(used) != 1):
		return nil, nil, misusef("the CatalogSource of %s is ambiguous: give NAME=%s%s", name, name, didYouMean("", names))
	case len(sources)+len(extensions) == 0:
		return nil, nil, misusef("no CatalogSource or ClusterCatalog %q in the snapshot%s", name, didYouMean(name, slices.Compact(slices.Sorted(slices.Values(short)))))
	case len(sources) > 1:
		return nil, nil, misusef("several namespaces have a CatalogSource %q: give NAMESPACE/NAME=REF%s", name, didYouMean("", names))
	}
	return sources, extensions, nil
}
