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
		edgeSample("edge changed", NextReplaces, Changed, "now automatic"),
		edgeSample("edge downgrade", NextReplaces, Downgrade, "downgrade"),
		edgeSample("edge fails", NextReplaces, Fails, "chosen by OLM, and fails on the cluster"),
		{"fold", &Node{Members: []*Node{}}, nil, "versions that do the same"},
		nodeSample("head", Head, "head"),
		nodeSample("stuck", Stuck, "stuck: never upgraded"),
		nodeSample("stranded", Stranded, "stranded: no longer upgraded to the head"),
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
		nodeSample("node missing", Missing, "missing"),
	}
}

// planSamples returns all entries of the legend of plans.
func planSamples() []sample {
	return []sample{
		edgeSample("next replaces", NextReplaces, 0, "automatic upgrade"),
		edgeSample("approved", Manual, 0, "upgrade after an approval"),
		edgeSample("unchanged", Unchanged, 0, "not upgraded"),
		edgeSample("cut", BlockedUpgrade, 0, "blocked"),
		nodeSample("moved", Passed, "upgraded"),
		nodeSample("switched", Switched, "other channel or catalog"),
		nodeSample("added", New, "installed as a dependency"),
		nodeSample("clash", Conflicting, "what blocks"),
	}
}

// Size of the legend.
const (
	legendColumns = 4 // in a picture of one column
	legendFont    = 10.0
)

// legend writes the samples that occur, each with its meaning, in rows. They are nodes and edges like those of the graph, so they look
// the same.
func (d *dotWriter) legend(samples []sample, columns int) {
	used := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return !d.occurs[s.occurs] })
	if len(used) == 0 {
		return
	}
	columns = max(1, legendColumns/columns)
	rows := (len(used) + columns - 1) / columns
	widest := make([]float64, columns)
	for i, s := range used {
		width, _ := textWidth(s.text, false)
		widest[i/rows] = max(widest[i/rows], width)
	}
	d.printf("  subgraph cluster_legend {\n    graph [class=legend, peripheries=0, label=\"\"];\n")
	// So heavy that no row bends to be nearer to the middle.
	d.printf("    node [class=legend, height=0.17, width=0.42, fontsize=%g]; edge [class=legend, weight=1000];\n", legendFont)
	for row := rows - 1; row >= 0; row-- { // Graphviz puts the first one at the bottom
		last := ""
		for i := row; i < len(used); i += rows {
			last = d.sample(i, &used[i], last, widest[i/rows]*legendFont/72)
		}
	}
	d.printf("  }\n")
}

// sample writes the nth sample, right of a node, and returns its last node.
func (d *dotWriter) sample(n int, s *sample, after string, width float64) string {
	from, to := fmt.Sprintf("l%d", n), fmt.Sprintf("m%d", n)
	look := "style=invis"
	if s.node != nil {
		l := nodeStyleOf(s.node)
		d.printf("    %s [label=\" \", %s];\n", from, l.attributes())
	} else {
		l := edgeStyleOf(s.edge)
		look = l.look()
		d.printf("    %s [shape=point, label=\" \", width=0.01, height=0.01, style=invis];\n", from)
	}
	d.printf("    %s [shape=plaintext, style=\"\", margin=\"0.04,0\", width=%.2f, label=\"%s\\l\"];\n", to, width+0.1, dotText(s.text))
	d.printf("    %s -> %s [%s];\n", from, to, look)
	if after != "" {
		d.printf("    %s -> %s [style=invis];\n", after, from)
	}
	return to
}
