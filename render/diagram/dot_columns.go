package diagram

// Size of a screen of 1600 by 1000 pixels, which a picture is to fit, in points.
const (
	screenWidth  = 1200.0
	screenHeight = 750.0
	mostColumns  = 4
	gridGap      = 35.0 // between columns of a grid
)

// cells returns the indices of n groups and, as n, of the legend in the order in which Graphviz fills a number of columns: row by row,
// from the bottom left, so that the first groups are the first column, from the top. The legend is the last cell.
func cells(n, columns int) []int {
	var all []int
	full, more := (n+1)/columns, (n+1)%columns
	for up := 0; len(all) <= n; up++ {
		last := -1
		for column := range columns {
			height := full
			if column < more {
				height++
			}
			if last += height; up < height {
				all = append(all, last-up)
			}
		}
	}
	return all
}

// columnsFor returns the number of columns in which groups are the most legible on a screen, and their scale there: of those that fit, the
// smallest picture.
func columnsFor(groups []Group) (best int, scale float64) {
	widths, heights := make([]float64, len(groups)+1), make([]float64, len(groups)+1)
	for i := range groups {
		widths[i], heights[i] = estimateSize(&groups[i])
	}
	widths[len(groups)], heights[len(groups)] = 500, 40
	best, area := 1, 0.0
	for columns := 1; columns <= min(mostColumns, len(groups)); columns++ {
		width, height := make([]float64, columns), 0.0
		row := 0.0
		for place, i := range cells(len(groups), columns) {
			if place%columns == 0 {
				height, row = height+row, 0
			}
			width[place%columns] = max(width[place%columns], widths[i])
			row = max(row, heights[i])
		}
		total := 0.0
		for _, w := range width {
			total += w
		}
		height += row
		if fits := min(screenWidth/total, screenHeight/height, 1); fits > scale || fits == scale && total*height < area {
			best, scale, area = columns, fits, total*height
		}
	}
	return best, scale
}

// legendWidth returns the width that the legend of a diagram has: that of the picture or, where its groups are in several columns, of the last one.
func legendWidth(d *Diagram, groups []Group, columns int) float64 {
	width, _ := estimateSize(&Group{Nodes: d.Nodes, Edges: d.Edges})
	for i := range d.Groups {
		if d.grid {
			w, _ := estimateSize(&d.Groups[i])
			width += w + gridGap
		}
	}
	for place, i := range cells(len(groups), columns) {
		if i < len(groups) && place%columns == columns-1 {
			w, _ := estimateSize(&groups[i])
			width = max(width, w)
		}
	}
	return width
}

// estimateSize estimates the size of the picture of a group: its longest path, and its highest column of nodes with the same number of nodes before
// them.
func estimateSize(g *Group) (width, height float64) {
	const steps = 50 // beyond that it does not fit anyway
	right, level := map[string]float64{}, map[string]int{}
	size := map[string]float64{}
	for _, n := range g.Nodes {
		w, _ := textWidth(n.caption(), true)
		w *= captionFont
		for _, line := range n.smallLines() {
			x, _ := textWidth(line, false)
			w = max(w, smallFont*x)
		}
		size[n.ID] = 16 + w
		right[n.ID] = size[n.ID]
	}
	for step, changed := 0, true; changed && step < steps; step++ {
		changed = false
		for _, e := range g.Edges {
			if x := right[e.From] + 26 + size[e.To]; affectsRank(e) && x > right[e.To] && level[e.From] < len(g.Nodes) {
				right[e.To], level[e.To], changed = x, level[e.From]+1, true
			}
		}
	}
	heights := map[int]float64{}
	for _, n := range g.Nodes {
		width = max(width, right[n.ID])
		heights[level[n.ID]] += 32 + 13*float64(len(n.smallLines()))
		height = max(height, heights[level[n.ID]])
	}
	title, _ := textWidth(g.Title, true)
	note, _ := textWidth(g.Note, false)
	return max(width, captionFont*title, smallFont*note) + 20, 40 + height
}
