package graph

import "github.com/olmgraph/olmgraph/catalogs"

// EntryRow is what OLM v0 and OLM v1 do with one entry.
type EntryRow struct {
	Entry      int
	Next       Edge // under OLM v0; To is -1 if there is none
	NextV1     Edge // under OLM v1, likewise
	Hops       int  // automatic upgrades under OLM v0, to End
	End        int
	Loop       bool // under OLM v0 it is upgraded in an endless loop, and End is the first entry that repeats
	HopsV1     int
	EndV1      int
	RefusalV1  *Refusal // why OLM v1 does not install what it has chosen
	Head       bool
	Stuck      bool // under OLM v0
	Skipped    bool
	Deprecated *catalogs.Deprecation // of the bundle, or nil
}

// Rows returns a row for each entry, newest version first.
func (g *Graph) Rows() []EntryRow {
	stuck := map[int]bool{}
	for _, s := range g.Stuck() {
		stuck[s.Entry] = true
	}
	headAt, hasHead := g.Head()
	var rows []EntryRow
	for _, i := range g.ByVersion() {
		r := EntryRow{Entry: i, Head: hasHead && headAt == i, Stuck: stuck[i], Skipped: g.IsSkipped(g.Name(i)), Deprecated: g.Package.Deprecation(catalogs.SchemaBundle, g.Name(i))}
		var ok bool
		r.Hops, r.End, ok = g.Hops(i)
		r.Loop = !ok
		r.HopsV1, r.EndV1 = g.HopsV1(i)
		r.Next, _ = g.Next(i)
		if r.NextV1, ok = g.NextV1(i); !ok {
			r.RefusalV1 = g.ChoiceV1(i).Refusal
		}
		rows = append(rows, r)
	}
	return rows
}
