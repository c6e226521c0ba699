package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/lifecycle"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Listing is a list of the packages, channels or bundles of catalogs.
type Listing struct {
	Catalogs []*catalogs.Catalog
	Kind     string // packages, channels or bundles
	Package  string // only this one, or ""
	// Versions are the catalogs, if they are for several OpenShift versions, of which packages and channels are compared; otherwise nil.
	Versions []openshift.Version
	// Lifecycles are those of catalogs that have lifecycle metadata, by their names.
	Lifecycles map[string]lifecycle.Lifecycles
	// Readiness says of each package whether the newest release of OLM v1 installs it; nil where it is not known.
	Readiness map[*catalogs.Package]readiness.Verdict
}

// supportedUntil is the column of lifecycle metadata.
const supportedUntil = "supported until"

// ListKinds returns the kinds of a Listing, the default first.
func ListKinds() []string { return []string{"packages", "channels", "bundles"} }

// jsonList is the JSON form of a list. Of packages, channels and bundles it has what was asked for.
type jsonList struct {
	Catalogs []report.JSONCatalog `json:"catalogs"`
	Packages *[]packageRow        `json:"packages,omitzero"`
	Channels *[]channelRow        `json:"channels,omitzero"`
	Bundles  *[]bundleRow         `json:"bundles,omitzero"`
	// Versions are the heads of packages or channels in the catalogs for several OpenShift versions; none if it is not these that are listed.
	Versions []versionRow `json:"openshiftHeads"`
}

// packageRow is one package. Its head is that of the default channel.
type packageRow struct {
	Catalog        string               `json:"catalog"`
	Package        string               `json:"package"`
	DefaultChannel string               `json:"defaultChannel"`
	Head           string               `json:"head"`
	Version        string               `json:"version"`   // of the head
	Lifecycle      *lifecycle.Lifecycle `json:"lifecycle"` // of the head; null: it is not known
	Channels       int                  `json:"channels"`
	Bundles        int                  `json:"bundles"`
	Stuck          int                  `json:"stuck"`             // entries of all channels, and published bundles that they no longer have: see graph.Origins
	Unordered      []string             `json:"unorderedChannels"` // that OLM v0 cannot order, so that it resolves nothing for their users
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
	Catalog     string               `json:"catalog"`
	Package     string               `json:"package"`
	Channel     string               `json:"channel"`
	Name        string               `json:"name"`
	Version     string               `json:"version"`
	Lifecycle   *lifecycle.Lifecycle `json:"lifecycle"`
	Replaces    string               `json:"replaces"`
	Skips       []string             `json:"skips"`
	SkipRange   string               `json:"skipRange"`
	Next        string               `json:"upgradesTo"`   // by OLM v0
	NextV1      string               `json:"upgradesToV1"` // by OLM v1
	Hops        int                  `json:"hops"`         // automatic upgrades of OLM v0 to the end
	Head        bool                 `json:"head"`
	Stuck       bool                 `json:"stuck"`
	Deprecated  bool                 `json:"deprecated"`
	Deprecation string               `json:"deprecation"`
	loop        bool
	pkg         *catalogs.Package
}

// say says the list, sorted by catalog, package, channel and version, the newest first.
func (l Listing) say() *answer.Answer {
	a := &answer.Answer{}
	if l.comparesVersions() {
		a.Table(l.versionTable())
		a.Section()
		a.Say("Heads at each OpenShift version: = is the one at the version before, - that the catalog does not have it. --ocp VERSION lists one catalog.")
	} else {
		table := map[string]func() *answer.Table{"packages": l.packageTable, "channels": l.channelTable, "bundles": l.bundleTable}[l.Kind]()
		if len(l.Lifecycles) == 0 {
			table.Drop(slices.Index(table.Columns, supportedUntil))
		}
		if len(l.Catalogs) == 1 {
			table.Drop(0)
		}
		a.Table(table)
	}
	for _, c := range l.Catalogs {
		if form := report.DescribeForm(c); form != "" {
			a.Section()
			a.Say("Read as ", form, ".")
			break
		}
	}
	return a
}

