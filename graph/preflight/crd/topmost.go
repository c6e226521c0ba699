package crd

// Topmost leaves out of changes what another one of them says already: a path below one that is gone or of another type, which
// counts how many they are; what else crdify reports of a path that is gone; and a difference that lies in schemas below and
// stands at their own paths too.
func Topmost(changes []Change) []Change {
	f := topmostFilter{heads: map[place]int{}, above: map[place]bool{}, below: map[place]map[string]bool{}}
	for i, c := range changes {
		f.addHead(i, c, changes)
		for _, p := range c.place().ancestors() {
			f.above[p] = true
		}
	}
	for _, c := range changes {
		f.count(c)
	}
	var top []Change
	for i, c := range changes {
		if f.isTopmost(i, c) {
			if f.heads[c.place()] == i+1 {
				c.FieldsBelow = len(f.below[c.place()])
			}
			top = append(top, c)
		}
	}
	return top
}

// place is a path in a version.
type place struct{ version, path string }

func (c *Change) place() place { return place{c.Version, c.Path} }

// isRemoval says whether c is reported because there is nothing any more at its path.
func (c *Change) isRemoval() bool { return c.removed || c.Check == existingFieldRemoval }

// ancestors are the places above p, topmost first.
func (p place) ancestors() []place {
	var above []place
	for i := 1; i < len(p.path); i++ {
		if p.path[i] == '.' || p.path[i] == '[' {
			above = append(above, place{p.version, p.path[:i]})
		}
	}
	return above
}

// topmostFilter finds which changes speak for others.
type topmostFilter struct {
	heads map[place]int             // one more than the index of the change that speaks for what is gone at a place and below
	above map[place]bool            // the places above a change
	below map[place]map[string]bool // the paths for which a head speaks
}

// addHead notes c if it can speak for its place: that it is gone, before that its type is another, before anything else. Where
// there was no type or is none any more, what stood below can stand there still.
func (f topmostFilter) addHead(i int, c Change, all []Change) {
	if !c.isRemoval() && (c.Check != "type" || c.Was == "" || c.Is == "") {
		return
	}
	known := f.heads[c.place()] - 1
	if known < 0 || c.Check == existingFieldRemoval || c.Check == "type" && all[known].Check != existingFieldRemoval {
		f.heads[c.place()] = i + 1
	}
}

// headOf is the place of the head that speaks for what is gone at p.
func (f topmostFilter) headOf(p place) place {
	for _, above := range p.ancestors() {
		if f.heads[above] > 0 {
			return above
		}
	}
	return p
}

func (f topmostFilter) count(c Change) {
	speaker := f.headOf(c.place())
	if !c.isRemoval() || speaker == c.place() {
		return
	}
	if f.below[speaker] == nil {
		f.below[speaker] = map[string]bool{}
	}
	f.below[speaker][c.Path] = true
}

// isTopmost tells whether the change at index i says what no other does.
func (f topmostFilter) isTopmost(i int, c Change) bool {
	if c.isRemoval() {
		return f.headOf(c.place()) == c.place() && f.heads[c.place()] == i+1
	}
	return !c.onlyBelow || !f.above[c.place()]
}
