package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The program lives for a moment and keeps little: collecting less often saves a fifth of the time for a few megabytes. Where a
// catalog holds something huge memory matters more, until the collector would do nothing else: the heap may always double.
const (
	mostPercent  = 400
	leastPercent = 100
	enoughHeap   = 256 << 20 // bytes that the heap may take, whatever is live
)

// tuneCollector says how often the collector runs, anew after each of its runs.
func tuneCollector() {
	debug.SetGCPercent(mostPercent)
	afterCollection()
}

// afterCollection paces the collector when it has found out that a value is not used any more: after its next run, and so after all
// others.
func afterCollection() {
	type value struct{ _ [64]byte }
	runtime.SetFinalizer(new(value), func(*value) {
		debug.SetGCPercent(percentFor(liveBytes()))
		afterCollection()
	})
}

// percentFor is by how many percent of what is live the heap may grow.
func percentFor(live uint64) int {
	if live == 0 {
		return mostPercent
	}
	return max(leastPercent, min(mostPercent, int((enoughHeap-int64(live))*100/int64(live))))
}

// liveBytes is what the last run of the collector found to be live.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
