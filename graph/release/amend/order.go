package amend

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/graph"
)

// index returns where a name is added to others, in the order that they have: by version, the newest last or first, or by name. If they do not
// have one, the order is that of the other channels, or the newest is last.
func (c *Change) index(names []string, added string) int {
	up, down := c.directions(names)
	if up > 0 && down > 0 && len(names) > 2 && slices.IsSorted(names) { // as opm sorts entries of a catalog that it converts
		at, _ := slices.BinarySearch(names, added)
		return at
	}
	if up == down {
		for _, ch := range c.Package.Channels {
			more, less := c.directions(ch.EntryNames())
			up, down = up+more, down+less
		}
	}
	if down > up {
		if at := slices.IndexFunc(names, func(name string) bool { return c.older(name, added) }); at >= 0 {
			return at
		}
		return len(names)
	}
	for i, name := range slices.Backward(names) {
		if c.older(name, added) {
			return i + 1
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return c.older(added, name) }) {
		return 0
	}
	return len(names)
}

// directions counts the names that are newer and older than the one before.
func (c *Change) directions(names []string) (up, down int) {
	for i := range names {
		switch {
		case i == 0:
		case c.older(names[i-1], names[i]):
			up++
		case c.older(names[i], names[i-1]):
			down++
		}
	}
	return up, down
}

func (c *Change) older(a, b string) bool {
	v, w := c.version(a), c.version(b)
	return v != nil && w != nil && v.LT(*w)
}

// version returns the version of a bundle, or the one that its name ends in; nil if there is none.
func (c *Change) version(name string) *semver.Version {
	text := c.Plan.After.Version(name)
	if name == c.Plan.Name {
		text = c.Plan.Version
	}
	if v, err := semver.ParseTolerant(text); err == nil {
		return &v
	}
	if v, ok := graph.VersionIn(name); ok {
		return &v
	}
	return nil
}
