package rules

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// maxFixRounds is the maximum number of rounds to apply all fixes: one for heads and names, one for findings that appear then.
const maxFixRounds = 2

// fixRounds applies the fixes of a catalog round by round until there are none, and returns the number of rounds. After each
// round fixed findings must be gone, and valid channels must not have new problems.
func fixRounds(t *testing.T, ref string) int {
	t.Helper()
	open := func(revised map[string][]byte) ([]*catalogs.Catalog, error) {
		return open.Open(t.Context(), ref, open.Options{Overlay: revised})
	}
	cats, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	revised := map[string][]byte{}
	for rounds := 0; ; rounds++ {
		before := runAll(t, cats)
		result, err := lint.FixOnce(cats, before, All())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range result.Unfixed {
			t.Errorf("round %d: %s: %s", rounds+1, u.Message, u.Why)
		}
		if len(result.Files) == 0 || rounds > maxFixRounds {
			return rounds
		}
		for _, f := range result.Files {
			revised[f.Name] = f.New
		}
		after, err := open(revised)
		if err != nil {
			t.Fatal(err)
		}
		checkFixed(t, before, runAll(t, after), cats[0])
		checkNoneWorse(t, cats[0], after[0])
		cats = after
	}
}

func runAll(t *testing.T, cats []*catalogs.Catalog) []lint.Finding {
	t.Helper()
	return lintAll(t, cats, lint.Options{Rules: family("catalog", "graph", "deprecation")})
}

// onceAChannel is a rule that names the first of several entries.
const onceAChannel = "graph/stuck-v1"

// checkFixed checks that fixed findings are gone, and that valid channels have no new errors.
func checkFixed(t *testing.T, before, after []lint.Finding, was *catalogs.Catalog) {
	t.Helper()
	fixed, had := map[string]bool{}, map[string]bool{}
	for i := range before {
		f := &before[i]
		for _, subject := range errorsIn(f) {
			had[subject] = true
		}
		if f.Rule == onceAChannel {
			had[f.Rule+f.Channel] = true
		}
		if len(f.Edits) > 0 && f.Rule != "graph/stuck" && f.Rule != "graph/stranded" {
			fixed[findingSubject(f)+f.Message] = true
		}
	}
	for i := range after {
		f := &after[i]
		if fixed[findingSubject(f)+f.Message] {
			t.Errorf("still there: %s [%s]", f.Message, f.Rule)
		}
		if f.Severity == lint.Error && isNew(f, had) && !had[f.Rule+f.Channel] && f.Channel != "" && edges.IsValid(findingGraph(was, f)) {
			t.Errorf("new: %s [%s]", f.Message, f.Rule)
		}
	}
}

// checkNoneWorse checks that no channel has new problems.
func checkNoneWorse(t *testing.T, before, after *catalogs.Catalog) {
	t.Helper()
	for n, p := range before.Packages {
		for m, c := range p.Channels {
			was, is := graph.New(p, c), graph.New(after.Packages[n], after.Packages[n].Channels[m])
			if edges.HasNewProblems(was, is) {
				t.Errorf("channel %q of %q is worse off", c.Name.Value, p.Name.Value)
			}
		}
	}
}

// TestFixRoundsRandom applies all fixes of random channels.
func TestFixRoundsRandom(t *testing.T) {
	took := make([]int, maxFixRounds+1)
	for seed := range randomChannels() {
		s := &channelWriter{Rand: rand.New(rand.NewPCG(seed, 3)), eol: "\n", noComments: true}
		path := filepath.Join(t.TempDir(), "catalog.yaml")
		entries := s.entries()
		if seed%2 == 0 {
			entries = s.unorderedEntries()
		}
		text := s.yaml(entries)
		catalogtest.Write(t, path, text)
		rounds := fixRounds(t, path)
		if rounds > maxFixRounds {
			t.Errorf("there are still fixes after %d rounds", maxFixRounds)
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
		took[rounds]++
	}
	t.Logf("channels, by rounds: %v", took)
	if slices.Min(took) < int(randomChannels()/100) {
		t.Error("the samples no longer try anything")
	}
}

// TestFixRoundsReal applies all fixes of real catalogs.
func TestFixRoundsReal(t *testing.T) {
	for name, want := range map[string]int{"community-v4.14": 0, "community-v4.18": 1, "community-v4.18.json": 1, "community-v4.20": 1, "community-v4.22": 1} {
		if rounds := fixRounds(t, catalogtest.Data(t, "fbc/"+name)); rounds != want {
			t.Errorf("%s: %d rounds of fixes, want %d", name, rounds, want)
		}
	}
}
