package render

import "fmt"

// Graphviz takes far more than linear time: beyond these sizes it would not end in a time that anybody waits.
const (
	mostArrows = 1500
	mostNodes  = 1200
)

// TooLarge reports whether nobody should even try to draw a sketch.
func TooLarge(s *Sketch) bool {
	nodes, arrows := 0, len(s.Links)
	for i := range s.Groups {
		nodes += len(s.Groups[i].Nodes)
		arrows += len(s.Groups[i].Arrows)
	}
	return nodes > mostNodes || arrows > mostArrows
}

// Reduction is one way to draw less.
type Reduction struct {
	Options SketchOptions
	Note    string // what is left out; "" if it is nothing
	Last    bool
}

// Reductions returns what to try, one after the other: what was asked for, then fewer edges, then only the newest entries.
func Reductions(o SketchOptions) []Reduction {
	all := []Reduction{{Options: o}}
	less := func(change func(*SketchOptions), note string) {
		next := all[len(all)-1].Options
		change(&next)
		all = append(all, Reduction{Options: next, Note: note})
	}
	if o.Mode == All {
		less(func(o *SketchOptions) { o.Mode = Declared }, "too many edges to draw: what is in a skipRange is left out")
	}
	if o.Mode != Auto {
		less(func(o *SketchOptions) { o.Mode = Auto }, "too many edges to draw: only what OLM does by itself and replaces are drawn")
	}
	for _, n := range []int{100, 20} {
		less(func(o *SketchOptions) { o.Newest = n }, fmt.Sprintf("too large to draw: only the newest %d entries of each channel are drawn", n))
	}
	all[len(all)-1].Last = true
	return all
}
