package cli

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
)

const crdsHelp = `examples:
  olmgraph crds catalog/ prometheus                   the CRDs of each bundle, and their changes
  olmgraph crds catalog/ prometheus --bundles operators/
  kubectl get customresourcedefinitions.apiextensions.k8s.io -o yaml > cluster.yaml
  olmgraph crds --snapshot cluster.yaml catalog/ prometheus --from 0.32.0 --to 0.56.3

PACKAGE can be left out if the catalog has only one.

MAY BE STORED are the versions that status.storedVersions can have on a cluster: all that were stored on some path to the bundle,
since neither Kubernetes nor OLM removes one. An upgrade to a CRD that lacks one of them is rejected.

With --snapshot the real storedVersions take their place, and each upgrade from --from to --to is checked against the CRDs of the
cluster, as OLM v0 and OLM v1 do. The file may hold objects of these kinds too: OLM v0 validates them with the new schemas.

exit status: 0; 1 with --snapshot, an upgrade is rejected or there is no path; 2 misuse; 3 the catalog could not
be opened, is no catalog, something in it could not be read and may be missing, or it has no manifests of the bundles of the channel, or
of one on the path.`

func (p *program) crdsCommand() *cli.Command {
	return p.answerCommand(formatsOf(render.CRDFormats()), &cli.Command{
		Name:        "crds",
		Usage:       "show how upgrades change CRDs, in a channel and on a cluster",
		UsageText:   "[flags] CATALOG [PACKAGE]",
		Description: crdsHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "channel", Usage: "this `CHANNEL` (default: the default channel, or the first that holds --from)"},
			&cli.BoolFlag{Name: "all", Usage: "without --snapshot, a line for every bundle, even if its CRD does not change"},
			snapshotFlag("the CRDs of a cluster in a `FILE` (kubectl get customresourcedefinitions.apiextensions.k8s.io -o yaml)"),
			&cli.StringFlag{Name: "from", Usage: "with --snapshot, the installed version or bundle, `X`"},
			&cli.StringFlag{Name: "to", Usage: "with --snapshot, the wanted version or bundle, `Y` (default: the head; under OLM v1 what a new installation gets)"},
			enumFlag("olm", "both", "with --snapshot, `WHICH` OLM upgrades", "v0", "v1", "both"),
			&cli.StringFlag{Name: "config", Usage: "without --snapshot, read this `FILE` instead of the nearest " + lint.ConfigName},
			colorFlag(),
		},
	}, p.crds)
}

func (p *program) crds(c *cli.Context, o *opener, to []output) error {
	if err := checkCRDFlags(c); err != nil {
		return err
	}
	ref := c.Args().First()
	cat, pkg, _, err := o.openPackage(c.Context, ref, c.Args().Tail(), false, false)
	if err != nil {
		return err
	}
	if err := requireEdges(ref, cat); err != nil {
		return err
	}
	if len(snapshotFiles(c)) > 0 {
		return p.preflight(c, to, pkg)
	}
	s := selector{graph.OfPackage(pkg)}
	graphs, err := s.channels(channelFlag(c))
	if err != nil {
		return err
	}
	channel := cmp.Or(s.defaultChannel(), s.Graphs[0])
	if len(graphs) > 0 {
		channel = graphs[0]
	}
	config, err := readConfig(c.String("config"), ref)
	if err != nil {
		return err
	}
	histories := preflight.New(pkg, preflight.Options{MigratesSince: config.MigratesSince(pkg)}).Histories(channel.Channel)
	out := render.CRDs{Catalog: cat, Package: pkg, Channel: channel.Channel, Histories: histories, All: c.Bool("all")}
	unseen := out.Unseen()
	return answered(write(p, c, to, render.CRDFormats(), out), unseen > 0 && unseen == len(channel.Channel.Entries), false)
}

// channelFlag returns the value of --channel as a list, which is empty if the flag is not set.
func channelFlag(c *cli.Context) []string {
	if name := c.String("channel"); name != "" {
		return []string{name}
	}
	return nil
}

func checkCRDFlags(c *cli.Context) error {
	files := snapshotFiles(c)
	switch {
	case c.NArg() > 2:
		return misusef("crds takes a catalog and a package, not %s", c.Args().Get(2))
	case len(files) == 0 && (c.IsSet("from") || c.IsSet("to") || c.IsSet("olm")):
		return misusef("--from, --to and --olm need --snapshot FILE; without it the whole channel is shown")
	case len(files) > 0 && c.String("from") == "":
		return misusef("--snapshot needs --from X: the installed version or bundle")
	case len(files) > 0 && (c.Bool("all") || c.IsSet("config")):
		return misusef("--all and --config cannot be used with --snapshot")
	case readsStdinTwice(append([]string{c.Args().First()}, files...)...):
		return errStdinTwice
	}
	return nil
}

// preflight writes what becomes of each upgrade on the cluster that --snapshot describes.
func (p *program) preflight(c *cli.Context, to []output, pkg *catalogs.Package) error {
	s, err := p.readSnapshot(c, snapshotFiles(c), true)
	if err != nil {
		return err
	}
	cluster, err := preflight.NewCluster(slices.Concat(s.CRDs, s.Others))
	if err != nil {
		return snapshotError(snapshotFiles(c), err)
	}
	olms := []graph.Generation{graph.V0, graph.V1}
	if which := c.String("olm"); which != "both" {
		olms = []graph.Generation{parseOLM(which)}
	}
	a := graph.OfPackage(pkg)
	var all []render.PreflightReport
	rejected, unknown := false, false
	for _, olm := range olms {
		q := pathRequest{from: c.String("from"), to: c.String("to"), channels: channelFlag(c), olm: olm}
		path, err := q.answer(a)
		if err != nil {
			return err
		}
		out := render.PreflightReport{Package: pkg, Question: path.Question, HasPath: len(path.Paths) > 0}
		if out.HasPath {
			out.Hops = cluster.Preflight(pkg, path.Paths[0], olm)
		}
		rejected, unknown = rejected || !out.HasPath || out.Hops.Rejected(), unknown || out.Hops.Unknown()
		all = append(all, out)
	}
	return answered(write(p, c, to, render.PreflightFormats(), all), unknown, rejected)
}
