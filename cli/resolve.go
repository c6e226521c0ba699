package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
)

const resolveHelp = `examples:
  kubectl get subscriptions,clusterserviceversions,operatorgroups,catalogsources -A -o yaml > cluster.yaml
  olmgraph resolve --namespace cluster.yaml --in operators catalog/
  olmgraph resolve --namespace cluster.yaml community=a/ certified=b/   a catalog for each CatalogSource
  olmgraph resolve --namespace cluster.yaml catalog/ --what-if prometheus=0.47.0
  olmgraph resolve --namespace cluster.yaml catalog/ --remove etcd      who breaks

REF is a catalog. Where there are several CatalogSources each one is given as NAME=REF; its priority is that of the
CatalogSource. FILE may also describe the namespace in a few lines:

  installed: [etcd.v0.9.4]
  subscriptions:
  - {package: prometheus, channel: beta, installed: prometheusoperator.0.47.0}
  catalogs:
  - {name: community, ref: catalog/, priority: 10}

All but package can be left out; further fields are namespace, the name, catalog and startingCSV of a subscription, and the
namespace of a catalog. What is installed is looked up in the catalogs. A ref is taken as on the command line.

The answer is what OLM v0 does by itself, every approval given and every installation succeeding.

exit status: 0 everything gets what its channel has; 1 something is held back for ever or breaks, or the namespace cannot be
resolved; 2 misuse; 3 a catalog or FILE could not be opened or read.`

