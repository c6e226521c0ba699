package render

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/render/text"
)

// Release is the plan of a release.
type Release struct {
	Package *catalogs.Package
	*release.Plan
}

// releaseText writes the entries to write, and what happens to installed bundles, or why there is no answer.
func releaseText(w io.Writer, r Release, style text.Style) error {
	t := releaseWriter{text.NewWriter(w, style), r}
	t.Title(fmt.Sprintf("package %s, release %s, version %s", r.Package.Name.Value, r.Name, r.Version))
	t.Line("")
	if r.Refusal != nil {
		t.refusal()
		return t.Flush()
	}
	for i := range r.Edits {
		t.edit(i)
	}
	t.users()
	return t.Flush()
}

// releaseWriter writes a release as text.
type releaseWriter struct {
	*text.Writer
	Release
}

func (t releaseWriter) refusal() {
	where := "No entry can be written:"
	if t.Refusal.Channel != "" {
		where = fmt.Sprintf("No entry can be written for channel %q:", t.Refusal.Channel)
	}
	t.Wrapped("", "  ", text.Styled(where, t.Colors.Error), text.Plain(t.Refusal.Constraint+"."))
	t.Wrapped("", "  ", text.Plain("What would have to change: "+t.Refusal.Change+"."))
}

// edit writes an edit, under the heading of its channel if it is the first there.
func (t releaseWriter) edit(i int) {
	e := &t.Edits[i]
	if i == 0 || t.Edits[i-1].Channel != e.Channel {
		if i > 0 {
			t.Line("")
		}
		t.Wrapped("", "  ", text.Styled(fmt.Sprintf("channel %q:", e.Channel), t.Colors.Heading), text.Plain(t.summary(e)))
	}
	t.Line(entryYAML(e))
}

// summary says what is to be done in the channel of an edit, and what its head is then.
func (t releaseWriter) summary(first *release.Edit) string {
	var changed []string
	added := false
	for i := range t.Edits {
		switch e := &t.Edits[i]; {
		case e.Channel != first.Channel:
		case e.Added:
			added = true
		default:
			changed = append(changed, e.Entry)
		}
	}
	var todo []string
	switch {
	case first.NewChannel:
		todo = append(todo, "add the channel, which is new, with this entry")
	case added:
		todo = append(todo, "add this entry")
	}
	if len(changed) > 0 {
		todo = append(todo, "change "+text.And(changed))
	}
	said := strings.Join(todo, " and ")
	if !slices.Contains(t.Channels, first.Channel) {
		said += ", so that users who switch to this channel are upgraded"
	}
	g := t.After.Graph(first.Channel)
	if head, ok := g.Head(); ok {
		said += "; the head is " + g.Name(head)
	}
	return said
}

