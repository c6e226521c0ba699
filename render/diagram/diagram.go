// Package diagram builds diagrams of upgrades and paths, and writes them as DOT, SVG and Mermaid.
package diagram

import (
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Diagram is a diagram before layout, which DOT, SVG and Mermaid write: groups of nodes and edges, and nodes and edges outside
// any group.
type Diagram struct {
	Kind
	Title   string
	subject string   // what Title begins with, and that of a change
	Notes   []string // under the title
	Groups  []Group
	Nodes   []*Node
	Edges   []*Edge
}

// Kind holds what differs between diagrams of upgrades, paths and OpenShift versions.
type Kind struct {
	name    string   // of the graph in DOT
	id      string   // prefix of the IDs of title and description in an SVG
	flat    bool     // without groups
	maxLine int      // characters in a line of a node
	samples []sample // of the legend
	classes string   // of Mermaid
	grid    bool     // groups are columns, whose nodes are in rows
}

// upgradeKind returns the kind of upgrade graphs.
func upgradeKind() Kind {
	return Kind{name: "upgrades", id: "olmgraph", maxLine: 48, samples: upgradeSamples(), classes: upgradeClasses}
}

// pathKind returns the kind of upgrade paths.
func pathKind() Kind {
	return Kind{name: "path", id: "olmgraph-path", flat: true, maxLine: 60, classes: upgradeClasses,
		samples: append(upgradeSamples(), edgeSample(kindManual, 0, "upgrade that is not automatic"))}
}

// Group is a channel.
type Group struct {
	ID        string // c and the index in the package
	Channel   string // its name
	Title     string
	Note      string  // why OLM v0 cannot order it, or how it is deprecated; or ""
	Nodes     []*Node // newest version last
	Edges     []*Edge
	isDefault bool
	unordered bool      // OLM v0 cannot order it
	change    Mark      // Added, Removed or none
	same      bool      // of a change: its texts are those of the base
	cells     [][]*Node // of a grid: a node for each lane, from the top to the bottom, in each rank
}

// Node is an entry of a channel, a bundle, or a channel at an OpenShift version.
type Node struct {
	ID       string // of an entry e, the index of the channel in the package, -, and that of the entry; or n and the index of the node
	Name     string
	Version  string
	Lines    []string // under the name, for example edges that are not drawn: "skips 12", ">=1.9.0 <22.9.0"
	Marks    Mark
	role     versionRole // in a diagram of OpenShift versions
	Errors   int
	Warnings int
	Tooltip  []string // lines of the tooltip
	Members  []*Node  // of a node that Fold makes: the nodes that it stands for, in the order of versions or of their chain
	Inner    []*Edge  // of a chain that Fold makes: the edges between Members
	OneByOne bool     // of a chain that Fold makes: only the last of Members is upgraded to what is outside
}

// Edge joins two nodes.
type Edge struct {
	From, To string // IDs
	Kind     EdgeKind
	Marks    Mark
	Line     string   // label of the edge
	Tooltip  []string // lines of the tooltip
	Members  []*Edge  // of an edge that Fold makes: the edges that it stands for
	Each     bool     // of an edge out of a chain that Fold makes: all members have it, and not only the last one
}

// id returns the ID of the edge in an SVG.
func (e *Edge) id() string {
	if e.Each {
		return e.From + ":" + e.To + ":each"
	}
	return e.From + ":" + e.To
}

// Mark is a set of properties of an entry or an upgrade, which decide its style.
type Mark uint32

// Marks of entries and upgrades.
const (
	markHead Mark = 1 << iota
	markStuck
	markSkipped
	markDeprecated
	markDowngrade
	markFails     // OLM chooses it, and it fails on the cluster
	markOvertaken // OLM upgrades what it leads from to another entry
	markOnPath
	markFaded
	MarkAdded
	MarkRemoved
	markChanged       // another automatic upgrade than before
	markNotInCatalog  // installed, but no longer in the catalog
	MarkStranded      // the change took away its upgrade path to the head
	markStillUpgraded // removed, but OLM still upgrades users who have it installed
	markBlocking      // never offered, and what it would upgrade is stuck
	markAsBefore      // stuck or blocking in the base too
	markNewlyDeprecated
)

// EdgeKind is the kind of an edge.
type EdgeKind uint8

// Kinds of edges. Those up to kindNextSameVersion are automatic upgrades.
const (
	kindNextReplaces EdgeKind = iota // an automatic upgrade
	kindNextSkips
	kindNextRange
	kindNextSameVersion // under OLM v1, to another bundle of the same version
	kindReplaces
	kindSkips
	kindRange
	kindIgnored   // a replaces that OLM v0 ignores, because one end is skipped
	kindBlocked   // out of a stuck entry, to an entry that is never offered
	kindManual    // an upgrade that is not automatic: after a switch of the channel, or to a requested version
	kindUnchanged // no upgrade: the same operator at the next version of OpenShift
)

// isAutomatic reports whether the edge is an automatic upgrade.
func (k EdgeKind) isAutomatic() bool { return k <= kindNextSameVersion }

// The time of Graphviz grows much faster than the graph: it is not run on graphs larger than this. maxPassed is how many ranks the edges of one
// group pass. Graphviz lays them through a point in each, and its time grows with the cube of the points: it is 2 s for these.
const (
	maxEdges  = 1500
	maxNodes  = 1200
	maxPassed = 3000
)

// ErrTooLarge is that of a diagram that is too large for Graphviz.
var ErrTooLarge = errors.New("the graph is too large to draw")

// TooLarge returns ErrTooLarge, with the size, if the diagram is too large for Graphviz.
func (d *Diagram) TooLarge() error {
	if nodes, edges := d.elements(); len(nodes) > maxNodes || len(edges) > maxEdges {
		return fmt.Errorf("%w: it has %s and %s, at most %d and %d are drawn", ErrTooLarge,
			words.Count(len(nodes), "node"), words.Count(len(edges), "edge"), maxNodes, maxEdges)
	}
	work := cube(countPassedRanks(d.Edges))
	for i := range d.Groups {
		work += cube(countPassedRanks(d.Groups[i].Edges))
	}
	if work > cube(maxPassed) {
		return fmt.Errorf("%w: its edges pass too many other nodes", ErrTooLarge)
	}
	return nil
}

func cube(n int) int { return n * n * n }

// countPassedRanks returns how many ranks edges pass together, where each node is one rank after the last one from which an edge leads to it.
func countPassedRanks(edges []*Edge) (n int) {
	from, ranks := map[string][]string{}, map[string]int{}
	for _, e := range edges {
		if !kindStyle(e.Kind).unconstrained {
			from[e.To] = append(from[e.To], e.From)
		}
	}
	var rank func(id string) int
	rank = func(id string) int {
		if _, met := ranks[id]; !met {
			ranks[id] = 0 // ends a cycle
			for _, before := range from[id] {
				ranks[id] = max(ranks[id], rank(before)+1)
			}
		}
		return ranks[id]
	}
	for _, e := range edges {
		n += max(rank(e.To)-rank(e.From), rank(e.From)-rank(e.To))
	}
	return n
}

// elements returns the nodes and edges of the diagram and of its groups.
func (d *Diagram) elements() (nodes []*Node, edges []*Edge) {
	nodes, edges = slices.Clone(d.Nodes), slices.Clone(d.Edges)
	for i := range d.Groups {
		nodes, edges = append(nodes, d.Groups[i].Nodes...), append(edges, d.Groups[i].Edges...)
	}
	return nodes, edges
}
