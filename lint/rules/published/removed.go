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

// channelNames returns "channel" or "channels" with the names.
func channelNames(names []string) string {
	return words.Plural(len(names), "channel ", "channels ") + words.AllOf(names)
}

// takeOverFix returns the fix for removed entries that another entry should upgrade. It has to be newer than all of them.
func takeOverFix(c *graph.Change, fix int, names []string) string {
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

// strandedGates returns the gates that do not upgrade the entries: OLM v0, and OLM v1 if it has no successor for one of them.
func strandedGates(c *graph.Change, lost []int) lint.Gates {
	if slices.ContainsFunc(lost, func(i int) bool { return !c.HasSuccessorV1(i) && hasVersion(c.Base, i) }) {
		return lint.GateOLMv0 | lint.GateOLMv1
	}
	return lint.GateOLMv0
}

// hasVersion reports whether an entry has a bundle with a valid version.
func hasVersion(g *graph.Graph, i int) bool { return versions.HasVersion(g.Channel.Entries[i].Bundle) }
