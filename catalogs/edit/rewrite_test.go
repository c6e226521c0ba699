package edit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// newEntry returns an entry of a channel.
func newEntry(name, replaces string, skips ...string) tree.Node {
	n := tree.Node{Kind: tree.Map, Fields: []tree.Field{{Key: "name", Value: tree.Node{Kind: tree.String, Text: name}}}}
	if replaces != "" {
		n.Fields = append(n.Fields, tree.Field{Key: "replaces", Value: tree.Node{Kind: tree.String, Text: replaces}})
	}
	if len(skips) > 0 {
		n.Fields = append(n.Fields, tree.Field{Key: "skips", Value: tree.Node{Kind: tree.List, Items: stringNodes(skips)}})
	}
	return n
}

// entryList returns the list under a key of the root.
func entryList(t *testing.T, root *tree.Node) *tree.Node {
	found := fields(root, "entries")
	if len(found) != 1 {
		t.Fatalf("%d lists of entries", len(found))
	}
	return &root.Fields[found[0]].Value
}

func stringNodes(texts []string) []tree.Node {
	nodes := make([]tree.Node, len(texts))
	for i, text := range texts {
		nodes[i] = tree.Node{Kind: tree.String, Text: text}
	}
	return nodes
}

func TestInsertItem(t *testing.T) {
	for name, test := range map[string]struct {
		index      int
		text, want string
	}{
		"block": {1, "name: x\nentries:\n- name: a.v1\nz: 1\n", "name: x\nentries:\n- name: a.v1\n- name: b.v2\n  replaces: a.v1\n  skips:\n  - c.v3\nz: 1\n"},
		"indented block, with its list and its comment": {1, "entries:\n  - name: a.v1\n    skips:\n      - b # why\n\n  # the end\nz: 1\n",
			"entries:\n  - name: a.v1\n    skips:\n      - b # why\n  - name: b.v2\n    replaces: a.v1\n    skips:\n      - c.v3\n\n  # the end\nz: 1\n"},
		"first": {0, "entries:\n# about x\n- replaces: \"x.v0\"\n  name: 'a.v1'\n", "entries:\n- replaces: \"a.v1\"\n  name: 'b.v2'\n  skips:\n  - \"c.v3\"\n# about x\n- replaces: \"x.v0\"\n  name: 'a.v1'\n"},
		"wide dashes, CRLF and no line break at the end": {1, "entries:\r\n-   name:  a.v1", "entries:\r\n-   name:  a.v1\r\n-   name:  b.v2\r\n    replaces:  a.v1\r\n    skips:\r\n    - c.v3"},
		"sorted keys":               {1, "entries:\n- name: a.v1\n  skipRange: '<1.0.0'\n", "entries:\n- name: a.v1\n  skipRange: '<1.0.0'\n- name: b.v2\n  replaces: a.v1\n  skips:\n  - c.v3\n"},
		"other spelling":            {1, "Entries:\n- Name: a.v1\n  Skips: [x, y]\n", "Entries:\n- Name: a.v1\n  Skips: [x, y]\n- Name: b.v2\n  replaces: a.v1\n  Skips: [c.v3]\n"},
		"braces in block":           {1, "entries:\n- {name: a.v1}\n", "entries:\n- {name: a.v1}\n- {name: b.v2, replaces: a.v1, skips: [c.v3]}\n"},
		"braces":                    {1, "{name: x, entries: [{name: a.v1}, {name: b}]}\n", "{name: x, entries: [{name: a.v1}, {name: b.v2, replaces: a.v1, skips: [c.v3]}, {name: b}]}\n"},
		"braces with comments":      {1, "entries: [\n  {name: a.v1}, # one\n  {name: c}\n]\n", "entries: [\n  {name: a.v1}, # one\n  {name: b.v2, replaces: a.v1, skips: [c.v3]},\n  {name: c}\n]\n"},
		"a comment behind the last": {2, "entries: [\n  {name: a.v1}, # one\n  {name: c} # two\n]\n", "entries: [\n  {name: a.v1}, # one\n  {name: c} # two\n]\n"},
		"compact JSON":              {1, `{"entries":[{"name":"a.v1"}]}`, `{"entries":[{"name":"a.v1"},{"name":"b.v2","replaces":"a.v1","skips":["c.v3"]}]}`},
		"JSON, first of two":        {0, `{"entries": [{"name": "a.v1"}, {"name": "z"}]}`, `{"entries": [{"name": "b.v2", "replaces": "a.v1", "skips": ["c.v3"]}, {"name": "a.v1"}, {"name": "z"}]}`},
		"JSON with tabs":            {1, "{\n\t\"entries\": [\n\t\t{\n\t\t\t\"name\": \"a.v1\"\n\t\t}\n\t]\n}", "{\n\t\"entries\": [\n\t\t{\n\t\t\t\"name\": \"a.v1\"\n\t\t},\n\t\t{\n\t\t\t\"name\": \"b.v2\",\n\t\t\t\"replaces\": \"a.v1\",\n\t\t\t\"skips\": [\n\t\t\t\t\"c.v3\"\n\t\t\t]\n\t\t}\n\t]\n}"},
		"an anchor":                 {1, "entries:\n- &first\n  name: a.v1\nz: *first\n", "entries:\n- &first\n  name: a.v1\n- name: b.v2\n  replaces: a.v1\n  skips:\n  - c.v3\nz: *first\n"},
		"a shared list":             {1, "entries: &all\n- name: a.v1\nz: *all\n", "entries: &all\n- name: a.v1\nz: *all\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rewrite([]byte(test.text), strings.Contains(name, "JSON"), func(root *tree.Node) error {
				list := entryList(t, root)
				list.Items = slices.Insert(list.Items, test.index, newEntry("b.v2", "a.v1", "c.v3"))
				return nil
			})
			if (err != nil) != (test.want == test.text) || string(got) != test.want {
				t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, test.want)
			}
		})
	}
}

