package published

import (
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// headMovedBack returns the head of the base, and whether the head is now an older one.
func headMovedBack(c *graph.Change) (was int, back bool) {
	was, ok := c.Base.Head()
	is, ok2 := c.Now.Head()
	return was, ok && ok2 && versions.NewerThan(c.Base.Channel.Entries[was].Bundle, c.Now.Channel.Entries[is].Bundle)
}
