package published

import (
	"github.com/olmgraph/olmgraph/catalogs"
)

// changedObjects are objects of a package with the same kind of change.
type changedObjects struct {
	names []string
	each  []string // Finding.Faults
	now   []catalogs.Pos
	was   []catalogs.Pos
}

func (c *changedObjects) add(name, id string, now, was catalogs.Pos) {
	c.names, c.each, c.now, c.was = append(c.names, name), append(c.each, id), append(c.now, now), append(c.was, was)
}
