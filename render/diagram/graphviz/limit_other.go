//go:build !unix

package graphviz

import "time"

// limitCPU does nothing: the system has no such limit.
func limitCPU(time.Duration) {}
