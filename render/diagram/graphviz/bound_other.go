//go:build !unix

package graphviz

import "time"

// bound does nothing: there is no limit that a process can set itself.
func bound(time.Duration) {}
