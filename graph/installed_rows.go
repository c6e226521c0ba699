package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// InstalledRow is what OLM does automatically with one installed bundle.
type InstalledRow struct {
	InstalledBundle
	Unlisted bool // the channels no longer have it: see Origins.ForChannel
	Removed  bool // nor does the package
	// Step is the next upgrade, nil if there is none; Hops is the number of upgrades to End, where they end. In a loop End is
	// the first bundle that repeats.
	Step *Step
	Hops int
	End  string
	Loop bool
	// Refusal is why OLM v1 does not install what it has chosen.
	Refusal *Refusal
	Head    bool // the head of the channel; under OLM v1 what a new installation gets
	// Stuck is set if nothing upgrades it though it is not at the end: under OLM v0 it is not the head; under OLM v1 it is older than
	// what a new installation gets. Graph.DeadEndsV1 is another question: it compares with the newest bundle, deprecated or not.
	Stuck      bool
	Deprecated *catalogs.Deprecation
}

// InstalledRows returns a row for each bundle that can be installed from the channel or the ClusterExtension of a question, and the UnlistedRows:
// newest version first.
func (pg *PackageGraph) InstalledRows(q Question) []InstalledRow {
	rows := pg.UnlistedRows(q)
	if q.OLM() == V1 {
		for i := range q.Extension.bundles {
			rows = append(rows, pg.installedRowV1(q.Extension, pg.installedBundle(q.Extension.name(i))))
		}
	} else {
		for _, r := range q.Channel.Rows() {
			rows = append(rows, q.Channel.installedRowV0(&r))
		}
	}
	slices.SortStableFunc(rows, func(a, b InstalledRow) int {
		return cmp.Or(CompareVersions(ParseVersion(b.Version), ParseVersion(a.Version)), strings.Compare(a.Name, b.Name))
	})
	return rows
}

// UnlistedRows returns the rows for what users of a question may have installed and its channels no longer have, by name.
func (pg *PackageGraph) UnlistedRows(q Question) []InstalledRow {
	var rows []InstalledRow
	if q.OLM() == V1 {
		for _, in := range pg.unlistedBundles(q.Extension.Channels...) {
			if _, has := q.Extension.index[in.Name]; !has {
				row := pg.installedRowV1(q.Extension, in)
				row.Unlisted = true
				rows = append(rows, row)
			}
		}
		return rows
	}
	users := pg.unlistedBundles(q.Channel)
	for i, e := range q.Channel.NextOfAllInstalled(users) {
		rows = append(rows, pg.unlistedRowV0(q.Channel, users[i], e))
	}
	return rows
}

// unlistedBundles returns what users of channels may have installed that these do not have, by name.
func (pg *PackageGraph) unlistedBundles(channels ...*Graph) (all []InstalledBundle) {
	o := pg.ownOrigins()
	for _, g := range channels {
		for _, one := range o.ForChannel(g) {
			if !slices.ContainsFunc(channels, func(g *Graph) bool { _, has := g.Index(one.Name); return has }) {
				all = append(all, one.InstalledBundle)
			}
		}
	}
	slices.SortFunc(all, func(a, b InstalledBundle) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(all)
}

func (g *Graph) installedRowV0(r *EntryRow) InstalledRow {
	row := InstalledRow{InstalledBundle: g.installedEntry(r.Entry), Hops: r.Hops, End: g.Name(r.End), Loop: r.Loop, Head: r.Head, Stuck: r.Stuck,
		Deprecated: r.Deprecated}
	if r.Next.To >= 0 {
		row.Step = &Step{Graph: g, From: row.Name, To: g.Name(r.Next.To), Edge: r.Next, Automatic: true}
	}
	return row
}

func (pg *PackageGraph) unlistedRowV0(g *Graph, in InstalledBundle, e Edge) InstalledRow {
	row := InstalledRow{InstalledBundle: in, Unlisted: true, Removed: !pg.Has(in.Name), End: in.Name, Deprecated: pg.Package.Deprecation(catalogs.SchemaBundle, in.Name)}
	if _, err := g.Order(); e.To < 0 {
		row.Stuck = err == nil
		return row
	}
	hops, end, straight := g.Hops(e.To)
	row.Step = &Step{Graph: g, From: in.Name, To: g.Name(e.To), Edge: e, Automatic: true}
	row.Hops, row.End, row.Loop = hops+1, g.Name(end), !straight
	return row
}

func (pg *PackageGraph) installedRowV1(x *Extension, in InstalledBundle) InstalledRow {
	c := x.Choose(in)
	row := InstalledRow{InstalledBundle: in, Removed: !pg.Has(in.Name), End: in.Name, Refusal: c.Refusal, Head: in.Name == x.Best(),
		Deprecated: pg.Package.Deprecation(catalogs.SchemaBundle, in.Name)}
	if c.Step == nil || c.Refusal != nil {
		row.Stuck = !row.Head && pg.older(in.Name, x.Best()) && !x.hasSuccessor(in)
		return row
	}
	t := x.automatic().endpoint(x.index[c.Bundle])
	row.Step, row.Hops, row.End = c.Step, t.hops+1, x.name(t.end)
	return row
}
