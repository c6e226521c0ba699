package edit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// A document with thousands of changes is parsed once for all changes that are independent of each other, and not once for each: all
// splices are determined in the original text and applied together, and only if the result does not have the expected values, each half
// of the changes is tried alone.

// step is a change and the path of its value.
type step struct {
	rank   int // in the order from the last to the first
	index  int // of the change
	path   path
	change Change
}

// maxChecked bounds how much text is parsed for one document while changes fail, in bytes.
const maxChecked = 256 << 20

// run applies the steps, which are sorted from the last to the first, and sets why some are rejected.
func (d *document) run(steps []step, refused []error) {
	checked := 0
	for len(steps) > 0 {
		now, later := d.independent(steps)
		d.attempt(now, refused, &checked)
		steps = later
	}
}

// independent returns steps that are independent of each other, and the others: no step is about a value inside or around that of another
// one. Items of one list may be removed and replaced together, as long as one is left, or added together.
func (d *document) independent(steps []step) (now, later []step) {
	t := claims{taken: map[string]string{}, above: map[string]bool{}}
	left := map[string]int{} // items of lists
	for _, s := range steps {
		about, kind := d.scope(s)
		key, removes := about.key(), s.change.Kind == Remove && kind == items
		if _, met := left[key]; removes && !met {
			left[key] = len(at(&d.root, about).Items)
		}
		if removes && left[key] == 1 || !t.claim(about, kind) {
			t.note(about, blocked)
			later = append(later, s)
			continue
		}
		if removes {
			left[key]--
		}
		now = append(now, s)
	}
	return now, later
}

// What a step does to the value that it is about, and so what other steps may do to it at the same time.
const (
	exclusive = ""        // no other step
	items     = "items"   // removes or replaces items
	appending = "more "   // and a key: adds to the list under it
	blocked   = "blocked" // nothing: the step waits
)

// scope returns the value that a step is about, and what it does to it.
func (d *document) scope(s step) (path, string) {
	above := s.path.parent()
	parent := at(&d.root, above)
	switch {
	case s.change.Kind == Append:
		return above, appending + s.change.Key
	case parent.Kind == tree.List && (s.change.Kind == Replace || len(parent.Items) > 1):
		return above, items
	case parent.Kind == tree.Map && s.change.Kind == Remove:
		return above, exclusive
	case parent.Kind == tree.List && len(above) > 0:
		return above.parent(), exclusive
	}
	return s.path, exclusive
}

// claims has the values that steps are about, and those around them.
type claims struct {
	taken map[string]string // what is done to a value
	above map[string]bool
}

// claim claims a value for a step. It returns false if another step is about a value inside or around it, or does something else to it.
func (t *claims) claim(p path, kind string) bool {
	as, met := t.taken[p.key()]
	if met && (as != kind || kind == exclusive) || t.above[p.key()] {
		return false
	}
	for i := range p {
		if _, met := t.taken[p[:i].key()]; met {
			return false
		}
	}
	t.note(p, kind)
	return true
}

func (t *claims) note(p path, kind string) {
	t.taken[p.key()] = kind
	for i := range p {
		t.above[p[:i].key()] = true
	}
}

// key returns a path as the key of a map.
func (p path) key() string {
	var b strings.Builder
	for _, i := range p {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte('/')
	}
	return b.String()
}

// attempt applies steps that are independent of each other.
func (d *document) attempt(steps []step, refused []error, checked *int) {
	amendments, steps := d.patches(steps, refused)
	if len(steps) == 0 {
		return
	}
	if splices, ok := ordered(amendments); ok {
		*checked += len(d.text)
		if d.commit(splices, applied(d.root, amendments, 0)) == nil {
			return
		}
	}
	if len(steps) == 1 || *checked > maxChecked {
		for _, s := range steps {
			refused[s.index] = ErrUnsure
		}
		return
	}
	half := len(steps) / 2
	d.attempt(steps[:half], refused, checked)
	d.attempt(steps[half:], refused, checked)
}

// patch is how a text and a value in it change with one or more steps.
type patch struct {
	splices []splice
	path    path
	apply   func(*tree.Node)
}

// patches returns how steps change the document, and those steps that are not rejected.
func (d *document) patches(steps []step, refused []error) (all []patch, able []step) {
	var order []string
	together := map[string][]step{}
	for _, s := range steps {
		about, kind := d.scope(s)
		key := kind + " " + about.key()
		if together[key] == nil {
			order = append(order, key)
		}
		together[key] = append(together[key], s)
	}
	for _, key := range order {
		a, errs := d.patch(together[key])
		some := false
		for i, s := range together[key] {
			if refused[s.index] = errs[i]; errs[i] == nil {
				able, some = append(able, s), true
			}
		}
		if some {
			all = append(all, a)
		}
	}
	slices.SortFunc(able, func(a, b step) int { return cmp.Compare(a.rank, b.rank) })
	return all, able
}

// patch returns how steps about the same value change it together, and why some of them are rejected.
func (d *document) patch(steps []step) (a patch, errs []error) {
	errs = make([]error, len(steps))
	s := steps[0]
	switch about, kind := d.scope(s); {
	case kind == items:
		return d.patchItems(about, steps, errs), errs
	case s.change.Kind == Append:
		return d.appendAll(about, steps, errs), errs
	case s.change.Kind == Replace:
		a, errs[0] = d.replace(s.path, s.change.Texts[0])
	default:
		a, errs[0] = d.remove(s.path)
	}
	return a, errs
}

// ordered returns all splices sorted by offset, and false if some overlap.
func ordered(amendments []patch) ([]splice, bool) {
	var all []splice
	for _, a := range amendments {
		all = append(all, a.splices...)
	}
	slices.SortStableFunc(all, func(a, b splice) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for i := range all {
		if i > 0 && all[i].from < all[i-1].to {
			return nil, false
		}
	}
	return all, true
}

// applied returns a value with amendments applied, whose paths begin at a depth. It shares what they are not about.
func applied(n tree.Node, all []patch, depth int) tree.Node {
	below := map[int][]patch{}
	for _, a := range all {
		if len(a.path) == depth {
			a.apply(&n)
		} else {
			below[a.path[depth]] = append(below[a.path[depth]], a)
		}
	}
	switch {
	case len(below) == 0:
	case n.Kind == tree.Map:
		n.Fields = slices.Clone(n.Fields)
	default:
		n.Items = slices.Clone(n.Items)
	}
	for i, some := range below {
		if n.Kind == tree.Map {
			n.Fields[i].Value = applied(n.Fields[i].Value, some, depth+1)
		} else {
			n.Items[i] = applied(n.Items[i], some, depth+1)
		}
	}
	return n
}
