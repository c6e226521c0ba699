package registryadd

import (
	"maps"
	"slices"
)

// addInOrder adds a bundle in one of the semver modes (registry: BundleGraphLoader AddBundleToGraph; sqlite:
// AddPackageChannelsFromGraph).
func (x *index) addInOrder(b int) *Rejection {
	added := &x.bundles[b]
	defaultChannel := x.defaultChannel
	if added.DefaultChannel != "" {
		defaultChannel = added.DefaultChannel
	}
	if defaultChannel == "" {
		if len(added.Channels) == 0 {
			return &Rejection{Bundle: b, Reason: NoDefault}
		}
		defaultChannel = slices.Min(added.Channels)
	}
	rebuilt := map[string]*channel{}
	for _, name := range slices.Sorted(maps.Keys(x.channels)) {
		if slices.Contains(added.Channels, name) {
			continue
		}
		c, linked := x.write(x.buildGraph(x.channels[name]))
		if !linked {
			return &Rejection{Bundle: b, Reason: InvalidGraph, Channel: name}
		}
		rebuilt[name] = c
	}
	for _, name := range added.Channels {
		if countName(added.Channels, name) > 1 {
			return &Rejection{Bundle: b, Reason: RepeatedChannel, Channel: name}
		}
		c, rejected := x.insert(b, x.channels[name])
		if rejected != nil {
			rejected.Channel = name
			return rejected
		}
		rebuilt[name] = c
	}
	if rebuilt[defaultChannel] == nil {
		return &Rejection{Bundle: b, Reason: DefaultMissing, Channel: defaultChannel}
	}
	x.rows[added.Name] = b
	x.defaultChannel, x.channels = defaultChannel, rebuilt
	return nil
}

// channelGraph is a channel as AddBundleToGraph changes it: the bundles, and what each replaces, which need not be one of them.
type channelGraph struct {
	head     int
	replaces map[int][]int
	missing  map[int][]string // what bundles skip or replace that was never added
}

// buildGraph returns the graph of a channel. A bundle that is skipped is one like the others when the channel is read again.
func (x *index) buildGraph(c *channel) *channelGraph {
	g := &channelGraph{head: c.head, replaces: map[int][]int{}, missing: map[int][]string{}}
	for i, b := range c.chain {
		for _, skip := range c.skips[b] {
			row, known := x.rows[skip]
			if !known {
				g.missing[b] = append(g.missing[b], skip)
				continue
			}
			g.replaces[row] = slices.Clip(g.replaces[row]) // it is a node
			g.replaces[b] = append(g.replaces[b], row)
		}
		if i+1 < len(c.chain) {
			g.replaces[b] = append(g.replaces[b], c.chain[i+1])
			continue
		}
		g.replaces[b] = slices.Clip(g.replaces[b]) // the last one is a node as well
		if end := x.bundles[b].Replaces; c.replacing && end != "" {
			g.missing[b] = append(g.missing[b], end)
		}
	}
	return g
}

// insert returns a channel with b between the next lower and the next higher version.
func (x *index) insert(b int, c *channel) (*channel, *Rejection) {
	if c == nil {
		return &channel{head: b, chain: []int{b}}, nil
	}
	g := x.buildGraph(c)
	ahead, behind := -1, -1
	var patches []int
	for _, node := range slices.SortedFunc(maps.Keys(g.replaces), x.compare) {
		switch order := x.versions[node].Compare(x.versions[b]); {
		case order == 0:
			return nil, &Rejection{Bundle: b, Reason: SameVersion, Name: x.bundles[node].Name}
		case order > 0 && ahead < 0:
			ahead = node
		case order < 0:
			if behind = node; x.mode == SkipPatch && x.sameMinor(node, b) {
				patches = append(patches, node)
			}
		}
	}
	if ahead >= 0 {
		g.replaces[ahead] = []int{b}
		delete(g.missing, ahead)
	} else {
		g.head = b
	}
	for _, patch := range patches {
		delete(g.replaces, patch)
	}
	if g.replaces[b] = patches; len(patches) == 0 && behind >= 0 {
		g.replaces[b] = []int{behind}
	}
	written, linked := x.write(g)
	if !linked {
		return nil, &Rejection{Bundle: b, Reason: InvalidGraph}
	}
	return written, nil
}

func (x *index) sameMinor(a, b int) bool {
	v, w := x.versions[a], x.versions[b]
	return v.Major == w.Major && v.Minor == w.Minor
}

// write returns the channel of a graph, and whether its head leads to all bundles of it: what a bundle replaces and is none of them is
// skipped.
func (x *index) write(g *channelGraph) (*channel, bool) {
	c := &channel{head: g.head, skips: map[int][]string{}}
	for at := g.head; at >= 0; {
		c.chain = append(c.chain, at)
		next := -1
		for _, below := range g.replaces[at] {
			if _, node := g.replaces[below]; !node {
				c.skips[at] = append(c.skips[at], x.bundles[below].Name)
			} else if next < 0 || x.compare(below, next) > 0 { // opm takes any of several
				next = below
			}
		}
		c.skips[at] = append(c.skips[at], g.missing[at]...)
		if len(c.chain) > len(g.replaces) {
			return nil, false
		}
		at = next
	}
	return c, len(c.chain) == len(g.replaces)
}
