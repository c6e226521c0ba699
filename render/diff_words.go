package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
)

// diffWords says rows in sentences.
type diffWords struct{ all bool } // all names, not a few of many

// sentence returns a row without its package and catalogs.
func (w diffWords) sentence(r *diffRow) text.Sentence {
	if len(r.channels) == 0 {
		return w.predicate(r)
	}
	return text.Say(phrase.Plural(len(r.channels), "channel ", "channels "), w.list(r.channels), ": ", w.predicate(r))
}

// list joins names.
func (w diffWords) list(names []string) text.Sentence { return w.some(names, 5) }

// packages joins the names of new or removed packages.
func (w diffWords) packages(names []string) text.Sentence { return w.some(names, 30) }

// some joins names. Of more than most and one, it counts the rest, unless all are wanted.
func (w diffWords) some(names []string, most int) text.Sentence {
	rest := len(names) - most
	if w.all || rest <= 1 {
		rest = 0
	}
	var said text.Sentence
	for i, name := range names[:len(names)-rest] {
		if i > 0 {
			said = append(said, text.Plain(", "))
		}
		said = append(said, text.Styled(name, text.Name))
	}
	if rest > 0 {
		said = append(said, text.Plain(fmt.Sprintf(" and %d more", rest)))
	}
	return said
}

// strandedWord is what a change does to the versions whose upgrade path it removes.
func strandedWord() text.Word { return text.Styled("stranded", text.Heading) }

// predicate returns a row without its package, catalogs and channels.
func (w diffWords) predicate(r *diffRow) text.Sentence {
	if r.summary {
		return w.summary(r)
	}
	was, is := w.value(r, r.Was), w.value(r, r.Is)
	switch r.Kind {
	case graph.PackageRemoved, graph.PackageAdded:
		return w.wholePackage(r)
	case graph.ChannelRemoved:
		return text.Say("is removed: OLM v0 resolves nothing in a namespace subscribed to it; it had ",
			phrase.CountOf(len(r.Names), "entry", "entries"), ", head ", was)
	case graph.ChannelAdded:
		return text.Say(phrase.Plural(len(r.channels), "is new; its head is ", "are new; their head is "), is)
	case graph.DefaultChannel:
		return text.Say("the default channel is ", is, ", was ", was)
	case graph.NoOrder:
		return text.Say(strandedWord(), ": ", w.list(r.Names), ": OLM v0 can no longer order the channel: ", is)
	case graph.Stranded:
		return w.stranded(r, was, is)
	case graph.UpgradeFails:
		return text.Say("the upgrade from ", w.list(r.Names), " to ", is, " fails on the cluster: ", r.Was)
	case graph.HeadChanged:
		return text.Say("the head is ", is, r.headNotes(), ", was ", was)
	}
	return w.change(r, was, is)
}