func TestRemoveItem(t *testing.T) {
	for name, test := range map[string]struct {
		indexes    []int
		text, want string
	}{
		"block":              {[]int{0, 2}, "entries:\n- name: a\n  skips:\n  - x\n- name: b\n\n- name: c\n  replaces: b\n", "entries:\n- name: b\n\n"},
		"no final break":     {[]int{1}, "entries:\n- name: a\n- name: b", "entries:\n- name: a"},
		"braces":             {[]int{1, 2}, "{entries: [{name: a}, {name: b}, {name: c}]}", "{entries: [{name: a}]}"},
		"JSON":               {[]int{0}, "{\"entries\": [\n  {\"name\": \"a\"},\n  {\"name\": \"b\"}\n]}", "{\"entries\": [\n  {\"name\": \"b\"}\n]}"},
		"all":                {[]int{0}, "entries:\n- name: a\n", ""},
		"its own comment":    {[]int{0}, "entries:\n- name: a\n  # why\n  replaces: x\n- name: b\n", ""},
		"named by an anchor": {[]int{0}, "entries:\n- name: &a a\n- name: b\n  replaces: *a\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rewrite([]byte(test.text), name == "JSON", func(root *tree.Node) error {
				list := entryList(t, root)
				for _, i := range slices.Backward(test.indexes) {
					list.Items = slices.Delete(list.Items, i, i+1)
				}
				return nil
			})
			if test.want == "" {
				if err == nil || string(got) != test.text {
					t.Errorf("it was not rejected:\n%s", got)
				}
				return
			}
			if err != nil || string(got) != test.want {
				t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, test.want)
			}
		})
	}
}

