//go:build !linux

package graphviz

import "os/exec"

// run runs a child, which exits after its timeout if the parent does not end it.
func run(child *exec.Cmd) error { return child.Run() }
