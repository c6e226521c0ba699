package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
)

// diffWords says rows in sentences.
type diffWords struct {
	all      bool // all names, not a few of many
	versions bundleVersions
}

// sentence returns a row without its packages and catalogs.
func (w diffWords) sentence(r *diffRow) text.Sentence {
	if len(r.channels) == 0 {
		return w.predicate(r)
	}
	return text.Say(words.Plural(len(r.channels), "channel ", "channels "), w.listSome(r.channels, textNames), ": ", w.predicate(r))
}

// Numbers of names that are said of many.
const (
	textNames    = 5
	textVersions = 3
)

// list says bundles by their versions, the lowest first.
func (w diffWords) list(r *diffRow, names []string) text.Sentence {
	sorted := slices.SortedStableFunc(slices.Values(names), graph.CompareNames)
	return w.listSome(words.Map(sorted, func(name string) string { return w.versions.say(r.Package, name) }), textVersions)
}

// packages joins the names of packages.
func (w diffWords) packages(names []string) text.Sentence { return w.listSome(names, 30) }

// listSome joins names. Of more than most and one, it counts the rest, unless all are wanted.
func (w diffWords) listSome(names []string, most int) text.Sentence {
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

// predicate returns a row without its packages, catalogs and channels.
func (w diffWords) predicate(r *diffRow) text.Sentence {
	if r.summary {
		return w.summary(r)
	}
	was, is := w.value(r, r.Was), w.value(r, r.Is)
	switch r.Kind {
	case graph.PackageRemoved, graph.PackageAdded:
		return text.Say(wholePackages(r.Kind))
	case graph.ChannelRemoved:
		return text.Say("removed", w.heads(r), ": OLM v0 resolves nothing in a namespace subscribed to ",
			words.Plural(len(r.channels), "it", "one of them"))
	case graph.ChannelAdded:
		return text.Say("new", w.heads(r))
	case graph.DefaultChannel:
		return text.Say("the default channel is ", is, ", was ", was)
	case graph.NoOrder:
		return text.Say(strandedWord(), ": ", w.list(r, r.Names), ": OLM v0 can no longer order the channel: ", w.listSome([]string{r.Is}, 1))
	case graph.Stranded:
		return w.strandedSentence(r, was, is)
	case graph.UpgradeFails:
		return text.Say("the upgrade from ", w.list(r, r.Names), " to ", is, " fails on the cluster: ", r.Was)
	case graph.HeadChanged:
		return w.head(r, true)
	}
	return w.change(r, was, is)
}

// heads says the heads of channels that are new or removed.
func (w diffWords) heads(r *diffRow) text.Sentence {
	var heads []string // in the order of the channels
	for _, channel := range r.channels {
		if i := slices.IndexFunc(r.of, func(one graph.Difference) bool { return one.Package == r.Package && one.Channel == channel }); i >= 0 {
			heads = append(heads, w.versions.say(r.Package, cmp.Or(r.of[i].Was, r.of[i].Is, "none")))
		}
	}
	if same := find.Distinct(heads); len(same) == 1 {
		heads = same
	}
	return text.Say(" (", words.Plural(len(heads), "head ", "heads "), w.listSome(heads, textVersions), ")")
}

// value returns what a difference was or is.
func (w diffWords) value(r *diffRow, value string) text.Sentence {
	if value == "" {
		return text.Say("none")
	}
	return w.list(r, []string{value})
}

// head says which entry is the head, perhaps which one was, and what changed with it.
func (w diffWords) head(r *diffRow, former bool) text.Sentence {
	verb, note := "is ", ""
	switch {
	case r.newHead && r.lower:
		note = " (new, a lower version)"
	case r.newHead:
		note = " (new)"
	case r.lower:
		verb = "goes back to "
	}
	said := text.Say("the head ", verb, w.value(r, r.Is), note)
	if former {
		said = text.Say(said, ", was ", w.value(r, r.Was))
	}
	if len(r.older) > 0 {
		said = text.Say(said, "; also new: ", w.list(r, r.older))
	}
	if n := len(r.direct); n > 0 {
		said = text.Say(said, "; ", words.CountPlural(n, "version now upgrades", "versions now upgrade"), " directly to it")
	}
	return said
}

func (w diffWords) strandedSentence(r *diffRow, was, is text.Sentence) text.Sentence {
	n, removed, end, head := len(r.Names), "", text.Say("cannot be upgraded"), text.Say()
	if r.removed {
		removed = " and removed"
	}
	names := text.Say(strandedWord(), removed, ": ", w.list(r, r.Names))
	if r.Is != "" {
		end = text.Say(words.Plural(n, "ends at ", "end at "), is)
	}
	if r.head != nil {
		head = text.Say("; ", w.head(r.head, n > 1))
	}
	switch {
	case r.head != nil && r.removed:
		return text.Say(names, head)
	case !slices.Contains(r.Names, r.Was):
		return text.Say(names, words.Plural(n, " was", " were"), " upgraded to ", was, ", and now ", end)
	case n == 1:
		return text.Say(names, " was the head, and now ", end, head)
	}
	return text.Say(names, ": the head was ", was, ", and now they ", end, head)
}

// change describes a difference that changes one value.
func (w diffWords) change(r *diffRow, was, is text.Sentence) text.Sentence {
	names, change := w.list(r, r.Names), text.Say(is, ", was ", was)
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
	case graph.ReplacesChanged, graph.SkipsChanged:
		return w.edge(r, names, change)
	}
	return text.Say(names, " has the skipRange ", change)
}