func (l Listing) json() jsonList {
	out := jsonList{Catalogs: words.Map(l.Catalogs, report.CatalogJSON)}
	switch l.Kind {
	case "packages":
		out.Packages = new(l.packages())
	case "channels":
		out.Channels = new(l.channels())
	case "bundles":
		out.Bundles = new(l.bundles())
	}
	if l.comparesVersions() {
		out.Versions = l.versionRows()
	}
	return out
}

func (l Listing) comparesVersions() bool { return len(l.Versions) > 1 && l.Kind != "bundles" }

// each calls do for each listed package.
func (l Listing) each(do func(catalog string, pg *graph.PackageGraph)) {
	for _, c := range l.Catalogs {
		for _, p := range c.Packages {
			if l.Package == "" || l.Package == p.Name.Value {
				do(c.Name, graph.NewPackageGraph(p))
			}
		}
	}
}

func (l Listing) packages() []packageRow {
	var rows []packageRow
	l.each(func(catalog string, pg *graph.PackageGraph) {
		p := pg.Package
		row := packageRow{Catalog: catalog, Package: p.Name.Value, DefaultChannel: p.DefaultChannel.Value,
			Channels: len(pg.Graphs), Bundles: len(p.Bundles), Readiness: l.Readiness[p]}
		origins := pg.Origins(nil, "")
		for _, g := range pg.Graphs {
			row.Stuck += countStuck(g, origins)
			if _, err := g.Order(); err != nil {
				row.Unordered = append(row.Unordered, g.Channel.Name.Value)
			}
		}
		if g := pg.Graph(p.DefaultChannel.Value); g != nil {
			row.Head, row.Version = headAndVersion(g)
		}
		row.Lifecycle = l.lifecycle(catalog, row.Package, row.Version)
		row.Deprecated, row.Deprecation = deprecation(p.Deprecation(catalogs.SchemaPackage, ""))
		rows = append(rows, row)
	})
	return rows
}

