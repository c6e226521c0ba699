package snapshot

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
)

const listYAML = `# a comment
apiVersion: v1
items:
- apiVersion: v1
  kind: A
  metadata:
    name: one
    namespace: n
  spec:
    text: |
      - apiVersion: not an item
      items:
    list:
    - x
- apiVersion: v1

  # another comment
  kind: B
  metadata: {name: two}
  status:
    phase: Running
kind: List
metadata:
  resourceVersion: ""
---
{apiVersion: v1, kind: C, metadata: {name: three}}
---

---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: D
    metadata:
      name: four
  -
    kind: E
    metadata:
      name: five
---
apiVersion: v1
kind: FList
items: [{kind: F, metadata: {name: six}}, {kind: GList, items: [{kind: G, metadata: {name: seven}}]}]
`

const listJSON = `{"apiVersion": "v1", "items": [
  {"kind": "A", "metadata": {"name": "one"}, "text": "]}\"{[\\"},
  {"kind": "B", "metadata": {"name": "two", "namespace": "n"}, "n": [1, [2]]}
 ], "kind": "List", "metadata": {}}
{"kind": "C", "metadata": {"name": "three"}}{"items": [], "kind": "List"}
{"kind": "D", "metadata": {"name": "four"}, "items": 3}
`

func readAll(t *testing.T, text string) string {
	t.Helper()
	var all []string
	var r reader
	for o, err := range r.objects(strings.NewReader(text)) {
		if err != nil {
			return strings.Join(append(all, err.Error()), "; ")
		}
		all = append(all, fmt.Sprintf("%d %s %s", o.Line, o.Kind, o.Name))
	}
	return strings.Join(all, "; ")
}

