//go:build unix

package graphviz

import (
	"syscall"
	"time"
)

// bound has the system end the process when it has computed for longer than it may, on both of its processors.
func bound(timeout time.Duration) {
	seconds := 2*uint64(timeout/time.Second) + 1
	syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
}
