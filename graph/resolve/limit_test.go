package resolve

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// pigeons is a namespace with one subscription more than there are APIs, one of which each operator provides.
func pigeons(t testing.TB, holes int) Namespace {
	var text strings.Builder
	text.WriteString("catalog main\n")
	for p := range holes + 1 {
		fmt.Fprintf(&text, "package p%d\n", p)
		for h := 1; h <= holes; h++ {
			fmt.Fprintf(&text, "p%d.v%d replaces p%d.v%d provides H%d\n", p, h, p, h-1, h)
		}
		fmt.Fprintf(&text, "sub p%d\n", p)
	}
	return parseNamespace(t, text.String())
}

// threes is a namespace whose operators, each in one of two versions, have to fit clauses of three of them at random.
func threes(t testing.TB, r *rand.Rand, operators, clauses int) Namespace {
	var text strings.Builder
	text.WriteString("catalog main\n")
	for o := range operators {
		fmt.Fprintf(&text, "package x%d\nx%d.v1\nx%d.v2 replaces x%d.v1\nsub x%d\n", o, o, o, o, o)
	}
	for c := range clauses {
		var parts []string
		for range 3 {
			parts = append(parts, fmt.Sprintf(`{"package":{"packageName":"x%d","versionRange":"%d.0.0"}}`, r.IntN(operators), 1+r.IntN(2)))
		}
		fmt.Fprintf(&text, "package c%d\nc%d.v1 property olm.constraint '{\"failureMessage\":\"no\",\"any\":{\"constraints\":[%s]}}'\nsub c%d\n",
			c, c, strings.Join(parts, ","), c)
	}
	return parseNamespace(t, text.String())
}

// TestTooHard has a problem that exceeds the limit: the result comes in time, is the same each time, and is not a refusal of OLM.
func TestTooHard(t *testing.T) {
	n := pigeons(t, 12)
	for range 2 {
		e := newBudgets(maxSteps / 10)
		r, err := e.resolve(t.Context(), n)
		if err != nil || !r.isUndecided() || r.Resolvable() || faults(r) == "" {
			t.Errorf("%+v, %v", r, err)
		}
	}
	c, err := runToFixedPoint(t.Context(), pigeons(t, 3), 10)
	if err != nil || c.End != Unresolvable {
		t.Errorf("few pigeons: %+v, %v", c, err)
	}
}

// TestUnexplained has a problem that can be decided, but exceeds the limit for its explanation.
func TestUnexplained(t *testing.T) {
	e := newBudgets(maxSteps)
	e.explain = sat.NewBudget(100)
	r, err := e.resolve(t.Context(), pigeons(t, 5))
	if err != nil || len(r.Conflict) != 1 || r.Conflict[0].Kind != Unexplained || r.isUndecided() || r.Resolvable() {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestInterrupted cancels the context of a hard problem.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := newBudgets(1<<60).resolve(ctx, pigeons(t, 13))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// BenchmarkHard measures problems that are decided and explained, that are decided only, and that reach the limit.
func BenchmarkHard(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, hard := range []struct {
		name      string
		namespace Namespace
	}{
		{"pigeons/8", pigeons(b, 8)}, {"pigeons/12", pigeons(b, 12)}, {"3-SAT/50", threes(b, random, 50, 213)}, {"3-SAT/100", threes(b, random, 100, 426)},
	} {
		b.Run(hard.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Resolve(b.Context(), hard.namespace); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestLongReplacements: of long chains of operators that replace one another, and of many loops, each is looked at once.
func TestLongReplacements(t *testing.T) {
	const length = 100_000
	s := &space{Namespace: &Namespace{}}
	for i := length; i > 0; i-- {
		s.Installed = append(s.Installed, InstalledOperator{Name: fmt.Sprint("a", i), Replaces: fmt.Sprint("a", i-1), Phase: replacing})
	}
	s.Installed[0].Phase = failed
	for i := range length {
		s.Installed = append(s.Installed, InstalledOperator{Name: fmt.Sprint("b", i), Replaces: fmt.Sprint("b", i^1), Phase: replacing})
	}
	names := s.replacedFirst()
	if len(names) != 2*length || names[0] != "a1" || names[length-1] != fmt.Sprint("a", length) || names[length] != "b1" || names[length+1] != "b0" {
		t.Errorf("%d names, %v …", len(names), names[length-1:length+2])
	}
	ignored := 0
	for i := range s.Installed {
		if s.ignoredByFailForward(&s.Installed[i]) {
			ignored++
		}
	}
	if ignored != length-1 || len(s.faults) != length || s.faults[0].Err != errReplacementLoop {
		t.Errorf("%d are ignored, %d faults", ignored, len(s.faults))
	}
}
