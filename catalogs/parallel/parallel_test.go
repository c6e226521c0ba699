package parallel_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/parallel"
)

// TestEach checks that each index is passed once, on as many goroutines as wanted: with fewer of three calls the barrier would never open.
func TestEach(t *testing.T) {
	var barrier sync.WaitGroup
	barrier.Add(3)
	calls := make([]int, 3)
	parallel.EachOn(3, len(calls), func(i int) {
		calls[i]++
		barrier.Done()
		barrier.Wait()
	})
	if !slices.Equal(calls, []int{1, 1, 1}) {
		t.Errorf("the calls of three are %v", calls)
	}
	one := []int{}
	parallel.EachOn(1, 1000, func(i int) { one = append(one, i) })
	if len(one) != 1000 || !slices.IsSorted(one) {
		t.Errorf("one goroutine calls with %v", one)
	}
	parallel.Each(0, func(int) { t.Error("a call of none") })
}

// TestPanic: all calls are made, and the panic of the first of those that panic is the caller's.
func TestPanic(t *testing.T) {
	var calls atomic.Int32
	failed := parallel.Try(func() {
		parallel.Each(50, func(i int) {
			if calls.Add(1); i > 10 {
				panic(i)
			}
		})
	})
	if failed == nil || failed.What != "11" || !strings.HasPrefix(failed.Where, "catalogs/parallel_test.TestPanic.func") || calls.Load() != 50 {
		t.Errorf("%+v after %d calls", failed, calls.Load())
	}
}
