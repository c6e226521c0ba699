//go:build unix

package drawing

import (
	"syscall"
	"time"
)

// bound has the system end the process when it has computed for longer than it may.
func bound(timeout time.Duration) {
	seconds := uint64(timeout/time.Second) + 1
	syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
}
