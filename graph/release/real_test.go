package release

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
)

// TestRealPackages plans the next version of each real package for each of its channels, and instead of its head.
func TestRealPackages(t *testing.T) {
	cats := opentest.Open(t, catalogtest.Data(t, "fbc/community-v4.20"))
	var slowest time.Duration
	plans, refused, slow := 0, 0, ""
	for _, p := range cats[0].Packages {
		if testing.Short() && plans > 100 {
			break
		}
		pg := graph.NewPackageGraph(p)
		for _, g := range pg.Graphs {
			head, ok := g.Head()
			if !ok || g.Version(head) == nil {
				continue
			}
			next := *g.Version(head)
			next = semver.Version{Major: next.Major, Minor: next.Minor, Patch: next.Patch + 1}
			for _, instead := range [][]string{nil, {g.Name(head)}} {
				r := Request{Name: p.Name.Value + ".v" + next.String(), Version: next.String(), Channels: []string{g.Channel.Name.Value}, InsteadOf: instead}
				start := time.Now()
				plan := NewPlan(pg, r)
				if took := time.Since(start); took > slowest {
					slowest, slow = took, fmt.Sprint(r)
				}
				plans++
				if plan.Refusal != nil {
					refused++
					t.Logf("%v: %+v", r, *plan.Refusal)
				}
			}
		}
	}
	t.Logf("%d plans, %d refused; the slowest took %v: %s", plans, refused, slowest, slow)
}

// TestPast takes the last release of each channel away and asks for it: the answer has the same kinds of edges as its author wrote, or says why not.
func TestPast(t *testing.T) {
	cats := opentest.Open(t, catalogtest.Data(t, "fbc/community-v4.22"))
	count := map[string]int{}
	for _, p := range cats[0].Packages {
		pg := graph.NewPackageGraph(p)
		for _, g := range pg.Graphs {
			head, ok := g.Head()
			if !ok || g.Version(head) == nil || len(g.Entries()) < 2 {
				continue
			}
			name, channel := g.Name(head), g.Channel.Name.Value
			wrote := entryEdges(&g.Channel.Entries[head])
			plan := NewPlan(without(pg, channel, name), Request{Name: name, Version: g.Version(head).String(), Channels: []string{channel}})
			if plan.Refusal != nil {
				count["refused"]++
				t.Logf("refused %s %s: %s", channel, name, plan.Refusal.Constraint)
				continue
			}
			e := plan.Edits[0].After
			custom := "no convention"
			if len(plan.Customs) > 0 {
				custom = "as before"
				if plan.Customs[0].Against != "" {
					custom = "against: " + plan.Customs[0].Against
				}
			}
			switch {
			case e.Replaces == wrote.Replaces && e.SkipRange == wrote.SkipRange && len(e.Skips) == len(wrote.Skips):
				count["same edges"]++
			case (e.Replaces == "") == (wrote.Replaces == "") && (e.SkipRange == "") == (wrote.SkipRange == "") && (len(e.Skips) == 0) == (len(wrote.Skips) == 0):
				count["same kinds"]++
			default:
				count["other, "+custom]++
				t.Logf("%s %s (%d entries, %s): %+v, wrote %+v", channel, name, len(g.Entries()), custom, e, wrote)
			}
		}
	}
	t.Log(count)
	if same := count["same edges"] + count["same kinds"]; same < 40 || count["as before"] > 0 {
		t.Error("too few are like what their authors wrote")
	}
}

// without returns a package without an entry of a channel.
func without(pg *graph.PackageGraph, channel, entry string) *graph.PackageGraph {
	var channels []*catalogs.Channel
	for _, g := range pg.Graphs {
		c := *g.Channel
		if c.Name.Value == channel {
			c.Entries = slices.DeleteFunc(slices.Clone(c.Entries), func(e catalogs.Entry) bool { return e.Name.Value == entry })
		}
		channels = append(channels, &c)
	}
	return graph.NewPackageGraph(pg.Package.WithContents(channels, pg.Package.Bundles))
}
