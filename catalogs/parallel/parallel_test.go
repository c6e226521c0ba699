package parallel_test

import (
	"slices"
	"sync"
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
