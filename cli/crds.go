package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
)

const crdsHelp = `examples:
  olmgraph crds catalog/ prometheus                   what each bundle brings of each CRD
  olmgraph crds catalog/ prometheus --bundles operators/
  kubectl get crd -o yaml > cluster.yaml
  olmgraph crds --cluster cluster.yaml catalog/ prometheus --from 0.32.0 --to 0.56.3

MAY BE STORED are the versions that status.storedVersions can have on a cluster: all that were stored on some way to the bundle,
since neither Kubernetes nor OLM takes one out. An upgrade to a CRD that lacks one of them is refused.

With --cluster the real storedVersions take their place, and each upgrade from --from to --to is held against the CRDs of the
cluster, as OLM v0 and OLM v1 would do. The file may hold objects of these kinds too: OLM v0 holds them against the new schemas.

exit status: 0; 1 with --cluster, an upgrade is refused or there is no way; 2 misuse; 3 the catalog could not
be opened, is no catalog, something in it could not be read and may be missing, or it has no manifests of a bundle on the way.`

func (p *program) crdsCommand() *cli.Command {
	return &cli.Command{
		Name:        "crds",
		Usage:       "say what becomes of CRDs, entry by entry, and on a cluster",
		UsageText:   "[flags] CATALOG PACKAGE",
		Description: crdsHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "channel", Usage: "this `CHANNEL` (default: the default channel, or the first that holds --from)"},
			&cli.BoolFlag{Name: "all", Usage: "without --cluster, a line for every bundle, though its CRD be as it was before"},
			&cli.StringFlag{Name: "cluster", Usage: "the CRDs of a cluster in a `FILE`, or - for standard input: kubectl get crd -o yaml"},
			&cli.StringFlag{Name: "from", Usage: "with --cluster, the installed version or bundle, `X`"},
			&cli.StringFlag{Name: "to", Usage: "with --cluster, the wanted version or bundle, `Y` (default: the head; under OLM v1 what a new installation gets)"},
			choiceFlag("olm", "both", "with --cluster, `WHICH` OLM upgrades", "v0", "v1", "both"),
			choiceFlag("format", "text", "`FORMAT`", "text", "json"),
			&cli.StringFlag{Name: "config", Usage: "without --cluster, read this `FILE` instead of the nearest " + lint.ConfigName},
			colorFlag(),
		},
		Action: func(c *cli.Context) error { return p.crds(c.Context, c) },
	}
}

func (p *program) crds(ctx context.Context, c *cli.Context) error {
	if err := checkCRDFlags(c); err != nil {
		return err
	}
	style, err := p.style(c.String("color"))
	if err != nil {
		return err
	}
	cat, pkg, err := p.openPackage(ctx, c.Args().Get(0), c.Args().Get(1), false)
	if err != nil {
		return err
	}
	if err := needEdges(c.Args().Get(0), cat); err != nil {
		return err
	}
	a := graph.AtlasOf(pkg)
	if c.String("cluster") != "" {
		return p.forecast(c, cat, a, style)
	}
	channel, err := channelToShow(a, c.String("channel"))
	if err != nil {
		return err
	}
	config, err := readConfig(c.String("config"), c.Args().Get(0))
	if err != nil {
		return err
	}
	crds := render.CRDs{Catalog: cat, Package: pkg, Channel: channel, Histories: lint.CRDHistories(cat, pkg, channel, config), All: c.Bool("all")}
	if c.String("format") == "json" {
		return render.CRDsJSON(p.stdout, crds)
	}
	return render.CRDsText(p.stdout, crds, style)
}

func checkCRDFlags(c *cli.Context) error {
	format := c.String("format")
	switch {
	case c.NArg() != 2:
		return misusef("crds wants a catalog and a package: olmgraph crds CATALOG PACKAGE")
	case format != "text" && format != "json":
		return misusef("no format %q%s", format, didYouMean(format, []string{"text", "json"}))
	case c.String("cluster") == "" && (c.IsSet("from") || c.IsSet("to") || c.IsSet("olm")):
		return misusef("--from, --to and --olm only go with --cluster FILE; without it the whole channel is shown")
	case c.String("cluster") != "" && c.String("from") == "":
		return misusef("--cluster wants --from X: the installed version or bundle")
	case c.String("cluster") != "" && (c.Bool("all") || c.IsSet("config")):
		return misusef("--all and --config are about the whole channel: leave them out with --cluster")
	case readsTwice(c.String("cluster"), c.Args().First()):
		return errReadsTwice
	}
	return nil
}

// channelToShow is the channel of that name, or the default channel.
func channelToShow(a *graph.Atlas, name string) (*catalogs.Channel, error) {
	f := asked{}
	if name != "" {
		f.channels = []string{name}
	}
	graphs, err := f.graphs(a)
	switch {
	case err != nil:
		return nil, err
	case len(graphs) > 0:
		return graphs[0].Channel, nil
	}
	g := a.Graph(a.Package.DefaultChannel.Value)
	if g == nil {
		g = a.Graphs[0]
	}
	return g.Channel, nil
}

// forecast predicts what becomes of upgrades on a cluster.
func (p *program) forecast(c *cli.Context, cat *catalogs.Catalog, a *graph.Atlas, style render.Style) error {
	cluster, err := p.readCluster(c.String("cluster"))
	if err != nil {
		return err
	}
	var all []render.Forecasts
	refused, unknown := false, false
	for _, olm := range []graph.Resolver{graph.V0, graph.V1} {
		if which := c.String("olm"); which != "both" && which != olm.String() {
			if _, err := resolver(which); err != nil {
				return misusef("--olm %q: want v0, v1 or both", which)
			}
			continue
		}
		f := asked{from: c.String("from"), to: c.String("to"), olm: olm, limit: 1}
		if channel := c.String("channel"); channel != "" {
			f.channels = []string{channel}
		}
		path, err := f.ask(a)
		if err != nil {
			return err
		}
		out := render.Forecasts{Package: a.Package, Question: path.Question, Way: len(path.Ways) > 0}
		if out.Way {
			out.Hops = cluster.Forecast(cat, a.Package, path.Ways[0], olm)
		}
		refused, unknown = refused || out.Refused(), unknown || out.Unknown()
		all = append(all, out)
	}
	if c.String("format") == "json" {
		err = render.ForecastsJSON(p.stdout, all)
	} else {
		err = render.ForecastsText(p.stdout, all, style)
	}
	switch {
	case err != nil:
		return err
	case unknown:
		return status(statusNoLook)
	case refused:
		return status(statusFindings)
	}
	return nil
}

func (p *program) readCluster(name string) (*lint.Cluster, error) {
	text, err := p.readAll("--cluster", name)
	if err != nil {
		return nil, err
	}
	objects, err := catalogs.ObjectsIn(text)
	if err != nil {
		return nil, fmt.Errorf("--cluster %s: %w", name, err)
	}
	cluster, err := lint.NewCluster(objects)
	if err != nil {
		return nil, fmt.Errorf("--cluster %s: %w", name, err)
	}
	return cluster, nil
}
