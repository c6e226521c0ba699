package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
)

// diffWords writes rows as sentences. list joins names, and strong emphasizes a word.
type diffWords struct {
	list, packages func([]string) string
	strong         func(string) string
}

// sentence returns a row without its package and catalogs.
func (w diffWords) sentence(r *diffRow) string {
	in := ""
	if len(r.channels) > 0 {
		in = text.Plural(len(r.channels), "channel ", "channels ") + w.list(r.channels) + ": "
	}
	return in + w.predicate(r)
}

// predicate returns a row without its package, catalogs and channels.
func (w diffWords) predicate(r *diffRow) string {
	if r.summary {
		return w.summary(r)
	}
	was, is := w.value(r, r.Was), w.value(r, r.Is)
	switch r.Kind {
	case graph.PackageRemoved, graph.PackageAdded:
		return w.wholePackage(r)
	case graph.ChannelRemoved:
		return fmt.Sprintf("is removed: OLM v0 resolves nothing in a namespace subscribed to it; it had %s, head %s",
			text.CountOf(len(r.Names), "entry", "entries"), was)
	case graph.ChannelAdded:
		return text.Plural(len(r.channels), "is new; its head is ", "are new; their head is ") + is
	case graph.DefaultChannel:
		return "the default channel is " + is + ", was " + was
	case graph.NoOrder:
		return w.strong("stranded") + ": " + w.list(r.Names) + ": OLM v0 can no longer order the channel: " + is
	case graph.Stranded:
		return w.stranded(r, was, is)
	case graph.HeadChanged:
		return "the head is " + is + r.headNotes() + ", was " + was
	}
	return w.change(r, was, is)
}

// value returns what a difference was or is.
func (w diffWords) value(r *diffRow, value string) string {
	switch {
	case value == "":
		return "none"
	case r.Kind == graph.SkipsChanged:
		return w.list(strings.Split(value, ", "))
	}
	return w.list([]string{value})
}

func (r *diffRow) headNotes() string {
	switch {
	case r.newHead && r.lower:
		return " (new, a lower version)"
	case r.newHead:
		return " (new)"
	case r.lower:
		return " (a lower version)"
	}
	return ""
}

func (w diffWords) wholePackage(r *diffRow) string {
	switch {
	case r.isPackages():
		return wholePackages(r.Kind) + ": " + w.packages(r.Names)
	case r.Kind == graph.PackageRemoved:
		return "the package is removed"
	}
	return "the package is new"
}

func (w diffWords) stranded(r *diffRow, was, is string) string {
	n, names := len(r.Names), w.strong("stranded")+": "+w.list(r.Names)
	end := "cannot be upgraded"
	if r.Is != "" {
		end = text.Plural(n, "ends", "end") + " at " + is
	}
	switch {
	case !slices.Contains(r.Names, r.Was):
		return names + text.Plural(n, " was", " were") + " upgraded to " + was + ", and now " + end
	case n == 1:
		return names + " was the head, and now " + end
	}
	return names + ": the head was " + was + ", and now they " + end
}

// change describes a difference that changes one value.
func (w diffWords) change(r *diffRow, was, is string) string {
	names, change := w.list(r.Names), is+", was "+was
	switch r.Kind {
	case graph.EntryRemoved:
		return "removed: " + names
	case graph.EntryAdded:
		return "new: " + names
	case graph.VersionChanged:
		return "version of " + names + ": " + change
	case graph.ImageChanged:
		return "image of " + names + ": " + change
	case graph.APIChanged:
		return "API " + names + " of the head: " + change
	case graph.DeprecationRemoved:
		return "no longer deprecated: " + names
	case graph.DeprecationAdded:
		return "deprecated: " + names + ": " + is
	case graph.DeprecationMessage:
		return "deprecation of " + names + ": " + change
	case graph.NextChanged:
		return "from " + names + " OLM v0 upgrades to " + change
	case graph.NextV1Changed:
		return "from " + names + " OLM v1 upgrades to " + change
	case graph.Unstranded:
		return "no longer stuck: " + names + ", upgrades to " + change
	case graph.ReplacesChanged:
		return names + " replaces " + change
	case graph.SkipsChanged:
		return names + " skips " + skipsText(was, is)
	}
	return names + " has the skipRange " + change
}

