//go:build unix

package graphviz

import (
	"syscall"
	"time"
)

// limitCPU sets RLIMIT_CPU, so that the kernel ends the process after this processor time.
func limitCPU(d time.Duration) {
	seconds := uint64(d/time.Second) + 1
	syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
}
