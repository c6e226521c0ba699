package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// object is one object of a catalog, as far as it is compared.
type object struct {
	Schema, Name, Package, Image, DefaultChannel string
	Icon                                         *struct{ Base64data, Mediatype string }
	Entries                                      []entryObject
	Properties                                   []struct {
		Type  string
		Value json.RawMessage
	}
	RelatedImages []image
}

// parse reads a sequence of objects, by schema, package and name, with unordered lists sorted.
func parse(t testing.TB, text []byte) map[string]object {
	t.Helper()
	objects := map[string]object{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var o object
		if err := decoder.Decode(&o); err == io.EOF {
			return objects
		} else if err != nil {
			t.Fatal(err)
		}
		for i := range o.Properties {
			var compact any
			if err := json.Unmarshal(o.Properties[i].Value, &compact); err != nil {
				t.Fatal(err)
			}
			o.Properties[i].Value, _ = marshal(compact)
		}
		slices.SortFunc(o.Entries, func(a, b entryObject) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(o.Properties, func(a, b struct {
			Type  string
			Value json.RawMessage
		}) int {
			return strings.Compare(a.Type+"\x00"+string(a.Value), b.Type+"\x00"+string(b.Value))
		})
		objects[o.Schema+" "+o.Package+" "+o.Name] = o
	}
}

// readAll reads a database into objects, and what was said of it.
func readAll(t testing.TB, s Source, o Options) (objects map[string]object, problems []Problem, err error) {
	t.Helper()
	var text bytes.Buffer
	o.Problem = func(p Problem) { problems = append(problems, p) }
	err = Read(t.Context(), s, o, func(d Document) error {
		text.Write(d.JSON)
		return nil
	})
	return parse(t, text.Bytes()), problems, err
}

// TestRendered compares the small index with the output of opm.
func TestRendered(t *testing.T) {
	want, err := os.ReadFile(catalogtest.Data(t, "expected/sqlite-small-rendered.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, problems, err := readAll(t, Path(catalogtest.Data(t, "sqlite/small.db")), Options{})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if opm := parse(t, want); !reflect.DeepEqual(opm, got) { // cmp takes seconds to find that the manifests are equal
		t.Errorf("-opm +here\n%s", cmp.Diff(opm, got))
	}
}

// TestChannels compares the heads of real indexes with those that opm lists.
func TestChannels(t *testing.T) {
	for _, name := range []string{"small", "manifests"} {
		want, err := os.ReadFile(catalogtest.Data(t, "expected/sqlite-"+name+"-channels.txt"))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		notes := 0
		err = Read(t.Context(), Path(catalogtest.Data(t, "sqlite/"+name+".db")), Options{Problem: func(p Problem) {
			if notes++; !p.Note {
				t.Error(p)
			}
		}}, func(d Document) error {
			if !strings.HasPrefix(d.Name, "channel/") {
				return nil
			}
			for _, o := range parse(t, d.JSON) {
				lines = append(lines, fmt.Sprintf("%s|%s|%s\n", o.Package, o.Name, strings.Join(heads(o.Entries), ",")))
			}
			return nil
		})
		if err != nil || name == "manifests" && notes != 22 { // on the bundles of hive-operator, which has no package
			t.Errorf("%s: %v, %d notes", name, err, notes)
		}
		slices.Sort(lines)
		if diff := cmp.Diff(string(want), strings.Join(lines, "")); diff != "" {
			t.Errorf("%s: -opm +here\n%s", name, diff)
		}
	}
}

// heads returns the entries that no other replaces or skips.
func heads(entries []entryObject) []string {
	var names []string
	for _, e := range entries {
		if !slices.ContainsFunc(entries, func(o entryObject) bool {
			return o.Replaces == e.Name || slices.Contains(o.Skips, e.Name)
		}) {
			names = append(names, e.Name)
		}
	}
	return names
}

func TestRecognise(t *testing.T) {
	if !Recognise([]byte("SQLite format 3\x00\x10\x00")) || Recognise([]byte("SQLite format 3")) || Recognise(nil) {
		t.Error("wrong")
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := Read(ctx, Path(catalogtest.Data(t, "sqlite/small.db")), Options{}, func(Document) error {
		n++
		cancel()
		return nil
	})
	if err != context.Canceled || n != 1 {
		t.Errorf("%v after %d documents", err, n)
	}
}

// String returns the table, the row and the message in one line.
func (p Problem) String() string {
	switch {
	case p.Table == "":
		return p.Message
	case p.Row == 0:
		return p.Table + ": " + p.Message
	}
	return fmt.Sprintf("%s, row %d: %s", p.Table, p.Row, p.Message)
}