// summary describes several differences of one kind.
func (w diffWords) summary(r *diffRow) string {
	names := w.list(r.Names)
	switch r.Kind {
	case graph.ChannelRemoved:
		return "are removed: OLM v0 resolves nothing in a namespace subscribed to one of them"
	case graph.ChannelAdded:
		return "are new"
	case graph.Stranded:
		return fmt.Sprintf("%s: %s were upgraded to %s, and now end elsewhere or cannot be upgraded", w.strong("stranded"), names, w.value(r, r.Was))
	case graph.DeprecationRemoved:
		return "no longer deprecated: " + names
	case graph.DeprecationAdded:
		return "deprecated: " + names
	case graph.NextChanged:
		return "OLM v0 upgrades to another version from " + names
	case graph.NextV1Changed:
		return "OLM v1 upgrades to another version from " + names
	case graph.Unstranded:
		return "no longer stuck: " + names
	}
	what := map[graph.DifferenceKind]string{graph.VersionChanged: "version", graph.ImageChanged: "image", graph.APIChanged: "versions of APIs of the head",
		graph.DeprecationMessage: "deprecation message", graph.ReplacesChanged: "replaces", graph.SkipsChanged: "skips", graph.SkipRangeChanged: "skipRange"}[r.Kind]
	return what + " changed: " + names
}

func skipsText(was, is string) string {
	switch {
	case was == "none":
		return "also " + is
	case is == "none":
		return "no longer " + was
	}
	return "also " + is + ", and no longer " + was
}

// listNames joins names, at most six of them.
func listNames(names []string) string { return someNames(names, 5) }

// someNames joins names. Of more than most and one, it counts the rest.
func someNames(names []string, most int) string {
	if n := len(names); n > most+1 {
		return joinNames(names[:most]) + fmt.Sprintf(" and %d more", n-most)
	}
	return joinNames(names)
}

func joinNames(names []string) string { return strings.Join(names, ", ") }

// wholePackages is the heading of a row of several packages.
func wholePackages(kind graph.DifferenceKind) string {
	if kind == graph.PackageRemoved {
		return "packages removed"
	}
	return "new packages"
}

// diffCounts are numbers of differences, those of several catalogs counted once.
type diffCounts struct {
	differences, packages int
	of                    map[graph.DifferenceKind]map[string]bool // what is counted: packages, channels and names
}

func countRows(all [][]*diffRow) diffCounts {
	c := diffCounts{of: map[graph.DifferenceKind]map[string]bool{}}
	for _, rows := range all {
		if c.packages++; rows[0].isPackages() {
			c.packages += len(rows[0].Names) - 1
		}
		for _, r := range rows {
			c.differences += r.count
			c.row(r)
		}
	}
	return c
}

func (c diffCounts) row(r *diffRow) {
	add := func(kind graph.DifferenceKind, names []string) {
		if c.of[kind] == nil {
			c.of[kind] = map[string]bool{}
		}
		for _, name := range names {
			c.of[kind][r.Package+"\x00"+name] = true
		}
	}
	switch r.Kind {
	case graph.NoOrder:
		add(graph.NoOrder, r.channels)
		add(graph.Stranded, r.Names)
	case graph.HeadChanged, graph.ChannelRemoved, graph.ChannelAdded:
		add(r.Kind, r.channels)
	case graph.DefaultChannel:
		add(r.Kind, []string{""})
	case graph.NextV1Changed:
		add(graph.NextChanged, r.Names)
	default:
		add(r.Kind, r.Names)
	}
	if r.newHead {
		add(graph.EntryAdded, []string{r.Is})
	}
}

// headline names the counts that are not 0, the worst first.
func (c diffCounts) headline() string {
	var said []string
	for _, part := range []struct {
		kind      graph.DifferenceKind
		one, many string
	}{
		{graph.Stranded, "version stranded", "versions stranded"},
		{graph.NoOrder, "channel that OLM v0 cannot order", "channels that OLM v0 cannot order"},
		{graph.PackageRemoved, "package removed", "packages removed"},
		{graph.ChannelRemoved, "channel removed", "channels removed"},
		{graph.DefaultChannel, "default channel changed", "default channels changed"},
		{graph.HeadChanged, "head changed", "heads changed"},
		{graph.EntryRemoved, "version removed", "versions removed"},
		{graph.ImageChanged, "image changed", "images changed"},
		{graph.NextChanged, "upgrade changed", "upgrades changed"},
		{graph.EntryAdded, "new version", "new versions"},
		{graph.ChannelAdded, "new channel", "new channels"},
		{graph.PackageAdded, "new package", "new packages"},
	} {
		if n := len(c.of[part.kind]); n > 0 {
			said = append(said, text.CountOf(n, part.one, part.many))
		}
	}
	const most = 5
	if len(said) > most {
		said = append(said[:most-1], said[most-1]+" and more")
	}
	switch {
	case c.differences == 0:
		return "no difference in what upgrades depend on"
	case len(said) == 0:
		return text.Count(c.differences, "difference")
	}
	return joinNames(said)
}

// more counts what is not told.
func (c diffCounts) more() string {
	return fmt.Sprintf("…and %s", text.CountOf(c.differences, "more difference", "more differences"))
}
