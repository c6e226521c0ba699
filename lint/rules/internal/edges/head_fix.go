package edges

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
)

// HeadFix returns a fix that makes a channel valid: entry i replaces the only one of the others, or skips all of them and those
// that would then be stranded. It also returns the entries to skip.
func HeadFix(g *graph.Graph, i int, left []int) (fix string, skips []int) {
	e := &g.Channel.Entries[i]
	if name := g.Name(left[0]); len(left) == 1 && e.Replaces.Value == "" && IsValid(WithEntry(g, i, SettingReplaces(name))) {
		return fmt.Sprintf("add replaces: %s to %q", name, e.Name.Value), nil
	}
	if len(g.Heads()) == len(g.Entries()) && len(left) > 1 {
		return "let each entry replace the next older one", nil
	}
	skips = slices.Concat(left, WithEntry(g, i, AddingSkips(g.Names(left)...)).Stranded())
	names := g.Names(skips)
	if !IsValid(WithEntry(g, i, AddingSkips(names...))) {
		return "let each entry of the channel but the newest be replaced or skipped by a newer one", nil
	}
	return fmt.Sprintf("add %s to the skips of %q", ListAll(names), e.Name.Value), skips
}
