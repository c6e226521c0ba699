package tree

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestParseYAML shows trees as dump writes them: line:column+offset, kind, text.
func TestParseYAML(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an empty text is null", "", "1:1+0 null\n"},
		{"so is one of comments", "---\n# nothing\n", "1:1+0 null\n"},
		{"a value is where its text starts, a map where its first key does", "---\na: b\nc:\n  d: 4.10\n", `
2:1+4 object
  2:1+4 "a": 2:4+7 string "b"
  3:1+9 "c": 4:3+14 object
    4:3+14 "d": 4:6+17 number "4.1" from "4.10"
`},
		{"no value is null behind the colon or the dash", "a:\nb:\n-\n- ~\n", `
1:1+0 object
  1:1+0 "a": 1:3+2 null
  2:1+3 "b": 3:1+6 list
    - 3:2+7 null
    - 4:3+10 null from "~"
`},
		{"columns count bytes", "é: ü\n", `
1:1+0 object
  1:1+0 "é": 1:5+4 string "ü"
`},
		{"and so they do beyond plain block style", "{é: ü, a: b}", `
1:1+0 object
  1:2+1 "é": 1:6+5 string "ü"
  1:10+9 "a": 1:13+12 string "b"
`},
		{"lines end at line feeds only", "a: \"b\u2028\rc\"\nd: \"e\"\r\nf: !x g", `
1:1+0 object
  1:1+0 "a": 1:4+3 string "b\u2028\nc"
  2:1+12 "d": 2:4+15 string "e"
  3:1+20 "f": 3:4+23 string "g"
`},
		{"a key may stand twice", "a: 1\na: 2\n", `
1:1+0 object
  1:1+0 "a": 1:4+3 number "1"
  2:1+5 "a": 2:4+8 number "2"
`},
		{"keys are what opm makes of them", "on: a\n4.10: b\n\"on\": c\n0x10: d\n", `
1:1+0 object
  1:1+0 "true": 1:5+4 string "a"
  2:1+6 "4.1": 2:7+12 string "b"
  3:1+14 "on": 3:7+20 string "c"
  4:1+22 "16": 4:7+28 string "d"
`},
		{"an alias is a copy of what it names", "a: &x [b]\nc: *x\n", `
1:1+0 object
  1:1+0 "a": 1:4+3 list
    - 1:8+7 string "b"
  2:1+10 "c": 2:4+13 list
    - 1:8+7 string "b"
`},
		{"merged fields stand where the merge does; of two maps the first one counts, and goes last", "x: &x {a: 1}\nz:\n  a: 0\n  <<: [*x, {a: 2}]\n  b: 3\n", `
1:1+0 object
  1:1+0 "x": 1:4+3 object
    1:8+7 "a": 1:11+10 number "1"
  2:1+13 "z": 3:3+18 object
    3:3+18 "a": 3:6+21 number "0"
    4:13+35 "a": 4:16+38 number "2"
    1:8+7 "a": 1:11+10 number "1"
    5:3+44 "b": 5:6+47 number "3"
`},
		{"in quotes it is no merge", "\"<<\": a", `
1:1+0 object
  1:1+0 "<<": 1:7+6 string "a"
`},
		{"tags decide", "a: !!str yes\nb: ! 1\nc: !!int \"0x10\"\nd: &x ! 2\n", `
1:1+0 object
  1:1+0 "a": 1:4+3 string "yes"
  2:1+13 "b": 2:4+16 string "1"
  3:1+20 "c": 3:4+23 number "16" from "0x10"
  4:1+36 "d": 4:4+39 string "2"
`},
	}
	for _, test := range tests {
		root, lost, err := ParseYAML([]byte(test.text), start, nil)
		if err != nil || lost != nil {
			t.Errorf("%s: lost %v, error %v", test.name, lost, err)
		} else if got := dump(root); got != strings.TrimPrefix(test.want, "\n") {
			t.Errorf("%s: got\n%s", test.name, got)
		}
	}
}