func TestSetField(t *testing.T) {
	for name, test := range map[string]struct {
		key, value string // of skips, the value is one more
		text, want string
	}{
		"replaces is changed":    {"replaces", "new", "entries:\n- name: a\n  replaces: 'x' # why\n", "entries:\n- name: a\n  replaces: 'new' # why\n"},
		"replaces is new":        {"replaces", "new", "entries:\n- name: a\n  skips:\n  - x\n", "entries:\n- name: a\n  replaces: new\n  skips:\n  - x\n"},
		"in the order of others": {"replaces", "new", "entries:\n- name: a\n  skips: [x]\n- name: b\n  skips: [y]\n  replaces: z\n", "entries:\n- name: a\n  skips: [x]\n  replaces: new\n- name: b\n  skips: [y]\n  replaces: z\n"},
		"skips are new":          {"skips", "new", "entries:\n- name: a\n- name: b\n  skips:\n    - y\n", "entries:\n- name: a\n  skips:\n    - new\n- name: b\n  skips:\n    - y\n"},
		"skips are more":         {"skips", "new", "entries:\n- name: a\n  skips: ['x']\n", "entries:\n- name: a\n  skips: ['x', 'new']\n"},
		"in JSON":                {"replaces", "new", "{\"entries\": [{\"name\": \"a\"}]}", "{\"entries\": [{\"name\": \"a\", \"replaces\": \"new\"}]}"},
		"skips in JSON":          {"skips", "new", "{\"entries\": [{\n  \"name\": \"a\"\n}]}", "{\"entries\": [{\n  \"name\": \"a\",\n  \"skips\": [\n    \"new\"\n  ]\n}]}"},
		"skips in braces":        {"skips", "new", "entries: [{name: a}]", "entries: [{name: a, skips: [new]}]"},
		"no final break":         {"replaces", "new", "entries:\n- name: a", "entries:\n- name: a\n  replaces: new"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rewrite([]byte(test.text), strings.HasSuffix(name, "JSON"), func(root *tree.Node) error {
				entry := &entryList(t, root).Items[0]
				value := tree.Node{Kind: tree.String, Text: test.value}
				if found := fields(entry, test.key); test.key == "skips" {
					return appendTexts(entry, test.key, []string{test.value})
				} else if len(found) > 0 {
					value.Place = entry.Fields[found[0]].Value.Place
					entry.Fields[found[0]].Value = value
					return nil
				}
				entry.Fields = append(entry.Fields, tree.Field{Key: test.key, Value: value})
				return nil
			})
			if err != nil || string(got) != test.want {
				t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, test.want)
			}
		})
	}
}

func TestRemoveField(t *testing.T) {
	remove := func(text, key string) ([]byte, error) {
		return rewrite([]byte(text), false, func(root *tree.Node) error {
			entry := &entryList(t, root).Items[0]
			entry.Fields = slices.DeleteFunc(entry.Fields, func(f tree.Field) bool { return f.Key == key })
			return nil
		})
	}
	for text, want := range map[string]string{
		"entries:\n- name: a\n  skips:\n  - x\n  - y\n  replaces: b\n": "entries:\n- name: a\n  replaces: b\n",
		"entries:\n- name: a\n  skips: [x,\n    y]\n":                  "entries:\n- name: a\n",
		"entries: [{name: a, skips: [x, y]}]":                          "entries: [{name: a}]",
	} {
		got, err := remove(text, "skips")
		if err != nil || string(got) != want {
			t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
		}
	}
	if _, err := remove("entries:\n- name: a\n", "name"); !errors.Is(err, ErrForm) {
		t.Errorf("the only field: %v", err)
	}
}

func TestLike(t *testing.T) {
	for text, want := range map[string]string{
		"schema: olm.channel\r\nname: \"a\"\r\nentries:\r\n  - name: x.v1\r\n": "schema: olm.channel\r\nname: \"b\"\r\nentries:\r\n  - name: y.v2\r\n    replaces: x.v1",
		"{schema: olm.channel, name: a, entries: [{name: x.v1}]}\n":            "{schema: olm.channel, name: b, entries: [{name: y.v2, replaces: x.v1}]}",
	} {
		got, err := formatLike([]byte(text), false, tree.Node{Kind: tree.Map, Fields: []tree.Field{
			{Key: "entries", Value: tree.Node{Kind: tree.List, Items: []tree.Node{newEntry("y.v2", "x.v1")}}},
			{Key: "name", Value: tree.Node{Kind: tree.String, Text: "b"}},
			{Key: "schema", Value: tree.Node{Kind: tree.String, Text: "olm.channel"}}}})
		if err != nil || string(got) != want {
			t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
		}
	}
}