// value returns what a difference was or is.
func (w diffWords) value(r *diffRow, value string) text.Sentence {
	switch {
	case value == "":
		return text.Say("none")
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

func (w diffWords) wholePackage(r *diffRow) text.Sentence {
	switch {
	case r.isPackages():
		return text.Say(wholePackages(r.Kind), ": ", w.packages(r.Names))
	case r.Kind == graph.PackageRemoved:
		return text.Say("the package is removed")
	}
	return text.Say("the package is new")
}

func (w diffWords) stranded(r *diffRow, was, is text.Sentence) text.Sentence {
	n, names := len(r.Names), text.Say(strandedWord(), ": ", w.list(r.Names))
	end := text.Say("cannot be upgraded")
	if r.Is != "" {
		end = text.Say(phrase.Plural(n, "ends at ", "end at "), is)
	}
	switch {
	case !slices.Contains(r.Names, r.Was):
		return text.Say(names, phrase.Plural(n, " was", " were"), " upgraded to ", was, ", and now ", end)
	case n == 1:
		return text.Say(names, " was the head, and now ", end)
	}
	return text.Say(names, ": the head was ", was, ", and now they ", end)
}

// change describes a difference that changes one value.
func (w diffWords) change(r *diffRow, was, is text.Sentence) text.Sentence {
	names, change := w.list(r.Names), text.Say(is, ", was ", was)
	switch r.Kind {
	case graph.EntryRemoved:
		return text.Say("removed: ", names)
	case graph.EntryAdded:
		return text.Say("new: ", names)
	case graph.VersionChanged:
		return text.Say("version of ", names, ": ", change)
	case graph.ImageChanged:
		return text.Say("image of ", names, ": ", change)
	case graph.APIChanged:
		return text.Say("API ", names, " of the head: ", change)
	case graph.DeprecationRemoved:
		return text.Say("no longer deprecated: ", names)
	case graph.DeprecationAdded:
		return text.Say("deprecated: ", names, ": ", is)
	case graph.DeprecationMessage:
		return text.Say("deprecation of ", names, ": ", change)
	case graph.NextChanged:
		return text.Say("from ", names, " OLM v0 upgrades to ", change)
	case graph.NextV1Changed:
		return text.Say("from ", names, " OLM v1 upgrades to ", change)
	case graph.Unstranded:
		return text.Say("no longer stuck: ", names, ", upgrades to ", change)
	case graph.ReplacesChanged:
		return text.Say(names, " replaces ", change)
	case graph.SkipsChanged:
		return text.Say(names, " skips ", skipsText(r, was, is))
	}
	return text.Say(names, " has the skipRange ", change)
}

// summary describes several differences of one kind.
func (w diffWords) summary(r *diffRow) text.Sentence {
	names := w.list(r.Names)
	switch r.Kind {
	case graph.ChannelRemoved:
		return text.Say("are removed: OLM v0 resolves nothing in a namespace subscribed to one of them")
	case graph.ChannelAdded:
		return text.Say("are new")
	case graph.Stranded:
		return text.Say(strandedWord(), ": ", names, " were upgraded to ", w.value(r, r.Was), ", and now end elsewhere or cannot be upgraded")
	}
	what := map[graph.DifferenceKind]string{
		graph.UpgradeFails:       "new upgrades fail on the cluster, from ",
		graph.DeprecationRemoved: "no longer deprecated: ",
		graph.DeprecationAdded:   "deprecated: ",
		graph.NextChanged:        "OLM v0 upgrades to another version from ",
		graph.NextV1Changed:      "OLM v1 upgrades to another version from ",
		graph.Unstranded:         "no longer stuck: ",
		graph.VersionChanged:     "version changed: ",
		graph.ImageChanged:       "image changed: ",
		graph.APIChanged:         "versions of APIs of the head changed: ",
		graph.DeprecationMessage: "deprecation message changed: ",
		graph.ReplacesChanged:    "replaces changed: ",
		graph.SkipsChanged:       "skips changed: ",
		graph.SkipRangeChanged:   "skipRange changed: ",
	}[r.Kind]
	return text.Say(what, names)
}

func skipsText(r *diffRow, was, is text.Sentence) text.Sentence {
	switch "" {
	case r.Was:
		return text.Say("also ", is)
	case r.Is:
		return text.Say("no longer ", was)
	}
	return text.Say("also ", is, ", and no longer ", was)
}

// someNames joins names. Of more than most and one, it counts the rest.
func someNames(names []string, most int) string {
	if len(names) == most+1 {
		most++
	}
	return phrase.First(names, most)
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
		{graph.UpgradeFails, "new upgrade that fails", "new upgrades that fail"},
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
			said = append(said, phrase.CountOf(n, part.one, part.many))
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
		return phrase.Count(c.differences, "difference")
	}
	return joinNames(said)
}

// more counts what is not told.
func (c diffCounts) more() string {
	return fmt.Sprintf("…and %s", phrase.CountOf(c.differences, "more difference", "more differences"))
}
