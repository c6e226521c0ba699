package cli

import (
	"cmp"
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
	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/cli/shell"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// namespaceInput is a namespace with the catalogs of its CatalogSources.
type namespaceInput struct {
	*resolve.NamespaceState
	catalogs map[resolve.SourceKey]*catalogs.Catalog
	crds     *cluster.CRDs
	unknown  []resolve.InstalledOperator // installed operators of which only the name is known
}

// namespace reads the namespace and opens its catalogs.
func (o *opener) namespace(c *cli.Context) (*namespaceInput, error) {
	files := snapshotFiles(c)
	snapshot, err := o.readSnapshot(files)
	if err != nil {
		return nil, err
	}
	state, err := snapshot.State(c.String("namespace"), c.String("global-namespace"))
	var wrong resolve.NamespaceError
	switch name := strings.Join(files, ", "); {
	case errors.As(err, &wrong):
		return nil, misusef("--snapshot %s: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("--snapshot %s: %w", name, err)
	}
	in := &namespaceInput{NamespaceState: state, catalogs: map[resolve.SourceKey]*catalogs.Catalog{}, crds: cluster.NewCRDs(snapshot.CRDs)}
	if err := in.assignCatalogs(o.consideredSources(in, c.Args().Slice())); err != nil {
		return nil, err
	}
	if err := in.checkStdin(files); err != nil {
		return nil, err
	}
	if err := o.openSources(c.Context, in); err != nil {
		return nil, err
	}
	in.unknown = in.AddFacts()
	return in, nil
}

// noteUnknown warns of installed operators whose APIs are not known, except those that --what-if and --remove replace.
func (p *program) noteUnknown(in *namespaceInput) {
	for _, operator := range in.unknown {
		version := "its version is assumed to be " + operator.Version.String()
		if operator.Version.Equals(semver.Version{}) {
			version = fmt.Sprintf("its version is not known either: give it as %s@VERSION", operator.Name)
		}
		p.logf("no catalog has %q: its provided and required APIs are not known; %s", operator.Name, version)
	}
}

// maxClusterBytes bounds the size of a file with objects of a cluster, once it is unpacked. It is not held in memory as a whole.
const maxClusterBytes = 8 << 30

// snapshotFlag is the flag for files with objects of a cluster, which may be repeated.
func snapshotFlag(usage string) cli.Flag {
	return &cli.GenericFlag{Name: "snapshot", Value: &repeatedFlag{}, Usage: usage + ", or - for standard input; may be repeated"}
}

// snapshotFiles returns the values of snapshotFlag.
func snapshotFiles(c *cli.Context) []string {
	given, ok := c.Generic("snapshot").(*repeatedFlag)
	if !ok {
		return nil
	}
	return *given
}

// readSnapshot reads the objects of a cluster from files.
func (p *program) readSnapshot(files []string) (*resolve.Snapshot, error) {
	s := &resolve.Snapshot{}
	if err := p.eachSnapshot(files, s.Read); err != nil {
		return nil, err
	}
	for _, note := range s.Notes {
		p.logf("--snapshot: %s", note)
	}
	return s, nil
}

// eachSnapshot opens files, or standard input if one is "-", one after the other.
func (p *program) eachSnapshot(files []string, read func(name string, from io.Reader) error) error {
	for _, name := range files {
		if err := p.openSnapshot(name, read); err != nil {
			return fmt.Errorf("--snapshot %w", err)
		}
	}
	return nil
}

func (p *program) openSnapshot(name string, read func(name string, from io.Reader) error) error {
	from := p.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, fserror.Cause(err))
		}
		defer f.Close()
		from = f
	}
	return read(name, &io.LimitedReader{R: from, N: maxClusterBytes})
}

// consideredSources returns the arguments without the catalogs of CatalogSources that OLM does not consider in the namespace.
func (p *program) consideredSources(in *namespaceInput, args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		name, _, named := strings.Cut(arg, "=")
		if !named || len(in.KeysNamed(name)) > 0 {
			return false
		}
		i := slices.IndexFunc(in.Unseen, func(key resolve.SourceKey) bool { return name == key.Name || name == key.String() })
		if i >= 0 {
			p.logf("CatalogSource %q is not considered: OLM uses those of namespaces %q and %q only (--global-namespace)",
				in.Unseen[i].String(), in.Name, in.Global)
		}
		return i >= 0
	})
}

// assignCatalogs sets the reference of each CatalogSource. The command line overrides FILE.
func (in *namespaceInput) assignCatalogs(args []string) error {
	given := map[resolve.SourceKey]string{}
	for _, arg := range args {
		key, ref, err := in.reference(arg, len(args))
		if err != nil {
			return err
		}
		if first, twice := given[key]; twice {
			return misusef("CatalogSource %q is given twice, as %s and as %s: leave one out", in.NameOf(key), first, ref)
		}
		given[key] = ref
	}
	maps.Copy(in.Refs, given)
	for i := range in.Subscriptions {
		sub := &in.Subscriptions[i]
		if in.readable(sub.Source) && in.Refs[sub.Source] == "" {
			return misusef("subscription %q uses CatalogSource %q: give its catalog as %s", sub.Name, in.NameOf(sub.Source), in.argumentForm(sub.Source))
		}
	}
	return nil
}

