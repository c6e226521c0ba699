package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
)

// suppose changes the namespace as --what-if says.
func (w *world) suppose(out *render.Outlook, text string) error {
	pkg, version, _ := strings.Cut(text, "=")
	source, a, err := w.holder(pkg)
	if err != nil {
		return err
	}
	installed, err := (&asked{from: version}).installed(a, nil)
	if err != nil {
		return err
	}
	_, gone, _ := out.Before.Without(pkg)
	w.forget(gone)
	channel, _ := channelOf(a, installed)
	sub := resolve.Subscription{Name: pkg, Package: pkg, Channel: channel.Channel.Name.Value, Source: source.Key}
	if !a.Has(installed.Name) {
		return w.supposeGone(out, installed, sub)
	}
	in, _ := source.Catalog.Installed(pkg, installed.Name)
	out.Before = out.Before.With(in, sub)
	out.Supposed = fmt.Sprintf("as if %s were installed", installed.Name)
	return nil
}

// supposeGone is suppose for what the catalog does not have any more. Where only its version is known it gets the usual name.
func (w *world) supposeGone(out *render.Outlook, installed graph.Installed, sub resolve.Subscription) error {
	version, err := semver.ParseTolerant(installed.Version)
	if err != nil {
		return misusef("package %q has no bundle %q, and no version is in that name: give it as NAME@VERSION", sub.Package, installed.Name)
	}
	name, note := installed.Name, ""
	if installed.Nameless() {
		name = fmt.Sprintf("%s.v%s", sub.Package, version)
		note = "; its name is taken to be that, since no entry replaces or skips one of this version"
	}
	out.Before = out.Before.With(resolve.Installed{Name: name, Version: version}, sub)
	out.Supposed = fmt.Sprintf("as if %s were installed, version %s, which CatalogSource %q does not have (any more): what it provides and requires is not known%s",
		name, version, w.NameOf(sub.Source), note)
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
	w.forget(operators)
	out.Before = rest
	out.Supposed = "without " + strings.Join(append(operators, subscriptionWords(subs)...), ", ")
	return nil
}

// forget takes operators that are supposed away from what is not known.
func (w *world) forget(operators []string) {
	w.unknown = slices.DeleteFunc(w.unknown, func(in resolve.Installed) bool { return slices.Contains(operators, in.Name) })
}

func subscriptionWords(names []string) []string {
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("subscription %q", name))
	}
	return words
}
