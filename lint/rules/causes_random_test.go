package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// publishedEntries returns a chain, in which some entries also skip or cover older ones.
func (s *channelWriter) publishedEntries() []writtenEntry {
	var all []writtenEntry
	for i := range 3 + s.IntN(6) {
		e := writtenEntry{Name: fmt.Sprintf("red.v1.%d.0", i)}
		if i > 0 {
			e.Replaces = all[i-1].Name
		}
		if i > 1 && s.IntN(3) == 0 {
			e.Skips = []string{all[s.IntN(i-1)].Name}
		}
		if s.IntN(4) == 0 {
			e.SkipRange = fmt.Sprintf(">=1.0.0 <1.%d.0", i)
		}
		all = append(all, e)
	}
	return all
}

// mistake returns entries with one change, and the index of the entry that has it; -1 if it was removed.
func (s *channelWriter) mistake(all []writtenEntry) ([]writtenEntry, int) {
	all = slices.Clone(all)
	i := 1 + s.IntN(len(all)-1)
	e := &all[i]
	switch s.IntN(7) {
	case 0:
		e.Replaces = ""
	case 1:
		e.Replaces = all[s.IntN(len(all))].Name
	case 2:
		e.Replaces = strings.Replace(e.Replaces, "red", "rde", 1)
	case 3:
		e.Skips = append(slices.Clone(e.Skips), all[s.IntN(len(all))].Name)
	case 4:
		e.Skips = nil
	case 5:
		e.SkipRange = fmt.Sprintf(">=1.0.0 <1.%d.0", s.IntN(10))
	case 6:
		return slices.Delete(all, i, i+1), -1
	}
	return all, i
}

// newFindings returns the warnings and errors of a catalog that the base does not have.
func newFindings(t *testing.T, now, base *catalogs.Catalog) []lint.Finding {
	t.Helper()
	pairs := []compare.Pair{{Now: now, Base: base, Changed: []string{"red"}}}
	rules := slices.Concat(family("graph"), family("published"), family("catalog"))
	return lintAll(t, []*catalogs.Catalog{now}, lint.Options{Rules: rules, Base: pairs, OnlyNew: true, MinSeverity: lint.Warning})
}

// TestCausesRandom makes one mistake in random channels. What strands users is one finding at the changed entry, whose first fix restores
// what was, and no other fix harms users.
func TestCausesRandom(t *testing.T) {
	stranding, alternatives := 0, 0
	for seed := range randomChannels() {
		s := &channelWriter{Rand: rand.New(rand.NewPCG(seed, 3)), eol: "\n", noComments: true}
		entries := s.publishedEntries()
		changed, at := s.mistake(entries)
		base := openText(t, s.yaml(entries))[0]
		s.out.Reset()
		text := s.yaml(changed)
		now := openText(t, text)[0]
		c := graph.Change{Base: graph.New(base.Packages[0], base.Packages[0].Channels[0]), Now: graph.New(now.Packages[0], now.Packages[0].Channels[0])}
		if !edges.IsValid(c.Base) || len(newFindings(t, base, base)) > 0 || !slices.ContainsFunc(c.Outcomes(), func(f graph.Outcome) bool { return f.IsStranded() }) {
			continue
		}
		stranding++
		found := newFindings(t, now, base)
		if len(found) != 1 {
			t.Fatalf("seed %d: %d findings %v\n%s", seed, len(found), messages(found), text)
		}
		f := &found[0]
		if at >= 0 && !isAtEntry(c.Now, at, f.Pos) {
			t.Errorf("seed %d: %s: not at %q: %s\n%s", seed, f.Pos, c.Now.Name(at), f.Message, text)
		}
		first, others, _ := strings.Cut(f.Fix, "; or ")
		if !strings.HasPrefix(first, "restore ") && !strings.HasPrefix(first, "remove ") {
			t.Errorf("seed %d: %s: the fix does not restore: %s", seed, f.Message, f.Fix)
		}
		if f.Fix = others; f.Channel == "" || fixFunc(f) == nil {
			continue
		}
		alternatives++
		channel := now.Packages[0].Channels[0]
		fixed := edges.WithEntry(c.Now, 0, func(*catalogs.Entry) {})
		for i := range fixed.Channel.Entries {
			fixed = edges.WithEntry(fixed, i, func(*catalogs.Entry) {})
		}
		fixFunc(f)(fixed.Channel)
		after := graph.New(now.Packages[0], fixed.Channel)
		if (&graph.Change{Base: graph.New(now.Packages[0], channel), Now: after}).Harms() {
			t.Errorf("seed %d: %s: harms: %s\n%s", seed, f.Message, others, text)
		}
	}
	t.Logf("%d strand users, %d have another fix", stranding, alternatives)
	if stranding < 50 || alternatives < 5 {
		t.Error("the samples no longer try it")
	}
}

func messages(found []lint.Finding) []string {
	var all []string
	for i := range found {
		all = append(all, fmt.Sprintf("\n%s %s %s: %s", found[i].Pos, found[i].Rule, found[i].Severity, found[i].Message))
	}
	return all
}

// isAtEntry reports whether a position is in an entry that is not the first.
func isAtEntry(g *graph.Graph, i int, pos catalogs.Pos) bool {
	all := g.Channel.Entries
	return pos.Line > all[i-1].Pos.Line && (i == len(all)-1 || pos.Line <= all[i+1].Pos.Line)
}
