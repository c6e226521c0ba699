package memo_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// TestMap: a value is computed once, also if it is the zero value, or if it depends on others.
func TestMap(t *testing.T) {
	var m memo.Map[int, int]
	computed := 0
	var fibonacci func(n int) int
	fibonacci = func(n int) int {
		return m.Get(n, func() int {
			computed++
			if n < 2 {
				return n
			}
			return fibonacci(n-1) + fibonacci(n-2)
		})
	}
	if got := fibonacci(30); got != 832040 || computed != 31 {
		t.Errorf("%d, computed %d times", got, computed)
	}
	if fibonacci(0); computed != 31 {
		t.Error("a zero is computed again")
	}
}

// TestGroups: keys stay in the order in which they come first, and values in theirs.
func TestGroups(t *testing.T) {
	var g memo.Groups[string, int]
	for i, key := range []string{"b", "a", "b", "c", "a"} {
		g.Add(key, i)
	}
	var got []string
	for key, values := range g.All() {
		got = append(got, fmt.Sprint(key, values))
		if key == "c" {
			break
		}
	}
	if want := "[b[0 2] a[1 4] c[3]]"; fmt.Sprint(got) != want || len(g.Keys()) != 3 || len(g.Values("x")) != 0 {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestShared: a value that several ask for at once is computed once.
func TestShared(t *testing.T) {
	var m memo.Shared[int, int]
	var computed atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got := m.Get(1, func() int { computed.Add(1); return 7 }); got != 7 {
				t.Errorf("%d", got)
			}
		})
	}
	if all.Wait(); computed.Load() != 1 {
		t.Errorf("computed %d times", computed.Load())
	}
}
