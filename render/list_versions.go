package render

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// versionRow has the heads of a channel, or of the default channels of a package, in the catalogs for several OpenShift versions.
type versionRow struct {
	Package string        `json:"package"`
	Channel string        `json:"channel"` // "" of a list of packages
	Heads   []versionHead `json:"heads"`   // at each version
}

// versionHead is the head of a channel at an OpenShift version.
type versionHead struct {
	OpenShift  string `json:"openshift"`
	Channel    string `json:"channel"` // "" if the catalog does not have it
	Head       string `json:"head"`
	Version    string `json:"version"` // of the head
	Default    bool   `json:"default"`
	Deprecated bool   `json:"deprecated"` // the channel; of a list of packages the package
	lower      bool   // than the head of the channel at the version before
	none       bool   // the catalog has the package, but no default channel of it
}

// versionRows returns a row for each package, or channel.
func (l Listing) versionRows() (rows []versionRow) {
	packages := map[string]map[string]bool{} // the names of their channels
	for _, v := range l.Versions {
		for name, p := range v.Packages {
			if l.Package != "" && l.Package != name {
				continue
			}
			if packages[name] == nil {
				packages[name] = map[string]bool{}
			}
			for _, channel := range p.ChannelNames() {
				packages[name][channel] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		graphs := make([]*graph.PackageGraph, len(l.Versions)) // nil where the catalog does not have it
		for i, v := range l.Versions {
			if p := v.Packages[name]; p != nil {
				graphs[i] = graph.NewPackageGraph(p)
			}
		}
		channels := []string{""}
		if l.Kind != ListKinds()[0] {
			channels = slices.Sorted(maps.Keys(packages[name]))
		}
		for _, channel := range channels {
			rows = append(rows, versionRow{name, channel, l.versionHeads(graphs, channel)})
		}
	}
	return rows
}

// versionHeads returns the heads of a channel at each version, of "" those of the default channels.
func (l Listing) versionHeads(graphs []*graph.PackageGraph, channel string) []versionHead {
	var heads []versionHead
	var before *graph.Graph
	for i, v := range l.Versions {
		h := versionHead{OpenShift: v.String()}
		if graphs[i] != nil {
			p := graphs[i].Package
			name := cmp.Or(channel, p.DefaultChannel.Value)
			h.none = channel == ""
			if g := graphs[i].Graph(name); g != nil {
				h.Channel, h.none, h.Default = name, false, name == p.DefaultChannel.Value
				h.Head, h.Version = headAndVersion(g)
				h.lower = before != nil && before.Channel.Name.Value == name && graph.Older(g.HeadVersion(), before.HeadVersion())
				before = g
			}
			h.Deprecated = p.Deprecation(catalogs.SchemaPackage, "") != nil
			if channel != "" {
				h.Deprecated = p.Deprecation(catalogs.SchemaChannel, channel) != nil
			}
		}
		heads = append(heads, h)
	}
	return heads
}

// versionTable has a column for each OpenShift version. A head that is the same as that at the version before is a sign, so that differences are seen.
func (l Listing) versionTable() *answer.Table {
	t := &answer.Table{Columns: []string{"package", "channel"}, Groups: 1}
	if l.Kind == ListKinds()[0] {
		t.Columns[1] = "default channel"
	}
	for _, v := range l.Versions {
		t.Columns = append(t.Columns, v.String())
	}
	t.Columns = append(t.Columns, "note")
	for _, r := range l.versionRows() {
		last := versionHead{}
		var heads []any
		for i, h := range r.Heads {
			cell := text.Plain(text.Dash(cmp.Or(h.Version, h.Head)))
			switch {
			case h.none:
				cell = text.Styled("no default channel", text.Error)
			case h.Channel != "" && h.Head == "":
				cell = text.Styled("no head", text.Error)
			case h.lower:
				cell.Role = text.Warning
			case i > 0 && h.Channel != "" && h.Head == r.Heads[i-1].Head && h.Version == r.Heads[i-1].Version:
				cell = text.Styled("=", text.Faint)
			}
			if h.Channel != "" {
				last = h
			}
			heads = append(heads, cell)
		}
		cells := append([]any{text.Styled(r.Package, text.Place), text.Dash(last.Channel)}, heads...)
		t.Add(append(cells, text.Styled(strings.Join(l.versionNotes(r.Heads, last.Channel), ", "), text.Warning))...)
	}
	return t
}

// versionNotes says at which versions a channel is another one, deprecated, or has a lower head than at the version before.
func (l Listing) versionNotes(heads []versionHead, channel string) (notes []string) {
	say := func(what string, of func(h *versionHead) bool) {
		if at := versionsWhere(heads, of); at != "" {
			notes = append(notes, strings.TrimSpace(what+" "+strings.TrimPrefix(at, "all")))
		}
	}
	var others []string
	for _, h := range heads {
		if h.Channel != "" && h.Channel != channel && !slices.Contains(others, h.Channel) {
			others = append(others, h.Channel)
		}
	}
	for _, other := range others {
		say("channel "+other, func(h *versionHead) bool { return h.Channel == other })
	}
	if l.Kind != ListKinds()[0] {
		say("default", func(h *versionHead) bool { return h.Default })
	}
	say("lower", func(h *versionHead) bool { return h.lower })
	say("deprecated", func(h *versionHead) bool { return h.Deprecated })
	return notes
}

// versionsWhere names the versions that fulfil a condition: "at 4.14 to 4.16, 4.18", "all" if it is all that have the channel.
func versionsWhere(heads []versionHead, holds func(h *versionHead) bool) string {
	spans := versionSpans(len(heads), func(i int) string { return heads[i].OpenShift }, func(i int) bool { return holds(&heads[i]) })
	switch {
	case len(spans) == 0:
		return ""
	case !slices.ContainsFunc(heads, func(h versionHead) bool { return h.Channel != "" && !holds(&h) }):
		return "all"
	}
	return "at " + strings.Join(spans, ", ")
}

// versionSpans names those of n things that fulfil a condition, several after each other as "4.14 to 4.16".
func versionSpans(n int, name func(i int) string, holds func(i int) bool) (spans []string) {
	for i := 0; i < n; i++ {
		if !holds(i) {
			continue
		}
		first := i
		for i+1 < n && holds(i+1) {
			i++
		}
		if first == i {
			spans = append(spans, name(i))
		} else {
			spans = append(spans, name(first)+" to "+name(i))
		}
	}
	return spans
}
