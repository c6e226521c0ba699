package crd

// Topmost leaves out changes that another change includes: at a path below one that was removed or has another type; further findings
// of crdify at a removed path; and differences in schemas below that have changes of their own.
func Topmost(changes []Change) []Change {
	f := topmostFilter{heads: map[place]int{}, above: map[place]bool{}}
	for i, c := range changes {
		f.addHead(i, c, changes)
		for _, p := range c.place().ancestors() {
			f.above[p] = true
		}
	}
	var top []Change
	for i, c := range changes {
		if f.isTopmost(i, c) {
			top = append(top, c)
		}
	}
	return top
}

// place is a path in a version.
type place struct{ version, path string }

func (c *Change) place() place { return place{c.Version, c.Path} }

// IsRemoval reports whether c is reported because its path was removed.
func (c *Change) IsRemoval() bool { return c.removed || c.Check == existingFieldRemoval }

// ancestors returns the places above p, topmost first.
func (p place) ancestors() []place {
	var above []place
	for i := 1; i < len(p.path); i++ {
		if p.path[i] == '.' || p.path[i] == '[' {
			above = append(above, place{p.version, p.path[:i]})
		}
	}
	return above
}

// topmostFilter determines which changes include others.
type topmostFilter struct {
	heads map[place]int  // the index, plus one, of the change that includes removals at a place and below
	above map[place]bool // the places above a change
}

// addHead notes c if it can be the head of its place: a removal comes before a change of type, and that before anything else. Where
// a type is added or dropped, schemas below may still be valid.
func (f topmostFilter) addHead(i int, c Change, all []Change) {
	if !c.IsRemoval() && (c.Check != "type" || c.Was == "" || c.Is == "") {
		return
	}
	known := f.heads[c.place()] - 1
	if known < 0 || c.Check == existingFieldRemoval || c.Check == "type" && all[known].Check != existingFieldRemoval {
		f.heads[c.place()] = i + 1
	}
}

// enclosingHead returns the place of the head that includes a removal at p, or p.
func (f topmostFilter) enclosingHead(p place) place {
	for _, above := range p.ancestors() {
		if f.heads[above] > 0 {
			return above
		}
	}
	return p
}

// isTopmost reports whether no other change includes the one at index i.
func (f topmostFilter) isTopmost(i int, c Change) bool {
	if c.IsRemoval() {
		return f.enclosingHead(c.place()) == c.place() && f.heads[c.place()] == i+1
	}
	return !c.onlyBelow || !f.above[c.place()]
}
