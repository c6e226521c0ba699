package graph

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// The tests say a channel in a few lines, one an entry:
//
//	v2 is 2.0.0 release 1 replaces v1 skips v0 v0.1 range ">=1.0.0 <2.0.0" deprecated requires olm.gvk.required
//
// Only the name is needed; the version follows from it: v1 is 1.0.0, v1.2 is 1.2.0. "is none" has none, "bare" no bundle,
// and "" is an empty name. Then come questions with answers:
//
//	next v1: v2 replaces
//
// A case ends at an empty line.

// parseChannel reads the entries; it takes any text.
func parseChannel(lines []string) (*catalogs.Package, *catalogs.Channel) {
	c := &catalogs.Channel{Name: text("c"), Package: text("p")}
	deprecations := &catalogs.Deprecations{}
	for i, line := range lines {
		words := split(line)
		if len(words) == 0 {
			continue
		}
		e := catalogs.Entry{Name: text(words[0]), Pos: catalogs.Pos{File: "c", Line: i + 1}}
		e.Bundle = &catalogs.Bundle{Name: e.Name, Version: text(nameVersion(words[0]))}
		readEntry(&e, words[1:])
		if slices.Contains(words, "deprecated") {
			deprecations.Entries = append(deprecations.Entries,
				catalogs.Deprecation{Schema: text(catalogs.SchemaBundle), Name: e.Name})
		}
		c.Entries = append(c.Entries, e)
	}
	p := &catalogs.Package{Channels: []*catalogs.Channel{c}, Deprecations: []*catalogs.Deprecations{deprecations}}
	first := map[string]*catalogs.Bundle{}
	for i := range c.Entries { // entries of one name have the same bundle, or none
		e := &c.Entries[i]
		known, again := first[e.Name.Value]
		switch {
		case again:
			e.Bundle = known
		case e.Bundle != nil:
			p.Bundles = append(p.Bundles, e.Bundle)
		}
		first[e.Name.Value] = e.Bundle
	}
	return p, c
}

func readEntry(e *catalogs.Entry, words []string) {
	field := ""
	for _, word := range words {
		switch word {
		case "replaces", "skips", "range", "is", "release", "requires":
			field = word
			continue
		case "bare":
			e.Bundle = nil
			continue
		case "deprecated":
			continue
		}
		switch {
		case field == "replaces":
			e.Replaces = text(word)
		case field == "skips":
			e.Skips = append(e.Skips, text(word))
		case field == "range":
			e.SkipRange = text(word)
		case e.Bundle == nil:
		case field == "is":
			e.Bundle.Version = text(strings.TrimPrefix(word, "none"))
		case field == "release":
			e.Bundle.Release = text(word)
		case field == "requires":
			e.Bundle.Properties = append(e.Bundle.Properties, catalogs.Property{Type: text(word)})
		}
	}
}

func text(s string) catalogs.Text {
	return catalogs.Text{Value: s, Pos: catalogs.Pos{File: "c"}}
}

// split splits at spaces outside of quotes, which it drops.
func split(line string) []string {
	var words []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 0 {
			words = append(words, strings.Fields(part)...)
		} else {
			words = append(words, part)
		}
	}
	return words
}

func nameVersion(name string) string {
	v, err := semver.ParseTolerant(name)
	if err != nil {
		return ""
	}
	return v.String()
}

func parseGraph(entries string) *Graph {
	return New(parseChannel(strings.Split(entries, "\n")))
}

// ask answers a question of the language.
func ask(t *testing.T, g *Graph, question string) string {
	t.Helper()
	words := strings.Fields(question)
	var at []int
	for _, name := range words[1:] {
		if i, ok := g.Index(name); ok {
			at = append(at, i)
		}
	}
	answer, ok := questions[words[0]]
	if !ok {
		t.Fatalf("nobody can ask %q", question)
	}
	if a := answer(g, at); a != "" {
		return a
	}
	return "none"
}

var questions = map[string]func(g *Graph, at []int) string{
	"heads":       func(g *Graph, _ []int) string { return names(g, g.Heads()) },
	"chain":       func(g *Graph, _ []int) string { return names(g, g.Chain().Entries) },
	"cycle":       func(g *Graph, _ []int) string { return strings.Join(g.Chain().Cycle, " ") },
	"stranded":    func(g *Graph, _ []int) string { return names(g, g.StrandedEntries()) },
	"order":       askOrder,
	"next":        func(g *Graph, at []int) string { return edge(g, first(g.Next(at[0]))) },
	"hops":        askHops,
	"reach":       func(g *Graph, at []int) string { return names(g, g.Reachable(at[0])) },
	"stuck":       askStuck,
	"cut":         askCut,
	"fix":         askFix,
	"unskip":      func(g *Graph, at []int) string { return edges(g, stuckEntry(g, at[0]).Unskip) },
	"loops":       func(g *Graph, _ []int) string { return loops(g, g.Loops()) },
	"cycles":      func(g *Graph, _ []int) string { return loops(g, g.Cycles()) },
	"successors":  func(g *Graph, at []int) string { return edges(g, g.SuccessorsV1(at[0])) },
	"next-v1":     func(g *Graph, at []int) string { return edge(g, first(g.NextV1(at[0]))) },
	"stuck-v1":    func(g *Graph, _ []int) string { return names(g, g.DeadEndsV1()) },
	"hops-v1":     askHopsV1,
	"dead":        askDead,
	"missing":     askMissing,
	"unreached":   func(g *Graph, _ []int) string { return names(g, withoutPathToHead(g)) },
	"shortest":    func(g *Graph, at []int) string { return edges(g, shortestPath(g, at[0], at[1])) },
	"skipped-by":  func(g *Graph, at []int) string { return edge(g, first(g.SkippedBy(at[0]))) },
	"upgrades":    func(g *Graph, _ []int) string { return upgrades(g, slices.Collect(g.Upgrades())) },
	"steps":       func(g *Graph, _ []int) string { return upgrades(g, g.DirectUpgrades()) },
	"way-in":      askReachedFrom,
	"order-error": func(g *Graph, _ []int) string { _, err := g.Order(); return err.Error() },
}

