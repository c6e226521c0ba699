package edit

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// change makes the change of a value in a text: the value is marked by ⟨ in front of it.
func change(t *testing.T, text string, c Change) (string, error) {
	t.Helper()
	off := strings.Index(text, "⟨")
	if off < 0 {
		t.Fatalf("nothing is marked in\n%s", text)
	}
	text = strings.Replace(text, "⟨", "", 1)
	got, refused := applyChanges([]byte(text), strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "{ #"), []changeAt{{off, c}})
	if refused[0] != nil && string(got) != text {
		t.Errorf("rejected (%v), but changed to\n%s", refused[0], got)
	}
	return string(got), refused[0]
}

var removals = []struct{ name, text, want string }{
	{"block", "skips:\n- a\n- ⟨b\nname: x\n", "skips:\n- a\nname: x\n"},
	{"block, first", "skips:\n- ⟨b\n- a\n", "skips:\n- a\n"},
	{"block, a comment behind", "skips:\n  - a # one\n  - ⟨b   # two\n  - c # three\n", "skips:\n  - a # one\n  - c # three\n"},
	{"block, a comment above stays", "skips:\n- a\n# of c\n- ⟨b\n", "skips:\n- a\n# of c\n"},
	{"block, quoted", "skips:\n- 'a'\n- ⟨\"b\"\n", "skips:\n- 'a'\n"},
	{"block, CRLF", "name: x\r\nskips:\r\n- a\r\n- ⟨b\r\n", "name: x\r\nskips:\r\n- a\r\n"},
	{"block, no line end", "skips:\n- a\n- ⟨b", "skips:\n- a"},
	{"block, no line end, CRLF", "skips:\r\n- a\r\n- ⟨b", "skips:\r\n- a"},
	{"block, BOM", "\uFEFFskips:\n- a\n- ⟨b\n", "\uFEFFskips:\n- a\n"},
	{"block, the last item", "name: x\nskips:\n- ⟨b\nother: y\n", "name: x\nother: y\n"},
	{"block, the last item of the last field", "entries:\n- name: x\n  skips:\n  - ⟨b\n- name: y\n", "entries:\n- name: x\n- name: y\n"},
	{"block, the key behind a dash", "entries:\n- skips:\n  - ⟨b\n  name: x\n", "entries:\n- name: x\n"},
	{"field", "entries:\n- name: x\n  replaces: ⟨b # why\n  skipRange: <1\n", "entries:\n- name: x\n  skipRange: <1\n"},
	{"field behind a dash", "entries:\n- replaces: ⟨b\n  name: x\n", "entries:\n- name: x\n"},
	{"field, no line end", "name: x\nreplaces: ⟨b", "name: x"},
	{"flow", "skips: [a, ⟨b, c] # all\n", "skips: [a, c] # all\n"},
	{"flow, first", "skips: [ ⟨b, c ]\n", "skips: [ c ]\n"},
	{"flow, last", "skips: [a, c, ⟨b]\n", "skips: [a, c]\n"},
	{"flow, a comma at the end", "skips: [a, ⟨b, ]\n", "skips: [a, ]\n"},
	{"flow, quoted", "skips: ['a,', ⟨\"b\", c]\n", "skips: ['a,', c]\n"},
	{"flow, several lines", "skips: [\n  a,\n  ⟨b,\n  c\n]\n", "skips: [\n  a,\n  c\n]\n"},
	{"flow, the last item", "name: x\nskips: [⟨b]\n", "name: x\n"},
	{"flow in flow", "entries:\n- {name: x, skips: [⟨b]}\n", "entries:\n- {name: x}\n"},
	{"JSON", `{"skips": ["a", ⟨"b"]}`, `{"skips": ["a"]}`},
	{"JSON, compact", `{"name":"x","skips":[⟨"b"],"other":[{"a":"]"}]}`, `{"name":"x","other":[{"a":"]"}]}`},
	{"JSON, the last field", `{"other":[1,{"a":"}\""}],"skips":[⟨"b"]}`, `{"other":[1,{"a":"}\""}]}`},
	{"JSON, pretty", "{\n    \"skips\": [\n        \"a\",\n        ⟨\"b\",\n        \"c\"\n    ]\n}", "{\n    \"skips\": [\n        \"a\",\n        \"c\"\n    ]\n}"},
	{"JSON, pretty, the last item", "{\n    \"name\": \"x\",\n    \"skips\": [\n        ⟨\"b\"\n    ]\n}", "{\n    \"name\": \"x\"\n}"},
	{"JSON, field", `{"replaces": ⟨"b", "name": "x"}`, `{"name": "x"}`},
}

