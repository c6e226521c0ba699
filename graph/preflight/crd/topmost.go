package crd

// Topmost leaves out of changes what another one of them says already: a path below one that is gone or of another type, which
// counts how many they are; what else crdify reports of a path that is gone; and a difference that lies in schemas below and
// stands at their own paths too.
func Topmost(changes []Change) []Change {
	f := fold{heads: map[place]int{}, above: map[place]bool{}, under: map[place]map[string]bool{}}
	for i, c := range changes {
		f.head(i, c, changes)
		for _, p := range c.place().ancestors() {
			f.above[p] = true
		}
	}
	for _, c := range changes {
		f.count(c)
	}
	var top []Change
	for i, c := range changes {
		if f.says(i, c) {
			if f.heads[c.place()] == i+1 {
				c.Under = len(f.under[c.place()])
			}
			top = append(top, c)
		}
	}
	return top
}

// place is a path in a version.
type place struct{ version, path string }

func (c *Change) place() place { return place{c.Version, c.Path} }

// gone says whether c is reported because there is nothing any more at its path.
func (c *Change) gone() bool { return c.lost || c.Check == existingFieldRemoval }

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

// fold finds which changes speak for others.
type fold struct {
	heads map[place]int             // one more than the index of the change that speaks for what is gone at a place and below
	above map[place]bool            // the places above a change
	under map[place]map[string]bool // the paths for which a head speaks
}

// head notes c if it can speak for its place: that it is gone, before that its type is another, before anything else. Where
// there was no type or is none any more, what stood below can stand there still.
func (f fold) head(i int, c Change, all []Change) {
	if !c.gone() && (c.Check != "type" || c.Was == "" || c.Is == "") {
		return
	}
	known := f.heads[c.place()] - 1
	if known < 0 || c.Check == existingFieldRemoval || c.Check == "type" && all[known].Check != existingFieldRemoval {
		f.heads[c.place()] = i + 1
	}
}

// speaker is the place of the head that speaks for what is gone at p.
func (f fold) speaker(p place) place {
	for _, above := range p.ancestors() {
		if f.heads[above] > 0 {
			return above
		}
	}
	return p
}

func (f fold) count(c Change) {
	speaker := f.speaker(c.place())
	if !c.gone() || speaker == c.place() {
		return
	}
	if f.under[speaker] == nil {
		f.under[speaker] = map[string]bool{}
	}
	f.under[speaker][c.Path] = true
}

// says tells whether the change at index i says what no other does.
func (f fold) says(i int, c Change) bool {
	if c.gone() {
		return f.speaker(c.place()) == c.place() && f.heads[c.place()] == i+1
	}
	return !c.echo || !f.above[c.place()]
}
