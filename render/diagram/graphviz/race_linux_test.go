//go:build race

package graphviz

// raced says whether the race detector is enabled, with which compiling Graphviz takes ten times as long.
const raced = true
