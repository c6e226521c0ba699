package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
)

// Differences are the differences between catalogs and their bases.
type Differences struct {
	Pairs  []catalogs.Pair
	ByPair [][]graph.Difference // of each pair, by package, the most severe first
}

// packages groups the differences of pair i by package, the most severe package first.
func (d Differences) packages(i int) [][]graph.Difference {
	var all [][]graph.Difference
	for _, one := range d.ByPair[i] {
		if n := len(all); n > 0 && all[n-1][0].Package == one.Package {
			all[n-1] = append(all[n-1], one)
			continue
		}
		all = append(all, []graph.Difference{one})
	}
	slices.SortStableFunc(all, func(a, b []graph.Difference) int { return int(a[0].Kind - b[0].Kind) })
	return all
}

func (d Differences) count() (packages, differences int) {
	for i := range d.ByPair {
		packages += len(d.packages(i))
		differences += len(d.ByPair[i])
	}
	return packages, differences
}

// packagesOfKind returns the packages of pair i that are added or removed, as kind says.
func (d Differences) packagesOfKind(i int, kind graph.DifferenceKind) []string {
	var names []string
	for _, one := range d.ByPair[i] {
		if one.Kind == kind {
			names = append(names, one.Package)
		}
	}
	return names
}

func isWholePackage(d graph.Difference) bool {
	return d.Kind == graph.PackageRemoved || d.Kind == graph.PackageAdded
}

// inCatalog returns the preposition and the catalog of pair i, or "" if there is only one catalog.
func (d Differences) inCatalog(i int, preposition string) string {
	if len(d.Pairs) == 1 {
		return ""
	}
	return preposition + d.Pairs[i].Now.Name
}

func diffText(w io.Writer, d Differences, style text.Style) error {
	t := diffWriter{text.NewWriter(w, style)}
	for i := range d.ByPair {
		t.packages("removed", d.packagesOfKind(i, graph.PackageRemoved), d.inCatalog(i, " of catalog "))
		for _, differences := range d.packages(i) {
			if !isWholePackage(differences[0]) {
				t.differences(differences, d.inCatalog(i, " of catalog "))
			}
		}
		t.packages("new", d.packagesOfKind(i, graph.PackageAdded), d.inCatalog(i, " of catalog "))
	}
	t.Wrapped("", "", text.Plain(d.summary()))
	return t.Flush()
}

// diffWriter writes differences as text.
type diffWriter struct{ *text.Writer }

func (t diffWriter) packages(what string, names []string, of string) {
	if len(names) > 0 {
		t.Title("packages " + what + of)
		t.Wrapped("  ", "  ", text.Plain(text.Safe(strings.Join(names, ", "))))
		t.Line("")
	}
}

func (t diffWriter) differences(all []graph.Difference, of string) {
	t.Title("package " + all[0].Package + of)
	for _, one := range all {
		brush := text.Plain("").Brush
		if one.Kind <= graph.ChannelRemoved {
			brush = t.Colors.Error
		}
		t.Wrapped("  ", "    ", text.Styled(differenceText(one, listNames), brush))
	}
	t.Line("")
}

func (d Differences) summary() string {
	packages, differences := d.count()
	if differences == 0 {
		return "No difference in what upgrades depend on."
	}
	return fmt.Sprintf("%s in %s.", text.Count(differences, "difference"), text.Count(packages, "package"))
}

// listNames joins names, at most six of them.
func listNames(names []string) string {
	if n := len(names); n > 6 {
		return strings.Join(names[:5], ", ") + fmt.Sprintf(" and %d more", n-5)
	}
	return strings.Join(names, ", ")
}

// differenceText describes a difference in a sentence. list joins names.
func differenceText(d graph.Difference, list func([]string) string) string {
	names, was, is := list(d.Names), list(values(d, d.Was)), list(values(d, d.Is))
	if d.Was == "" {
		was = "none"
	}
	if d.Is == "" {
		is = "none"
	}
	in := ""
	if d.Channel != "" {
		in = "channel " + list([]string{d.Channel}) + ": "
	}
	switch d.Kind {
	case graph.ChannelRemoved:
		return in + "is removed; its head was " + was
	case graph.ChannelAdded:
		return in + "is new; its head is " + is
	case graph.DefaultChannel:
		return "the default channel is " + is + ", was " + was
	case graph.NoOrder:
		return in + "OLM v0 can no longer order it: " + is
	case graph.Stranded:
		before := " was upgraded to " + was
		if len(d.Names) == 1 && d.Names[0] == d.Was {
			before = " was the head"
		}
		return in + "stranded: " + names + before + ", and " + endsAt(d, is)
	}
	return in + changeText(d.Kind, names, was, is)
}

// values splits the text of a difference that has several values.
func values(d graph.Difference, text string) []string {
	if d.Kind == graph.SkipsChanged {
		return strings.Split(text, ", ")
	}
	return []string{text}
}

func endsAt(d graph.Difference, is string) string {
	if d.Is == "" {
		return "now " + text.Plural(len(d.Names), "cannot be upgraded", "cannot be upgraded")
	}
	return "now " + text.Plural(len(d.Names), "ends", "end") + " at " + is
}

// changeText describes a difference that changes one value.
func changeText(kind graph.DifferenceKind, names, was, is string) string {
	change := is + ", was " + was
	switch kind {
	case graph.HeadChanged:
		return "the head is " + change
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

func skipsText(was, is string) string {
	switch {
	case was == "none":
		return "also " + is
	case is == "none":
		return "no longer " + was
	}
	return "also " + is + ", and no longer " + was
}
