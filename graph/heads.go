package graph

import (
	"slices"

	"github.com/blang/semver/v4"
)

// Heads returns the entries that no replaces and no skips of the channel names, sorted by name (opm: alpha/model
// Channel.Head). There should be one. OLM v0 sees the same ones.
// Where the catalog does not tell the edges, it is the one that the channel names.
func (g *Graph) Heads() []int {
	return g.heads.value(func() []int {
		if head, ok := g.index[g.Channel.Head.Value]; ok && g.Channel.Edgeless {
			return []int{head}
		}
		named := make(map[string]bool, len(g.members))
		for _, e := range g.eachEntry() {
			for _, where := range declaredNames(e) {
				named[where.Value] = true
			}
		}
		var heads []int
		for i, e := range g.eachEntry() {
			if !named[e.Name.Value] {
				heads = append(heads, i)
			}
		}
		return g.byName(heads)
	})
}

// Head returns the only head; false if there is none, or several.
func (g *Graph) Head() (int, bool) {
	heads := g.Heads()
	if len(heads) != 1 {
		return 0, false
	}
	return heads[0], true
}

// HeadName returns the name of the only head; "" if there is none, or several.
func (g *Graph) HeadName() string {
	if i, ok := g.Head(); ok {
		return g.Name(i)
	}
	return ""
}

// HeadVersion returns the version of the only head; nil if there is none, or it has no version.
func (g *Graph) HeadVersion() *semver.Version {
	if i, ok := g.Head(); ok {
		return g.Version(i)
	}
	return nil
}

// IsHead reports whether a bundle is the only head of a channel; nil has none.
func (g *Graph) IsHead(name string) bool {
	if g == nil {
		return false
	}
	_, ok := g.Head()
	return ok && g.HeadName() == name
}

// IsSkipped reports whether some entry of the channel skips that name. It need not be the name of an entry.
func (g *Graph) IsSkipped(name string) bool {
	return g.skipped.value(func() map[string]bool {
		skipped := map[string]bool{}
		for _, e := range g.eachEntry() {
			for _, skip := range e.Skips {
				skipped[skip.Value] = true
			}
		}
		return skipped
	})[name]
}

// Chain is opm's walk along replaces from the only head (opm: alpha/model validateReplacesChain).
type Chain struct {
	Entries []int    // head first
	Cycle   []string // the names of the loop, the first one repeated at the end, or nil
}

// Chain returns the walk; no entries if there is not exactly one head. It stops at an entry whose replaces is skipped.
func (g *Graph) Chain() Chain { return g.chain.value(g.walkChain) }

func (g *Graph) walkChain() Chain {
	head, ok := g.Head()
	if !ok {
		return Chain{}
	}
	var c Chain
	met := map[string]int{}
	for i := head; ok; {
		name := g.Name(i)
		met[name] = len(c.Entries)
		c.Entries = append(c.Entries, i)
		// opm looks an absent replaces up like any other name.
		next := g.Channel.Entries[i].Replaces.Value
		if g.IsSkipped(next) {
			break
		}
		if start, again := met[next]; again {
			c.Cycle = g.loopNames(c.Entries[start:])
			break
		}
		i, ok = g.index[next]
	}
	return c
}

// loopNames returns the names of a loop, the first one repeated at the end.
func (g *Graph) loopNames(loop []int) []string {
	names := g.Names(loop)
	return append(names, names[0])
}

// StrandedEntries returns the entries that are neither on the chain nor skipped, sorted by name. Empty where opm does not come
// so far: without exactly one head, or with a cycle.
func (g *Graph) StrandedEntries() []int {
	chain := g.Chain()
	if len(chain.Entries) == 0 || chain.Cycle != nil {
		return nil
	}
	on := make([]bool, len(g.Channel.Entries))
	for _, i := range chain.Entries {
		on[i] = true
	}
	stranded := slices.Clone(g.members)
	return g.byName(slices.DeleteFunc(stranded, func(i int) bool { return on[i] || g.IsSkipped(g.Name(i)) }))
}
