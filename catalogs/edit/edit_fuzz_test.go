package edit

import (
	"bytes"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// FuzzApply changes some scalar of any document. Either the change is rejected and the text is unchanged, or only the value differs,
// and the text before and after the lines around it is unchanged.
func FuzzApply(f *testing.F) {
	for _, test := range slices.Concat(removals, appends) {
		text := bytes.Replace([]byte(test.text), []byte("⟨"), nil, 1)
		for kind := range byte(3) {
			f.Add(text, kind, byte(1), "red.v1.0.0")
		}
	}
	f.Add([]byte("a: &x [b, *x]\nc: !!str d\ne: |\n  f\n"), byte(2), byte(3), "- {")
	f.Fuzz(func(t *testing.T, text []byte, kind, nth byte, with string) {
		before, json := bytes.Clone(text), bytes.HasPrefix(text, []byte("{"))
		d, err := read(text, json)
		if err != nil || len(text) > 1<<12 {
			return
		}
		off, was, ok := nthScalar(&d.root, int(nth))
		if !ok {
			return
		}
		c := Change{Kind: Kind(kind % 3), Was: was, Key: "skips", Texts: []string{with}}
		got, refused := applyChanges(text, json, []changeAt{{off, c}})
		if !bytes.Equal(text, before) {
			t.Fatal("the text that was given is another one")
		}
		if refused[0] != nil {
			if !bytes.Equal(got, text) {
				t.Fatalf("rejected (%v), but made of %q\n%q", refused[0], text, got)
			}
			return
		}
		after, err := read(got, json)
		if err != nil {
			t.Fatalf("made of %q what cannot be read: %q", text, got)
		}
		checkScalars(t, c, scalars(&d.root), scalars(&after.root))
		if changed := changedLines(text, got); changed > 8+bytes.Count(text, []byte("\n"))/2 && c.Kind != Remove {
			t.Errorf("%d lines of %q are others in %q", changed, text, got)
		}
	})
}

func nthScalar(root *tree.Node, nth int) (off int, was string, ok bool) {
	walk(root, nil, func(n *tree.Node, _ path) {
		if n.Kind != tree.String && n.Kind != tree.Null {
			return
		}
		if nth--; nth == 0 {
			off, was, ok = n.Off, n.Text, true
			if n.Kind == tree.Null {
				was = ""
			}
		}
	})
	return off, was, ok
}

func scalars(root *tree.Node) []string {
	var all []string
	walk(root, nil, func(n *tree.Node, _ path) {
		if n.Kind != tree.List && n.Kind != tree.Map {
			all = append(all, n.Kind.String()+" "+n.Text)
		}
	})
	slices.Sort(all)
	return all
}

// checkScalars checks that exactly one scalar was removed, added or replaced.
func checkScalars(t *testing.T, c Change, before, after []string) {
	t.Helper()
	gone, come := subtract(before, after), subtract(after, before)
	want := map[Kind][2]int{Remove: {1, 0}, Replace: {1, 1}, Append: {0, 1}}[c.Kind]
	if c.Kind == Replace && c.Was == c.Texts[0] {
		want = [2]int{min(len(gone), 1), min(len(come), 1)} // null may become an empty string
	}
	if len(gone) != want[0] || len(come) != want[1] {
		t.Errorf("%+v: gone %q, come %q", c, gone, come)
	}
}

func subtract(a, b []string) []string {
	var rest []string
	for _, s := range a {
		if i := slices.Index(b, s); i >= 0 {
			b = slices.Delete(slices.Clone(b), i, i+1)
		} else {
			rest = append(rest, s)
		}
	}
	return rest
}

// changedLines counts the lines between the first and the last that differ.
func changedLines(a, b []byte) int {
	x, y := slices.Collect(bytes.Lines(a)), slices.Collect(bytes.Lines(b))
	for len(x) > 0 && len(y) > 0 && bytes.Equal(x[0], y[0]) {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && bytes.Equal(x[len(x)-1], y[len(y)-1]) {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return max(len(x), len(y))
}

// FuzzLike: whatever the document that is the model, what is written like it has the values that are wanted, or it is refused.
func FuzzLike(f *testing.F) {
	for _, text := range []string{"schema: olm.channel\nentries:\n- name: a.v1\n  skips: [x, y]\n", "{schema: olm.channel, entries: [{}]}", `{"schema":"olm.channel","entries":[]}`,
		`{"entries":[{"name":"a","skips":["b"]}],"schema":"c"}`, "entries:\n  - {name: 'a', skips: []}\n  - {}\n",
		"{\"\":[{0\",\"\":[0\"]}],0}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := tree.Node{Kind: tree.Map, Fields: []tree.Field{{Key: "schema", Value: tree.Node{Kind: tree.String, Text: "olm.channel"}},
			{Key: "entries", Value: tree.Node{Kind: tree.List, Items: []tree.Node{newEntry("b.v2", "a.v1", "x.v1")}}}}}
		for _, json := range []bool{false, true} {
			_, _ = formatLike([]byte(text), json, want)
		}
	})
}
