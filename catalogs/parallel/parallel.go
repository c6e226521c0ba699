// Package parallel calls a function several times at once.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with 0 to n-1, as many calls at once as there are processors, and returns after all of them. What do writes by its index is in
// an order that does not depend on goroutines.
func Each(n int, do func(i int)) { EachOn(runtime.GOMAXPROCS(0), n, do) }

// EachOn is Each with a number of calls at once.
func EachOn(goroutines, n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(goroutines, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
