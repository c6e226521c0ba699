package page

import "github.com/olmgraph/olmgraph/catalogs"

// MostShown is how many channels, entries and bundles the packages of a page have at most. No page of a community catalog takes a tenth of it.
const MostShown = 50_000

// perPackage is what a package counts for besides: its picture takes as long as so many entries.
const perPackage = 25

// Room is what the packages of a page take of MostShown.
type Room int

// Takes reports whether there is room for a package, in each state that the page shows, and takes it. A package takes at most half of what is
// left, so that one of many thousand entries does not take the room of all others.
func (r *Room) Takes(states ...*catalogs.Package) bool {
	size := perPackage
	for _, p := range states {
		if p != nil {
			size += len(p.Bundles)
			for _, c := range p.Channels {
				size += 1 + len(c.Entries)
			}
		}
	}
	if size > (MostShown-int(*r))/2 {
		return false
	}
	*r += Room(size)
	return true
}
