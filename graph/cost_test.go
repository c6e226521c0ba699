package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestHarmsCost has all but two entries in a loop.
func TestHarmsCost(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 1000, func(n int) {
		var loop strings.Builder
		fmt.Fprintf(&loop, "v2.0.0 replaces v1.0.0 range <2.0.0\nv1.0.0\nv1.%d.0 replaces v1.1.0\n", n)
		for i := range n - 1 {
			fmt.Fprintf(&loop, "v1.%d.0 replaces v1.%d.0\n", i+1, i+2)
		}
		(&Change{Base: parseGraph(loop.String()), Now: parseGraph(loop.String())}).Harms()
	})
}

// TestReachedFromCost has entries which each replace the one above, with ranges of all below: as many edges as the square of the entries.
func TestReachedFromCost(t *testing.T) {
	catalogtest.CheckGrowth(t, 2, 350, func(n int) {
		var down strings.Builder
		for i := range n {
			fmt.Fprintf(&down, "v1.%d.0 replaces v1.%d.0 range <1.%[1]d.0\n", i, i+1)
		}
		o := channelOrigins(parseGraph(down.String()))
		o.ReachedFrom(func(i int) bool { return i == n-1 }, func(e Edge) bool { return e.Kind == Replaces })
	})
}

func TestDiffCost(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 2000, func(n int) {
		var skips strings.Builder
		for i := range n {
			fmt.Fprintf(&skips, " skips v0.%d.0", i)
		}
		was, _ := parseChannel([]string{"v2.0.0 replaces v1.0.0" + skips.String(), "v1.0.0"})
		is, _ := parseChannel([]string{"v2.0.0 replaces v1.0.0", "v1.0.0"})
		if found, err := Diff(was, is); err != nil || len(found) != 1 || len(found[0].Strands) != n {
			t.Errorf("%d differences, %v", len(found), err)
		}
		if skips := was.Channels[0].Entries[0].Skips; len(without(skips, skips)) > 0 {
			t.Error("skips are gone that are the same")
		}
	})
}

// TestReachedFrom compares with a search that follows each edge until nothing is reached any more.
func TestReachedFrom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		var text strings.Builder
		for i := range 8 {
			fmt.Fprintf(&text, "v1.%d.0 replaces v1.%d.0 skips v1.%d.0", i, r.IntN(8), r.IntN(8))
			if r.IntN(4) == 0 {
				fmt.Fprintf(&text, " range >=1.%d.0 <1.%d.0", r.IntN(8), r.IntN(8))
			}
			text.WriteString("\n")
		}
		o := channelOrigins(parseGraph(text.String()))
		start := r.IntN(len(o.All))
		begins, follows := func(i int) bool { return i == start }, func(e Edge) bool { return (e.From+e.To)%3 > 0 }
		want := make([]bool, len(o.All))
		for want[start] = true; ; {
			before := slices.Clone(want)
			for to := range want {
				o.edges(o.taken...).offerEdges(to, func(e Edge) bool {
					want[to] = want[to] || want[e.From] && follows(e)
					return false
				})
			}
			if slices.Equal(before, want) {
				break
			}
		}
		if got := o.ReachedFrom(begins, follows); !slices.Equal(got, want) {
			t.Fatalf("%s from %d: %v, want %v", text.String(), start, got, want)
		}
	}
}
