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
	"github.com/olmgraph/olmgraph/catalogs/fserror"
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
	return read(name, from)
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

// whatIf changes the namespace as --what-if asks.
func (in *namespaceInput) whatIf(out *resolve.ResolveReport, text string) error {
	pkg, version, _ := strings.Cut(text, "=")
	source, a, err := in.sourceWith(pkg)
	if err != nil {
		return err
	}
	if _, err := (selector{a}).channels(nil); err != nil {
		return err
	}
	installed, err := selector{a}.installed(version, nil)
	if err != nil {
		return err
	}
	_, gone, _ := out.Before.Without(pkg)
	in.removeOperators(gone)
	channel, _ := selector{a}.channelOf(installed)
	sub := resolve.Subscription{Name: pkg, Package: pkg, Channel: channel.Channel.Name.Value, Source: source.SourceKey}
	if !a.Has(installed.Name) {
		return in.whatIfRemoved(out, installed, sub)
	}
	operator, _ := source.Catalog.InstalledOperator(pkg, installed.Name)
	out.Before = out.Before.With(operator, sub)
	out.WhatIf = fmt.Sprintf("as if %s were installed", installed.Name)
	return nil
}

// whatIfRemoved is whatIf for a bundle that is not in the catalog any more. If only its version is known, its name is assumed
// to be PACKAGE.vVERSION.
func (in *namespaceInput) whatIfRemoved(out *resolve.ResolveReport, installed graph.InstalledBundle, sub resolve.Subscription) error {
	version, err := semver.ParseTolerant(installed.Version)
	if err != nil {
		return misusef("package %q has no bundle %q, and the name has no version: give it as NAME@VERSION", sub.Package, installed.Name)
	}
	name, note := installed.Name, ""
	if installed.OnlyVersionKnown() {
		name = fmt.Sprintf("%s.v%s", sub.Package, version)
		note = "; this is assumed to be its name, since no entry replaces or skips one of this version"
	}
	out.Before = out.Before.With(resolve.InstalledOperator{Name: name, Version: version}, sub)
	out.WhatIf = fmt.Sprintf("as if %s were installed, version %s, which CatalogSource %q does not have: its provided and required APIs are not known%s",
		name, version, in.NameOf(sub.Source), note)
	return nil
}

// sourceWith returns a source that has the package: that of its subscription, or the first one.
func (in *namespaceInput) sourceWith(pkg string) (*resolve.Source, *graph.PackageGraph, error) {
	var all []string
	var found *resolve.Source
	for i := range in.Sources {
		source := &in.Sources[i]
		catalog := in.catalogs[source.SourceKey]
		if catalog == nil { // it cannot be reached
			continue
		}
		names := packageNames([]*catalogs.Catalog{catalog})
		all = append(all, names...)
		wanted := slices.ContainsFunc(in.Subscriptions, func(s resolve.Subscription) bool { return s.Package == pkg && s.Source == source.SourceKey })
		if slices.Contains(names, pkg) && (found == nil || wanted) {
			found = source
		}
	}
	if found == nil {
		return nil, nil, misusef("no package %q in the catalogs%s", pkg, didYouMean(pkg, all))
	}
	return found, in.packageGraph(found.SourceKey, pkg), nil
}

// remove changes the namespace as --remove asks. An operator whose requirement was unmet before does not count as broken.
func (in *namespaceInput) remove(out *resolve.ResolveReport, pkg string) error {
	rest, operators, subs := out.Before.Without(pkg)
	if len(operators)+len(subs) == 0 {
		var known []string
		for _, o := range out.Before.Operators() {
			known = append(known, o.Package)
		}
		return misusef("package %q is not in the namespace%s", pkg, didYouMean(pkg, known))
	}
	before := out.Before.Unmet()
	for _, l := range rest.Unmet() {
		if !slices.ContainsFunc(before, func(b resolve.Unmet) bool {
			return b.Name == l.Name && b.Requirement.String() == l.Requirement.String()
		}) {
			out.Unmet = append(out.Unmet, l)
		}
	}
	in.removeOperators(operators)
	out.Before = rest
	out.WhatIf = "without " + strings.Join(append(operators, subscriptionWords(subs)...), ", ")
	return nil
}

// removeOperators removes operators that --what-if and --remove replace from the unknown ones.
func (in *namespaceInput) removeOperators(operators []string) {
	in.unknown = slices.DeleteFunc(in.unknown, func(o resolve.InstalledOperator) bool { return slices.Contains(operators, o.Name) })
}

func subscriptionWords(names []string) []string {
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("subscription %q", name))
	}
	return words
}
