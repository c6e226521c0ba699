package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

func inChannels(names []string) string {
	return words.Plural(len(names), "channel ", "channels ") + words.AllOf(names)
}

// takeOver words the fix for entries that are to be upgraded by another one; one that is older than they are cannot be it.
func takeOver(c *graph.Change, fix int, names []string) string {
	head := c.Now.Channel.Entries[fix].Bundle
	for _, name := range names {
		if b := c.Base.Package.Bundle(name); versions.NewerThan(b, head) {
			return fmt.Sprintf("restore it, or publish a version above %s that replaces %q and skips %s",
				versions.Text(b), c.Now.Name(fix), edges.ListAll(names))
		}
	}
	return fmt.Sprintf("add %s to the skips of %q, or cover %s with its skipRange", edges.ListAll(names), c.Now.Name(fix),
		words.Plural(len(names), "it", "them"))
}

// strandedGates are those who leave users behind: OLM v0, and OLM v1 where it has no successor for one of them either.
func strandedGates(c *graph.Change, lost []int) lint.Gates {
	if slices.ContainsFunc(lost, func(i int) bool { return !c.HasSuccessorV1(i) && versioned(c.Base, i) }) {
		return lint.GateOLMv0 | lint.GateOLMv1
	}
	return lint.GateOLMv0
}

func versioned(g *graph.Graph, i int) bool { return versions.HasVersion(g.Channel.Entries[i].Bundle) }
