package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// world is a namespace with the catalogs that its sources have.
type world struct {
	*resolve.State
	catalogs map[resolve.Key]*catalogs.Catalog
	unknown  []resolve.Installed // what is installed, of which neither the text nor a catalog has more than the name
}

// world reads the namespace and opens its catalogs.
func (p *program) world(ctx context.Context, c *cli.Context) (*world, error) {
	text, err := p.readAll("--namespace", c.String("namespace"))
	if err != nil {
		return nil, err
	}
	state, err := resolve.ReadState(text, c.String("in"), c.String("global-namespace"))
	var wrong resolve.NamespaceError
	switch {
	case errors.As(err, &wrong):
		return nil, misusef("--namespace %s: %w", c.String("namespace"), err)
	case err != nil:
		return nil, fmt.Errorf("--namespace %s: %w", c.String("namespace"), err)
	}
	w := &world{State: state, catalogs: map[resolve.Key]*catalogs.Catalog{}}
	if err := w.assign(p.seen(w, c.Args().Slice())); err != nil {
		return nil, err
	}
	if err := w.checkStdin(c.String("namespace")); err != nil {
		return nil, err
	}
	if err := p.openSources(ctx, w); err != nil {
		return nil, err
	}
	w.unknown = w.Supply()
	return w, nil
}

// sayUnknown warns of what is installed and not known, but for what a question supposes away.
func (p *program) sayUnknown(w *world) {
	for _, in := range w.unknown {
		version := "its version is taken to be " + in.Version.String()
		if in.Version.Equals(semver.Version{}) {
			version = fmt.Sprintf("nor is its version: give it as %s@VERSION", in.Name)
		}
		p.say("no catalog has %q: what it provides and requires is not known; %s", in.Name, version)
	}
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
		err = errors.New("more than 1 GiB")
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, name, err)
	}
	return text, nil
}

// seen returns the arguments but for those that give the catalog of a CatalogSource that OLM does not look at from the namespace.
func (p *program) seen(w *world, args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		name, _, named := strings.Cut(arg, "=")
		if !named || len(w.Called(name)) > 0 {
			return false
		}
		i := slices.IndexFunc(w.Unseen, func(key resolve.Key) bool { return name == key.Name || name == key.String() })
		if i >= 0 {
			p.say("CatalogSource %q is not considered: OLM looks at those of namespaces %q and %q only (--global-namespace)",
				w.Unseen[i].String(), w.Name, w.Global)
		}
		return i >= 0
	})
}

// assign finds out which source has which reference. What the command line says of one goes before what FILE says.
func (w *world) assign(args []string) error {
	given := map[resolve.Key]string{}
	for _, arg := range args {
		key, ref, err := w.reference(arg, len(args))
		if err != nil {
			return err
		}
		if first, twice := given[key]; twice {
			return misusef("CatalogSource %q is given twice, as %s and as %s: leave one out", w.NameOf(key), first, ref)
		}
		given[key] = ref
	}
	maps.Copy(w.Refs, given)
	for i := range w.Subscriptions {
		sub := &w.Subscriptions[i]
		if w.readable(sub.Source) && w.Refs[sub.Source] == "" {
			return misusef("subscription %q draws from CatalogSource %q: give its catalog as %s", sub.Name, w.NameOf(sub.Source), w.form(sub.Source))
		}
	}
	return nil
}

// readable reports whether OLM can read the catalog of a source.
func (w *world) readable(key resolve.Key) bool {
	return slices.ContainsFunc(w.Sources, func(s resolve.Source) bool { return s.Key == key && s.Unreachable == "" })
}

// checkStdin refuses what would read standard input twice, FILE having had its say.
func (w *world) checkStdin(namespace string) error {
	var readers []string
	if namespace == "-" {
		readers = append(readers, "the namespace")
	}
	for i := range w.Sources {
		if key := w.Sources[i].Key; w.Refs[key] == "-" {
			readers = append(readers, fmt.Sprintf("the catalog of CatalogSource %q", w.NameOf(key)))
		}
	}
	if len(readers) > 1 {
		return misusef("standard input can be read once: it cannot be both %s and %s", readers[0], readers[1])
	}
	return nil
}

// reference reads one of several arguments: REF or NAME=REF.
func (w *world) reference(arg string, n int) (resolve.Key, string, error) {
	name, ref, named := strings.Cut(arg, "=")
	if !named {
		key, err := w.only(arg, n)
		return key, arg, err
	}
	found := w.Called(name)
	switch {
	case len(found) == 0:
		return resolve.Key{}, "", misusef("no CatalogSource %q in the namespace's file%s", name, didYouMean(name, w.sourceNames()))
	case len(found) > 1:
		return resolve.Key{}, "", misusef("several namespaces have a CatalogSource %q: say NAMESPACE/NAME=%s%s", name, ref, didYouMean("", w.sourceNames()))
	case ref == "":
		return resolve.Key{}, "", misusef("%s has no catalog behind the =: give it as %s", arg, w.form(found[0]))
	}
	return found[0], ref, nil
}

// form is how the catalog of a source is given.
func (w *world) form(key resolve.Key) string {
	if w.NameOf(key) != key.Name {
		return "NAMESPACE/NAME=REF"
	}
	return "NAME=REF"
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
		names = append(names, w.NameOf(w.Sources[i].Key))
	}
	return names
}

// openSources opens the catalogs. A source that nobody was told the catalog of is left out: no subscription draws from it. One
// that OLM cannot read is kept without.
func (p *program) openSources(ctx context.Context, w *world) error {
	var kept []resolve.Source
	for _, source := range w.Sources {
		ref := w.Refs[source.Key]
		if source.Unreachable != "" {
			kept = append(kept, source) // nobody needs its catalog
			continue
		}
		if ref == "" {
			p.say("CatalogSource %q is left out, though OLM may take dependencies from it; give its catalog as %s", w.NameOf(source.Key), w.form(source.Key))
			continue
		}
		cats, err := p.openFor(ctx, ref, "", true)
		if err != nil {
			return err
		}
		if len(cats) != 1 {
			return misusef("%s holds %d catalogs, but a CatalogSource has one", ref, len(cats))
		}
		if err := needEdges(ref, cats...); err != nil {
			return err
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
