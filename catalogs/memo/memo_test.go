package memo_test

import (
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
