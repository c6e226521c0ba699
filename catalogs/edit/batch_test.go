package edit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// applyChanges reads one document, which is JSON or YAML, and applies changes to it.
func applyChanges(text []byte, json bool, changes []changeAt) ([]byte, []error) {
	d, err := read(text, json)
	if err != nil {
		return text, slices.Repeat([]error{err}, len(changes))
	}
	return d.apply(changes)
}

// TestTogether makes random changes of random documents at once, and one after the other from the last one up: the text is the
// same, and so is what is rejected. With lists that are added it only says the same: they are written as their neighbours are then.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	made := 0
	for range 2000 {
		text, json := randomDocument(r)
		d, err := read(text, json)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		adds := r.IntN(2) == 0
		changes := randomChanges(r, d, adds)
		got, refused := applyChanges(text, json, changes)
		want, each := bytes.Clone(text), make([]error, len(changes))
		for i := len(changes) - 1; i >= 0; i-- {
			var errs []error
			want, errs = applyChanges(want, json, changes[i:i+1])
			each[i] = errs[0]
			if errs[0] == nil {
				made++
			}
		}
		alike := bytes.Equal(got, want)
		if adds && !alike {
			a, errA := read(got, json)
			b, errB := read(want, json)
			alike = errA == nil && errB == nil && equalNodes(&a.root, &b.root)
		}
		if !alike || !slices.Equal(refused, each) {
			t.Fatalf("%+v\nof\n%s\nmake\n%s\n%v\none by one\n%s\n%v", changes, text, got, refused, want, each)
		}
	}
	if made < 5_000 {
		t.Errorf("only %d changes were made", made)
	}
}

// randomDocument returns entries with lists in every form.
func randomDocument(r *rand.Rand) (text []byte, json bool) {
	var b strings.Builder
	json = r.IntN(4) == 0
	item := func() string { return fmt.Sprintf("%q", string(rune('a'+r.IntN(6)))) }
	items := func() []string {
		var all []string
		for range 1 + r.IntN(5) {
			all = append(all, item())
		}
		return all
	}
	if json {
		var entries []string
		for range 1 + r.IntN(4) {
			fields := []string{`"name": ` + item()}
			if r.IntN(2) == 0 {
				fields = append(fields, `"replaces": `+item())
			}
			if r.IntN(3) > 0 {
				fields = append(fields, `"skips": [`+strings.Join(items(), ", ")+"]")
			}
			entries = append(entries, "{"+strings.Join(fields, ", ")+"}")
		}
		return []byte(`{"entries": [` + strings.Join(entries, ", ") + `], "name": "x"}`), true
	}
	b.WriteString("name: x\nentries:\n")
	for range 1 + r.IntN(4) {
		fmt.Fprintf(&b, "- name: %s\n", item())
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "  replaces: %s # why\n", item())
		}
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "  skips: [%s]\n", strings.Join(items(), ", "))
		case 1, 2:
			fmt.Fprintf(&b, "  skips:\n")
			for _, one := range items() {
				fmt.Fprintf(&b, "  - %s%s\n", one, []string{"", " # one", "\n  # of the next"}[r.IntN(3)])
			}
		}
	}
	text = []byte(b.String())
	if r.IntN(2) == 0 {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	return text, false
}

// randomChanges returns changes of some scalars, in their order.
func randomChanges(r *rand.Rand, d *document, adds bool) []changeAt {
	var all []changeAt
	walk(&d.root, nil, func(n *tree.Node, p path) {
		if n.Kind != tree.String || r.IntN(3) == 0 {
			return
		}
		c := changeAt{n.Off, Change{Kind: Kind(r.IntN(2)), Was: n.Text, Texts: []string{fmt.Sprint("r", r.IntN(9))}}}
		if nodeByPath(&d.root, p.parent()).Kind == tree.Map && adds && r.IntN(2) == 0 {
			c.Kind, c.Key, c.Texts = Append, "skips", []string{"c", fmt.Sprint("n", r.IntN(3))}
		}
		all = append(all, c)
	})
	return all
}

// TestWrongOnes makes all changes but those with which the document would say something else.
func TestWrongOnes(t *testing.T) {
	var b strings.Builder
	b.WriteString("base: &s\n  skips: [a]\nentries:\n")
	for i := range 40 {
		fmt.Fprintf(&b, "- name: n%d\n", i)
		if i%7 == 3 {
			b.WriteString("  <<: *s\n")
		}
	}
	text := []byte(b.String())
	var changes []changeAt
	for i := range 40 {
		name := fmt.Sprintf("n%d", i)
		changes = append(changes, changeAt{bytes.Index(text, []byte(name+"\n")), Change{Kind: Append, Was: name, Key: "skips", Texts: []string{"x"}}})
	}
	got, refused := applyChanges(text, false, changes)
	for i, err := range refused {
		if (err != nil) != (i%7 == 3) {
			t.Errorf("change %d: %v", i, err)
		}
	}
	if n := strings.Count(string(got), "[x]\n"); n != 34 {
		t.Errorf("%d changes in\n%s", n, got)
	}
}

// BenchmarkApply takes the second of each two items out of one list, and out of the list of each of many entries.
func BenchmarkApply(b *testing.B) {
	for _, form := range []string{"block", "flow", "entries"} {
		for _, n := range []int{500, 2000, 8000, 32000} {
			b.Run(fmt.Sprintf("%s/%d", form, n), func(b *testing.B) {
				text, changes := repeatedSkips(form, n)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if got, refused := applyChanges(text, false, changes); len(got) >= len(text) || refused[n-1] != nil {
						b.Fatal(refused[n-1])
					}
				}
			})
		}
	}
}

// repeatedSkips returns a document that skips each of n names twice, and what takes the second ones out.
func repeatedSkips(form string, n int) (text []byte, changes []changeAt) {
	var t bytes.Buffer
	t.WriteString("entries:\n")
	for i := range n {
		switch {
		case form == "entries":
			fmt.Fprintf(&t, "- name: v%d\n  skips: [a%[1]d, ", i)
		case i == 0 && form == "flow":
			t.WriteString("- name: v\n  skips: [a0, ")
		case i == 0:
			t.WriteString("- name: v\n  skips:\n  - a0\n  - ")
		case form == "flow":
			fmt.Fprintf(&t, ", a%d, ", i)
		default:
			fmt.Fprintf(&t, "  - a%d\n  - ", i)
		}
		name := fmt.Sprintf("a%d", i)
		changes = append(changes, changeAt{t.Len(), Change{Kind: Remove, Was: name}})
		t.WriteString(name)
		if form == "entries" || form == "flow" && i == n-1 {
			t.WriteString("]")
		}
		if form != "flow" || i == n-1 {
			t.WriteString("\n")
		}
	}
	return t.Bytes(), changes
}
