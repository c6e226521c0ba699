package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram"
)

const resolveHelp = `examples:
  olmgraph resolve --snapshot cluster.yaml -n operators catalog/
  olmgraph resolve --snapshot cluster.yaml community=a/ certified=b/   a catalog for each CatalogSource
  olmgraph resolve --snapshot cluster.yaml catalog/ --what-if prometheus=0.47.0
  olmgraph resolve --snapshot cluster.yaml catalog/ --remove etcd      what breaks
  olmgraph resolve --snapshot cluster.yaml catalog/ -o namespace.svg

` + snapshotHelp + `

REF is a catalog, which need not be published yet. Where there are several CatalogSources each one is given as NAME=REF, or as
NAMESPACE/NAME=REF where two have the same name; its priority is that of the CatalogSource. FILE may also describe the namespace
in a few lines:

  installed: [etcd.v0.9.4]
  subscriptions:
  - {package: prometheus, channel: beta, installed: prometheusoperator.0.47.0}
  catalogs:
  - {name: community, ref: catalog/, priority: 10}

All but package can be left out; further fields are namespace, the name, catalog and startingCSV of a subscription, and the
namespace of a catalog. Installed bundles are looked up in the catalogs; give one that no catalog has any more as a name that ends in a
version, or as NAME@VERSION, here and in --what-if. A ref is as on the command line. One OperatorGroup that fits is assumed.

The answer is what OLM v0 does if every InstallPlan is approved and every installation succeeds that OperatorGroup and
OperatorConditions allow; each step names the InstallPlan that has to be approved. As svg, png, dot or mermaid it is drawn: what is
installed in the end, its dependencies, and what blocks upgrades.

exit status: 0 the namespace is up to date in the end; 1 an upgrade is blocked or waits, an operator breaks, or the namespace cannot
be resolved; 2 misuse; 3 a catalog or FILE could not be opened or read, not all of a catalog could be read, it is none, or the answer
takes more work than olmgraph tries.`

func (p *program) resolveCommand() *cli.Command {
	return p.catalogCommand(&cli.Command{
		Name:        "resolve",
		Usage:       "show what OLM v0 does in a namespace, including dependencies, and what blocks upgrades",
		UsageText:   "[flags] --snapshot FILE REF...",
		Description: resolveHelp,
		Flags: append(resolveOutputs().flags(),
			snapshotFlag("the objects of a cluster, or a description of the namespace, in a `FILE`"),
			&cli.StringFlag{Name: "namespace", Aliases: []string{"n"}, Usage: "the `NAME` of the namespace, where FILE has several"},
			globalNamespaceFlag(),
			&cli.StringFlag{Name: "what-if", Usage: "assume this version or bundle is installed, in the catalog or not: `PACKAGE=VERSION`"},
			&cli.StringFlag{Name: "remove", Usage: "assume `PACKAGE` and its subscription are removed"},
			&cli.BoolFlag{Name: "once", Usage: "only the next step"},
			timeoutFlag(),
			colorFlag(),
		),
	}, p.resolve)
}

func (p *program) resolve(c *cli.Context, o *opener) error {
	if err := p.checkResolve(c); err != nil {
		return err
	}
	to, err := resolveOutputs().outputs(c)
	if err == nil {
		err = p.checkBinary(to)
	}
	if err != nil {
		return err
	}
	in, err := o.namespace(c)
	if err != nil {
		return err
	}
	out, err := in.resolve(c)
	p.noteUnknown(in.unknown)
	if err != nil {
		return err
	}
	switch err = p.writeResolve(c, to, out); {
	case err != nil:
		return err
	case out.Undecided():
		return status(statusIncomplete)
	case !out.UpToDate():
		return status(statusFindings)
	}
	return nil
}

