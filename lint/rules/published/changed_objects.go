package published

import (
	"github.com/olmgraph/olmgraph/catalogs"
)

// changedObjects is one thing that happened to several of a package.
type changedObjects struct {
	names []string
	each  []string // by which the finding is known
	now   []catalogs.Pos
	was   []catalogs.Pos
}

func (c *changedObjects) add(name, id string, now, was catalogs.Pos) {
	c.names, c.each, c.now, c.was = append(c.names, name), append(c.each, id), append(c.now, now), append(c.was, was)
}
