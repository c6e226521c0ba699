package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
)

// foldFollowing folds the rows of a package that follow from another row of the channel, which then tells them: one row a fact. Rows
// of edges are told first, and those of stranded users tell last. More than 5,000 are told as they are, since each is compared with each.
func foldFollowing(rows []*diffRow) []*diffRow {
	slices.SortStableFunc(rows, func(a, b *diffRow) int { return cmp.Compare(b.Kind, a.Kind) })
	if len(rows) > 5000 {
		return rows
	}
	for i, r := range rows {
		for j, o := range rows {
			if r != nil && o != nil && i != j && r.Channel != "" && r.Channel == o.Channel && slices.Equal(r.catalogs, o.catalogs) && r.implies(o) {
				if r.add(o); o.isEdge() && !r.isEdge() {
					r.follows++
				}
				rows[j] = nil
			}
		}
	}
	return slices.DeleteFunc(rows, func(r *diffRow) bool { return r == nil })
}

// implies reports whether a row tells another one, which follows from it or is part of it.
func (r *diffRow) implies(o *diffRow) bool {
	switch r.Kind {
	case graph.EntryAdded, graph.EntryRemoved, graph.NextChanged, graph.Unstranded:
		return o.isEdge() && r.tellsEdge(o)
	case graph.ReplacesChanged:
		if o.Kind != graph.SkipsChanged || !r.onlyStrands() || !o.onlyStrands() || r.Names[0] != o.Names[0] {
			return false
		}
		r.Strands = appendNew(r.Strands, o.Strands)
		return true
	case graph.HeadChanged:
		return r.Is != "" && r.headTells(o)
	case graph.NoOrder:
		return o.Kind == graph.HeadChanged && o.Is == ""
	case graph.Stranded:
		return r.strandedTells(o)
	}
	return false
}

// tellsEdge reports whether entries that are removed or added, or other upgrades, tell all that is left to tell of a change of edges.
func (r *diffRow) tellsEdge(edge *diffRow) bool {
	entry := edge.Names[0]
	switch {
	case r.Kind == graph.EntryAdded:
		edge.gained = without(edge.gained, r.Names)
	case r.Kind == graph.EntryRemoved:
		edge.lost = without(edge.lost, r.Names)
	case entry == r.Is:
		return len(without(edge.gained, r.Names))+len(without(edge.lost, []string{r.Was})) == 0
	default:
		return entry == r.Was && len(without(edge.lost, r.Names))+len(edge.gained) == 0
	}
	return len(edge.lost)+len(edge.gained) == 0
}

// headTells reports whether a new head tells that it is new, or what is upgraded from the former head, or to it instead of to that.
func (r *diffRow) headTells(o *diffRow) bool {
	switch {
	case o.Kind == graph.EntryAdded && slices.Contains(o.Names, r.Is):
		r.newHead, r.older = true, without(o.Names, []string{r.Is})
		return true
	case o.Kind == graph.NextChanged && o.Was == r.Was && o.Is == r.Is:
		r.direct = o.Names
		return true
	}
	return o.Kind == graph.NextChanged && o.Was == "" && slices.Equal(o.Names, []string{r.Was}) && (o.Is == r.Is || slices.Contains(r.older, o.Is))
}

// strandedTells reports whether stranded users tell that their versions are removed, or that one was the head.
func (r *diffRow) strandedTells(o *diffRow) bool {
	switch {
	case o.Kind == graph.EntryRemoved && len(without(r.Names, o.of[0].Names)) == 0:
		r.removed, o.Names = true, without(o.Names, r.Names)
		return len(o.Names) == 0
	case o.Kind == graph.HeadChanged && slices.Contains(r.Names, o.Was):
		r.head = o
		return true
	}
	return false
}

// isEdge reports whether the row is about replaces or skips of an entry.
func (r *diffRow) isEdge() bool {
	return r.Kind == graph.ReplacesChanged || r.Kind == graph.SkipsChanged
}

// onlyStrands reports whether the row tells nothing but that an entry no longer replaces or skips names without an entry.
func (r *diffRow) onlyStrands() bool {
	return len(r.Strands) > 0 && len(r.gained)+len(without(r.lost, r.Strands)) == 0
}

// namesIn returns the names of a value of a difference.
func namesIn(value string) []string {
	return without(strings.Split(value, ", "), []string{""})
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}
