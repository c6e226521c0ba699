//go:build race

package graphviz

// raced is whether the race detector is at work, with which it takes ten times as long to compile Graphviz anew.
const raced = true
