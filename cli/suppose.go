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
	sub := resolve.Subscription{Name: pkg, Package: pkg, Channel: a.Package.DefaultChannel.Value, Source: source.Key}
	if len(a.Find(version)) == 0 {
		in, note, err := gone(a, version)
		if err != nil {
			return err
		}
		out.Before = out.Before.With(in, sub)
		out.Supposed = fmt.Sprintf("as if %s were installed, version %s, which CatalogSource %q does not have (any more): what it provides and requires is not known%s",
			in.Name, in.Version, w.NameOf(source.Key), note)
		return nil
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
	sub.Channel = channel.Channel.Name.Value
	out.Before = out.Before.With(in, sub)
	out.Supposed = fmt.Sprintf("as if %s were installed", name)
	return nil
}

// gone returns an operator that the catalog does not have, as after pruning: from its version, its name, or NAME@VERSION. Of a
// version alone the name is that of the entry which others still replace or skip, or else the usual one.
func gone(a *graph.Atlas, text string) (in resolve.Installed, note string, err error) {
	name, version, known := resolve.SplitName(text)
	if v, err := semver.ParseTolerant(text); err == nil {
		version, known = v, true
		switch names := referred(a, v); len(names) {
		case 0:
			name = fmt.Sprintf("%s.v%s", a.Package.Name.Value, v)
			note = "; its name is taken to be that, since no entry replaces or skips one of this version"
		case 1:
			name = names[0]
		default:
			return in, "", misusef("%s is ambiguous: give one of %s", text, strings.Join(names, ", "))
		}
	}
	if !known || name == "" {
		return in, "", misusef("package %q has no bundle %q, and no version is in that name: give it as NAME@VERSION", a.Package.Name.Value, text)
	}
	return resolve.Installed{Name: name, Version: version}, note, nil
}

// referred returns the names with a version that entries replace or skip, though there is no such entry.
func referred(a *graph.Atlas, v semver.Version) []string {
	var names []string
	for _, g := range a.Graphs {
		for i := range g.Channel.Entries {
			e := &g.Channel.Entries[i]
			all := []string{e.Replaces.Value}
			for _, skipped := range e.Skips {
				all = append(all, skipped.Value)
			}
			for _, name := range all {
				if in, ok := resolve.VersionInName(name); ok && in.Equals(v) && len(a.Find(name)) == 0 {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
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
