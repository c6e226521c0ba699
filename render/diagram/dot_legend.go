package diagram

import (
	"fmt"
	"slices"
)

// sample is an entry of the legend: a node or an edge, and its meaning.
type sample struct {
	node *Node
	edge *Edge
	text string
}

// nodeSample, roleSample and edgeSample are entries for nodes and edges with marks or a role.
func nodeSample(marks Mark, text string) sample { return sample{&Node{Marks: marks}, nil, text} }

func roleSample(role versionRole, text string) sample { return sample{&Node{role: role}, nil, text} }

func edgeSample(kind EdgeKind, marks Mark, text string) sample {
	return sample{nil, &Edge{Kind: kind, Marks: marks}, text}
}

// matchesAny reports whether a node or an edge of a diagram looks like the sample.
func (s *sample) matchesAny(nodes []*Node, edges []*Edge) bool {
	if s.node != nil {
		return slices.ContainsFunc(nodes, func(n *Node) bool {
			return n.role == s.node.role && n.Marks&(s.node.Marks|s.others()) == s.node.Marks && (s.node.Members == nil || n.Members != nil && n.OneByOne == s.node.OneByOne)
		})
	}
	return slices.ContainsFunc(edges, func(e *Edge) bool {
		if s.edge.Marks == 0 {
			return e.Kind == s.edge.Kind && e.Marks&(markOvertaken|MarkRemoved|MarkStranded) == 0
		}
		others := MarkStranded
		if s.edge.Marks == markOvertaken { // which are drawn in the colour of the change
			others |= MarkRemoved | MarkAdded
		}
		return e.Marks&(s.edge.Marks|others) == s.edge.Marks
	})
}

// others returns the marks that nodes which look like the sample do not have.
func (s *sample) others() Mark {
	const others = markBlocking | markStuck | MarkStranded | markStillUpgraded | markAsBefore
	if s.node.Marks == markSkipped { // what is removed is dashed in the colour of the change
		return others | MarkRemoved
	}
	return others
}

// upgradeSamples returns all entries of the legend of upgrade graphs.
func upgradeSamples() []sample {
	return []sample{
		edgeSample(kindNextReplaces, 0, "automatic upgrade: replaces"),
		edgeSample(kindNextSkips, 0, "automatic upgrade: skips"),
		edgeSample(kindNextRange, 0, "automatic upgrade: skipRange"),
		edgeSample(kindNextSameVersion, 0, "automatic upgrade of OLM v1: same version"),
		edgeSample(kindReplaces, markOvertaken, "replaces, but OLM takes a later version"),
		edgeSample(kindReplaces, 0, "replaces"),
		edgeSample(kindSkips, 0, "skips"),
		edgeSample(kindRange, 0, "skipRange"),
		edgeSample(kindIgnored, 0, "replaces, ignored by OLM v0"),
		edgeSample(kindBlocked, 0, "blocked: its target is never offered"),
		edgeSample(kindNextReplaces, markOnPath, "requested path"),
		edgeSample(kindNextReplaces, MarkAdded, "added"),
		edgeSample(kindNextReplaces, MarkRemoved, "removed"),
		edgeSample(kindNextReplaces, MarkStranded, "no longer possible: strands users"),
		edgeSample(kindNextReplaces, markChanged, "now automatic"),
		edgeSample(kindNextReplaces, markDowngrade, "downgrade"),
		edgeSample(kindNextReplaces, markFails, "chosen by OLM, and fails on the cluster"),
		{&Node{Members: []*Node{}}, nil, "several versions"},
		{&Node{Members: []*Node{}, OneByOne: true}, nil, "each is upgraded to the next"},
		nodeSample(markHead, "head"),
		nodeSample(markStuck, "stuck: never upgraded"),
		nodeSample(markStuck|markAsBefore, "stuck, as before"),
		nodeSample(markSkipped|markBlocking, "never offered, which blocks upgrades"),
		nodeSample(markSkipped|markBlocking|markAsBefore, "never offered, as before"),
		nodeSample(MarkStranded, "stranded: lost its upgrade path"),
		nodeSample(MarkRemoved|markStillUpgraded, "removed, but still upgraded"),
		nodeSample(markSkipped, "skipped"),
		nodeSample(markNotInCatalog, "installed, not in this catalog"),
		nodeSample(markDeprecated, "deprecated"),
		nodeSample(markNewlyDeprecated, "newly deprecated"),
		nodeSample(MarkAdded, "added"),
		nodeSample(MarkRemoved, "removed"),
		nodeSample(markChanged, "other automatic upgrade than before"),
	}
}

