package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

const resolveHelp = `examples:
  kubectl get subscriptions,clusterserviceversions,operatorgroups,catalogsources,\
    operatorconditions,installplans -A -o yaml > cluster.yaml
  olmgraph resolve --namespace cluster.yaml --in operators catalog/
  olmgraph resolve --namespace cluster.yaml community=a/ certified=b/   a catalog for each CatalogSource
  olmgraph resolve --namespace cluster.yaml catalog/ --what-if prometheus=0.47.0
  olmgraph resolve --namespace cluster.yaml catalog/ --remove etcd      who breaks
  olmgraph resolve --namespace cluster.yaml catalog/ --format svg -o namespace.svg

REF is a catalog; one that is not published yet says what would be if it were. Where there are several CatalogSources each one
is given as NAME=REF, or as NAMESPACE/NAME=REF where two have the same name; its priority is that of the CatalogSource. FILE may
also describe the namespace in a few lines:

  installed: [etcd.v0.9.4]
  subscriptions:
  - {package: prometheus, channel: beta, installed: prometheusoperator.0.47.0}
  catalogs:
  - {name: community, ref: catalog/, priority: 10}

All but package can be left out; further fields are namespace, the name, catalog and startingCSV of a subscription, and the
namespace of a catalog. What is installed is looked up in the catalogs; what none of them has any more is a name that ends in a
version, or NAME@VERSION, here and in --what-if. A ref is taken as on the command line. One OperatorGroup that fits is assumed.

The answer is what OLM v0 does, every approval given and every installation succeeding that OperatorGroup and OperatorConditions
allow; each step says which InstallPlan somebody has to approve. As svg, png, dot or mermaid it is drawn: what is installed in
the end, who requires whom, and what holds back whom.

exit status: 0 everything gets what its channel has; 1 something is held back, waits or breaks, or the namespace cannot be
resolved; 2 misuse; 3 a catalog or FILE could not be opened or read, not all of a catalog could be read, it is none, or it takes more
to work out than olmgraph tries.`

func (p *program) resolveCommand() *cli.Command {
	return &cli.Command{
		Name:        "resolve",
		Usage:       "say what OLM v0 will do in a namespace, dependencies included, and why not more",
		UsageText:   "[flags] --namespace FILE REF...",
		Description: resolveHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "namespace", Usage: "what is in the namespace, in a `FILE`, or - for standard input"},
			&cli.StringFlag{Name: "in", Usage: "the `NAME` of the namespace, where FILE has several"},
			&cli.StringFlag{Name: "global-namespace", Usage: "the `NAME` of the namespace of global CatalogSources (default: olm, or openshift-marketplace if FILE is of OpenShift)"},
			&cli.StringFlag{Name: "what-if", Usage: "as if this version or bundle were installed, in the catalog or not: `PACKAGE=VERSION`"},
			&cli.StringFlag{Name: "remove", Usage: "as if `PACKAGE` and its subscription were gone"},
			&cli.BoolFlag{Name: "once", Usage: "only the next step"},
			choiceFlag("format", "text", "`FORMAT`", resolveFormats()...),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to this `FILE`"},
			&cli.DurationFlag{Name: "timeout", Value: 30 * time.Second, Usage: "how long a picture may take: a `TIME` as 30s or 2m"},
			colorFlag(),
		},
		Action: func(c *cli.Context) error { return p.resolve(c.Context, c) },
	}
}

// manySteps is more than any channel has.
const manySteps = 10_000

func (p *program) resolve(ctx context.Context, c *cli.Context) error {
	if err := p.checkResolveFlags(c); err != nil {
		return err
	}
	style, err := p.style(c.String("color"))
	if err != nil {
		return err
	}
	w, err := p.world(ctx, c)
	if err != nil {
		return err
	}
	out, err := w.outlook(ctx, c)
	p.sayUnknown(w)
	if err != nil {
		return err
	}
	switch err = p.tell(ctx, c, out, style); {
	case err != nil:
		return err
	case out.Undecided():
		return status(statusNoLook)
	case !out.Good():
		return status(statusFindings)
	}
	return nil
}

func resolveFormats() []string { return []string{"text", "json", "svg", "png", "dot", "mermaid"} }