func TestRemove(t *testing.T) {
	for _, test := range removals {
		t.Run(test.name, func(t *testing.T) {
			got, err := change(t, test.text, Change{Kind: Remove, Was: "b"})
			if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestRemoveEmpty(t *testing.T) {
	for text, want := range map[string]string{
		"skips:\n- a\n-⟨\n- b\n":         "skips:\n- a\n- b\n",
		"skips:\n- a\n-⟨":                "skips:\n- a",
		"skips:\n- a\n-⟨ # none\n- b\n":  "skips:\n- a\n- b\n",
		"skips:\n- ⟨~\n- b\n":            "skips:\n- b\n",
		"skips:\n- ⟨''\n- b\n":           "skips:\n- b\n",
		"skips:\r\n- a\r\n-⟨\r\n- b\r\n": "skips:\r\n- a\r\n- b\r\n",
		"name: x\nskips:\n-⟨\n":          "name: x\n",
		"skips: [a, ⟨'', b]\n":           "skips: [a, b]\n",
		"skips: [a, ⟨null]\n":            "skips: [a]\n",
		`{"skips": [⟨null, "a"]}`:        `{"skips": ["a"]}`,
		`{"skips": ["a",⟨""]}`:           `{"skips": ["a"]}`,
	} {
		if got, err := change(t, text, Change{Kind: Remove}); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestReplace(t *testing.T) {
	for text, want := range map[string]string{
		"replaces: ⟨b # why\n":   "replaces: it's # why\n",
		"replaces: ⟨\"b\"  \n":   "replaces: \"it's\"  \n",
		"replaces: ⟨'b'\r\n":     "replaces: 'it''s'\r\n",
		"skips: [a, ⟨b, 'c']\n":  "skips: [a, \"it's\", 'c']\n",
		"skips:\n- ⟨b\n- c":      "skips:\n- it's\n- c",
		"{\"replaces\":⟨\"b\"}":  "{\"replaces\":\"it's\"}",
		"- {name: ⟨b}":           "- {name: \"it's\"}",
		"a: |\n  b: b\nc: ⟨b":    "a: |\n  b: b\nc: it's",
		"\uFEFFreplaces: ⟨'b'\n": "\uFEFFreplaces: 'it''s'\n",
	} {
		if strings.Contains(want, ": it's") || strings.Contains(want, "- it's") {
			want = strings.ReplaceAll(want, "it's", `"it's"`)
		}
		if got, err := change(t, text, Change{Kind: Replace, Was: "b", Texts: []string{"it's"}}); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"true": `"true"`, "1.0": `"1.0"`, "red.v1.0.0": "red.v1.0.0", "~": `"~"`, "": `""`, "é": `"é"`} {
		if got, err := change(t, "a: ⟨b", Change{Kind: Replace, Was: "b", Texts: []string{text}}); err != nil || got != "a: "+want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

var appends = []struct{ name, text, want string }{
	{"block", "name: ⟨b\nskips:\n- a\nother: 1\n", "name: b\nskips:\n- a\n- x\n- z\nother: 1\n"},
	{"block, a comment behind", "name: ⟨b\nskips:\n  -  'a' # one\n# more\n", "name: b\nskips:\n  -  'a' # one\n  -  'x'\n  -  'z'\n# more\n"},
	{"block, no line end", "name: ⟨b\nskips:\n- a", "name: b\nskips:\n- a\n- x\n- z"},
	{"block, CRLF", "name: ⟨b\r\nskips:\r\n- a\r\n", "name: b\r\nskips:\r\n- a\r\n- x\r\n- z\r\n"},
	{"block, an empty item last", "name: ⟨b\nskips:\n- a\n-\n", "name: b\nskips:\n- a\n-\n- x\n- z\n"},
	{"flow", "name: ⟨b\nskips: [a] # all\n", "name: b\nskips: [a, x, z] # all\n"},
	{"flow, tight and quoted", "name: ⟨b\nskips: [\"c\",\"a\"]\n", "name: b\nskips: [\"c\",\"a\",\"x\",\"z\"]\n"},
	{"flow, empty", "name: ⟨b\nskips: [ ]\n", "name: b\nskips: [x, z]\n"},
	{"flow, several lines", "name: ⟨b\nskips: [\n  a\n]\n", "name: b\nskips: [\n  a,\n  x,\n  z\n]\n"},
	{"new", "entries:\n- name: ⟨b\n- name: c\n", "entries:\n- name: b\n  skips:\n  - x\n  - z\n- name: c\n"},
	{"new, deeper", "entries:\n  - name: ⟨b # one\n    replaces: a # two\n    # three\n", "entries:\n  - name: b # one\n    replaces: a # two\n    skips:\n      - x\n      - z\n    # three\n"},
	{"new, like a neighbour", "entries:\n- name: ⟨b\n- name: c\n  skips:\n    - 'd'\n", "entries:\n- name: b\n  skips:\n    - 'x'\n    - 'z'\n- name: c\n  skips:\n    - 'd'\n"},
	{"new, in brackets like a neighbour", "entries:\n- name: c\n  skips: [\"d\"]\n- name: ⟨b\n", "entries:\n- name: c\n  skips: [\"d\"]\n- name: b\n  skips: [\"x\", \"z\"]\n"},
	{"new, no line end", "entries:\r\n- name: ⟨b", "entries:\r\n- name: b\r\n  skips:\r\n  - x\r\n  - z"},
	{"new, in braces", "entries:\n- {name: ⟨b, replaces: a}\n", "entries:\n- {name: b, replaces: a, skips: [x, z]}\n"},
	{"new, in braces, alone", "entries: [{name: ⟨'b'}]\n", "entries: [{name: 'b', skips: ['x', 'z']}]\n"},
	{"new, name last", "entries:\n- replaces: a\n  name: ⟨b\n", "entries:\n- replaces: a\n  name: b\n  skips:\n  - x\n  - z\n"},
	{"JSON", `{"skips": ["a"], "name": ⟨"b"}`, `{"skips": ["a", "x", "z"], "name": "b"}`},
	{"JSON, compact", `{"name":⟨"b","skips":["a"]}`, `{"name":"b","skips":["a","x","z"]}`},
	{"JSON, empty", `{"name":⟨"b","skips":[]}`, `{"name":"b","skips":["x","z"]}`},
	{"JSON, pretty", "{\n  \"name\": ⟨\"b\",\n  \"skips\": [\n    \"a\"\n  ]\n}", "{\n  \"name\": \"b\",\n  \"skips\": [\n    \"a\",\n    \"x\",\n    \"z\"\n  ]\n}"},
	{"JSON, pretty, empty", "{\n  \"name\": ⟨\"b\",\n  \"skips\": []\n}", "{\n  \"name\": \"b\",\n  \"skips\": [\n    \"x\",\n    \"z\"\n  ]\n}"},
	{"JSON, new, compact", `{"entries":[{"name":⟨"b"}]}`, `{"entries":[{"name":"b","skips":["x","z"]}]}`},
	{"JSON, new", `{"entries": [{"name": ⟨"b"}]}`, `{"entries": [{"name": "b", "skips": ["x", "z"]}]}`},
	{"JSON, new, pretty", "{\n\t\"entries\": [\n\t\t{\n\t\t\t\"name\": ⟨\"b\"\n\t\t}\n\t]\n}",
		"{\n\t\"entries\": [\n\t\t{\n\t\t\t\"name\": \"b\",\n\t\t\t\"skips\": [\n\t\t\t\t\"x\",\n\t\t\t\t\"z\"\n\t\t\t]\n\t\t}\n\t]\n}"},
	{"JSON, new, pretty, others follow", "{\n  \"name\": ⟨\"b\",\n  \"list\": [\n    1\n  ]\n}", "{\n  \"name\": \"b\",\n  \"skips\": [\n    \"x\",\n    \"z\"\n  ],\n  \"list\": [\n    1\n  ]\n}"},
}

func TestAppend(t *testing.T) {
	for _, test := range appends {
		t.Run(test.name, func(t *testing.T) {
			got, err := change(t, test.text, Change{Kind: Append, Was: "b", Key: "skips", Texts: []string{"x", "z"}})
			if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]error{
		"a: &x b\nskips:\n- a\n- ⟨*x\n":              ErrForm,
		"skips:\n- a\n- ⟨&x b\n":                     ErrForm,
		"skips:\n- a\n- ⟨!!str b\n":                  ErrForm,
		"skips:\n- a\n- ⟨|-\n  b\n":                  ErrForm,
		"skips:\n- a\n-\n  ⟨b\n":                     ErrForm,
		"p: &l\n- a\n- ⟨b\nq: *l\n":                  errShared,
		"skips:\n# one\n- ⟨b\nname: x\n":             errComment,
		"skips: [\n a, # one\n ⟨b]\n":                errComment,
		"skips:\n- ⟨b\n":                             ErrForm,
		"name: a\nskips: [⟨b]\nSkips: []\n":          errRepeat,
		"skips:\n- a\n- ⟨c\n":                        ErrChanged,
		"skips:\n- - ⟨b\n  - c\n- d\n":               ErrForm,
		"name: x\nskips: [⟨b]\n...\n---\nname: y\n ": errParse,
	} {
		if got, err := change(t, text, Change{Kind: Remove, Was: "b"}); !errors.Is(err, want) {
			t.Errorf("%q: %q, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"name: ⟨b\nskips:\n- x\n":                                   errDone,
		"name: ⟨b\nskips: &l\n- a\n":                                nil,
		"name: ⟨b\nskips: null\n":                                   ErrForm,
		"name: ⟨b\nSkips: [a]\n":                                    nil,
		"name: ⟨b\nSkips: [a]\nskips: []\n":                         errRepeat,
		"names:\n- ⟨b\n":                                            ErrForm,
		"a: &e\n  name: b\nentries:\n- <<: *e\n  name: ⟨b\n":        nil,
		"entries:\n- &e\n  name: ⟨b\n- <<: *e\n":                    errShared,
		"base: &s [a]\nentries:\n- name: ⟨b\n  skips: *s\n":         ErrForm,
		"base: &s\n  skips: [a]\nentries:\n- name: ⟨b\n  <<: *s\n":  errUnsure,
		"entries:\n- name: ⟨b\n  skips: [a # one\n  ]\n- name: c\n": errComment,
	} {
		if got, err := change(t, text, Change{Kind: Append, Was: "b", Key: "skips", Texts: []string{"x"}}); !errors.Is(err, want) {
			t.Errorf("%q: %q, %v; want %v", text, got, err, want)
		}
	}
}

// TestSeveral makes several changes at once, in any order and some of them twice.
func TestSeveral(t *testing.T) {
	text := []byte("entries:\n- name: a\n  skips: [b, c, b, a]\n- name: d\n  replaces: q\n")
	at := func(piece string) int { return bytes.Index(text, []byte(piece)) }
	got, refused := applyChanges(text, false, []changeAt{
		{at("a\n"), Change{Kind: Append, Was: "a", Key: "skips", Texts: []string{"e"}}},
		{at("b, a"), Change{Kind: Remove, Was: "b"}},
		{at("b, a"), Change{Kind: Remove, Was: "b"}},
		{at("a]"), Change{Kind: Remove, Was: "a"}},
		{at("q"), Change{Kind: Replace, Was: "q", Texts: []string{"a"}}},
		{at("q"), Change{Kind: Remove, Was: "q"}},
		{at("a\n"), Change{Kind: Append, Was: "a", Key: "skips", Texts: []string{"f", "e"}}},
	})
	want := "entries:\n- name: a\n  skips: [b, c, e, f]\n- name: d\n  replaces: a\n"
	for i, err := range refused {
		if (err != nil) != (i == 5) {
			t.Errorf("change %d: %v", i, err)
		}
	}
	if string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}