// readable reports whether OLM can read the catalog of a source.
func (in *namespaceInput) readable(key resolve.SourceKey) bool {
	return slices.ContainsFunc(in.Sources, func(s resolve.Source) bool { return s.SourceKey == key && s.Unreachable == "" })
}

// checkStdin returns an error if standard input would be read twice, references in FILE included.
func (in *namespaceInput) checkStdin(files []string) error {
	var readers []string
	if slices.Contains(files, "-") {
		readers = append(readers, "the namespace")
	}
	for i := range in.Sources {
		if key := in.Sources[i].SourceKey; in.Refs[key] == "-" {
			readers = append(readers, fmt.Sprintf("the catalog of CatalogSource %q", in.NameOf(key)))
		}
	}
	if len(readers) > 1 {
		return misusef("standard input can be read only once, not as both %s and %s", readers[0], readers[1])
	}
	return nil
}

// reference parses one of n arguments: REF or NAME=REF.
func (in *namespaceInput) reference(arg string, n int) (resolve.SourceKey, string, error) {
	name, ref, named := strings.Cut(arg, "=")
	if !named {
		key, err := in.soleSource(arg, n)
		return key, arg, err
	}
	found := in.KeysNamed(name)
	switch {
	case len(found) == 0:
		return resolve.SourceKey{}, "", misusef("no CatalogSource %q in the namespace's file%s", name, didYouMean(name, in.sourceNames()))
	case len(found) > 1:
		return resolve.SourceKey{}, "", misusef("several namespaces have a CatalogSource %q: give NAMESPACE/NAME=%s%s", name, ref, didYouMean("", in.sourceNames()))
	case ref == "":
		return resolve.SourceKey{}, "", misusef("%s has no catalog after the =: give it as %s", arg, in.argumentForm(found[0]))
	}
	return found[0], ref, nil
}

// argumentForm returns the form of the argument that gives the catalog of a source.
func (in *namespaceInput) argumentForm(key resolve.SourceKey) string {
	if in.NameOf(key) != key.Name {
		return "NAMESPACE/NAME=REF"
	}
	return "NAME=REF"
}

// soleSource returns the source of an argument without a name: the only source, or the one that all subscriptions use.
func (in *namespaceInput) soleSource(arg string, n int) (resolve.SourceKey, error) {
	var keys []resolve.SourceKey
	for i := range in.Sources {
		key := in.Sources[i].SourceKey
		if len(in.Sources) == 1 || slices.ContainsFunc(in.Subscriptions, func(s resolve.Subscription) bool { return s.Source == key }) {
			keys = append(keys, key)
		}
	}
	if len(keys) != 1 || n > 1 {
		return resolve.SourceKey{}, misusef("the CatalogSource of %s is ambiguous: give NAME=%s%s", arg, arg, didYouMean("", in.sourceNames()))
	}
	return keys[0], nil
}

func (in *namespaceInput) sourceNames() []string {
	var names []string
	for i := range in.Sources {
		names = append(names, in.NameOf(in.Sources[i].SourceKey))
	}
	return names
}

// openSources opens the catalogs of the sources. It drops a source without a reference, which no subscription uses, and keeps
// an unreachable source without a catalog.
func (o *opener) openSources(ctx context.Context, in *namespaceInput) error {
	var kept []resolve.Source
	for _, source := range in.Sources {
		ref := in.Refs[source.SourceKey]
		if source.Unreachable != "" {
			kept = append(kept, source) // its catalog is not needed
			continue
		}
		if ref == "" {
			o.logf("CatalogSource %q is left out, though OLM may take dependencies from it; give its catalog as %s", in.NameOf(source.SourceKey), in.argumentForm(source.SourceKey))
			continue
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
		if source.Catalog, err = resolve.NewCatalog(ctx, cats[0]); err != nil {
			return err
		}
		in.catalogs[source.SourceKey] = cats[0]
		kept = append(kept, source)
	}
	in.Sources = kept
	return nil
}

// packageGraph returns the graph of a package in the catalog of a source, or nil if the catalog does not have the package.
func (in *namespaceInput) packageGraph(key resolve.SourceKey, name string) *graph.PackageGraph {
	c := in.catalogs[key]
	if c == nil {
		return nil
	}
	pkg := c.Package(name)
	if pkg == nil {
		return nil
	}
	return graph.OfPackage(pkg)
}

// renamedSnapshotFlags sets --snapshot and --namespace from the flags that they were in version 1: --namespace FILE and --in NAME.
func (p *program) renamedSnapshotFlags(c *cli.Context) error {
	file := c.String("namespace")
	if len(snapshotFiles(c)) > 0 || !c.IsSet("in") && !isSnapshotFile(file) {
		return p.renamedFlag(c, "in", "namespace")
	}
	if file == "" {
		return nil // checkResolve reports it
	}
	now := []string{"--snapshot", file}
	if name := c.String("in"); name != "" {
		now = append(now, "-n", name)
	}
	p.logf("--namespace is the name of a namespace now: write %s", shell.Join(now))
	return cmp.Or(c.Set("snapshot", file), c.Set("namespace", c.String("in")))
}

// isSnapshotFile reports whether a value of --namespace is a file, and not the name of a namespace, which has no slash and no dot.
func isSnapshotFile(value string) bool {
	info, err := os.Stat(value)
	return err == nil && !info.IsDir() || value == "-" || strings.ContainsAny(value, "/.")
}
