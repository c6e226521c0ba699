package tree

import (
	"reflect"
	"strings"
	"testing"
)

// seeds shows every construct of YAML, in and beyond the block reader's subset.
var seeds = []string{
	"", "\n", "# only a comment", "---", "---\n", "--- # comment\n\n", "...\n", "---\n...\n",
	"a: b", "a: b\n", "a:\n", "a: # comment\nb: c", "a:\n- b\n- c\nd: e", "a:\n  - b\n  -\n  - c: d\n    e: f\n",
	"- - a\n  - b\n- - - c\n", "- a: 1\n  b:\n  - 2\n  -   3\n-\n- x\n", "-\n  a: b\n-\n  - c",
	"plain: one two\n  three\n\n  four # comment\nx: y", "a: 'it''s'\nb: \"tab\\t\\x41\\u00e9\\U0001F600\\\n  joined\\\"\"\n",
	"a: 'one\n  two\n\n  three'\nb: \"one \n\n two\\\n\n  \\ three\"",
	"a: |\n  one\n   two\n\n  three\n\nb: >\n  one\n  two\n\n   three\n  four\n\n\n  five\n",
	"a: |-\n  x\n\nb: |+\n  x\n\n\nc: >2-\n    x\nd: |1\n  x\ne: |\n\n\n  x\nf: >+\n\n", "|\n a", "- |\n a\n- >-\n  b\n",
	"a: |\n  x\n# comment\nb: |\n   \n  x\n", "a: |  # comment\n\tx\n", "a: |\n  \tx\n", "a: |\n      \n  x\n", "a: |\n  x",
	"{}", "[]", "a: {}\nb: [ ]\nc: { } # x\n", "a: [b, 'c', {d: e}]\n", "{a: b, c: [d, e]}", "[a: b, ? c : d]",
	"a: &x b\nc: *x\n", "a: &x {b: c}\nd:\n  <<: *x\n  e: f\n", "<<: [{a: 1}, {a: 2, b: 3}]\nc: d", "a: &x [*x]\n", "? a\n: b\n? c\n",
	"a: !!str 1\nb: !!int \"2\"\nc: !!binary YQ==\nd: !x y\ne: ! 3\nf: !!float 4\ng: !!null ''\n", "%YAML 1.1\n---\na: b\n",
	"a: yes\nb: 0o17\nc: 4.10\nd: ~\ne: 2001-01-01\nf: 1_000\ng: .5\nh: 0x1F\ni: 1e3\nj: null\nk: -0.0\n", "a: .inf", "a: -.NaN", "b: .nan\n",
	"1: a\n2.5: b\ntrue: c\noff: d\n", "null: a", "~: a", "? [a]\n: b", "99999999999999999999: a", "18446744073709551615: a",
	"a: b: c", "a: b\n  c: d", "a:\n    b: 1\n  c: 2", "a\nb: c", "a: 'b' c", "- a\nb: c", "a: - b", "a: b #c\nd: e#f", "a : b", "'a' : b", "\"a\": b",
	"a:\tb", "a: b\tc", "a: b\t\n", "\ta: b", "a: b\r\nc: d\r\n", "a: b\rc: d", "\uFEFFa: b", "a: \u0085b", "a: b\u2028c", "é: ü\n日本: 語 # 語\n", "a: \xff", "a: \x01",
	"a: b\n...\nc: d\n", "a: b\n---\nc: d\n", "a: |\n  ---\n  ...\n", "a: 'b\n--- c'", "---a: b", "--- a\n", "--- |\n  a\n", "a: @b", "a: `b`", "a: %b", "%a: b", "a: ,b",
	"-a: -b", "?a: ?b", ":a: :b", "- :\n- ?\n- -\n", "a: -", "- ? b", "a: >\n x\n\n  y\n z\n", "# c\n\n  # d\na: # e\n# f\n  # g\n  b # h\n# i\n", "a: 1\na: 2\n", "a:\n- b\n# c\n- d\n  # e\nf: g",
	"  a: b\n  c: d\n", "  a: b\n c: d", "a: [\n]", "a: {\n}", "a: \"b\"#c", "a: 'b' #c", "a: \"b\n", "a: '", "a: \"\\", "a: \"\\z\"", "a: \"\\ud800\"", "a: \"\\x4\"",
	"a: &\nb: c", "a: *b", "a: !\nb: !!str\n", "- &a\n- *a", "a: \"x \n y\":", "\"a\nb\": c", "a: ' \n '", "a: \" \\ \n \"", "a: b\n\n\n  \n c\n",
}

func FuzzYAML(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := Place{Off: 7, Line: 3, Col: 5}
		checkReaders(t, []byte(text), at)
		root, _, err := ParseYAML([]byte(text), at, nil)
		if err != nil {
			checkPlace(t, text, at, err.Place)
			return
		}
		checkPlaces(t, text, at, root)
	})
}

func checkPlaces(t *testing.T, text string, at Place, n Node) {
	checkPlace(t, text, at, n.Place)
	for _, f := range n.Fields {
		checkPlace(t, text, at, f.Place)
		checkPlaces(t, text, at, f.Value)
	}
	for _, item := range n.Items {
		checkPlaces(t, text, at, item)
	}
}

// checkPlace compares line and column with the offset.
func checkPlace(t *testing.T, text string, at, p Place) {
	t.Helper()
	off := p.Off - at.Off
	if off < 0 || off > len(text) {
		t.Fatalf("offset %d is not in the text", off)
	}
	before := text[:off]
	want := Place{Off: p.Off, Line: at.Line + strings.Count(before, "\n"), Col: off - strings.LastIndex(before, "\n")}
	if want.Line == at.Line {
		want.Col = at.Col + off
	}
	if !reflect.DeepEqual(p, want) {
		t.Fatalf("place %+v should be %+v", p, want)
	}
}
