//go:build unix

package catalogtest

import (
	"syscall"
	"time"
)

// processorTime returns the time that processors have spent for this process, which other processes do not lengthen.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
