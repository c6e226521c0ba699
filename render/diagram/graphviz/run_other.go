//go:build !linux

package graphviz

import "os/exec"

// run has a child do its work. The child ends by itself if its parent does not end it.
func run(child *exec.Cmd) error { return child.Run() }