// legend writes the samples that occur, in columns, each with its meaning beside it. They are nodes and edges like those of the graph, so
// they look the same.
func (d *dotWriter) legend(drawn *Diagram, width float64) {
	nodes, edges := drawn.elements()
	samples := slices.DeleteFunc(slices.Clone(drawn.samples), func(s sample) bool { return !s.matchesAny(nodes, edges) })
	if len(samples) == 0 {
		return
	}
	all := legendColumns(samples, width)
	rows := len(all[0])
	d.printf("  subgraph cluster_legend {\n    graph [class=legend, peripheries=0, label=\"\"];\n")
	// So heavy that no row bends to be nearer to the middle.
	d.printf("    node [class=legend, height=0.22]; edge [class=legend, weight=1000];\n")
	for row := rows - 1; row >= 0; row-- { // Graphviz puts the first one at the bottom
		last := ""
		for i, column := range all {
			if row < len(column) {
				last = d.sample(i*rows+row, &column[row], last, samplesWidth(column))
			}
		}
	}
	d.printf("  }\n")
}

// legendColumns puts samples into as many columns as fit a width, at least one.
func legendColumns(samples []sample, width float64) [][]sample {
	const besides = 80 // points of the symbol, and of what is before and after it
	for n := min(mostColumns, len(samples)); ; n-- {
		all, total := slices.Collect(slices.Chunk(samples, (len(samples)+n-1)/n)), 0.0
		for _, column := range all {
			total += besides + samplesWidth(column)
		}
		if total <= width || n == 1 {
			return all
		}
	}
}

// samplesWidth returns the width of the texts of samples in points.
func samplesWidth(samples []sample) float64 {
	widest := 0.0
	for _, s := range samples {
		width, _ := textWidth(s.text, false)
		widest = max(widest, width)
	}
	return widest*smallFont + 6
}

// sample writes the nth sample, right of a node, and returns its last node: the meaning of an edge, in a node of this width. That of a node is the label of
// an edge that is not seen, which Graphviz may put nearer to it than another node.
func (d *dotWriter) sample(n int, s *sample, after string, width float64) string {
	from, last := fmt.Sprintf("l%d", n), fmt.Sprintf("m%d", n)
	if s.node != nil {
		l := styleNode(s.node)
		own, _ := textWidth(s.text, false)
		d.printf("    %s [label=\" \", %s, margin=0, width=0.4, height=0.25];\n", from, l.attributes())
		d.printf("    %s [style=invis, label=\" \", margin=0, width=%.2f];\n", last, (width-16)/72)
		d.printf("    %s -> %s [color=transparent, arrowhead=none, tailclip=false, taillabel=%q, labelfontcolor=%q, labelangle=0, labeldistance=%.2f];\n",
			from, last, s.text, ink, (own*smallFont/2+24)/10)
	} else {
		l := styleEdge(s.edge)
		d.printf("    %s [shape=point, width=0.01, height=0.01, style=invis];\n", from)
		d.printf("    %s [shape=plaintext, style=\"\", margin=\"0.04,0\", width=%.2f, label=\"%s\\l\"];\n", last, width/72, s.text)
		d.printf("    %s -> %s [%s];\n", from, last, l.look())
	}
	if after != "" {
		d.printf("    %s -> %s [style=invis];\n", after, from)
	}
	return last
}
