//go:build unix

package graphviz

import (
	"syscall"
	"time"
)

// limitCPU sets RLIMIT_CPU, so that the kernel ends the process after the timeout on two processors.
func limitCPU(timeout time.Duration) {
	seconds := 2*uint64(timeout/time.Second) + 1
	syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
}
