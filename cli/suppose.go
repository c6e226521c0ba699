package cli

import (
	"fmt"
	"slices"
	"strings"

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
	name := installed.Name
	if !a.Has(name) {
		return unknown(a, version)
	}
	in, _ := source.Catalog.Installed(pkg, name)
	channel, _ := channelOf(a, installed)
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