// headAndVersion returns the name and the version of the head, or "" if there is no single head.
func headAndVersion(g *graph.Graph) (name, version string) {
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

// countStuck returns how many entries of a channel OLM v0 never upgrades, all if it cannot order the channel, and published bundles that the channel no
// longer has.
func countStuck(g *graph.Graph, origins *graph.Origins) int {
	if isUnordered(g) {
		return len(g.Entries())
	}
	return len(g.Stuck()) + len(origins.Stuck(g))
}

func isUnordered(g *graph.Graph) bool {
	_, err := g.Order()
	return err != nil && !g.Channel.Edgeless
}

func (l Listing) channels() []channelRow {
	var rows []channelRow
	l.each(func(catalog string, pg *graph.PackageGraph) {
		origins := pg.Origins(nil, "")
		for _, g := range pg.Graphs {
			name := g.Channel.Name.Value
			row := channelRow{Catalog: catalog, Package: pg.Package.Name.Value, Channel: name,
				Default: name == pg.Package.DefaultChannel.Value, Entries: len(g.Entries()), Stuck: countStuck(g, origins)}
			row.Head, row.Version = headAndVersion(g)
			if _, err := g.Order(); err != nil {
				row.Error = err.Error()
			}
			row.Deprecated, row.Deprecation = deprecation(pg.Package.Deprecation(catalogs.SchemaChannel, name))
			rows = append(rows, row)
		}
	})
	return rows
}

func (l Listing) bundles() []bundleRow {
	var rows []bundleRow
	l.each(func(catalog string, pg *graph.PackageGraph) {
		for _, g := range pg.Graphs {
			for _, r := range g.Rows() {
				rows = append(rows, newBundleRow(catalog, pg.Package, g, &r))
			}
		}
		for _, b := range pg.Package.Bundles {
			if len(pg.GraphsContaining(b.Name.Value)) == 0 {
				row := bundleRow{Catalog: catalog, Package: pg.Package.Name.Value, Name: b.Name.Value, Version: b.Version.Value,
					pkg: pg.Package}
				row.Deprecated, row.Deprecation = deprecation(pg.Package.Deprecation(catalogs.SchemaBundle, b.Name.Value))
				rows = append(rows, row)
			}
		}
	})
	for i := range rows {
		rows[i].Lifecycle = l.lifecycle(rows[i].Catalog, rows[i].Package, rows[i].Version)
	}
	return rows
}

// lifecycle returns the lifecycle of a version, nil if it is not known.
func (l Listing) lifecycle(catalog, pkg, version string) *lifecycle.Lifecycle {
	v, err := semver.Parse(version)
	if err != nil {
		return nil
	}
	return l.Lifecycles[catalog].Find(pkg, v)
}

// untilCell returns the cell of the last day of support.
func untilCell(of *lifecycle.Lifecycle) string { return text.Dash(wording.SupportedUntil(of)) }

func newBundleRow(catalog string, p *catalogs.Package, g *graph.Graph, r *graph.EntryRow) bundleRow {
	e := &g.Channel.Entries[r.Entry]
	row := bundleRow{Catalog: catalog, Package: p.Name.Value, Channel: g.Channel.Name.Value, Name: e.Name.Value,
		Replaces: e.Replaces.Value, Skips: catalogs.Values(e.Skips), SkipRange: e.SkipRange.Value,
		Hops: r.Hops, Head: r.Head, Stuck: r.Stuck || isUnordered(g), loop: r.Loop, pkg: p}
	if e.Bundle != nil {
		row.Version = e.Bundle.Version.Value
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

func (l Listing) packageTable() *answer.Table {
	t := &answer.Table{Columns: []string{"catalog", "package", "default channel", "head", "channels", "bundles", "stuck", "OLM v1", supportedUntil, "note"},
		Right: []int{4, 5, 6}, Groups: 1}
	for _, r := range l.packages() {
		t.Add(r.Catalog, text.Styled(r.Package, text.Place), r.DefaultChannel, text.Dash(cmp.Or(r.Version, r.Head)), r.Channels, r.Bundles,
			stuckCell(r.Stuck), verdictCell(r.Readiness), untilCell(r.Lifecycle), text.Styled(r.note(), text.Warning))
	}
	return t
}

func (l Listing) channelTable() *answer.Table {
	t := &answer.Table{Columns: []string{"catalog", "package", "channel", "head", "version", "entries", "stuck", supportedUntil, "note"}, Right: []int{5, 6}, Groups: 2}
	for _, r := range l.channels() {
		notes := activeNotes([]note{{r.Default, "default"}, {r.Deprecated, "deprecated"}, {r.Error != "", r.Error}})
		t.Add(r.Catalog, r.Package, text.Styled(r.Channel, text.Place), text.Dash(r.Head), text.Dash(r.Version), r.Entries, stuckCell(r.Stuck), untilCell(l.lifecycle(r.Catalog, r.Package, r.Version)),
			text.Styled(strings.Join(notes, ", "), text.Warning))
	}
	return t
}

func (l Listing) bundleTable() *answer.Table {
	t := &answer.Table{Columns: []string{"catalog", "package", "channel", "bundle", "version", "upgrades to", "hops", supportedUntil, "note"}, Right: []int{6}, Groups: 3}
	for _, r := range l.bundles() {
		next := text.Dash(r.Next)
		if r.Next != "" {
			next = wording.Version(&graph.PackageGraph{Package: r.pkg}, r.Next)
		}
		t.Add(r.Catalog, r.Package, text.Dash(r.Channel), text.Styled(r.Name, text.Place), text.Dash(r.Version), next, r.Hops, untilCell(r.Lifecycle),
			text.Styled(strings.Join(bundleNotes(&r), ", "), text.Warning))
	}
	return t
}

// note is a note on a row of a table, if it holds.
type note struct {
	holds bool
	said  string
}

// activeNotes returns the notes that hold.
func activeNotes(all []note) (said []string) {
	for _, n := range all {
		if n.holds {
			said = append(said, n.said)
		}
	}
	return said
}

func (r *packageRow) note() string {
	return strings.Join(activeNotes([]note{{r.Deprecated, "deprecated"}, {len(r.Unordered) > 0, "OLM v0 cannot order " + words.And(r.Unordered)}}), ", ")
}

func bundleNotes(r *bundleRow) []string {
	return activeNotes([]note{{r.Head, "head"}, {r.Stuck, "stuck"}, {r.loop, "endless upgrades"}, {r.Deprecated, "deprecated"}, {r.Channel == "", "in no channel"}})
}

// stuckCell returns the cell of a number of stuck entries.
func stuckCell(n int) text.Word {
	if n > 0 {
		return text.Styled(strconv.Itoa(n), text.Error)
	}
	return text.Plain("0")
}