func (p *program) resolveCommand() *cli.Command {
	return &cli.Command{
		Name:        "resolve",
		Usage:       "say what OLM v0 will do in a namespace, dependencies included, and why not more",
		UsageText:   "[flags] --namespace FILE REF...",
		Description: resolveHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "namespace", Usage: "what is in the namespace, in a `FILE`, or - for standard input"},
			&cli.StringFlag{Name: "in", Usage: "the `NAME` of the namespace, where FILE has several"},
			&cli.StringFlag{Name: "what-if", Usage: "as if this version or bundle were installed: `PACKAGE=VERSION`"},
			&cli.StringFlag{Name: "remove", Usage: "as if `PACKAGE` and its subscription were gone"},
			&cli.BoolFlag{Name: "once", Usage: "only the next step"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT`: text or json"},
			&cli.StringFlag{Name: "color", Value: "auto", Usage: "`WHEN` to colour: auto, always or never"},
		},
		Action: func(c *cli.Context) error { return p.resolve(c.Context, c) },
	}
}

// manySteps is more than any channel has.
const manySteps = 10_000

func (p *program) resolve(ctx context.Context, c *cli.Context) error {
	if err := checkResolveFlags(c); err != nil {
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
	if err != nil {
		return err
	}
	if c.String("format") == "json" {
		err = render.OutlookJSON(p.stdout, out)
	} else {
		err = render.OutlookText(p.stdout, out, style)
	}
	if err == nil && !out.Good() {
		return status(statusFindings)
	}
	return err
}

func checkResolveFlags(c *cli.Context) error {
	format, supposed := c.String("format"), c.String("what-if")
	pkg, version, _ := strings.Cut(supposed, "=")
	switch {
	case c.String("namespace") == "":
		return misusef("resolve wants --namespace FILE: what kubectl get subscriptions,clusterserviceversions,operatorgroups,catalogsources -o yaml prints")
	case format != "text" && format != "json":
		return misusef("no format %q%s", format, didYouMean(format, []string{"text", "json"}))
	case c.String("namespace") == "-" && slices.ContainsFunc(c.Args().Slice(), func(a string) bool { return a == "-" || strings.HasSuffix(a, "=-") }):
		return misusef("standard input cannot be both the namespace and a catalog")
	case c.IsSet("what-if") && (pkg == "" || version == ""):
		return misusef("--what-if %q: want PACKAGE=VERSION", supposed)
	case c.IsSet("what-if") && c.IsSet("remove"):
		return misusef("--what-if and --remove are two questions: ask one")
	}
	return nil
}

// world is a namespace with the catalogs that its sources have.
type world struct {
	*resolve.State
	catalogs map[resolve.Key]*catalogs.Catalog
}

// world reads the namespace and opens its catalogs.
func (p *program) world(ctx context.Context, c *cli.Context) (*world, error) {
	text, err := p.readAll("--namespace", c.String("namespace"))
	if err != nil {
		return nil, err
	}
	state, err := resolve.ReadState(text, c.String("in"))
	if err != nil {
		return nil, fmt.Errorf("--namespace %s: %w", c.String("namespace"), err)
	}
	w := &world{State: state, catalogs: map[resolve.Key]*catalogs.Catalog{}}
	if err := w.assign(c.Args().Slice()); err != nil {
		return nil, err
	}
	if err := p.openSources(ctx, w); err != nil {
		return nil, err
	}
	for _, name := range w.Supply() {
		fmt.Fprintf(p.stderr, "olmgraph: no catalog has %s: what it provides and requires is not known\n", name)
	}
	return w, nil
}

// maxCluster bounds what is read of a cluster.
const maxCluster = 1 << 30

// readAll reads what a flag says of a cluster.
func (p *program) readAll(flag, name string) ([]byte, error) {
	in := p.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxCluster+1))
	if err == nil && len(text) > maxCluster {
		err = fmt.Errorf("more than 1 GiB")
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, name, err)
	}
	return text, nil
}

// assign finds out which source has which reference.
func (w *world) assign(args []string) error {
	for _, arg := range args {
		name, ref, named := strings.Cut(arg, "=")
		if !named {
			key, err := w.only(arg, len(args))
			if err != nil {
				return err
			}
			w.Refs[key] = arg
			continue
		}
		source, ok := w.Source(name)
		if !ok {
			return misusef("no CatalogSource %q in the namespace's file%s", name, didYouMean(name, w.sourceNames()))
		}
		w.Refs[source.Key] = ref
	}
	for i := range w.Subscriptions {
		sub := &w.Subscriptions[i]
		if source, ok := w.Source(sub.Source.Namespace + "/" + sub.Source.Name); ok && w.Refs[source.Key] == "" {
			return misusef("subscription %q draws from CatalogSource %s: give its catalog as %s=REF", sub.Name, sub.Source.Name, sub.Source.Name)
		}
	}
	return nil
}

// only returns the source that is meant where none is named: the only one, or that of all subscriptions.
func (w *world) only(arg string, n int) (resolve.Key, error) {
	var keys []resolve.Key
	for i := range w.Sources {
		key := w.Sources[i].Key
		if len(w.Sources) == 1 || slices.ContainsFunc(w.Subscriptions, func(s resolve.Subscription) bool { return s.Source == key }) {
			keys = append(keys, key)
		}
	}
	if len(keys) != 1 || n > 1 {
		return resolve.Key{}, misusef("which CatalogSource is %s? Say NAME=%s%s", arg, arg, didYouMean("", w.sourceNames()))
	}
	return keys[0], nil
}

func (w *world) sourceNames() []string {
	var names []string
	for i := range w.Sources {
		names = append(names, w.Sources[i].Name)
	}
	return names
}

// openSources opens the catalogs. A source that nobody was told the catalog of is left out: no subscription draws from it.
func (p *program) openSources(ctx context.Context, w *world) error {
	var kept []resolve.Source
	for _, source := range w.Sources {
		ref := w.Refs[source.Key]
		if ref == "" {
			fmt.Fprintf(p.stderr, "olmgraph: CatalogSource %s is left out, though OLM may take dependencies from it; give its catalog as %s=REF\n", source.Name, source.Name)
			continue
		}
		cats, err := p.openFor(ctx, ref, "", true)
		if err != nil {
			return err
		}
		if len(cats) != 1 {
			return misusef("%s holds %d catalogs, but a CatalogSource has one", ref, len(cats))
		}
		if source.Catalog, err = resolve.Read(ctx, cats[0]); err != nil {
			return err
		}
		w.catalogs[source.Key] = cats[0]
		kept = append(kept, source)
	}
	w.Sources = kept
	return nil
}

// outlook asks the question.
func (w *world) outlook(ctx context.Context, c *cli.Context) (*render.Outlook, error) {
	out := &render.Outlook{Before: w.Namespace, Once: c.Bool("once"), Groups: w.Groups}
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
	step, err := resolve.Resolve(ctx, n)
	switch {
	case err != nil:
		return nil, err
	case !step.Resolvable():
		return &resolve.Course{Steps: []*resolve.Resolution{step}, End: resolve.Unresolvable, Last: n}, nil
	case len(step.Installs) == 0:
		return &resolve.Course{Rest: step, Last: n}, nil
	}
	return &resolve.Course{Steps: []*resolve.Resolution{step}, End: resolve.Limit, Rest: step, Last: n.After(step)}, nil
}

// suppose changes the namespace as --what-if says.
func (w *world) suppose(out *render.Outlook, text string) error {
	pkg, version, _ := strings.Cut(text, "=")
	source, a, err := w.holder(pkg)
	if err != nil {
		return err
	}
	name, err := (&pathFlags{}).bundle(a, nil, version)
	if err != nil {
		return err
	}
	in, _ := source.Catalog.Installed(pkg, name)
	channel, _, err := channelOf(a, name)
	if err != nil {
		return err
	}
	out.Before = out.Before.With(in, resolve.Subscription{Name: pkg, Package: pkg, Channel: channel.Channel.Name.Value, Source: source.Key})
	out.Supposed = fmt.Sprintf("as if %s were installed", name)
	return nil
}

// holder returns the source that has a package: that of its subscription, or else the first one.
func (w *world) holder(pkg string) (*resolve.Source, *graph.Atlas, error) {
	var all []string
	var found *resolve.Source
	for i := range w.Sources {
		source := &w.Sources[i]
		names := packageNames([]*catalogs.Catalog{w.catalogs[source.Key]})
		all = append(all, names...)
		wanted := slices.ContainsFunc(w.Subscriptions, func(s resolve.Subscription) bool { return s.Package == pkg && s.Source == source.Key })
		if slices.Contains(names, pkg) && (found == nil || wanted) {
			found = source
		}
	}
	if found == nil {
		return nil, nil, misusef("no package %q in the catalogs%s", pkg, didYouMean(pkg, all))
	}
	return found, w.atlas(found.Key, pkg), nil
}

func (w *world) atlas(key resolve.Key, pkg string) *graph.Atlas {
	if c := w.catalogs[key]; c != nil {
		for _, p := range c.Packages {
			if p.Name.Value == pkg {
				return graph.AtlasOf(p)
			}
		}
	}
	return nil
}

// remove changes the namespace as --remove says. Who lacked something before does not break now.
func (w *world) remove(out *render.Outlook, pkg string) error {
	rest, operators, subs := out.Before.Without(pkg)
	if len(operators)+len(subs) == 0 {
		var known []string
		for _, o := range out.Before.Operators() {
			known = append(known, o.Package)
		}
		return misusef("nothing of package %q is in the namespace%s", pkg, didYouMean(pkg, known))
	}
	before := out.Before.Lacks()
	for _, l := range rest.Lacks() {
		if !slices.ContainsFunc(before, func(b resolve.Lack) bool { return b.Name == l.Name && b.Requirement.String() == l.Requirement.String() }) {
			out.Lacks = append(out.Lacks, l)
		}
	}
	out.Before = rest
	out.Supposed = "without " + strings.Join(append(operators, subscriptionWords(subs)...), ", ")
	return nil
}

func subscriptionWords(names []string) []string {
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("subscription %q", name))
	}
	return words
}

// heads returns the heads of the channels that subscriptions name.
func (w *world) heads(n *resolve.Namespace) map[string][]string {
	heads := map[string][]string{}
	for i := range n.Subscriptions {
		sub := &n.Subscriptions[i]
		a := w.atlas(sub.Source, sub.Package)
		if a == nil || a.Graph(sub.Channel) == nil {
			continue
		}
		g := a.Graph(sub.Channel)
		for _, head := range g.Heads() {
			heads[sub.Name] = append(heads[sub.Name], g.Name(head))
		}
	}
	return heads
}