// TestStringsOfManyLines has scalars that both readers read, as the value of a key at column 1.
func TestStringsOfManyLines(t *testing.T) {
	tests := []struct{ text, want string }{
		{"one\n  two", "one two"},
		{"one  # comment", "one"},
		{"one#two", "one#two"},
		{"one\n\n\n two\n", "one\n\ntwo"},
		{"\n  one\n two", "one two"},
		{"'it''s\n\n  one '", "it's\none "},
		{`"\x41\u00e9\t\"\\"`, "Aé\t\"\\"},
		{"\"one \\\n   two\\\n\n  \\ three\"", "one two\n three"},
		{"\"one\\ \n two\"", "one  two"},
		{"|\n  one\n   two\n\n  three\n\n", "one\n two\n\nthree\n"},
		{"|-\n  one\n\n", "one"},
		{"|+\n  one\n\n", "one\n\n"},
		{"|1\n   one\n", "  one\n"},
		{"|\n\n  one", "\none"},
		{"|\n", ""},
		{"|+\n\n", "\n"},
		{"|1\n \t one\n", "\t one\n"},
		{">\n  one\n  two\n\n  three\n   four\n  five\n", "one two\nthree\n four\nfive\n"},
		{">-\n  one\n\n\n  two\n\n", "one\n\ntwo"},
		{"|  # comment\n  one\n# end\n", "one\n"},
	}
	for _, test := range tests {
		text := []byte("a: " + test.text)
		if !checkReaders(t, text, start) {
			t.Errorf("%q is not read as plain block style", text)
		}
		if root, _, _ := ParseYAML(text, start, nil); root.Str("a") != test.want {
			t.Errorf("%q is %q, want %q", text, root.Str("a"), test.want)
		}
	}
}

func TestBlockReaderLeavesToTheParser(t *testing.T) {
	for _, text := range []string{
		"a: &x b", "a: *x", "a: !!str b", "%YAML 1.1\n---\na: b", "? a\n: b", "<<: {}", "a: [b]", "{a: b}", "a:\tb", "a: b\r\n",
		"\uFEFFa: b", "a: \x01", "a: \xff", "a: \u0085", "a: \u2028", "a: \u2029", "a: \u0080", "a: \ufffe", strings.Repeat("k", 1025) + ": a",
		"--- a", "a\n...\n", "a\n---\nb", "---\n---", "~: a", "a: .inf", "a: b: c", "a: b\n c: d", "a:\n  b: c\n d: e", "- a\nb: c", "a: 'b",
		"a: \"\\z\"", "a: \"b\"c", "a: \"b\"#c", "a: - b", "- a\n - b: c\n", "'a\n b': c", strings.Repeat("- ", maxBlock+1),
	} {
		if root, ok := parseBlock(new(Scratch), []byte(text), start, nil); ok {
			t.Errorf("%q is read as plain block style:\n%s", text, dump(root))
		}
	}
}

func TestYAMLErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a: b\nc:\n  d: e\n f: g\nh: i", "4:2 did not find expected key"},
		{"---\na: b: c", "2:1 mapping values are not allowed in this context"},
		{"a: b\nc:\n\td: e", "3:1 found character that cannot start any token"},
		{"a: b\nc: \"d", "2:1 found unexpected end of stream"},
		{"a: b\nc: [d, e\nf: g", "2:1 did not find expected ',' or ']'"},
		{"a: b\nc: \x01", "2:4 control characters are not allowed"},
		{"a: b\nc: \xff", "2:4 invalid leading UTF-8 octet"},
		{"\xff\xfea\x00", "1:1 the text is in UTF-16: save it as UTF-8"},
		{"a: b\nc: *d", "2:4 unknown anchor 'd' referenced"},
		{"a: &x\n  b: *x", "2:6 anchor 'x' value contains itself"},
		{"a: b\nc: -.INF", "2:4 -.INF is no number that JSON knows"},
		{"a: b\nc: !!int d", "2:4 cannot read d as !!int"},
		{"a: b\n~: c", "2:1 unsupported map key: null ~"},
		{"a: b\n? [c]\n: d", "2:3 unsupported map key: a list or a map"},
		{"a: b\n<<: c", "2:5 map merge requires map or sequence of maps as the value"},
		{"a: b\n<<: [{c: d}, e]", "2:14 map merge requires map or sequence of maps as the value"},
		{strings.Repeat("[", maxDepth+1), "1:1 exceeded max depth of 10000"},
		{"a: &x " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\nb: " + strings.Repeat("[", 1500) + "*x" + strings.Repeat("]", 1500),
			"1:8506 values are nested too deeply"},
		{strings.Repeat("- ", 9000) + "!x b\n" + strings.Repeat("# c\n # d\n", 100_000), "1:1 the document has too many comments for blocks that are nested so deeply"},
		{laughs(), "5:8 document contains excessive aliasing"},
		{"a: !x\n" + strings.Repeat("#\n", maxFull/2), "1:1 the document has 33554438 bytes and uses YAML beyond plain block style, " +
			"which is read up to 33554432 bytes: write it in plain block style or as JSON"},
	}
	for _, test := range tests {
		_, _, err := ParseYAML([]byte(test.text), start, nil)
		if err == nil {
			t.Errorf("%.50q: no error", test.text)
		} else if got := fmt.Sprintf("%d:%d %s", err.Line, err.Col, err.Msg); got != test.want {
			t.Errorf("%.50q: %s, want %s", test.text, got, test.want)
		}
	}
}

