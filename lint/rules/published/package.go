package published

import (
	"github.com/olmgraph/olmgraph/catalogs"
)

// bundleChange is one thing that happened to several of a package.
type bundleChange struct {
	names []string
	each  []string // by which the finding is known
	now   []catalogs.Pos
	was   []catalogs.Pos
}

func (c *bundleChange) add(name, id string, now, was catalogs.Pos) {
	c.names, c.each, c.now, c.was = append(c.names, name), append(c.each, id), append(c.now, now), append(c.was, was)
}
