package changes

import (
	"encoding/json"
	"reflect"
	"testing"
)

func decode(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestDifferences(t *testing.T) {
	for _, test := range []struct {
		was, is string
		want    []string
	}{
		{`{"a":1}`, `{"a":1}`, nil},
		{`{"a":1,"b":{"c":"x"}}`, `{"a":2,"b":{"c":"y"}}`, []string{"a 1 → 2", "b.c x → y"}},
		{`{"l":[{"name":"x","v":1},{"name":"y"}]}`, `{"l":[{"name":"y"},{"name":"x","v":2}]}`, []string{"l[x].v 1 → 2"}},
		{`{"l":[{"name":"x","value":"1"}]}`, `{"l":[{"name":"y","value":"2"}]}`, []string{"l[x] is no longer set, was 1", "l[y] is set to 2"}},
		{`{"l":["a","b"]}`, `{"l":["b","a"]}`, nil},
		{`{"l":["a","b"]}`, `{"l":["b","c"]}`, []string{"l has c, no longer a"}},
		{`{"l":["a"]}`, `{}`, []string{"l has no longer a"}},
		{`{}`, `{"l":[{"name":"x"}],"o":{"a.b/c":{"d":1}}}`, []string{"l[x] is new", `o is set to {"a.b/c":{"d":1}}`}},
		{`{"o":{"a.b/c":1}}`, `{"o":{"a.b/c":2}}`, []string{"o[a.b/c] 1 → 2"}},
		{`{"o":{"a":1}}`, `{"o":[1]}`, []string{`o {"a":1} → 1`}},
	} {
		var got []string
		for _, f := range differences("", decode(t, test.was), decode(t, test.is), false) {
			got = append(got, f.Path+" "+f.say())
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s, %s: %q, want %q", test.was, test.is, got, test.want)
		}
	}
}

// FuzzDifferences checks that nothing differs from itself, and that what differs one way differs the other way as well, at the same places.
func FuzzDifferences(f *testing.F) {
	f.Add(`{"a":[{"name":"x"}]}`, `{"a":[{"name":"x","b":null}],"c":[1,[2]]}`, true)
	f.Add(`[{"name":"x"},{"name":"x"}]`, `[{"path":"a"},{}]`, false)
	f.Fuzz(func(t *testing.T, was, is string, deep bool) {
		var a, b any
		if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil {
			return
		}
		if all := differences("", a, a, deep); len(all) > 0 {
			t.Errorf("%s differs from itself: %+v", was, all)
		}
		there, back := differences("", a, b, deep), differences("", b, a, deep)
		if len(there) != len(back) {
			t.Fatalf("%s, %s: %+v, but %+v", was, is, there, back)
		}
		for i, one := range there {
			if one.Path != back[i].Path {
				t.Errorf("%q, but %q", one.Path, back[i].Path)
			}
			_ = one.say()
		}
	})
}
