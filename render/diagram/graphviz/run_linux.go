package graphviz

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run has a child do its work. The child is ended when its parent is, however that ends.
func run(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	// The parent is the thread that starts the child, for this purpose, so that must not end before the child does.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return child.Run()
}
