// Package parallel calls a function several times at once.
package parallel

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Each calls do with 0 to n-1, as many calls at once as there are processors, and returns after all of them. What do writes by its index is in
// an order that does not depend on goroutines.
func Each(n int, do func(i int)) { EachOn(runtime.GOMAXPROCS(0), n, do) }

// EachOn is Each with a number of calls at once. If some panic, it panics with the Panic of the first of them, after all.
func EachOn(goroutines, n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	var mutex sync.Mutex
	first, failed := n, (*Panic)(nil)
	try := func(i int) {
		if p := Try(func() { do(i) }); p != nil {
			mutex.Lock()
			defer mutex.Unlock()
			if i < first {
				first, failed = i, p
			}
		}
	}
	for range min(goroutines, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				try(i)
			}
		})
	}
	wg.Wait()
	if failed != nil {
		panic(failed)
	}
}

// Panic is what a function panicked with, and the function and line of the program's own code where it did.
type Panic struct{ What, Where string }

func (p *Panic) String() string { return p.What + ", in " + p.Where }

// Try calls a function, and returns its panic, nil if it has none.
func Try(do func()) (failed *Panic) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *Panic: // of Each
			failed = value
		default:
			failed = &Panic{What: fmt.Sprint(value), Where: panicPlace()}
		}
	}()
	do()
	return nil
}

// panicPlace returns the innermost function of the program's own code that panics, and its line. It is called while the panic is recovered.
func panicPlace() string {
	calls := make([]uintptr, 100)
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls)]) // after those of Try's recovery
	for {
		frame, more := frames.Next()
		if own := strings.TrimPrefix(frame.Function, module); own != frame.Function {
			return fmt.Sprintf("%s:%d", own, frame.Line)
		}
		if !more {
			return frame.Function
		}
	}
}

// module is the path of the program's own packages.
const module = "github.com/olmgraph/olmgraph/"