// tell writes the answer, to a file when all of it is there.
func (p *program) tell(ctx context.Context, c *cli.Context, out *render.Outlook, style render.Style) error {
	file := outputFile(c.String("output"))
	if file != "" { // whatever the terminal is
		style = render.Style{Width: 80, Color: c.String("color") == "always"}
	}
	text, err := outlookAs(ctx, c, out, style)
	if err != nil {
		return err
	}
	return p.deliver(file, c.String("format"), text)
}

func outlookAs(ctx context.Context, c *cli.Context, out *render.Outlook, style render.Style) ([]byte, error) {
	var text bytes.Buffer
	switch format := c.String("format"); format {
	case "json":
		err := render.OutlookJSON(&text, out)
		return text.Bytes(), err
	case "text":
		err := render.OutlookText(&text, out, style)
		return text.Bytes(), err
	default:
		e := easel{format, c.Duration("timeout"), graphviz.NewPool()}
		picture, err := e.web(ctx, render.NamespaceDiagram(out))
		if err != nil {
			err = fmt.Errorf("the picture of the namespace: %w", err)
		}
		return picture, err
	}
}

func (p *program) checkResolveFlags(c *cli.Context) error {
	format, supposed := c.String("format"), c.String("what-if")
	pkg, version, _ := strings.Cut(supposed, "=")
	switch {
	case c.String("namespace") == "":
		return misusef("resolve wants --namespace FILE: what %s prints", render.KubectlGet)
	case !slices.Contains(resolveFormats(), format):
		return misusef("no format %q%s", format, didYouMean(format, resolveFormats()))
	case c.Duration("timeout") <= 0:
		return misusef("--timeout %s: want more than nothing", c.Duration("timeout"))
	case format == "png" && outputFile(c.String("output")) == "" && isTerminal(p.stdout):
		return misusef("a PNG is nothing to read on a terminal: give -o FILE")
	case c.String("namespace") == "-" && slices.ContainsFunc(c.Args().Slice(), func(a string) bool { return a == "-" || strings.HasSuffix(a, "=-") }):
		return misusef("standard input cannot be both the namespace and a catalog")
	case c.IsSet("what-if") && (pkg == "" || version == ""):
		return misusef("--what-if %q: want PACKAGE=VERSION", supposed)
	case c.IsSet("what-if") && c.IsSet("remove"):
		return misusef("--what-if and --remove are two questions: ask one")
	}
	return nil
}

// outlook asks the question.
func (w *world) outlook(ctx context.Context, c *cli.Context) (*render.Outlook, error) {
	out := &render.Outlook{Before: w.Namespace, Once: c.Bool("once")}
	var err error
	switch {
	case c.IsSet("what-if"):
		err = w.suppose(out, c.String("what-if"))
	case c.IsSet("remove"):
		err = w.remove(out, c.String("remove"))
	}
	if err != nil {
		return nil, err
	}
	if out.Once {
		out.Course, err = once(ctx, out.Before)
	} else {
		out.Course, err = resolve.Settle(ctx, out.Before, manySteps)
	}
	if err == nil {
		out.Heads = w.heads(&out.Course.Last)
	}
	return out, err
}

// once is a course of one step.
func once(ctx context.Context, n resolve.Namespace) (*resolve.Course, error) {
	c := &resolve.Course{}
	var err error
	if c.Last, c.Finished, err = n.Finish(); err != nil {
		return nil, err
	}
	c.Waiting = c.Last.Waiting()
	step, err := resolve.Next(ctx, c.Last)
	switch {
	case err != nil:
		return nil, err
	case !step.Resolvable():
		c.Steps, c.End = []*resolve.Resolution{step}, step.Ending()
		return c, nil
	case len(step.Installs) == 0:
		c.Rest = step
		return c, nil
	}
	c.Steps, c.End, c.Rest = []*resolve.Resolution{step}, resolve.Limit, step
	c.Last = c.Last.After(step)
	return c, nil
}

// heads returns the heads of the channels that subscriptions draw from: of all channels where one names none.
func (w *world) heads(n *resolve.Namespace) map[string][]string {
	heads := map[string][]string{}
	for i := range n.Subscriptions {
		sub := &n.Subscriptions[i]
		a := w.atlas(sub.Source, sub.Package)
		if a == nil {
			continue
		}
		for _, g := range a.Graphs {
			if sub.Channel != "" && sub.Channel != g.Channel.Name.Value {
				continue
			}
			for _, head := range g.Heads() {
				if name := g.Name(head); !slices.Contains(heads[sub.Name], name) {
					heads[sub.Name] = append(heads[sub.Name], name)
				}
			}
		}
	}
	return heads
}
