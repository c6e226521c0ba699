//go:build !linux

package graphviz

import "os/exec"

// start starts a child, which exits after its timeout if the parent does not end it. The function that it returns waits for the
// end of the child and must be called once.
func start(child *exec.Cmd) (wait func() error, err error) { return child.Wait, child.Start() }
