package bundled

import (
	"strconv"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// TestPlaces: the place of each part of a value is that in the tree, of a repeated key the last one, and of a part that is not there it is
// that of what is around it.
func TestPlaces(t *testing.T) {
	const text = `a: &x
  - name: one
    b: {c: 1, "d e": [x, [y, {z: null}]]}
  - - deep
  -
b: *x
c: 1
"": |
  text
c:
  again: [ ]
`
	root, _, err := tree.ParseYAML([]byte(text), tree.Place{Line: 7, Col: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	check := func(want tree.Place, keys ...string) {
		asked++
		_, got, _ := walk(&root, keys)
		if got.Line != want.Line || got.Col != want.Col {
			t.Errorf("%q is at %d:%d, want %d:%d", keys, got.Line, got.Col, want.Line, want.Col)
		}
	}
	var each func(n *tree.Node, at tree.Place, keys []string)
	each = func(n *tree.Node, at tree.Place, keys []string) {
		keys = keys[:len(keys):len(keys)]
		check(at, keys...)
		check(at, append(keys, "missing")...)
		check(at, append(keys, "99", "missing")...)
		for i := range n.Fields {
			if f := &n.Fields[i]; n.Get(f.Key) == &f.Value {
				each(&f.Value, f.Place, append(keys, f.Key))
			}
		}
		for i := range n.Items {
			each(&n.Items[i], n.Items[i].Place, append(keys, strconv.Itoa(i)))
		}
	}
	each(&root, root.Place, nil)
	if want := 60; asked < want {
		t.Errorf("%d places were asked for, want %d at least", asked, want)
	}
}
