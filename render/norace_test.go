//go:build !race

package render

// underRace is whether the race detector slows everything down.
const underRace = false

// fewer is all of them: see the race detector's.
func fewer[T any](all []T) []T { return all }
