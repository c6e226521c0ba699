// Package catalogs is the model of operator catalogs of all forms, in which every value has its position. It reads nothing: package open
// opens catalogs, a package beside this one reads each form, and package bundled reads what is in bundles. What cannot be read becomes a
// Problem with a position, and the rest is read: an error means that the reference itself could not be read.
//
// What upgrades there are is answered by package graph, which has examples: the heads of a channel, the next upgrade, the path between
// two bundles, and whom a change strands. Package catalogs/template has one of a template and the catalog that opm makes of it.
package catalogs

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Pos is a position in a file. Line and Col are 1-based, Col counts bytes; zero means unknown.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`   // 1-based
	Col  int    `json:"column"` // 1-based, in bytes
}

// String returns file:line:column, or the file alone if the line is unknown.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// IsKnown reports whether p names at least a file.
func (p Pos) IsKnown() bool { return p.File != "" }

// Text is a string of the catalog and its position. Of an absent field both are zero.
type Text struct {
	Value string
	Pos   Pos
}

// Unseen returns the number of entries whose bundles have no manifests, or are not in the catalog.
func (c *Channel) Unseen() (n int) {
	for i := range c.Entries {
		if b := c.Entries[i].Bundle; b == nil || !b.HasManifests() {
			n++
		}
	}
	return n
}

// EntryNames returns the names of the entries.
func (c *Channel) EntryNames() []string {
	return words.Map(c.Entries, func(e Entry) string { return e.Name.Value })
}

// Values returns what texts say.
func Values(texts []Text) []string {
	return words.Map(texts, func(t Text) string { return t.Value })
}

// Entry returns the first entry of that name, nil if there is none.
func (c *Channel) Entry(name string) *Entry {
	return find.Pointer(c.Entries, func(e Entry) bool { return e.Name.Value == name })
}

// HasEntry reports whether a channel has an entry of that name.
func (p *Package) HasEntry(name string) bool {
	return slices.ContainsFunc(p.Channels, func(c *Channel) bool { return c.Entry(name) != nil })
}

// KnownPos returns the first known position; the zero value if none is.
func KnownPos(places ...Pos) Pos { return find.Value(places, Pos.IsKnown) }
