package template

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
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

func (r *reader) hasFault(is func(Fault) bool) bool { return slices.ContainsFunc(r.faults, is) }

// sortedFaults returns the faults in the order of the file.
func (r *reader) sortedFaults() []Fault {
	slices.SortStableFunc(r.faults, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
	return r.faults
}

// inOrder returns the fields of an object with a key in any case, in the order in which opm reads them: sorted by key. Of those with the
// same key only the last one counts.
func inOrder(n *tree.Node, key string) []*tree.Field {
	found := map[string]*tree.Field{}
	for i := range n.Fields {
		if f := &n.Fields[i]; strings.EqualFold(f.Key, key) {
			found[f.Key] = f
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *tree.Field) int { return strings.Compare(a.Key, b.Key) })
}

// lastField returns the field of an object that opm reads last under a key in any case.
func lastField(n *tree.Node, key string) (tree.Field, bool) {
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
		if len(known) == 1 {
			r.faults[len(r.faults)-1].Fix = "put it under " + known[0] + ":"
		}
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
func (r *reader) otherCase(before, last *tree.Field, known, path string) {
	does := fmt.Sprintf("it takes the last one in alphabetical order, %q", last.Key)
	what := "bundle"
	if r.lax {
		what = "item"
	}
	switch n := countItems(&before.Value); {
	case countItems(&last.Value) < 0 && (last.Value.Kind == tree.Null || last.Value.Kind == tree.Map):
		does = "it reads both"
	case n > 0:
		does += fmt.Sprintf(", and loses the %s of %q", words.Count(n, what), before.Key)
	}
	r.add(fault(join(path, before.Key), faultOtherCase, before.Key, last.Key), before.Place, "make them one "+known,
		"the keys %q and %q are the same to opm: %s", before.Key, last.Key, does).Accepted = true
}

// countItems returns how many items a list has, or the bundles of a stream; -1 for another value, and a stream without bundles.
func countItems(n *tree.Node) int {
	if n.Kind == tree.Map {
		f, ok := lastField(n, "bundles")
		if !ok {
			return -1
		}
		return len(f.Value.Items)
	}
	if n.Kind == tree.List {
		return len(n.Items)
	}
	return -1
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
	absent := slices.DeleteFunc(slices.Clone(known), func(key string) bool { return len(inOrder(n, key)) > 0 })
	seen := map[string]*tree.Field{}
	for i := range n.Fields {
		f := &n.Fields[i]
		before := seen[f.Key]
		seen[f.Key] = f
		switch {
		case before != nil && r.lax && bytes.Equal(before.Value.AppendJSON(nil), f.Value.AppendJSON(nil)): // nothing is lost
		case before != nil && r.lax:
			r.add(fault(join(path, f.Key), repeatedKey), f.Place, "keep one of them", "the key %q is there twice%s: opm takes the last one", f.Key, in).Accepted = true
		case before != nil:
			r.add(fault(join(path, f.Key), repeatedKey), f.Place, "keep one of them", "the key %q is there twice%s: opm rejects the template", f.Key, in)
		case slices.ContainsFunc(known, func(key string) bool { return strings.EqualFold(key, f.Key) }):
		default:
			fix, why := "remove it; known keys: "+strings.Join(known, ", "), fault(join(path, f.Key), UnknownKey)
			if near, ok := nearestKey(f.Key, absent); ok {
				fix, why.Cause = "write "+near, append(why.Cause, near)
			}
			r.add(why, f.Place, fix, "no key %q is known%s: opm %s", f.Key, in, does).Accepted = r.lax
		}
	}
}

// nearestKey returns the known key that a misspelt one is like.
func nearestKey(key string, known []string) (string, bool) {
	lower := map[string]string{}
	var keywords []string
	for _, k := range known {
		keywords = append(keywords, strings.ToLower(k))
		lower[strings.ToLower(k)] = k
	}
	near, ok := words.NearestWord(strings.ToLower(key), keywords)
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
	case want == tree.Bool && (n.Text == "true" || n.Text == "false"):
		fix = "write " + n.Text
	case want == tree.Bool:
		fix = "write true or false"
	case want == tree.String && n.Kind != tree.List && n.Kind != tree.Map:
		fix = fmt.Sprintf("quote it: %q", cmp.Or(n.Source, n.Text))
	}
	r.add(fault(path, faultWrongKind, n.Kind.String()), n.Place, fix, "%s is %s: opm requires %s", cmp.Or(path, "the template"), kindNames[n.Kind], kindNames[want])
}

// readItems returns the items of a list; none of a null.
func (r *reader) readItems(n *tree.Node, path string) []tree.Node {
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