// summary describes several differences of one kind.
func (w diffWords) summary(r *diffRow) text.Sentence {
	names := w.list(r, r.Names)
	if r.Kind == graph.Stranded {
		return text.Say(strandedWord(), ": ", names, " were upgraded to ", w.value(r, r.Was), ", and now end elsewhere or cannot be upgraded")
	}
	what, ok := map[graph.DifferenceKind]string{
		graph.UpgradeFails:       "new upgrades fail on the cluster, from ",
		graph.DeprecationRemoved: "no longer deprecated: ",
		graph.DeprecationAdded:   "deprecated: ",
		graph.NextChanged:        "OLM v0 upgrades to another version from ",
		graph.NextV1Changed:      "OLM v1 upgrades to another version from ",
		graph.Unstranded:         "no longer stuck: ",
		graph.APIChanged:         "versions of APIs of the head changed: ",
		graph.DeprecationMessage: "deprecation message changed: ",
	}[r.Kind]
	if !ok {
		what = r.Kind.String() + " changed: "
	}
	return text.Say(what, names)
}

// edge says what an entry replaces or skips, and whom that strands who has no entry.
func (w diffWords) edge(r *diffRow, names, change text.Sentence) text.Sentence {
	lost, gained := w.list(r, r.lost), w.list(r, r.gained)
	said := text.Say(names, " skips also ", gained, ", and no longer ", lost)
	switch {
	case r.Kind == graph.ReplacesChanged:
		said = text.Say(names, " replaces ", change)
	case len(r.lost) == 0:
		said = text.Say(names, " skips also ", gained)
	case len(r.gained) == 0:
		said = text.Say(names, " skips no longer ", lost)
	}
	if len(r.Strands) == 0 {
		return said
	}
	stranded := text.Say(strandedWord(), ": ", w.list(r, r.Strands), ", not in the channel: ", names, " no longer replaces or skips ", words.Plural(len(r.Strands), "it", "them"))
	if r.onlyStrands() {
		return stranded
	}
	return text.Say(stranded, "; ", said)
}

// someNames joins names. Of more than most and one, it counts the rest.
func someNames(names []string, most int) string {
	if len(names) == most+1 {
		most++
	}
	return words.JoinSome(names, most)
}

// wholePackages is the heading of packages as a whole.
func wholePackages(kind graph.DifferenceKind) string {
	if kind == graph.PackageRemoved {
		return "packages removed, whose users never get another version"
	}
	return "new packages"
}

// diffCounts are numbers of differences, those of several catalogs counted once.
type diffCounts struct {
	differences, follow, packages int
	kinds                         map[graph.DifferenceKind]int             // of differences
	of                            map[graph.DifferenceKind]map[string]bool // of packages, channels and names
}

func countRows(all [][]*diffRow) diffCounts {
	c := diffCounts{kinds: map[graph.DifferenceKind]int{}, of: map[graph.DifferenceKind]map[string]bool{}}
	for _, rows := range all {
		c.packages += len(rows[0].packages)
		for _, r := range rows {
			c.differences += len(r.of)
			c.follow += r.follows
			for _, one := range r.of {
				c.kinds[one.Kind]++
				c.add(one)
			}
		}
	}
	return c
}

func (c diffCounts) add(d graph.Difference) {
	add := func(kind graph.DifferenceKind, names ...string) {
		if c.of[kind] == nil {
			c.of[kind] = map[string]bool{}
		}
		for _, name := range names {
			c.of[kind][d.Package+"\x00"+name] = true
		}
	}
	switch d.Kind {
	case graph.NoOrder:
		add(graph.NoOrder, d.Channel)
		add(graph.Stranded, d.Names...)
	case graph.HeadChanged, graph.ChannelRemoved, graph.ChannelAdded, graph.DefaultChannel, graph.PackageRemoved, graph.PackageAdded:
		add(d.Kind, d.Channel)
	case graph.NextV1Changed:
		add(graph.NextChanged, d.Names...)
	case graph.NextChanged:
		if d.Was != "" { // or else the former head
			add(d.Kind, d.Names...)
		}
	default:
		add(d.Kind, d.Names...)
	}
	add(graph.Stranded, d.Strands...)
}

// headline names the counts that are not 0, the worst first. Versions that are removed and stranded it counts once.
func (c diffCounts) headline() string {
	both := 0
	for name := range c.of[graph.EntryRemoved] {
		if c.of[graph.Stranded][name] {
			both++
		}
	}
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
		{graph.DeprecationAdded, "new deprecation", "new deprecations"},
		{graph.DeprecationRemoved, "deprecation removed", "deprecations removed"},
		{graph.EntryAdded, "new version", "new versions"},
		{graph.ChannelAdded, "new channel", "new channels"},
		{graph.PackageAdded, "new package", "new packages"},
	} {
		n, and := len(c.of[part.kind]), ""
		switch {
		case both == 0:
		case part.kind == graph.Stranded && both == n:
			and = " and removed"
		case part.kind == graph.Stranded:
			and = fmt.Sprintf(", %d of them removed", both)
		case part.kind == graph.EntryRemoved:
			n, part.one, part.many = n-both, "other "+part.one, "other "+part.many
		}
		if n > 0 {
			said = append(said, words.CountPlural(n, part.one, part.many)+and)
		}
	}
	const most = 5
	if len(said) > most {
		said = append(said[:most-1], said[most-1]+" and more")
	}
	switch {
	case c.differences == 0:
		return "no difference for upgrades"
	case len(said) == 0:
		return words.Count(c.differences, "difference")
	}
	return strings.Join(said, ", ")
}

// moreText counts what is not told.
func (c diffCounts) moreText() string {
	return fmt.Sprintf("…and %s", words.CountPlural(c.differences, "more difference", "more differences"))
}
