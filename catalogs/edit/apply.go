package edit

import (
	"cmp"
	"slices"
)

// Kind says what a Change does.
type Kind int

const (
	// Remove removes the value from a list, or its field from an object. A list without other items is removed with its key.
	Remove Kind = iota
	// Replace replaces the string by Texts[0].
	Replace
	// Append adds Texts to the list under Key of the object that has the string as a field. Those that the list has already are left
	// out; if there is no such list it is created.
	Append
)

// Change is what to do with a value. It is rejected if the value is not Was.
type Change struct {
	Kind  Kind
	Was   string // "" for an empty string or null
	Key   string // of the list to append to
	Texts []string
}

// changeAt is a Change of the value that starts at an offset of a document.
type changeAt struct {
	Off int
	Change
}

// apply applies changes to a document, which stays as it is. It returns the new text, and for each change nil or why it was rejected.
func (d document) apply(changes []changeAt) ([]byte, []error) {
	refused := make([]error, len(changes))
	order := make([]int, len(changes))
	for i := range order {
		order[i] = i
	}
	// From the last one to the first, as if they were made one after the other and none moved the value of another one.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(changes[b].Off, changes[a].Off) })
	b := batch{document: &d, refused: refused}
	repeated := map[int]int{}
	for n, i := range order {
		switch {
		case n > 0 && repeats(changes[order[n-1]], changes[i]):
			repeated[i] = order[n-1]
		case n > 0 && clash(changes[order[n-1]], changes[i]):
			refused[i] = ErrChanged
		default:
			b.all = append(b.all, &pending{changeAt: changes[i], index: i})
		}
	}
	b.attempt(b.all)
	for _, i := range order {
		if first, ok := repeated[i]; ok {
			refused[i] = refused[first]
		}
	}
	return d.text, refused
}

// repeats reports whether two changes are the same.
func repeats(a, b changeAt) bool {
	return a.Off == b.Off && a.Kind == b.Kind && a.Key == b.Key && slices.Equal(a.Texts, b.Texts)
}

// clash reports whether the second of two changes does not find its value after the first one.
func clash(a, b changeAt) bool { return a.Off == b.Off && (a.Kind != Append || b.Kind != Append) }

// batch applies changes to a document.
type batch struct {
	*document
	all     []*pending
	refused []error
	checked int // bytes that were parsed to check texts
}

// pending is a change, with the offset that its value has by now.
type pending struct {
	changeAt
	index int // of the change
	path  path
}

// maxChecked bounds how much text is parsed for one document while changes fail, in bytes.
const maxChecked = 256 << 20

// attempt applies changes together, so that a document with thousands of them is parsed once. If that fails, those that cannot be made with
// the others are made alone, and each half if these are not known.
func (b *batch) attempt(some []*pending) {
	to, some := b.applyChanges(some)
	if len(some) == 0 {
		return
	}
	r := b.spliceTo(&to)
	if len(r.faults) > 0 {
		b.applySeparately(r, some)
		return
	}
	b.checked += len(b.text)
	if b.commit(r.splices, r.root) == nil {
		b.move(r.splices)
		return
	}
	if len(some) == 1 || b.checked > maxChecked {
		for _, c := range some {
			b.refused[c.index] = errUnsure
		}
		return
	}
	half := len(some) / 2
	b.attempt(some[:half])
	b.attempt(some[half:])
}

// applySeparately applies those changes that have no fault together, and then each of the others.
func (b *batch) applySeparately(r *splicer, some []*pending) {
	if len(some) == 1 {
		b.refused[some[0].index] = r.faults[0].err
		return
	}
	about := map[string]bool{}
	for _, f := range r.faults {
		about[f.path.key()] = true
	}
	var good, others []*pending
	for _, c := range some {
		found := false
		for i := 0; i <= len(c.path) && !found; i++ {
			found = about[c.path[:i].key()]
		}
		if found {
			others = append(others, c)
		} else {
			good = append(good, c)
		}
	}
	b.attempt(good)
	for _, c := range others {
		b.attempt([]*pending{c})
	}
}

// move moves the offsets of the changes as splices have moved their values.
func (b *batch) move(splices []splice) {
	by, next := 0, 0
	for _, c := range slices.Backward(b.all) { // their order is from the last one to the first
		for next < len(splices) && splices[next].to <= c.Off {
			by += len(splices[next].text) - (splices[next].to - splices[next].from)
			next++
		}
		c.Off += by
	}
}