// plainYAML is what YAML reads as a string without quotes.
var plainYAML = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*[.-][A-Za-z0-9._-]*$`)

// yamlName returns a name as it is written in YAML.
func yamlName(s string) string {
	if plainYAML.MatchString(s) {
		return s
	}
	return yamlString(s)
}

// entryYAML returns an entry in YAML, with a comment on what changes.
func entryYAML(e *release.Edit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - name: %s", yamlName(e.Entry))
	if e.After.Replaces != "" {
		fmt.Fprintf(&b, "\n    replaces: %s", yamlName(e.After.Replaces))
		if !e.Added && e.After.Replaces != e.Before.Replaces {
			b.WriteString(" # was " + text.Safe(text.Dash(e.Before.Replaces)))
		}
	}
	if len(e.After.Skips) > 0 {
		b.WriteString("\n    skips:")
	}
	for _, skip := range e.After.Skips {
		fmt.Fprintf(&b, "\n    - %s", yamlName(skip))
		if !e.Added && !slices.Contains(e.Before.Skips, skip) {
			b.WriteString(" # added")
		}
	}
	if e.After.SkipRange != "" {
		fmt.Fprintf(&b, "\n    skipRange: %s", yamlString(e.After.SkipRange))
	}
	return b.String()
}

// users writes what happens to installed bundles, a row for each class.
func (t releaseWriter) users() {
	t.Line("")
	table := &text.Table{Header: []string{"CHANNEL", "INSTALLED", "OLM V0", "OLM V1"}, Groups: 1}
	for i := range t.Classes {
		c := &t.Classes[i]
		var from []string
		for _, name := range c.From {
			from = append(from, t.short(name))
		}
		installed := text.Plain(text.And(from))
		if slices.Contains(c.From, t.Name) {
			installed = text.Styled(t.short(t.Name), t.Colors.Heading)
		}
		table.Add(text.Plain(c.Channel), installed, text.Plain(t.fate(c, c.V0)), text.Plain(t.fate(c, c.V1)))
	}
	t.Table(table)
	for _, name := range t.hidden() {
		t.Line("")
		t.Wrapped("", "  ", text.Plain(name))
	}
	if r := t.NotInstalled; r != nil {
		why := fmt.Sprintf("OLM v1 does not install %s, which has the property %s.", r.Bundle, r.Property)
		if r.Bundle != t.Name {
			why += fmt.Sprintf(" It is assumed that %s has it too.", t.Name)
		}
		t.Line("")
		t.Wrapped("", "  ", text.Styled("Note:", t.Colors.Warning), text.Plain(why))
	}
	if !t.Exact {
		t.Line("")
		t.Wrapped("", "  ", text.Styled("Note:", t.Colors.Warning), text.Plain("the search was cut short: there may be a smaller answer."))
	}
}

// short returns the version of a bundle, or its name if that is not known.
func (t releaseWriter) short(name string) string {
	if in := graph.BundleNamed(name); t.After.Version(name) == "" && in.Version != "" {
		return in.Version
	}
	return cmp.Or(t.After.Version(name), name)
}

// fate says what happens to a class.
func (t releaseWriter) fate(c *release.Class, f release.Fate) string {
	then := ""
	if f.After != t.Name {
		then = ", then to " + t.short(f.After)
	}
	switch {
	case f.Meets == release.Directly:
		return "upgrades to " + t.short(t.Name) + then
	case f.Meets == release.Later:
		return "upgrades to " + t.short(t.Name) + " in several steps" + then
	case f.After == "" && slices.Contains(c.From, t.Name):
		return "no further upgrade"
	case f.After == "":
		return "no upgrade" + t.asBefore(f)
	}
	return "upgrades to " + t.short(f.After) + t.asBefore(f)
}

func (t releaseWriter) asBefore(f release.Fate) string {
	switch f.Before {
	case f.After:
		return ", as before"
	case "":
		return ""
	}
	return "; before, to " + t.short(f.Before)
}

// hidden says for each channel which entries OLM v0 no longer offers.
func (t releaseWriter) hidden() []string {
	var all []string
	for i := range t.Edits {
		e := &t.Edits[i]
		g := t.After.Graph(e.Channel)
		names := slices.DeleteFunc(slices.Clone(e.After.Skips), func(name string) bool {
			_, has := g.Index(name)
			return !has || slices.Contains(e.Before.Skips, name)
		})
		if len(names) > 0 {
			all = append(all, fmt.Sprintf("In channel %q OLM v0 no longer offers %s to new installations.", e.Channel, text.And(names)))
		}
	}
	return all
}

// jsonRelease is the JSON form of a Release.
type jsonRelease struct {
	Version   int                  `json:"version"`
	Tool      string               `json:"tool"`
	Package   string               `json:"package"`
	Release   jsonEntry            `json:"release"`
	Channels  []string             `json:"channels"`
	InsteadOf []string             `json:"insteadOf"`
	Exact     bool                 `json:"exact"` // there is no smaller answer
	Refusal   *jsonReleaseRefusal  `json:"refusal"`
	Edits     []jsonReleaseEdit    `json:"edits"`
	Users     []jsonInstalledUsers `json:"users"`
}

type jsonReleaseRefusal struct {
	Channel    string `json:"channel"` // "" if it is about several
	Constraint string `json:"constraint"`
	Change     string `json:"change"`
}

type jsonReleaseEdit struct {
	Channel    string            `json:"channel"`
	NewChannel bool              `json:"newChannel"`
	Added      bool              `json:"added"`
	Before     *jsonReleaseEntry `json:"before"` // null if the entry is added
	After      jsonReleaseEntry  `json:"after"`
}

// jsonReleaseEntry is an entry as in a file-based catalog.
type jsonReleaseEntry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces"`
	Skips     []string `json:"skips"`
	SkipRange string   `json:"skipRange"`
}

// jsonInstalledUsers are installed bundles with the same fate.
type jsonInstalledUsers struct {
	Channel   string   `json:"channel"`
	Installed []string `json:"installed"`
	V0        jsonFate `json:"v0"`
	V1        jsonFate `json:"v1"`
}

// jsonFate has where automatic upgrades end; "" if there are none.
type jsonFate struct {
	Before  string `json:"before"`
	After   string `json:"after"`
	Release string `json:"release"` // when they come to the release: never, directly or later
}

func releaseJSON(w io.Writer, r Release) error {
	out := jsonRelease{Version: text.JSONVersion, Tool: "olmgraph", Package: r.Package.Name.Value, Release: jsonEntry{Name: r.Name, Version: r.Version},
		Channels: r.Channels, InsteadOf: append([]string{}, r.InsteadOf...), Exact: r.Exact, Edits: []jsonReleaseEdit{}, Users: []jsonInstalledUsers{}}
	if r.Refusal != nil {
		refusal := jsonReleaseRefusal(*r.Refusal)
		out.Refusal = &refusal
	}
	for i := range r.Edits {
		e := &r.Edits[i]
		one := jsonReleaseEdit{Channel: e.Channel, NewChannel: e.NewChannel, Added: e.Added, After: releaseEntryJSON(e.Entry, &e.After)}
		if !e.Added {
			before := releaseEntryJSON(e.Entry, &e.Before)
			one.Before = &before
		}
		out.Edits = append(out.Edits, one)
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		out.Users = append(out.Users, jsonInstalledUsers{c.Channel, c.From, fateJSON(c.V0), fateJSON(c.V1)})
	}
	return text.JSON(w, out)
}

func releaseEntryJSON(name string, e *release.Edges) jsonReleaseEntry {
	return jsonReleaseEntry{name, e.Replaces, append([]string{}, e.Skips...), e.SkipRange}
}

func fateJSON(f release.Fate) jsonFate { return jsonFate{f.Before, f.After, f.Meets.String()} }
