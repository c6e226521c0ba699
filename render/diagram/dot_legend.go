package diagram

import (
	"fmt"
	"slices"
)

// sample is an entry of the legend: a node or an edge, and its meaning.
type sample struct {
	occurs string // the key under which the writer records that it occurs
	node   *Node
	edge   *Edge
	text   string
}

// nodeSample and edgeSample are entries for nodes and edges with marks.
func nodeSample(occurs string, marks Mark, text string) sample {
	return sample{occurs, &Node{Marks: marks}, nil, text}
}

func edgeSample(occurs string, kind EdgeKind, marks Mark, text string) sample {
	return sample{occurs, nil, &Edge{Kind: kind, Marks: marks}, text}
}

// upgradeSamples returns all entries of the legend of upgrade graphs.
func upgradeSamples() []sample {
	return []sample{
		edgeSample("next replaces", NextReplaces, 0, "automatic upgrade: replaces"),
		edgeSample("next skips", NextSkips, 0, "automatic upgrade: skips"),
		edgeSample("next range", NextRange, 0, "automatic upgrade: skipRange"),
		edgeSample("next same", NextSame, 0, "automatic upgrade of OLM v1: same version"),
		edgeSample("replaces", Replaces, 0, "replaces"),
		edgeSample("skips", Skips, 0, "skips"),
		edgeSample("range", Range, 0, "skipRange"),
		edgeSample("ignored", Ignored, 0, "replaces, ignored by OLM v0"),
		edgeSample("cut", BlockedUpgrade, 0, "blocked: its target is never offered"),
		edgeSample("edge way", NextReplaces, OnPath, "requested path"),
		edgeSample("edge added", NextReplaces, Added, "added"),
		edgeSample("edge removed", NextReplaces, Removed, "removed"),
		edgeSample("edge stranded", NextReplaces, Stranded, "no longer possible: strands users"),
		edgeSample("edge changed", NextReplaces, Changed, "now automatic"),
		edgeSample("edge downgrade", NextReplaces, Downgrade, "downgrade"),
		edgeSample("edge fails", NextReplaces, Fails, "chosen by OLM, and fails on the cluster"),
		{"fold", &Node{Members: []*Node{}}, nil, "versions that do the same"},
		nodeSample("head", Head, "head"),
		nodeSample("stuck", Stuck, "stuck: never upgraded"),
		nodeSample("stranded", Stranded, "stranded: lost its upgrade path"),
		nodeSample("still upgraded", Removed|Served, "removed, but still upgraded"),
		nodeSample("skipped", Skipped, "skipped"),
		nodeSample("not in this catalog", NotInCatalog, "installed, not in this catalog"),
		nodeSample("deprecated", Deprecated, "deprecated"),
		nodeSample("added", Added, "added"),
		nodeSample("removed", Removed, "removed"),
		nodeSample("upgrade changed", Changed, "other automatic upgrade than before"),
	}
}

// dependencySamples returns all rows of the legend of dependency graphs.
func dependencySamples() []sample {
	return []sample{
		edgeSample("requires", Required, 0, "requires"),
		edgeSample("older", Required, OnlyOlder, "only older versions require it"),
		edgeSample("choice", Required, OneOfSeveral, "one of several providers"),
		edgeSample("holds", Required, Blocks, "blocks the upgrade"),
		edgeSample("clash", Required, Conflicting, "OLM cannot resolve this"),
		edgeSample("mutual", Required, Conflicting|MutuallyExclusive, "they exclude each other"),
		nodeSample("node clash", Conflicting, "part of the conflict"),
		nodeSample("node added", New, "new"),
		nodeSample("node moved", Upgraded, "upgraded"),
		nodeSample("node held", Blocked, "blocked"),
		nodeSample("node unowned", Unowned, "no subscription owns it"),
		nodeSample("node candidate", Candidate, "could be installed"),
		nodeSample("node wish", Subscription, "subscription"),
		nodeSample("node sought", Selected, "selected"),
		nodeSample("node missing", Missing, "missing: nothing here provides it"),
	}
}

// planSamples returns all entries of the legend of plans.
func planSamples() []sample {
	return []sample{
		edgeSample("next replaces", NextReplaces, 0, "automatic upgrade"),
		edgeSample("approved", Manual, 0, "by hand: an approval, an update of OpenShift"),
		edgeSample("unchanged", Unchanged, 0, "not upgraded"),
		edgeSample("cut", BlockedUpgrade, 0, "blocked"),
		nodeSample("moved", Passed, "upgraded"),
		nodeSample("switched", Switched, "other channel or catalog"),
		nodeSample("added", New, "installed as a dependency"),
		nodeSample("clash", Conflicting, "what blocks"),
	}
}

// legendColumns is the number of columns of the legend in a picture of one column.
const legendColumns = 4

// legend writes the samples that occur, in columns: first those of edges. They are nodes and edges like those of the graph, so they look
// the same: a node has its meaning inside, and an edge leads to it.
func (d *dotWriter) legend(samples []sample, columns int) {
	var edges, nodes []sample
	for _, s := range samples {
		switch {
		case !d.occurs[s.occurs]:
		case s.node != nil:
			nodes = append(nodes, s)
		default:
			edges = append(edges, s)
		}
	}
	if len(edges)+len(nodes) == 0 {
		return
	}
	rows := 1
	for (len(edges)+rows-1)/rows+(len(nodes)+rows-1)/rows > max(2, legendColumns/columns) {
		rows++
	}
	for len(edges)%rows > 0 {
		edges = append(edges, sample{})
	}
	all := slices.AppendSeq(slices.Collect(slices.Chunk(edges, rows)), slices.Chunk(nodes, rows))
	d.printf("  subgraph cluster_legend {\n    graph [class=legend, peripheries=0, label=\"\"];\n")
	// So heavy that no row bends to be nearer to the middle.
	d.printf("    node [class=legend, height=0.22]; edge [class=legend, weight=1000];\n")
	for row := rows - 1; row >= 0; row-- { // Graphviz puts the first one at the bottom
		last := ""
		for i, column := range all {
			if row < len(column) {
				last = d.sample(i*rows+row, &column[row], last, widthOf(column)+0.1)
			}
		}
	}
	d.printf("  }\n")
}

// widthOf returns the width of the texts of samples in inches.
func widthOf(samples []sample) float64 {
	widest := 0.0
	for _, s := range samples {
		width, _ := textWidth(s.text, false)
		widest = max(widest, width)
	}
	return widest * smallFont / 72
}

// sample writes the nth sample, right of a node, and returns its last node. One without node and edge is an empty place.
func (d *dotWriter) sample(n int, s *sample, after string, width float64) string {
	from := fmt.Sprintf("l%d", n)
	last := from
	if s.node != nil {
		l := nodeStyleOf(s.node)
		d.printf("    %s [label=%s, %s];\n", from, dotLabel(s.text), l.attributes())
	} else {
		last = fmt.Sprintf("m%d", n)
		look := "style=invis"
		if s.edge != nil {
			l := edgeStyleOf(s.edge)
			look = l.look()
		}
		d.printf("    %s [shape=point, label=\" \", width=0.01, height=0.01, style=invis];\n", from)
		d.printf("    %s [shape=plaintext, style=\"\", margin=\"0.04,0\", width=%.2f, label=\"%s\\l\"];\n", last, width, dotText(s.text))
		d.printf("    %s -> %s [%s];\n", from, last, look)
	}
	if after != "" {
		d.printf("    %s -> %s [style=invis];\n", after, from)
	}
	return last
}
