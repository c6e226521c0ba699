//go:build !unix

package catalogtest

import "time"

var started = time.Now()

// processorTime returns the time since the start of the process: what its processors have spent is not known here.
func processorTime() time.Duration { return time.Since(started) }