// laughs is a document of a kilobyte with a billion values.
func laughs() string {
	text := "- &a0 lol\n"
	for i := 1; i < 10; i++ {
		text += fmt.Sprintf("- &a%d [%s]\n", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}

// TestAliasesWithinBudget is about catalogs that repeat themselves through aliases, which opm reads.
func TestAliasesWithinBudget(t *testing.T) {
	text := "- &a [1, 2, 3]\n" + strings.Repeat("- *a\n", 10_000)
	root, _, err := ParseYAML([]byte(text), start, nil)
	if err != nil || len(root.Items) != 10_001 {
		t.Errorf("%d items, error %v", len(root.Items), err)
	}
}

func TestSecondDocument(t *testing.T) {
	tests := []struct {
		text string
		lost *Place
	}{
		{"a: b\n...\n", nil},
		{"a: b\n...\n# comment\n", nil},
		{"a: b\n...\nc: d\n", &Place{Off: 9, Line: 3, Col: 1}},
		{"a: b\n---\nc: d\n", &Place{Off: 5, Line: 2, Col: 1}},
		{"  a: b\nc: d\n", &Place{Off: 7, Line: 2, Col: 1}}, // ends where the indentation slips, says opm's library
		{"# c\n---\n{\"a\": \"b\",}\r\n\n{\"c\": 1}\n{\"d\": 1}", &Place{Off: 22, Line: 5, Col: 1}},
	}
	for _, test := range tests {
		root, lost, err := ParseYAML([]byte(test.text), start, nil)
		if err != nil || root.Str("a") != "b" || !reflect.DeepEqual(lost, test.lost) {
			t.Errorf("%q: a is %q, lost %+v, error %v", test.text, root.Str("a"), lost, err)
		}
	}
}

// TestRefusedBehindFlow wants what opm's parser rejects behind a {…} to be rejected.
func TestRefusedBehindFlow(t *testing.T) {
	for _, text := range []string{"{a: b} @\n", "{a: b}: c\n", "{a: b}---{c: d}\n", "{a: b} c: d\n", "{a: b} 'c\n", "{a: b\n---\nc: d", "[a: b}---\nc: d\n", "{a: b, c: 'd}---\nc: d\n"} {
		if _, lost, err := ParseYAML([]byte(text), start, nil); err == nil {
			t.Errorf("%q is read, but for %v", text, lost)
		}
	}
}

func TestPlacesAreThoseOfTheFile(t *testing.T) {
	at := Place{Off: 100, Line: 10, Col: 5}
	for _, text := range []string{"a: b\nc: d", "a: !x b\nc: d"} {
		root, _, _ := ParseYAML([]byte(text), at, nil)
		first, second := root.Fields[0].Place, root.Get("c").Place
		if want := (Place{Off: 100, Line: 10, Col: 5}); first != want {
			t.Errorf("%q: first key at %+v", text, first)
		}
		if want := (Place{Off: 100 + len(text) - 1, Line: 11, Col: 4}); second != want {
			t.Errorf("%q: last value at %+v", text, second)
		}
	}
}

func TestSkippedValues(t *testing.T) {
	text := []byte("properties:\n- type: a\n  value:\n    b: 1\n    c:\n    - d\n- value:\n  - e\n- value: f # g\n- value:\n- value: >\n    h\n    i\n\n- value: j\n    k\n")
	var ranges []string
	root, _, err := ParseYAML(text, start, SkipPath("properties [] value"))
	if err != nil {
		t.Fatal(err)
	}
	whole, _, _ := ParseYAML(text, start, nil)
	for i, p := range root.Get("properties").Items {
		n := *p.Get("value")
		if n.Kind != Raw {
			t.Fatalf("value %d is built", i)
		}
		ranges = append(ranges, string(text[n.Off:n.End]))
		built, err := new(Scratch).ExpandYAML(text, start, n)
		if err != nil || !reflect.DeepEqual(built, *whole.Get("properties").Items[i].Get("value")) {
			t.Errorf("value %d becomes\n%s%v", i, dump(built), err)
		}
	}
	want := []string{"b: 1\n    c:\n    - d", "- e", "f", "", ">\n    h\n    i\n", "j\n    k"}
	if !reflect.DeepEqual(ranges, want) {
		t.Errorf("texts %q, want %q", ranges, want)
	}
}

func TestExpandGivesErrorForAnotherText(t *testing.T) {
	root, _, _ := ParseYAML([]byte("a: b"), start, SkipPath("a"))
	if _, err := new(Scratch).ExpandYAML([]byte("a: @"), start, *root.Get("a")); err == nil {
		t.Error("no error")
	}
}
