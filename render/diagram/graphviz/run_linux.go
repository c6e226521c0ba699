package graphviz

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run runs a child, which the kernel kills when the parent ends.
func run(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	// Pdeathsig refers to the thread that starts the child, which must not exit before the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return child.Run()
}
