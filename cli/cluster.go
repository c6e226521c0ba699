package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render"
)

const clusterHelp = `examples:
  olmgraph cluster --snapshot cluster.yaml catalog/                    with one CatalogSource
  olmgraph cluster --snapshot cluster.yaml community-operators=a/ redhat-operators=b/
  olmgraph cluster --snapshot cluster.yaml --snapshot openshift.yaml olm/community=a/ -o cluster.md -o steps.sh
  olmgraph cluster --snapshot east=e.yaml --snapshot west=w.yaml community-operators=catalogs/   several clusters

` + snapshotHelp + `

The table has each operator of each namespace: what is installed, its channel, NEXT, to which OLM upgrades it, with the version that it
gets to in the end if all goes on, and its state. Below is, for everything that is blocked, what to do and who has to: the
administrator of the cluster, the maintainer of the package, or the operator. A namespace that is blocked as a whole is there once.

Files as NAME=FILE are of several clusters, and those of one NAME of one cluster: the table has each package, with what is installed in each
cluster and what it is upgraded to; before it is which cluster is behind another one, and below it what to do, once for all clusters that
it is for. A file whose name has a = is given as ./FILE. Catalogs are given once for all clusters.

A catalog is given as NAME=REF for a CatalogSource or ClusterCatalog, or NAMESPACE/NAME=REF where two have the same name. If one is not
given its operators are unknown, and assumed to stay as they are. Of a folder with a catalog for each OpenShift version, that for the
cluster is used. Copied ClusterServiceVersions are left out. What FILE has no object of is assumed to be in order, and reported. OLM v0 is
as in olmgraph resolve, which explains one namespace in detail.

` + scriptHelp + `

exit status: 0 nothing is blocked; 1 somebody has to act, in any of the clusters; 2 misuse; 3 a catalog or FILE could not be opened or
read, not all of a catalog could be read, it is none, or the answer takes more work than olmgraph tries.`

func (p *program) clusterCommand() *cli.Command {
	return p.catalogCommand(&cli.Command{
		Name:        "cluster",
		Usage:       "show what OLM does next with each operator of a cluster, what blocks it, and who has to act",
		UsageText:   "[flags] --snapshot [NAME=]FILE [NAME=]REF...",
		Description: clusterHelp,
		Flags: append(formatsOf(render.ClusterFormats()).flags(),
			snapshotFlag("the objects of a cluster, or a description of a namespace as of olmgraph resolve, in a `FILE`; NAME=FILE for one of several clusters"),
			globalNamespaceFlag(),
			colorFlag(),
		),
	}, p.cluster)
}

func (p *program) cluster(c *cli.Context, o *opener) error {
	if len(snapshotFiles(c)) == 0 {
		return p.needsSnapshot("cluster")
	}
	files, err := filesOfClusters(c)
	if err != nil {
		return err
	}
	to, err := formatsOf(render.ClusterFormats()).outputs(c)
	if err != nil {
		return err
	}
	if files[0].name != "" && slices.ContainsFunc(to, func(o output) bool { return o.format == "sh" }) {
		return misusef("-o sh is for one cluster, which the script compares with its snapshot: give the files of each cluster alone, without a name")
	}
	report, err := o.clusterReport(c, files)
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
