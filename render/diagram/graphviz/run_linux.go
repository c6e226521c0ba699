package graphviz

import (
	"os/exec"
	"runtime"
	"syscall"
)

// start starts a child, which the kernel kills when the parent ends. The function that it returns waits for the end of the child
// and must be called once.
func start(child *exec.Cmd) (wait func() error, err error) {
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, waiting, ended := make(chan error), make(chan bool), make(chan error)
	go func() {
		// Pdeathsig refers to the thread that starts the child, which must not exit before the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := child.Start()
		started <- err
		if err == nil {
			<-waiting
			ended <- child.Wait()
		}
	}()
	return func() error {
		waiting <- true
		return <-ended
	}, <-started
}
