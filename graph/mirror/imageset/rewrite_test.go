package imageset

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

func text(s string) catalogs.Text { return catalogs.Text{Value: s} }

// TestRewrite replaces packages in texts of several forms.
func TestRewrite(t *testing.T) {
	pier := Package{Name: text("pier"), Channels: []Channel{{Name: text("stable"), Bounds: Bounds{Min: text("1.0.0")}}, {Name: text("yes"), Bounds: Bounds{Max: text("1.10")}}}}
	const item = "- name: pier\n  channels:\n  - name: stable\n    minVersion: 1.0.0\n  - name: \"yes\"\n    maxVersion: \"1.10\"\n"
	in := func(indent string) string {
		return indent + strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n", "\n"+indent) + "\n"
	}
	const inBraces = "{name: pier, channels: [{name: stable, minVersion: 1.0.0}, {name: \"yes\", maxVersion: \"1.10\"}]}"
	head := header + "mirror:\n  operators:\n  - catalog: r.example/c:v1\n"
	for _, tt := range []struct {
		name, was, want string
		packages        []Package
	}{
		{"no packages", head, head + "    packages:\n" + in("    "), []Package{pier}},
		{"no packages, no line break", strings.TrimSuffix(head, "\n"), head + "    packages:\n" + strings.TrimSuffix(in("    "), "\n"), []Package{pier}},
		{"another item", head + "    packages:\n    # first\n    - name: a # kept\n\n    # second\n    - {name: b}\n    # end\n", head + "    packages:\n    # first\n    - name: a # kept\n\n    # second\n    - {name: b}\n    - " + inBraces + "\n    # end\n",
			[]Package{{Name: text("a")}, {Name: text("b")}, pier}},
		{"a changed item", head + "    packages:\n      - name: pier # here\n        minVersion: 1.0.0\n      - name: b\n    full: true\n", head + "    packages:\n      - name: pier # here\n" + strings.SplitN(in("      "), "\n", 2)[1] + "      - name: b\n",
			[]Package{pier, {Name: text("b")}}},
		{"a flow list", head + "    full: true\n    packages: [{name: pier}, {name: b}]\n    targetTag: t\n", head + "    packages: [" + inBraces + ", {name: b}]\n    targetTag: t\n", []Package{pier, {Name: text("b")}}},
		{"packages first", strings.Replace(head, "  - catalog: r.example/c:v1\n", "  - packages: [{name: b}]\n    catalog: r.example/c:v1\n", 1), strings.Replace(head, "  - catalog: r.example/c:v1\n", "  - packages: ["+inBraces+"]\n    catalog: r.example/c:v1\n", 1), []Package{pier}},
		{"all in braces", header + "mirror: {operators: [{catalog: 'r.example/c:v1', packages: [{name: b}]}]}\n", header + "mirror: {operators: [{catalog: 'r.example/c:v1', packages: [" + inBraces + "]}]}\n", []Package{pier}},
		{"full first", header + "mirror:\n  operators:\n  - full: true\n    catalog: r.example/c:v1\n    packages:\n    - name: b # gone\n", header + "mirror:\n  operators:\n  - catalog: r.example/c:v1\n    packages:\n" + in("    "), []Package{pier}},
	} {
		c, err := Parse("f.yaml", []byte(tt.was))
		if err != nil {
			t.Fatal(err)
		}
		o := c.Operators[0]
		o.Packages, o.Full = tt.packages, catalogs.Text{}
		got, err := Rewrite("f.yaml", []byte(tt.was), []Operator{o})
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, tt.want)
		}
		if again, err := Rewrite("f.yaml", got, []Operator{o}); err != nil || string(again) != string(got) {
			t.Errorf("%s: not the same the second time: %v\n%s", tt.name, err, again)
		}
	}
}

// TestRewriteRefuses has a list that is in two places.
func TestRewriteRefuses(t *testing.T) {
	was := header + "mirror:\n  operators:\n  - catalog: r.example/c:v1\n    packages: &x [{name: b}]\n  - catalog: r.example/c:v2\n    packages: *x\n"
	c, err := Parse("f.yaml", []byte(was))
	if err != nil {
		t.Fatal(err)
	}
	c.Operators[0].Packages = []Package{{Name: text("pier")}}
	if got, err := Rewrite("f.yaml", []byte(was), c.Operators); !errors.Is(err, ErrForm) {
		t.Errorf("%v\n%s", err, got)
	}
}

// onlyOperators reports whether two texts have the same values, except packages and full of operators.
func onlyOperators(a, b []byte) bool {
	var values [2]string
	for i, text := range [][]byte{a, b} {
		root, _, err := tree.ParseYAML(text, tree.Place{Line: 1, Col: 1}, nil)
		if err != nil {
			return false
		}
		for _, n := range itemsOf(valueOf(&root, "mirror"), "operators") {
			n.Fields = slices.DeleteFunc(n.Fields, func(f tree.Field) bool {
				return strings.EqualFold(f.Key, "packages") || strings.EqualFold(f.Key, "full")
			})
		}
		values[i] = string(root.AppendJSON(nil))
	}
	return values[0] == values[1]
}

// FuzzRewrite adds a package to any image set: the text has it then, and else what it had.
func FuzzRewrite(f *testing.F) {
	f.Add(header+"mirror:\n  operators:\n  - catalog: r.example/c:v1\n    # c\n    packages:\n    - name: a\n    - {name: b}\n", "b\n")
	f.Add(header+"mirror:\n  operators:\n  - packages: [{name: a,\n  minVersion: 1}]\n    catalog: r.example/c:v1 # d\n    full: true", "x: y")
	f.Fuzz(func(t *testing.T, was, name string) {
		c, err := Parse("f.yaml", []byte(was))
		if err != nil || len(c.Operators) == 0 || name == "" || strings.ToValidUTF8(name, "") != name {
			return
		}
		c.Operators[0].Packages = append(c.Operators[0].Packages, Package{Name: text(name), Bounds: Bounds{Min: text("1.0.0")}})
		got, err := Rewrite("f.yaml", []byte(was), c.Operators)
		if err != nil {
			return
		}
		if !has("f.yaml", got, c.Operators) || !onlyOperators([]byte(was), got) {
			t.Errorf("%q became %q", was, got)
		}
	})
}