// TestLists reads the items of lists in all forms, with their lines.
func TestLists(t *testing.T) {
	const inYAML = "4 A one; 15 B two; 26 C three; 33 D four; 38 E five; 44 F six; 44 G seven"
	for text, want := range map[string]string{
		listYAML: inYAML, strings.ReplaceAll(listYAML, "\n", "\r\n"): inYAML, listJSON: "2 A one; 3 B two; 5 C three; 6 D four",
		"": "", "\n---\n# nothing\n": "", "- 1": "1  ", "items:\n- a: 1\nkind: Thing": `2  ; line 1: items in an object of kind "Thing", which is not a List`,
		// what is cut off
		"apiVersion: v1\nitems:\n- kind: A\n  metadata: {name: one}\n": "3 A one; line 4: the list that begins in line 2 has no kind after it, as if the end of the text were missing",
		`{"items": [{"kind": "A"}, `:                                   `1 A ; line 1: the list that begins in line 1 has no kind after it, as if the end of the text were missing`,
		`{"items": [{"kind": "A"}, {"kind": `:                          "1 A ; line 1: the list that begins in line 1 has no kind after it, as if the end of the text were missing",
		// what is not in order
		`{"kind": "List", "items": [{"kind": "A"},, {"kind": "B"}]}`:                            `1 A ; line 1: not JSON: invalid character ',' looking for beginning of value`,
		`{"kind": "List", "items": [{"kind": "A"},]}`:                                           `1 A ; line 1: not JSON: invalid character ']' looking for beginning of value`,
		`{"kind": "List", "items": [{"kind": "A"} {"kind": "B"}]}`:                              `1 A ; line 1: not JSON: expected comma after array element`,
		`{"kind": "List", "items": [{"kind": "A"}],, "a": 1}`:                                   `1 A ; line 1: not JSON: invalid character ',' looking for beginning of object key string`,
		"{\"kind\": \"List\", \"items\": [{\"kind\": \"A\"}],\n\"items\": [{\"kind\": \"B\"}]}": "1 A ; line 2: the key \"items\" is repeated",
		`{,"kind": "A"}`: "line 1: expected a key in double quotes, found ','",
		"items:\n- kind: A\nkind: List\n--- # from the second file\nkind: B\n": "2 A ; 5 B ",
		"items:\n- kind: A\nkind: List\n...\nkind: B\n":                        "2 A ; 5 B ",
		"items:\n- kind: A\nkind: List\n--- {kind: B}\n":                       "2 A ; line 4: the separator of documents is followed by text",
		"items:\n- kind: A\nkind: List\nitems:\n- kind: B\n":                   `2 A ; line 1: around the list that begins in this line: the key "items" is repeated`,
		"items:\n- kind: A\nkind: List\nkind: B\nmetadata: {}\n":               `2 A ; line 1: around the list that begins in this line: the key "kind" is repeated`,
		"items:\n- kind: A\nkind: List\nwhat is this\n":                        "2 A ; line 1: around the list that begins in this line: a key without a colon",
		"a: b\n\tc: [\n": "line 2: a tab indents the line, and YAML allows spaces only",
	} {
		if got := readAll(t, text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if got := readAll(t, packed.String()); got != want {
			t.Errorf("compressed: %s\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestYAMLValue finds values in the form in which kubectl prints them.
// TestLarge reads objects that are larger than any of a cluster, in little memory: packed with gzip they take some kilobytes.
func TestLarge(t *testing.T) {
	const mib = 1 << 20
	for name, text := range map[string]string{
		"a line":             "a: %s\n",
		"lines":              "a:\n%s\n",
		"an item":            "kind: List\nitems:\n- a: %s\n",
		"a string of JSON":   `{"a": "%s"}`,
		"an item of JSON":    `{"kind": "List", "items": [{"a": "%s"}]}`,
		"a list without end": `{"items": ["%s`,
	} {
		before, after, _ := strings.Cut(text, "%s")
		filler := "xxxxxxxx"
		if name == "lines" {
			filler = "  b: c\n\n"
		}
		endless := &filled{text: filler, left: 1 << 30}
		var err error
		for _, err = range items(io.MultiReader(strings.NewReader(before), endless, strings.NewReader(after))) {
		}
		if err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
			t.Errorf("%s: the error is %v", name, err)
		}
		if read := 1<<30 - endless.left; read > 64*mib {
			t.Errorf("%s: %d MiB were read", name, read/mib)
		}
		for item, err := range items(strings.NewReader(before + strings.Repeat(filler, mib/len(filler)) + after)) {
			if err == nil && len(item.Text) < mib {
				t.Errorf("%s: an item of 1 MiB has %d bytes", name, len(item.Text))
			}
			if err != nil && name != "a list without end" {
				t.Errorf("%s: an item of 1 MiB: %v", name, err)
			}
		}
	}
}

// TestLimit: a text that is longer than its limit is not read to the limit and taken for the whole.
func TestLimit(t *testing.T) {
	for size, want := range map[int]error{100: nil, 101: errTooLong} {
		text, err := io.ReadAll(&limited{strings.NewReader(strings.Repeat("x", size)), 100})
		if err != want || len(text) != 100 {
			t.Errorf("%d bytes: %d read, %v, want %v", size, len(text), err, want)
		}
	}
}

// filled is a text, repeated.
type filled struct {
	text string
	left int
}

func (f *filled) Read(to []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(f.text) <= len(to) && f.left > 0 {
		n += copy(to[n:], f.text)
		f.left -= len(f.text)
	}
	if n == 0 {
		n = copy(to, f.text[:1])
	}
	return n, nil
}

func TestYAMLValue(t *testing.T) {
	const item = "  kind: A\n  metadata:\n    annotations:\n      text: |-\n        labels:\n          x: no\n    labels:\n      x: 'yes'\n  status:\n    reason: Copied\n"
	for path, want := range map[string]string{"kind": "A", "metadata labels x": "yes", "status reason": "Copied", "metadata name": "-", "status labels": "-", "kind x": "-"} {
		got, ok := yamlValue([]byte(item), strings.Fields(path)...)
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// FuzzObjects reads any text: in the end there is an error or all objects, and what is read of one is the same as what it keeps.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{listYAML, listJSON, "items:\n-\n- \n", "{\"items\":[", "{", "items:\n- a: *x\n", "\x1f\x8b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := reader{ignore: func(item []byte) bool {
			yamlValue(item, "metadata", "labels", "x")
			headOfText(item)
			return false
		}}
		for o, err := range r.objects(strings.NewReader(text)) {
			if err != nil {
				if strings.ContainsRune(err.Error(), '\x1b') {
					t.Errorf("%q", err)
				}
				return
			}
			now, err := o.asJSON(nil)
			if then := o.keep()(); err == nil && !bytes.Equal(now, then) {
				t.Errorf("%s becomes %s", now, then)
			}
		}
	})
}

// BenchmarkReadGrowth reads as many objects in flow style, which takes the full parser of YAML: the time is to grow with their number.
func BenchmarkReadGrowth(b *testing.B) {
	for _, n := range []int{1000, 4000, 16000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var text strings.Builder
			text.WriteString("kind: List\nitems:\n")
			for i := range n {
				fmt.Fprintf(&text, "- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: s%d, namespace: ns}, spec: {name: p, source: c, sourceNamespace: olm}}\n", i)
			}
			for b.Loop() {
				if err := new(Snapshot).Read("", strings.NewReader(text.String())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestTooManyObjects: objects that decide upgrades are counted, copies and other kinds are not.
// TestYAMLAfterJSON reads the last of more documents of YAML than an item may be long, behind one of JSON.
func TestYAMLAfterJSON(t *testing.T) {
	large := "---\nkind: ConfigMap\nmetadata:\n  name: " + strings.Repeat("a", 1<<20) + "\n"
	text := `{"kind": "ConfigMap"}` + "\n" + strings.Repeat(large, maxItem>>20+1) + `---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: sail, namespace: port}
`
	var s Snapshot
	if err := s.Read("", strings.NewReader(text)); err != nil || len(s.Subscriptions["port"]) != 1 {
		t.Errorf("%v, %d Subscriptions, want 1", err, len(s.Subscriptions["port"]))
	}
}

func TestTooManyObjects(t *testing.T) {
	const node, other = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n%d"}}` + "\n", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n%d"}}` + "\n"
	text := func(n int, format string) io.Reader {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return &b
	}
	var s Snapshot
	if err := s.Read("", io.MultiReader(text(maxObjects, node), text(100, other))); err != nil {
		t.Error(err)
	}
	err := s.Read("more.json", text(2, node))
	if want := "more.json:1:1: object 50001 of the kinds that decide upgrades, but olmgraph takes at most 50000"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
