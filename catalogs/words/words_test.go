package words

import (
	"testing"
)

func TestSomeQuoted(t *testing.T) {
	for want, names := range map[string][]string{
		"":                         nil,
		`"a"`:                      {"a"},
		`"a" and "b"`:              {"a", "b"},
		`"a", "b", "c" and "d"`:    {"a", "b", "c", "d"},
		`"a", "b", "c" and 2 more`: {"a", "b", "c", "d", "e"},
	} {
		if got := QuoteSome(names); got != want {
			t.Errorf("%v: got %s, want %s", names, got, want)
		}
	}
}