// checkResolve rejects missing arguments and flags that cannot be combined.
func (p *program) checkResolve(c *cli.Context) error {
	pkg, version, _ := strings.Cut(c.String("what-if"), "=")
	switch {
	case len(snapshotFiles(c)) == 0:
		return p.needsSnapshot("resolve")
	case c.IsSet("what-if") && (pkg == "" || version == ""):
		return misusef("--what-if %q: want PACKAGE=VERSION", c.String("what-if"))
	case c.IsSet("what-if") && c.IsSet("remove"):
		return misusef("--what-if and --remove cannot be used together")
	}
	return nil
}

// resolveOutputs lists the formats of an answer as text and as a picture.
func resolveOutputs() formatList {
	return formatList{names: append(formatNames(render.ResolveFormats()), pictureFormats()...)}
}

// writeResolve writes the answer to all outputs.
func (p *program) writeResolve(c *cli.Context, to []output, out *resolve.ResolveReport) error {
	return writeAll(to, func(o output) error {
		if !slices.Contains(pictureFormats(), o.format) {
			return write(p, c, []output{o}, render.ResolveFormats(), out)
		}
		r := newRenderer(c, o.format)
		picture, err := r.dependencies(c.Context, diagram.Namespace(out))
		if err != nil {
			return fmt.Errorf("the picture of the namespace: %w", err)
		}
		return p.writeOutput(o, picture)
	})
}

// namespaceInput is a namespace with the catalogs of its CatalogSources.
type namespaceInput struct {
	*resolve.NamespaceState
	crds    *cluster.CRDs
	unknown []resolve.InstalledOperator // installed operators of which only the name is known
}

// namespace reads the namespace and opens its catalogs.
func (o *opener) namespace(c *cli.Context) (*namespaceInput, error) {
	s, err := o.readSnapshot(c, snapshotFiles(c), false)
	if err != nil {
		return nil, err
	}
	state, err := resolve.StateOf(s, c.String("namespace"), c.String("global-namespace"))
	var wrong resolve.NamespaceError
	switch {
	case errors.As(err, &wrong):
		return nil, misuse{snapshotError(snapshotFiles(c), err)}
	case err != nil:
		return nil, snapshotError(snapshotFiles(c), err)
	}
	in := &clusterInput{opener: o, files: snapshotFiles(c), snapshot: s, states: []*resolve.NamespaceState{state}}
	if err := in.bind(c); err != nil {
		return nil, err
	}
	given, err := in.resolvers(c.Context)
	if err != nil {
		return nil, err
	}
	if err := in.bindSources(state, given); err != nil {
		return nil, err
	}
	return &namespaceInput{state, cluster.NewCRDs(s.CRDs), state.AddFacts()}, nil
}

// resolve resolves the namespace as --what-if, --remove and --once ask.
func (in *namespaceInput) resolve(c *cli.Context) (*resolve.ResolveReport, error) {
	out := &resolve.ResolveReport{Before: in.Namespace, Once: c.Bool("once")}
	var err error
	switch {
	case c.IsSet("what-if"):
		err = in.whatIf(out, c.String("what-if"))
	case c.IsSet("remove"):
		err = in.remove(out, c.String("remove"))
	}
	if err != nil {
		return nil, err
	}
	steps := resolve.MaxSteps
	if out.Once {
		steps = 1
	}
	if err := out.Run(c.Context, steps); err != nil {
		return nil, err
	}
	return out, in.checkCRDs(out)
}

// checkCRDs finds the upgrades whose CRDs are rejected on the cluster.
func (in *namespaceInput) checkCRDs(out *resolve.ResolveReport) error {
	out.RejectedCRDs = map[string][]string{}
	for i := range out.Before.Subscriptions {
		sub := &out.Before.Subscriptions[i]
		pkg := out.Before.PackageOf(sub)
		if pkg == nil {
			continue
		}
		outcomes, err := in.crds.Check(pkg, out.Path(sub))
		if err != nil {
			return err
		}
		for _, o := range outcomes {
			for _, r := range o.Reasons {
				out.RejectedCRDs[o.To] = append(out.RejectedCRDs[o.To], r.String())
			}
		}
	}
	return nil
}
