package graph

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// chain writes a channel of n entries, one above the other, and lets more add to each.
func chain(n int, more func(r *rand.Rand, i int) string) string {
	r := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "v%d.%d.0", i/100, i%100)
		if i > 0 {
			fmt.Fprintf(&b, " replaces v%d.%d.0", (i-1)/100, (i-1)%100)
		}
		b.WriteString(more(r, i))
		b.WriteString("\n")
	}
	return b.String()
}

var shapes = []struct {
	name string
	more func(r *rand.Rand, i int) string
}{
	{"chain", func(*rand.Rand, int) string { return "" }},
	{"skips", func(r *rand.Rand, i int) string {
		if i < 3 || i%3 > 0 {
			return ""
		}
		return fmt.Sprintf(" skips v%d.%d.0 v%d.%d.0", (i-2)/100, (i-2)%100, (i-1)/100, (i-1)%100)
	}},
	{"ranges-all-below", func(_ *rand.Rand, i int) string {
		return fmt.Sprintf(` range ">=0.0.0 <%d.%d.0"`, i/100, i%100)
	}},
	{"ranges-anywhere", func(r *rand.Rand, i int) string {
		return fmt.Sprintf(` range ">=%d.%d.0 <%d.x || !=%d.%d.0"`, r.IntN(i+1)/100, r.IntN(100), i/100, r.IntN(9), r.IntN(9))
	}},
}

// everything calls the methods that lint calls for a channel.
func everything(g *Graph) {
	g.StrandedEntries()
	g.Cycles()
	g.Stuck()
	g.DeadEndsV1()
	g.UnusedReplaces()
	g.Loops()
	for _, i := range g.Entries() {
		g.Next(i)
		g.NextV1(i)
		g.Hops(i)
		g.HopsV1(i)
	}
}

func BenchmarkEverything(b *testing.B) {
	for _, shape := range shapes {
		for _, n := range []int{10, 40, 160} {
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				p, c := parseChannel(strings.Split(chain(n, shape.more), "\n"))
				b.ReportAllocs()
				for b.Loop() {
					everything(New(p, c))
				}
			})
		}
	}
}

// coveringAll writes a channel of n entries, each of which covers all others.
func coveringAll(n int) string {
	return chain(n, func(*rand.Rand, int) string { return ` range ">=0.0.0"` })
}

func BenchmarkDirectUpgrades(b *testing.B) {
	for _, n := range []int{250, 500, 1000, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := parseGraph(coveringAll(n))
			b.ReportAllocs()
			for b.Loop() {
				g.DirectUpgrades()
			}
		})
	}
}

// TestDirectUpgradesBounded wants only automatic upgrades of a channel that has too many.
func TestDirectUpgradesBounded(t *testing.T) {
	g := parseGraph(coveringAll(600))
	for _, u := range g.DirectUpgrades() {
		if v0, _ := g.Next(u.From); v0.To != u.To {
			if v1, _ := g.NextV1(u.From); v1.To != u.To {
				t.Fatalf("%s to %s is not automatic", g.Name(u.From), g.Name(u.To))
			}
		}
	}
}

func BenchmarkSuccessors(b *testing.B) {
	for _, n := range []int{300, 1200, 4800} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := parseGraph(chain(n, shapes[2].more))
			for b.Loop() {
				g.SuccessorsV1(0)
			}
		})
	}
}

// BenchmarkRange reads a range of n alternatives, and matches it against n versions.
func BenchmarkRange(b *testing.B) {
	for _, n := range []int{10, 40, 160} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var alternatives []string
			var versions []semver.Version
			for i := range n {
				alternatives = append(alternatives, fmt.Sprintf(">=0.%d.0 <0.%d.5", i, i))
				versions = append(versions, semver.Version{Minor: uint64(i), Patch: uint64(i % 9)})
			}
			text := strings.Join(alternatives, " || ")
			for b.Loop() {
				r, _ := ParseRange(text)
				r.spans(versions)
			}
		})
	}
}

func BenchmarkReal(b *testing.B) {
	var graphs []*Graph
	for _, catalog := range realCatalogs {
		for _, p := range readReal(b, catalog) {
			for _, c := range p.Channels {
				graphs = append(graphs, &Graph{Package: p, Channel: c})
			}
		}
	}
	b.Run("of", func(b *testing.B) {
		for b.Loop() {
			for _, g := range graphs {
				New(g.Package, g.Channel)
			}
		}
	})
	b.Run("everything", func(b *testing.B) {
		for b.Loop() {
			for _, g := range graphs {
				everything(New(g.Package, g.Channel))
			}
		}
	})
}

// TestLong calls every method on channels far longer than any real one.
func TestLong(t *testing.T) {
	catalogtest.SkipUnlessLong(t)
	for _, shape := range shapes {
		g := parseGraph(chain(20_000, shape.more))
		everything(g)
		if hops, _, ok := g.Hops(1); !ok || hops == 0 {
			t.Errorf("%s: %d hops from the second", shape.name, hops)
		}
	}
	everything(parseGraph(chain(30_000, shapes[0].more)))
	// One loop of all entries.
	g := parseGraph(strings.Replace(chain(100_000, shapes[0].more), "v0.0.0", "v0.0.0 replaces v999.99.0", 1))
	if loops := g.Cycles(); len(loops) != 1 || len(loops[0]) != 100_000 {
		t.Errorf("%d loops", len(loops))
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	g := parseGraph(chain(200, shapes[3].more))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { everything(g) })
	}
	all.Wait()
}
