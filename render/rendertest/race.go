//go:build race

package rendertest

// underRace is whether the race detector slows everything down.
const underRace = true

// fewer is one of them: under the race detector the others would only take longer.
func fewer[T any](all []T) []T { return all[:1] }
