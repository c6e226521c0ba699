package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The process is short-lived and keeps little: collecting less often saves a fifth of the time for a few megabytes. With a
// large live heap the percentage falls, so that the heap stays near heapTarget; it never falls below 100, at which the heap may
// double between collections.
const (
	maxGCPercent = 400
	minGCPercent = 100
	heapTarget   = 256 << 20 // bytes
)

// tuneGC sets the GC percentage, and adapts it after each collection.
func tuneGC() {
	debug.SetGCPercent(maxGCPercent)
	retuneAfterGC()
}

// retuneAfterGC adapts the GC percentage after the next collection and all later ones: the finalizer of an unreachable value
// runs after a collection, and allocates the next value.
func retuneAfterGC() {
	type value struct{ _ [64]byte }
	runtime.SetFinalizer(new(value), func(*value) {
		debug.SetGCPercent(gcPercentFor(liveBytes()))
		retuneAfterGC()
	})
}

// gcPercentFor returns the GC percentage (GOGC) for a live heap of this many bytes.
func gcPercentFor(live uint64) int {
	if live == 0 {
		return maxGCPercent
	}
	return max(minGCPercent, min(maxGCPercent, int((heapTarget-int64(live))*100/int64(live))))
}

// liveBytes returns the size of the live heap after the last collection, or 0 if it is unknown.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
