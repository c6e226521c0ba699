//go:build !race

package rendertest

// UnderRace reports whether the race detector is enabled, which slows Graphviz down.
const UnderRace = false

// Fewer returns all elements; under the race detector only the first.
func Fewer[T any](all []T) []T { return all }
