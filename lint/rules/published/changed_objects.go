package published

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
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

// details returns a line for each object.
func (c *changedObjects) details() []lint.Related {
	var all []lint.Related
	for i, name := range c.names {
		all = append(all, lint.Related{Pos: c.now[i], Message: fmt.Sprintf("%q has changed", name)})
	}
	return all
}
