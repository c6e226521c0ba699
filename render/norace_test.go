//go:build !race

package render

// underRace is whether the race detector slows everything down.
const underRace = false
