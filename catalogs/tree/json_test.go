package tree

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestJSONPlaces(t *testing.T) {
	text := "{\n  \"schema\": \"olm.channel\",\n  \"entries\": [\n    {\"name\": \"é\", \"skips\": [\"a\", 1.50]}\n  ]\n}\n{}"
	root, end, err := ParseJSON([]byte(text), Place{Line: 10, Col: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rest := text[end:]; rest != "\n{}" {
		t.Errorf("left over: %q", rest)
	}
	entry := root.Get("entries").Items[0]
	for _, c := range []struct {
		what      string
		got       Place
		line, col int
	}{
		{"root", root.Place, 10, 1},
		{"key", root.Fields[0].Place, 11, 3},
		{"value", root.Get("schema").Place, 11, 13},
		{"entry", entry.Place, 13, 5},
		{"name", entry.Get("name").Place, 13, 14},
		{"a column counts bytes", entry.Fields[1].Place, 13, 20},
		{"item", entry.Get("skips").Items[1].Place, 13, 35},
	} {
		if c.got.Line != c.line || c.got.Col != c.col {
			t.Errorf("%s: got %d:%d, want %d:%d", c.what, c.got.Line, c.got.Col, c.line, c.col)
		}
	}
	if n := entry.Get("skips").Items[1]; n.Text != "1.5" || n.Source != "1.50" {
		t.Errorf("number: got %q from %q", n.Text, n.Source)
	}
}

func TestJSONErrors(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
		msg       string
	}{
		{``, 1, 1, "found the end of the text"},
		{`{"a": }`, 1, 7, "expected a value, found '}'"},
		{"{\n \"a\": 1\n \"b\": 2}", 3, 2, "expected a comma"},
		{`{"a": 1,}`, 1, 9, "expected a key in double quotes, found '}'"},
		{`{a: 1}`, 1, 2, "expected a key"},
		{`["a"`, 1, 5, "the text ends inside"},
		{`"a`, 1, 1, "the text ends inside a string"},
		{"\"a\nb\"", 1, 3, "control character"},
		{`"\x"`, 1, 2, "not an escape"},
		{`01`, 0, 0, ""},
		{`1.`, 1, 3, "expected a digit"},
		{`1e999`, 1, 1, "out of range"},
		{strings.Repeat("[", maxDepth+1), 1, maxDepth + 2, "deeper than"},
	} {
		_, _, err := ParseJSON([]byte(c.text), Place{Line: 1, Col: 1}, nil)
		if c.msg == "" {
			if err != nil {
				t.Errorf("%.20q: %v", c.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Msg, c.msg) || err.Line != c.line || err.Col != c.col {
			t.Errorf("%.20q: got %+v, want %d:%d %s", c.text, err, c.line, c.col, c.msg)
		}
	}
}

// FuzzJSON compares the reader with encoding/json: the same texts, the same values, skipped or not.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"schema": "olm.bundle", "properties": [{"type": "olm.gvk", "value": {"group": "g", "n": [1, 2.0, -3e5, null, true, false]}}]}`,
		`{"a": "\u00e9\ud83d\ude00\ud800 \n\"\\", "a": 1e400}`, `{}{}`, ` [] `, `{"a":{"b":{"c":[[[]]]}}}`, "{\"a\":\"\xff\"}",
		`"12345678901234567890\u12"`, `-0`, `1E+2`, `truex`, `nul`, "\xef\xbb\xbf{}", `{"properties":[{"value":{"a":[1,{"b":"\t"}]}}]}`,
	} {
		f.Add([]byte(seed))
	}
	skip := SkipPath("properties [] value")
	f.Fuzz(func(t *testing.T, text []byte) {
		at := Place{Off: 7, Line: 3, Col: 5}
		got, end, err := ParseJSON(text, at, nil)
		dec := json.NewDecoder(bytes.NewReader(text))
		var want any
		wantErr := dec.Decode(&want)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("we say %v, encoding/json says %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if int64(end) != dec.InputOffset() {
			t.Fatalf("ends at %d, want %d", end, dec.InputOffset())
		}
		if diff := cmp.Diff(want, plain(t, &got)); diff != "" {
			t.Fatal(diff)
		}
		skipped, _, err := ParseJSON(text, at, skip)
		if err != nil {
			t.Fatal(err)
		}
		expand(t, &skipped, func(n Node) (Node, *Error) { return ExpandJSON(text, at, n) })
		if diff := cmp.Diff(got, skipped, cmpopts.IgnoreUnexported(Node{})); diff != "" {
			t.Fatalf("skipped and read later: %s", diff)
		}
	})
}

// plain returns a tree as encoding/json would decode it into an any.
func plain(t *testing.T, n *Node) any {
	switch n.Kind {
	case Null:
		return nil
	case Bool:
		return n.Text == "true"
	case Number:
		v, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	case String:
		return n.Text
	case List:
		items := []any{}
		for i := range n.Items {
			items = append(items, plain(t, &n.Items[i]))
		}
		return items
	}
	fields := map[string]any{}
	for i := range n.Fields {
		fields[n.Fields[i].Key] = plain(t, &n.Fields[i].Value)
	}
	return fields
}

// expand reads every value that was left Raw.
func expand(t *testing.T, n *Node, read func(Node) (Node, *Error)) {
	if n.Kind == Raw {
		built, err := read(*n)
		if err != nil {
			t.Fatal(err)
		}
		*n = built
	}
	for i := range n.Fields {
		expand(t, &n.Fields[i].Value, read)
	}
	for i := range n.Items {
		expand(t, &n.Items[i], read)
	}
}
