package render

import (
	"io"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Listing is a list of the packages, channels or bundles of catalogs.
type Listing struct {
	Catalogs []*catalogs.Catalog
	Kind     string // packages, channels or bundles
	Package  string // only this one, or ""
	// Readiness says of each package whether the newest release of OLM v1 installs it; nil where it is not known.
	Readiness map[*catalogs.Package]readiness.Verdict
}

// ListKinds returns the kinds of a Listing, the default first.
func ListKinds() []string { return []string{"packages", "channels", "bundles"} }

// jsonList is the JSON form of a list. Of packages, channels and bundles it has what was asked for.
type jsonList struct {
	Version  int                  `json:"version"`
	Tool     string               `json:"tool"`
	Catalogs []report.JSONCatalog `json:"catalogs"`
	Packages *[]packageRow        `json:"packages,omitempty"`
	Channels *[]channelRow        `json:"channels,omitempty"`
	Bundles  *[]bundleRow         `json:"bundles,omitempty"`
}

// packageRow is one package. Its head is that of the default channel.
type packageRow struct {
	Catalog        string `json:"catalog"`
	Package        string `json:"package"`
	DefaultChannel string `json:"defaultChannel"`
	Head           string `json:"head"`
	Version        string `json:"version"` // of the head
	Channels       int    `json:"channels"`
	Bundles        int    `json:"bundles"`
	Stuck          int    `json:"stuck"` // entries of all channels
	// Readiness is the verdict of olmgraph readiness for the newest release of operator-controller; "" if the catalog has no edges.
	Readiness   readiness.Verdict `json:"olmV1"`
	Deprecated  bool              `json:"deprecated"`
	Deprecation string            `json:"deprecation"` // the message
}

// channelRow is one channel.
type channelRow struct {
	Catalog     string `json:"catalog"`
	Package     string `json:"package"`
	Channel     string `json:"channel"`
	Default     bool   `json:"default"`
	Head        string `json:"head"`
	Version     string `json:"version"` // of the head
	Entries     int    `json:"entries"`
	Stuck       int    `json:"stuck"`
	Deprecated  bool   `json:"deprecated"`
	Deprecation string `json:"deprecation"`
	Error       string `json:"error"` // why OLM v0 cannot order it
}

// bundleRow is one entry of a channel, or a bundle that is in no channel.
type bundleRow struct {
	Catalog     string   `json:"catalog"`
	Package     string   `json:"package"`
	Channel     string   `json:"channel"`
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Replaces    string   `json:"replaces"`
	Skips       []string `json:"skips"`
	SkipRange   string   `json:"skipRange"`
	Next        string   `json:"upgradesTo"`   // by OLM v0
	NextV1      string   `json:"upgradesToV1"` // by OLM v1
	Hops        int      `json:"hops"`         // automatic upgrades of OLM v0 to the end
	Head        bool     `json:"head"`
	Stuck       bool     `json:"stuck"`
	Deprecated  bool     `json:"deprecated"`
	Deprecation string   `json:"deprecation"`
	loop        bool
	pkg         *catalogs.Package
}

// listText writes the list as text, sorted by catalog, package, channel and version, the newest first.
func listText(w io.Writer, l Listing, style text.Style) error {
	t := text.NewWriter(w, style)
	table := &text.Table{}
	switch l.Kind {
	case "packages":
		listPackages(table, l.packages())
	case "channels":
		listChannels(table, l.channels())
	case "bundles":
		listBundles(table, l.bundles())
	}
	if len(l.Catalogs) > 1 {
		table.Header = append([]string{"CATALOG"}, table.Header...)
		table.Groups++
		for i := range table.Right {
			table.Right[i]++
		}
	} else {
		for i := range table.Rows {
			table.Rows[i] = table.Rows[i][1:]
		}
	}
	t.Table(table)
	for _, c := range l.Catalogs {
		if form := report.FormOf(c); form != "" {
			t.Line("")
			t.Wrapped("", "", text.Plain("Read as "+form+"."))
			break
		}
	}
	return t.Flush()
}

// listJSON writes the list as JSON.
func listJSON(w io.Writer, l Listing) error {
	out := jsonList{Version: text.JSONVersion, Tool: "olmgraph", Catalogs: []report.JSONCatalog{}}
	for _, c := range l.Catalogs {
		out.Catalogs = append(out.Catalogs, report.CatalogJSON(c))
	}
	switch l.Kind {
	case "packages":
		rows := l.packages()
		out.Packages = &rows
	case "channels":
		rows := l.channels()
		out.Channels = &rows
	case "bundles":
		rows := l.bundles()
		out.Bundles = &rows
	}
	return text.JSON(w, out)
}

// each calls do for each listed package.
func (l Listing) each(do func(catalog string, a *graph.PackageGraph)) {
	for _, c := range l.Catalogs {
		for _, p := range c.Packages {
			if l.Package == "" || l.Package == p.Name.Value {
				do(c.Name, graph.OfPackage(p))
			}
		}
	}
}

func (l Listing) packages() []packageRow {
	rows := []packageRow{}
	l.each(func(catalog string, a *graph.PackageGraph) {
		p := a.Package
		row := packageRow{Catalog: catalog, Package: p.Name.Value, DefaultChannel: p.DefaultChannel.Value,
			Channels: len(a.Graphs), Bundles: len(p.Bundles), Readiness: l.Readiness[p]}
		for _, g := range a.Graphs {
			row.Stuck += len(g.Stuck())
		}
		if g := a.Graph(p.DefaultChannel.Value); g != nil {
			row.Head, row.Version = headOf(g)
		}
		row.Deprecated, row.Deprecation = deprecation(p.Deprecation(catalogs.SchemaPackage, ""))
		rows = append(rows, row)
	})
	return rows
}

// headOf returns the name and the version of the head, or "" if there is no single head.
func headOf(g *graph.Graph) (name, version string) {
	i, ok := g.Head()
	if !ok {
		return "", ""
	}
	if b := g.Channel.Entries[i].Bundle; b != nil {
		version = b.Version.Value
	}
	return g.Name(i), version
}

func deprecation(d *catalogs.Deprecation) (bool, string) {
	if d == nil {
		return false, ""
	}
	return true, d.Message.Value
}

func (l Listing) channels() []channelRow {
	rows := []channelRow{}
	l.each(func(catalog string, a *graph.PackageGraph) {
		for _, g := range a.Graphs {
			name := g.Channel.Name.Value
			row := channelRow{Catalog: catalog, Package: a.Package.Name.Value, Channel: name,
				Default: name == a.Package.DefaultChannel.Value, Entries: len(g.Entries()), Stuck: len(g.Stuck())}
			row.Head, row.Version = headOf(g)
			if _, err := g.Order(); err != nil {
				row.Error = err.Error()
			}
			row.Deprecated, row.Deprecation = deprecation(a.Package.Deprecation(catalogs.SchemaChannel, name))
			rows = append(rows, row)
		}
	})
	return rows
}

func (l Listing) bundles() []bundleRow {
	rows := []bundleRow{}
	l.each(func(catalog string, a *graph.PackageGraph) {
		for _, g := range a.Graphs {
			for _, r := range g.Rows() {
				rows = append(rows, bundleRowOf(catalog, a.Package, g, &r))
			}
		}
		for _, b := range a.Package.Bundles {
			if len(a.Containing(b.Name.Value)) == 0 {
				row := bundleRow{Catalog: catalog, Package: a.Package.Name.Value, Name: b.Name.Value, Version: b.Version.Value,
					Skips: []string{}, pkg: a.Package}
				row.Deprecated, row.Deprecation = deprecation(a.Package.Deprecation(catalogs.SchemaBundle, b.Name.Value))
				rows = append(rows, row)
			}
		}
	})
	return rows
}

func bundleRowOf(catalog string, p *catalogs.Package, g *graph.Graph, r *graph.EntryRow) bundleRow {
	e := &g.Channel.Entries[r.Entry]
	row := bundleRow{Catalog: catalog, Package: p.Name.Value, Channel: g.Channel.Name.Value, Name: e.Name.Value,
		Replaces: e.Replaces.Value, Skips: []string{}, SkipRange: e.SkipRange.Value,
		Hops: r.Hops, Head: r.Head, Stuck: r.Stuck, loop: r.Loop, pkg: p}
	if e.Bundle != nil {
		row.Version = e.Bundle.Version.Value
	}
	for _, s := range e.Skips {
		row.Skips = append(row.Skips, s.Value)
	}
	if r.Next.To >= 0 {
		row.Next = g.Name(r.Next.To)
	}
	if r.NextV1.To >= 0 {
		row.NextV1 = g.Name(r.NextV1.To)
	}
	row.Deprecated, row.Deprecation = deprecation(r.Deprecated)
	return row
}

func listPackages(t *text.Table, rows []packageRow) {
	t.Header = []string{"PACKAGE", "DEFAULT CHANNEL", "HEAD", "CHANNELS", "BUNDLES", "STUCK", "OLM V1", "NOTE"}
	t.Right = []int{3, 4, 5}
	for i := range rows {
		r := &rows[i]
		head := r.Version
		if head == "" {
			head = r.Head
		}
		t.Add(text.Plain(r.Catalog), text.Styled(r.Package, text.Place), text.Plain(r.DefaultChannel), text.Plain(text.Dash(head)),
			number(r.Channels), number(r.Bundles), stuckCell(r.Stuck), verdictCell(r.Readiness), text.Styled(deprecatedNote(r.Deprecated), text.Warning))
	}
}

func listChannels(t *text.Table, rows []channelRow) {
	t.Header = []string{"PACKAGE", "CHANNEL", "HEAD", "VERSION", "ENTRIES", "STUCK", "NOTE"}
	t.Right, t.Groups = []int{4, 5}, 1
	for i := range rows {
		r := &rows[i]
		var notes []string
		if r.Default {
			notes = append(notes, "default")
		}
		if r.Deprecated {
			notes = append(notes, "deprecated")
		}
		if r.Error != "" {
			notes = append(notes, r.Error)
		}
		t.Add(text.Plain(r.Catalog), text.Plain(r.Package), text.Styled(r.Channel, text.Place), text.Plain(text.Dash(r.Head)), text.Plain(text.Dash(r.Version)),
			number(r.Entries), stuckCell(r.Stuck), text.Styled(strings.Join(notes, ", "), text.Warning))
	}
}

func listBundles(t *text.Table, rows []bundleRow) {
	t.Header = []string{"PACKAGE", "CHANNEL", "BUNDLE", "VERSION", "UPGRADES TO", "HOPS", "NOTE"}
	t.Right, t.Groups = []int{5}, 2
	for i := range rows {
		r := &rows[i]
		next := text.Dash(r.Next)
		if r.Next != "" {
			next = wording.Version(&graph.PackageGraph{Package: r.pkg}, r.Next)
		}
		t.Add(text.Plain(r.Catalog), text.Plain(r.Package), text.Plain(text.Dash(r.Channel)), text.Styled(r.Name, text.Place), text.Plain(text.Dash(r.Version)),
			text.Plain(next), number(r.Hops), text.Styled(strings.Join(bundleNotes(r), ", "), text.Warning))
	}
}

func bundleNotes(r *bundleRow) []string {
	var notes []string
	for _, n := range []struct {
		holds bool
		note  string
	}{{r.Head, "head"}, {r.Stuck, "stuck"}, {r.loop, "endless upgrades"}, {r.Deprecated, "deprecated"}, {r.Channel == "", "in no channel"}} {
		if n.holds {
			notes = append(notes, n.note)
		}
	}
	return notes
}

// deprecatedNote returns the note of a deprecated package.
func deprecatedNote(deprecated bool) string {
	if deprecated {
		return "deprecated"
	}
	return ""
}

func number(n int) text.Word { return text.Plain(strconv.Itoa(n)) }

func stuckCell(n int) text.Word {
	c := number(n)
	if n > 0 {
		c.Role = text.Error
	}
	return c
}
