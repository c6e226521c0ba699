package cli

import (
	"runtime/debug"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	for _, test := range []struct {
		live uint64 // MiB
		want int
	}{
		{0, 400}, {1, 400}, {51, 400}, {64, 300}, {100, 156}, {128, 100}, {256, 100}, {10_000, 100},
	} {
		if got := gcPercentFor(test.live << 20); got != test.want {
			t.Errorf("with %d MiB live the heap may grow by %d %%, want %d", test.live, got, test.want)
		}
	}
}

// TestGCPercentFor checks that the heap stays near its target, and may always double.
func TestGCPercentFor(t *testing.T) {
	before := debug.SetGCPercent(100)
	tuneGC()
	held := make([]byte, 160<<20)
	percent := 0
	for wait := time.Now().Add(20 * time.Second); percent != minGCPercent && time.Now().Before(wait); time.Sleep(time.Millisecond) {
		_ = make([]byte, 8<<20)
		debug.FreeOSMemory()
		percent = debug.SetGCPercent(maxGCPercent)
		debug.SetGCPercent(percent)
	}
	debug.SetGCPercent(before)
	if held[0] = 1; percent != minGCPercent {
		t.Errorf("with %d MiB live the heap may grow by %d %%", len(held)>>20, percent)
	}
}
