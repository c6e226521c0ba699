// Package diagram builds diagrams of upgrades, paths and dependencies, and writes them as DOT, SVG and Mermaid.
package diagram

// Diagram is a drawing before it is laid out, the one model of all that DOT, SVG and Mermaid write: groups of nodes and edges,
// and nodes and edges outside any group.
type Diagram struct {
	Kind
	Title  string
	Notes  []string // under the title
	Groups []Group
	Nodes  []*Node
	Edges  []*Edge
	Links  []Link // between nodes of the same bundle in different channels
}

// Kind is what diagrams of different questions do not share.
type Kind struct {
	name    string   // of the graph in DOT
	id      string   // what the IDs of the title and the description in an SVG begin with
	flat    bool     // it has no groups
	longest int      // characters of a line in a node
	samples []sample // of the legend
	classes string   // of Mermaid
	plain   bool     // without title, colours and legend: to be put into a document
}

// upgradeKind is the kind of what upgrades to what in a package.
func upgradeKind() Kind {
	return Kind{name: "upgrades", id: "olmgraph", longest: 48, samples: upgradeSamples(), classes: upgradeClasses}
}

// dependencyKind is the kind of what requires what.
func dependencyKind() Kind {
	return Kind{name: "requirements", id: "olmgraph-web", flat: true, longest: 60, samples: dependencySamples(), classes: dependencyClasses}
}

// pathKind is the kind of a path between two bundles.
func pathKind() Kind { return Kind{name: "path", flat: true, plain: true} }

// Group is a channel.
type Group struct {
	ID      string // c and the index in the package
	Channel string // its name
	Title   string
	Note    string  // why OLM v0 cannot order it, or how it is deprecated; or ""
	Marks   Mark    // Standard, Deprecated, Broken, Added or Removed
	Nodes   []*Node // newest version last
	Edges   []*Edge
}

// Node is an entry of a channel, an operator, a package, a subscription, or what is missing.
type Node struct {
	ID       string // of an entry e, the index of the channel in the package, -, and that of the entry; or n and the index of the node
	Package  string // that the node is, in a diagram of dependencies; or ""
	Name     string
	Version  string
	Lines    []string // under the name, as edges that are not drawn: "skips 12", ">=1.9.0 <22.9.0"
	Marks    Mark
	Errors   int
	Warnings int
	Facts    []string // all that is to be known, a line each
}

// Edge joins two nodes. Of what is required two nodes share one edge, which leads from the one that requires it.
type Edge struct {
	From, To string // IDs
	Kind     EdgeKind
	Marks    Mark
	Lines    []string // at the edge
	Facts    []string // all that is to be known, a line each
}

// id is that of the edge: those of its ends, joined by a colon.
func (e *Edge) id() string { return e.From + ":" + e.To }

// Link joins two nodes of one bundle.
type Link struct{ A, B string }

// Mark says what is special about a part of a diagram.
type Mark uint32

// The marks of upgrades.
const (
	Head Mark = 1 << iota
	Stuck
	Skipped
	Deprecated
	Standard // the default channel
	Broken   // OLM v0 cannot order the channel
	Downgrade
	OnPath
	Faded
	Added
	Removed
	Changed // the automatic upgrade leads elsewhere than before
	Gone    // the catalog does not have it any more
)

// The marks of dependencies.
const (
	New       Mark = 1 << (iota + 13) // it was not there before
	Moved                             // it is upgraded
	Held                              // something keeps it from its upgrade
	Unowned                           // no subscription owns it
	Missing                           // nothing is there that would meet it
	Wanting                           // it is a subscription
	Candidate                         // it could be installed
	Sought                            // the package that was asked about
	Older                             // only bundles that are no head require it
	Choice                            // one of several that could meet it
	Holds                             // this keeps its target from an upgrade
	Clash                             // one of the reasons that cannot hold together
	Has                               // it says what a subscription has, and not what is required
	Mutual                            // it has no direction: both ends exclude each other
)

// EdgeKind is the part that an edge plays.
type EdgeKind uint8

// The kinds of edges.
const (
	NextReplaces EdgeKind = iota // an automatic upgrade
	NextSkips
	NextRange
	NextSame // under OLM v1, which takes another bundle of the same version
	Replaces
	Skips
	Range
	Ignored  // OLM v0 never follows it, since one of its ends is skipped
	Cut      // it would have led a stuck entry on, had its target not been skipped
	Required // no upgrade, but a dependency
	Manual   // an upgrade along a path that is not automatic: another channel, or a version that is asked for
)

// next reports whether the edge is an automatic upgrade.
func (k EdgeKind) next() bool { return k <= NextSame }

// Graphviz takes far more than linear time: beyond these sizes it would not end in a time that anybody waits.
const (
	mostEdges = 1500
	mostNodes = 1200
)

// TooLarge reports whether laying a diagram out would take too long to try.
func (s *Diagram) TooLarge() bool {
	nodes, edges := len(s.Nodes), len(s.Edges)+len(s.Links)
	for i := range s.Groups {
		nodes += len(s.Groups[i].Nodes)
		edges += len(s.Groups[i].Edges)
	}
	return nodes > mostNodes || edges > mostEdges
}

// between returns the edge between two nodes outside any group, or nil.
func (s *Diagram) between(from, to *Node) *Edge {
	for _, e := range s.Edges {
		if e.From == from.ID && e.To == to.ID {
			return e
		}
	}
	return nil
}
