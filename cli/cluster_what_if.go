package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// whatIf changes the namespace as --what-if asks.
func whatIf(out *resolve.ResolveReport, text string) error {
	pkg, version, _ := strings.Cut(text, "=")
	source, a, err := sourceWith(&out.Before, pkg)
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
	channel, _ := selector{a}.channelOf(installed)
	sub := resolve.Subscription{Name: pkg, Package: pkg, Channel: channel.Channel.Name.Value, Source: source.SourceKey}
	if !a.Has(installed.Name) {
		return whatIfRemoved(out, installed, sub)
	}
	operator, _ := source.Catalog.InstalledOperator(pkg, installed.Name)
	out.Before = out.Before.With(operator, sub)
	out.WhatIf = fmt.Sprintf("as if %s were installed", installed.Name)
	return nil
}

// whatIfRemoved is whatIf for a bundle that is not in the catalog any more. If only its version is known, its name is assumed
// to be PACKAGE.vVERSION.
func whatIfRemoved(out *resolve.ResolveReport, installed graph.InstalledBundle, sub resolve.Subscription) error {
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
		name, version, out.Before.NameOf(sub.Source), note)
	return nil
}

// sourceWith returns a source that has the package: that of its subscription, or the first one.
func sourceWith(in *resolve.Namespace, pkg string) (*resolve.Source, *graph.PackageGraph, error) {
	var all []string
	var found *resolve.Source
	for i := range in.Sources {
		source := &in.Sources[i]
		catalog := source.Catalog
		if catalog == nil { // it cannot be reached
			continue
		}
		names := packageNames([]*catalogs.Catalog{catalog.Catalog})
		all = append(all, names...)
		wanted := slices.ContainsFunc(in.Subscriptions, func(s resolve.Subscription) bool { return s.Package == pkg && s.Source == source.SourceKey })
		if slices.Contains(names, pkg) && (found == nil || wanted) {
			found = source
		}
	}
	if found == nil {
		return nil, nil, misusef("no package %q in the catalogs%s", pkg, didYouMean(pkg, all))
	}
	return found, graph.OfPackage(found.Catalog.Package(pkg)), nil
}

// remove changes the namespace as --remove asks.
func remove(out *resolve.ResolveReport, pkg string) error {
	if !out.Remove(pkg) {
		known := phrase.Of(out.Before.Operators(), func(o resolve.Operator) string { return o.Package })
		return misusef("package %q is not in the namespace%s", pkg, didYouMean(pkg, known))
	}
	out.WhatIf = "without " + strings.Join(slices.Concat(out.Removed.Operators, subscriptionWords(out.Removed.Subscriptions)), ", ")
	return nil
}

func subscriptionWords(names []string) []string {
	return phrase.Of(names, func(name string) string { return fmt.Sprintf("subscription %q", name) })
}
