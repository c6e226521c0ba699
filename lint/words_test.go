package lint

import "testing"

func TestMisspelt(t *testing.T) {
	known := []string{"red.v1.0.0", "red.v1.0.1", "red.v1.1.0-rc1"}
	for name, want := range map[string]string{
		"red.1.0.0":      "red.v1.0.0",
		"rad.v1.0.1":     "red.v1.0.1",
		"red.v1.1.0-rc2": "",
		"red.v1.0.2":     "", // another version, not a slip
		"blue.v1.0.0":    "",
	} {
		if got, _ := misspelt(name, known); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestAllOf(t *testing.T) {
	for want, names := range map[string][]string{
		"":                         nil,
		`"a"`:                      {"a"},
		`"a" and "b"`:              {"a", "b"},
		`"a", "b", "c" and "d"`:    {"a", "b", "c", "d"},
		`"a", "b", "c" and 2 more`: {"a", "b", "c", "d", "e"},
	} {
		if got := allOf(names); got != want {
			t.Errorf("%v: got %s, want %s", names, got, want)
		}
	}
}
