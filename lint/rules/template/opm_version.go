package templates

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var opmVersion = lint.Rule{
	ID: "template/opm-version", Severity: lint.Info, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `another version of opm makes other upgrades of a template
What opm makes of a template of schema olm.semver has changed several times, last with v1.61: users get other upgrades though nothing in the
template changes. The version is that of --opm, or else the one with which the pipelines make the catalogs of a release today. make catalogs
uses the one that the Makefile of the operator downloads.
No change is required. Let the Makefile download the version of the pipelines, so that both make the same.`,
	Reference: "operator-registry alpha/template/semver",
	Check:     checkOPMVersion,
}

// checkOPMVersion compares what the version of opm makes with what the newest one does, or, where that is assumed, with what the one in the
// Makefile does, or v1.37 to v1.56, which most Makefiles download.
func checkOPMVersion(p *lint.Pass) {
	t, changes := p.Catalog.Template, template.Changes()
	if t == nil {
		return
	}
	last := changes[len(changes)-1]
	other, since := last, fmt.Sprintf("opm %s and later", last)
	fix := fmt.Sprintf("no change is required; before the Makefile names another version, look at what it makes with --opm %s", other)
	switch {
	case t.Assumed && t.PinnedBy.Known():
		other, since = t.Pinned, fmt.Sprintf("opm %s, which the Makefile names for make catalogs,", t.Pinned)
		fix = fmt.Sprintf("let the Makefile name opm %s; what it makes now is shown with --opm %s", t.OPM, other)
	case t.Assumed:
		other, since = changes[len(changes)-3], fmt.Sprintf("opm %s to %s", changes[len(changes)-3], "v1.56")
		fix = fmt.Sprintf("give the version that makes the catalog, as --opm %s", other)
	}
	is, would := expansion.Expand(t, t.OPM, nil), expansion.Expand(t, other, nil)
	if is == nil || would == nil {
		return
	}
	f := lint.Finding{Subject: lint.Subject{Package: is.Name.Value}, Cause: lint.OncePerPackage(), Pos: t.Pos, Details: differences(is, would)}
	n := len(f.Details)
	if n == 0 {
		return
	}
	f.Message = fmt.Sprintf("the channels are those of opm %s; %s would make %s, for example %s", t.Version(), since, words.Plural(n, "one other entry", fmt.Sprintf("%d other entries", n)), f.Details[0].Message)
	f.Fix = fix
	if t.PinnedBy.Known() {
		f.Related = []lint.Related{{Pos: t.PinnedBy, Message: fmt.Sprintf("it names opm %s", t.Pinned)}}
	}
	p.Report(f)
}

// differences returns a line for each entry with other edges, and for the default channel if it is another one.
func differences(is, would *catalogs.Package) []lint.Related {
	var all []lint.Related
	if a, b := is.DefaultChannel, would.DefaultChannel; a.Value != b.Value {
		all = append(all, lint.Related{Pos: a.Pos, Message: fmt.Sprintf("the default channel %q, not %q", b.Value, a.Value)})
	}
	for _, c := range would.Channels {
		before := map[string]*catalogs.Entry{}
		if old := is.Channel(c.Name.Value); old != nil {
			for i := range old.Entries {
				before[old.Entries[i].Name.Value] = &old.Entries[i]
			}
		}
		for i := range c.Entries {
			e := &c.Entries[i]
			if old := before[e.Name.Value]; old == nil || !sameEdges(old, e) {
				all = append(all, lint.Related{Pos: e.Pos, Message: fmt.Sprintf("%q in channel %q %s", e.Name.Value, c.Name.Value, edgesOf(e, old))})
			}
		}
	}
	for _, c := range is.Channels {
		if would.Channel(c.Name.Value) == nil {
			all = append(all, lint.Related{Pos: c.Pos, Message: fmt.Sprintf("no channel %q", c.Name.Value)})
		}
	}
	return all
}

func sameEdges(a, b *catalogs.Entry) bool {
	return a.Replaces.Value == b.Replaces.Value && slices.Equal(sortedSkips(a), sortedSkips(b))
}

func sortedSkips(e *catalogs.Entry) []string {
	var names []string
	for _, skip := range e.Skips {
		names = append(names, skip.Value)
	}
	slices.Sort(names)
	return names
}

// edgesOf says which edges an entry would have that it does not have, and the other way round. old is nil if it is not in the channel.
func edgesOf(e, old *catalogs.Entry) string {
	if old == nil {
		return "as a new entry"
	}
	var parts []string
	if e.Replaces.Value != old.Replaces.Value {
		parts = append(parts, fmt.Sprintf("replacing %q", e.Replaces.Value))
		if e.Replaces.Value == "" {
			parts[0] = fmt.Sprintf("not replacing %q", old.Replaces.Value)
		}
	}
	is, would := sortedSkips(old), sortedSkips(e)
	lacks := func(names []string) func(string) bool {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	if more := slices.DeleteFunc(slices.Clone(would), lacks(is)); len(more) > 0 {
		parts = append(parts, "skipping "+words.Few(more))
	}
	if less := slices.DeleteFunc(is, lacks(would)); len(less) > 0 {
		parts = append(parts, "not skipping "+words.Few(less))
	}
	return joined(parts)
}

// joined lists parts with "and".
func joined(parts []string) string {
	text := parts[0]
	for _, part := range parts[1:] {
		text += " and " + part
	}
	return text
}
