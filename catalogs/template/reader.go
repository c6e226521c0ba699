package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// reader decodes a template as encoding/json does, from JSON whose keys are sorted, and collects the faults.
type reader struct {
	faults []Fault
	lax    bool // unknown and repeated keys are not rejected
}

// fault is the path of a value, and the Cause of its fault.
func fault(field string, cause ...string) Fault { return Fault{Field: field, Cause: cause} }

func (r *reader) add(why Fault, at tree.Place, fix, format string, args ...any) *Fault {
	why.Place, why.Fix, why.Message = at, fix, fmt.Sprintf(format, args...)
	r.faults = append(r.faults, why)
	return &r.faults[len(r.faults)-1]
}

// rejects reports whether opm rejects the template for one of the faults.
func (r *reader) rejects() bool {
	return slices.ContainsFunc(r.faults, func(f Fault) bool { return !f.Accepted })
}

// sorted returns the faults in the order of the file.
func (r *reader) sorted() []Fault {
	slices.SortStableFunc(r.faults, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
	return r.faults
}

// inOrder returns the fields of an object with a key in any case, in the order in which opm reads them: sorted by key. Of those with the
// same key only the last one counts.
func inOrder(n *tree.Node, key string) []*tree.Field {
	var found []*tree.Field
	for i := range n.Fields {
		if f := &n.Fields[i]; strings.EqualFold(f.Key, key) {
			found = slices.DeleteFunc(found, func(before *tree.Field) bool { return before.Key == f.Key })
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b *tree.Field) int { return strings.Compare(a.Key, b.Key) })
	return found
}

// last returns the field of an object that opm reads last under a key in any case.
func last(n *tree.Node, key string) (tree.Field, bool) {
	found := inOrder(n, key)
	if len(found) == 0 {
		return tree.Field{}, false
	}
	return *found[len(found)-1], true
}

// object decodes an object: it calls set for each field with a known key, which it spells as known, in the order in which opm reads the
// fields of one key. A null is an object without keys.
func (r *reader) object(n *tree.Node, path string, known []string, set func(key string, f *tree.Field)) {
	if n.Kind == tree.Null {
		return
	}
	if n.Kind != tree.Map {
		r.wrongKind(n, tree.Map, path)
		return
	}
	r.checkKeys(n, path, known)
	for _, key := range known {
		fields := inOrder(n, key)
		for i, f := range fields {
			if i > 0 {
				r.otherCase(fields[i-1], f, key, path)
			}
			set(key, f)
		}
	}
}

// otherCase adds the fault of a known key in two spellings.
func (r *reader) otherCase(lost, read *tree.Field, known, path string) {
	what := ""
	if n := bundles(&lost.Value); n > 0 && bundles(&read.Value) >= 0 {
		what = fmt.Sprintf(", and the %s of %q are lost", count(n, "bundle"), lost.Key)
	}
	r.add(fault(join(path, lost.Key), OtherCase, lost.Key, read.Key), lost.Place, "make them one "+known,
		"the keys %q and %q are the same to opm: it takes the last one in alphabetical order, %q%s", lost.Key, read.Key, read.Key, what).Accepted = true
}

// bundles returns how many items the value of a stream or of its bundles has, -1 if it leaves them as they are.
func bundles(n *tree.Node) int {
	if n.Kind == tree.Map {
		f, ok := last(n, "bundles")
		if !ok {
			return -1
		}
		n = &f.Value
	} else if n.Kind != tree.List {
		return -1
	}
	return len(n.Items)
}

// checkKeys adds the faults of keys that are unknown or there twice.
func (r *reader) checkKeys(n *tree.Node, path string, known []string) {
	in := ""
	if path != "" {
		in = " in " + path
	}
	does := "rejects the template"
	if r.lax {
		does = "ignores it"
	}
	seen := map[string]bool{}
	for i := range n.Fields {
		f := &n.Fields[i]
		switch {
		case seen[f.Key] && r.lax:
			r.add(fault(join(path, f.Key), RepeatedKey), f.Place, "keep one of them", "the key %q is there twice%s: opm takes the last one", f.Key, in).Accepted = true
		case seen[f.Key]:
			r.add(fault(join(path, f.Key), RepeatedKey), f.Place, "keep one of them", "the key %q is there twice%s: opm rejects the template", f.Key, in)
		case slices.ContainsFunc(known, func(key string) bool { return strings.EqualFold(key, f.Key) }):
		default:
			fix, why := "remove it; there are "+strings.Join(known, ", "), fault(join(path, f.Key), UnknownKey)
			if near, ok := nearest(f.Key, known); ok && len(inOrder(n, near)) == 0 {
				fix, why.Cause = "write "+near, append(why.Cause, near)
			}
			r.add(why, f.Place, fix, "no key %q is known%s: opm %s", f.Key, in, does).Accepted = r.lax
		}
		seen[f.Key] = true
	}
}

// nearest returns the known key that a misspelt one is like.
func nearest(key string, known []string) (string, bool) {
	lower := map[string]string{}
	var words []string
	for _, k := range known {
		words = append(words, strings.ToLower(k))
		lower[strings.ToLower(k)] = k
	}
	near, ok := spelling.NearestWord(strings.ToLower(key), words)
	return lower[near], ok
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var kindNames = map[tree.Kind]string{tree.Null: "empty", tree.Bool: "a boolean", tree.Number: "a number", tree.String: "a string", tree.List: "a list", tree.Map: "keys and values"}

func (r *reader) wrongKind(n *tree.Node, want tree.Kind, path string) {
	fix := "write " + kindNames[want]
	switch {
	case want == tree.Bool:
		fix = "write true or false"
	case want == tree.String && n.Kind != tree.List && n.Kind != tree.Map:
		fix = fmt.Sprintf("quote it: %q", cmp.Or(n.Source, n.Text))
	}
	r.add(fault(path, WrongKind, n.Kind.String()), n.Place, fix, "%s is %s: opm requires %s", cmp.Or(path, "the template"), kindNames[n.Kind], kindNames[want])
}

// items returns the items of a list; none of a null.
func (r *reader) items(n *tree.Node, path string) []tree.Node {
	if n.Kind != tree.List && n.Kind != tree.Null {
		r.wrongKind(n, tree.List, path)
	}
	return n.Items
}

// text sets a string, unless the value is null. A strict reader takes a number or a boolean for a string (sigs.k8s.io/yaml:
// convertToJSONableObject).
func (r *reader) text(to *Text, n *tree.Node, path string) {
	switch {
	case n.Kind == tree.Null:
	case n.Kind == tree.String, !r.lax && (n.Kind == tree.Number || n.Kind == tree.Bool):
		*to = Text{Value: n.Text, Place: n.Place}
	default:
		r.wrongKind(n, tree.String, path)
	}
}

// alternatives lists names as "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
