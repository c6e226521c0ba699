package release

import (
	"fmt"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph"
)

// longChannel is a channel of many entries that replace each other; more changes the edges of each.
func longChannel(n int, more func(i int, e *Edges)) *graph.PackageGraph {
	p := &catalogs.Package{}
	c := &catalogs.Channel{Name: catalogs.Text{Value: "c"}}
	for i := range n {
		b := &catalogs.Bundle{Name: catalogs.Text{Value: longName(i)}, Version: catalogs.Text{Value: longName(i)[1:]}}
		var edges Edges
		if i > 0 {
			edges.Replaces = longName(i - 1)
		}
		more(i, &edges)
		e := catalogs.Entry{Name: b.Name, Bundle: b}
		edges.set(&e)
		p.Bundles, c.Entries = append(p.Bundles, b), append(c.Entries, e)
	}
	return graph.NewPackageGraph(p.WithContents([]*catalogs.Channel{c}, p.Bundles))
}

func longName(i int) string { return fmt.Sprintf("v%d.%d.0", 1+i/100, i%100) }

func longNames(from, to int) []string {
	var names []string
	for i := range to - from {
		names = append(names, longName(from+i))
	}
	return names
}

// TestLong plans releases in channels far longer than any real one.
func TestLong(t *testing.T) {
	catalogtest.SkipUnlessLong(t)
	shapes := map[string]func(i int, e *Edges){
		"chain": func(int, *Edges) {},
		"ranges": func(i int, e *Edges) {
			e.SkipRange = fmt.Sprintf(">=1.0.0 <%s", longName(i)[1:])
		},
		"skips": func(i int, e *Edges) {
			if i%10 == 0 && i > 10 {
				e.Replaces = longName(i - 10)
				for j := i - 9; j < i; j++ {
					e.Skips = append(e.Skips, longName(j))
				}
			}
		},
		"all skipped": func(i int, e *Edges) {
			for j := max(0, i-100); j < i-1; j++ {
				e.Skips = append(e.Skips, longName(j))
			}
		},
	}
	const n = 2001 // so that the last one of skips is the head
	for name, shape := range shapes {
		pg := longChannel(n, shape)
		for _, r := range []Request{
			{Name: "v90.0.0", Version: "90.0.0"},
			{Name: "v90.0.0", Version: "90.0.0", InsteadOf: []string{longName(n - 1)}},
			{Name: "v90.0.0", Version: "90.0.0", InsteadOf: []string{longName(n - 11)}},
			{Name: "v90.0.0", Version: "90.0.0", InsteadOf: []string{longName(1000)}},
			{Name: "v15.0.1", Version: "15.0.1"},
			{Name: "v15.0.1", Version: "15.0.1", InsteadOf: []string{"v15.0.0"}},
			{Name: "v90.0.0", Version: "90.0.0", Prune: longNames(0, 1000)},
			{Name: "v90.0.0", Version: "90.0.0", Prune: longNames(1000, 1500)},
			{Name: "v15.0.1", Version: "15.0.1", Prune: longNames(0, 1000)},
		} {
			r.Channels = []string{"c"}
			start := time.Now()
			plan := NewPlan(pg, r)
			took := time.Since(start)
			summary := fmt.Sprint("refused: ", plan.Refusal)
			if plan.Refusal == nil {
				e := plan.Edits[0].After
				summary = fmt.Sprintf("%d edits, replaces %s, %d skips, range %q, %d classes", len(plan.Edits), e.Replaces, len(e.Skips), e.SkipRange, len(plan.Classes))
			}
			t.Logf("%s: %s instead of %v, without %d: %v: %s", name, r.Name, r.InsteadOf, len(r.Prune), took, summary)
		}
	}
}
