package sqlite

import (
	"cmp"
	"fmt"
	"slices"
)

type packageRow struct {
	row                  int64
	name, defaultChannel string
}

// channelKey names a channel.
type channelKey struct{ pkg, channel string }

type channelRow struct {
	row int64
	key channelKey
	// head is used for the icon only: the head of the channel follows from the entries.
	head string
}

// entryRow is a row of channel_entry: a bundle in a channel, and an edge to it if the row replaces another one.
type entryRow struct {
	id, replaces, depth int64
	hasReplaces         bool
	hasDepth            bool
	key                 channelKey
	bundle              string
}

// node is a bundle in a channel.
type node struct {
	bundle   string
	replaces string
	skips    []string
	chained  bool // a head, or reached from one along replaces
}

// graph is the table channel_entry.
type graph struct {
	rows     []entryRow
	byID     map[int64]int
	nodes    map[channelKey][]*node // in the order of their first rows
	packages map[string][]string    // of a bundle
	keys     []channelKey           // likewise
}

func (r *reader) readPackages() error {
	return r.scan(packageTable, func(id int64, c []cell) error {
		p := packageRow{id, c[0].text(), c[1].text()}
		r.packages = append(r.packages, p)
		return r.retain(p.name, p.defaultChannel)
	})
}

func (r *reader) readChannels() error {
	return r.scan(channelTable, func(id int64, c []cell) error {
		ch := channelRow{id, channelKey{c[1].text(), c[0].text()}, c[2].text()}
		r.channels = append(r.channels, ch)
		return r.retain(ch.key.pkg, ch.key.channel, ch.head)
	})
}

func (r *reader) readGraph() error {
	g := &r.graph
	err := r.scan(entryTable, func(row int64, c []cell) error {
		if c[1].null() || c[2].null() || c[3].null() {
			r.problem(Problem{Table: entryTable.name, Row: row, Message: "it names no channel, no package or no bundle"})
			return nil
		}
		e := entryRow{id: row, key: channelKey{c[2].text(), c[1].text()}, bundle: c[3].text()}
		if id, ok := c[0].int(); ok {
			e.id = id
		}
		e.replaces, e.hasReplaces = c[4].int()
		e.depth, e.hasDepth = c[5].int()
		g.rows = append(g.rows, e)
		return r.retain(e.key.channel, e.key.pkg, e.bundle)
	})
	g.build()
	for _, e := range g.rows {
		if _, ok := g.byID[e.replaces]; e.hasReplaces && !ok {
			r.problem(Problem{Table: entryTable.name, Row: e.id, Message: fmt.Sprintf(
				"%s of channel %s replaces row %d, which does not exist", e.bundle, e.key.channel, e.replaces)})
		}
	}
	return err
}

// build derives nodes from the rows as opm does: along replaces from the rows of the least depth, which are the heads, a row is what its
// bundle replaces; any other row that points to one is what its bundle skips (opm: pkg/sqlite listBundlesQuery). The least depth is that
// of the whole table.
func (g *graph) build() {
	g.byID = make(map[int64]int, len(g.rows))
	for i, e := range g.rows {
		g.byID[e.id] = i
	}
	g.nodes, g.packages = map[channelKey][]*node{}, map[string][]string{}
	chained := g.chainedRows()
	type place struct {
		key    channelKey
		bundle string
	}
	nodes, packaged := map[place]*node{}, map[[2]string]bool{}
	for i, e := range g.rows {
		if in := [2]string{e.bundle, e.key.pkg}; !packaged[in] {
			packaged[in] = true
			g.packages[e.bundle] = append(g.packages[e.bundle], e.key.pkg)
		}
		n := nodes[place{e.key, e.bundle}]
		if n == nil {
			n = &node{bundle: e.bundle}
			nodes[place{e.key, e.bundle}] = n
			g.add(e.key, n)
		}
		target, points := g.byID[e.replaces]
		points = points && e.hasReplaces
		switch {
		case chained[i]:
			n.chained = true
			if points {
				n.replaces = max(n.replaces, g.rows[target].bundle)
			}
		case points:
			n.skips = append(n.skips, g.rows[target].bundle)
		}
	}
}

func (g *graph) add(key channelKey, n *node) {
	if g.nodes[key] == nil {
		g.keys = append(g.keys, key)
	}
	g.nodes[key] = append(g.nodes[key], n)
}

// chainedRows returns which rows are heads or reached from one along replaces. A cycle ends where it closes.
func (g *graph) chainedRows() []bool {
	reached := make([]bool, len(g.rows))
	heads := slices.DeleteFunc(slices.Clone(g.rows), func(e entryRow) bool { return !e.hasDepth })
	if len(heads) == 0 {
		return reached
	}
	tip := slices.MinFunc(heads, func(a, b entryRow) int { return cmp.Compare(a.depth, b.depth) }).depth
	for i := range g.rows {
		if !g.rows[i].hasDepth || g.rows[i].depth != tip {
			continue
		}
		for at, ok := i, true; ok && !reached[at]; {
			reached[at] = true
			next, exists := g.byID[g.rows[at].replaces]
			at, ok = next, exists && g.rows[at].hasReplaces
		}
	}
	return reached
}

type entryObject struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitempty"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitempty"`
}

type channelObject struct {
	Schema  string        `json:"schema"`
	Name    string        `json:"name"`
	Package string        `json:"package"`
	Entries []entryObject `json:"entries"`
}

// entries returns the entries of a channel. A name without a bundle that is only skipped is not an entry; opm drops any name without a
// bundle, so that a broken chain is not noticed.
func (r *reader) entries(key channelKey) []entryObject {
	entries := []entryObject{}
	for _, n := range r.graph.nodes[key] {
		b, exists := r.bundles[n.bundle]
		if b.deprecated || !exists && !n.chained {
			continue
		}
		entries = append(entries, entryObject{n.bundle, n.replaces, n.skips, b.skipRange})
	}
	return entries
}

func (r *reader) emitChannels() error {
	known := map[channelKey]bool{}
	for _, ch := range r.channels {
		known[ch.key] = true
		if err := r.emitChannel(ch.row, ch.key, r.entries(ch.key)); err != nil {
			return err
		}
	}
	for _, key := range r.graph.keys {
		entries := r.entries(key)
		// If all of a channel was deprecated, opm leaves rows of the last bundle.
		if known[key] || len(entries) == 0 {
			continue
		}
		r.problem(Problem{Table: channelTable.name, Message: fmt.Sprintf(
			"no row for channel %s of package %s, which has rows in channel_entry", key.channel, key.pkg)})
		if err := r.emitChannel(0, key, entries); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) emitChannel(row int64, key channelKey, entries []entryObject) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.send(channelTable.name, row, channelObject{"olm.channel", key.channel, key.pkg, entries}, key.pkg, key.channel)
}