func first(e Edge, ok bool) Edge {
	if !ok {
		return noEdge
	}
	return e
}

func askOrder(g *Graph, _ []int) string {
	order, err := g.Order()
	if err != nil {
		return "error"
	}
	return names(g, order)
}

func askHops(g *Graph, at []int) string {
	hops, end, ok := g.Hops(at[0])
	if !ok {
		return fmt.Sprintf("loop after %d at %s", hops, g.Name(end))
	}
	return fmt.Sprintf("%d to %s", hops, g.Name(end))
}

func askHopsV1(g *Graph, at []int) string {
	hops, end := g.HopsV1(at[0])
	return fmt.Sprintf("%d to %s", hops, g.Name(end))
}

func askStuck(g *Graph, _ []int) string {
	var stuck []int
	for _, s := range g.Stuck() {
		stuck = append(stuck, s.Entry)
	}
	return names(g, stuck)
}

func askCut(g *Graph, at []int) string {
	var cuts []string
	for _, blocked := range stuckEntry(g, at[0]).Blocked {
		by := "off the order"
		if blocked.SkippedBy.To >= 0 {
			by = "skipped by " + g.Name(blocked.SkippedBy.To)
		}
		cuts = append(cuts, edge(g, blocked.Edge)+" "+by)
	}
	return strings.Join(cuts, ", ")
}

func askFix(g *Graph, at []int) string {
	s := stuckEntry(g, at[0])
	if s.FixEntry < 0 {
		return "none"
	}
	return g.Name(s.FixEntry) + " skips " + names(g, append([]int{s.Entry}, s.AlsoSkip...))
}

func stuckEntry(g *Graph, i int) Stuck {
	all := g.Stuck()
	return all[slices.IndexFunc(all, func(s Stuck) bool { return s.Entry == i })]
}

func upgrades(g *Graph, all []Upgrade) string {
	var said []string
	for _, u := range all {
		by := ""
		if u.V0 {
			by += " v0"
		}
		if u.V1 {
			by += " v1"
		}
		said = append(said, g.Name(u.From)+">"+g.Name(u.To)+by)
	}
	return strings.Join(said, ", ")
}

// askReachedFrom takes the ends first and the possible starts last.
func askReachedFrom(g *Graph, at []int) string {
	ends, begin := at[:len(at)-1], at[len(at)-1]
	way, _ := channelOrigins(g).ShortestPathInto(ends, func(i int) bool { return i == begin }, func(Edge) bool { return true })
	return edges(g, way)
}

func askDead(g *Graph, _ []int) string {
	var dead []string
	for _, e := range g.UnusedReplaces() {
		dead = append(dead, g.Name(e.From)+"->"+g.Name(e.To))
	}
	return strings.Join(dead, " ")
}

func askMissing(g *Graph, _ []int) string {
	var missing []string
	for _, m := range g.MissingTargets() {
		missing = append(missing, fmt.Sprintf("%s %s %s", g.Name(m.Entry), m.Kind, m.Where.Value))
	}
	return strings.Join(missing, ", ")
}

func loops(g *Graph, all [][]Edge) string {
	var said []string
	for _, loop := range all {
		said = append(said, g.Name(loop[0].From)+" "+strings.ReplaceAll(edges(g, loop), ",", ""))
	}
	return strings.Join(said, ", ")
}

func edges(g *Graph, edges []Edge) string {
	var said []string
	for _, e := range edges {
		said = append(said, edge(g, e))
	}
	return strings.Join(said, ", ")
}

func edge(g *Graph, e Edge) string {
	if e.To < 0 {
		return "none"
	}
	return g.Name(e.To) + " " + e.Kind.String()
}

func names(g *Graph, entries []int) string {
	var all []string
	for _, i := range entries {
		all = append(all, g.Name(i))
	}
	return strings.Join(all, " ")
}

// script is one case of the language.
type script struct {
	name      string
	entries   string
	questions [][2]string
}

func scripts(t testing.TB) []script {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases:", err)
	}
	var all []script
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(string(data), "\n\n") {
			if strings.TrimSpace(paragraph) != "" {
				all = append(all, readScript(paragraph))
			}
		}
	}
	return all
}

func readScript(paragraph string) script {
	var s script
	for line := range strings.Lines(paragraph) {
		line = strings.TrimSpace(line)
		switch question, answer, ok := strings.Cut(line, ":"); {
		case line == "" || line[0] == '#':
		case question == "name":
			s.name = strings.TrimSpace(answer)
		case ok:
			s.questions = append(s.questions, [2]string{question, strings.TrimSpace(answer)})
		default:
			s.entries += line + "\n"
		}
	}
	return s
}

func TestLanguage(t *testing.T) {
	for _, s := range scripts(t) {
		t.Run(s.name, func(t *testing.T) {
			g := parseGraph(s.entries)
			for _, q := range s.questions {
				if got := ask(t, g, q[0]); got != q[1] {
					t.Errorf("%s: got %s, want %s", q[0], got, q[1])
				}
			}
			check(t, g)
		})
	}
}
