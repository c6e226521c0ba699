package text

import "testing"

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本":        "plain é 日本",
		"\x1b[31mred\x07":   `\x1b[31mred\x07`,
		"a\u202eb\u2066c":   `a\u202eb\u2066c`,
		"line\nbreak\ttab":  "line break tab",
		"c1 \u009b control": `c1 \x9b control`,
		"bad \xff utf8":     "bad \uFFFD utf8",
	} {
		if got := Safe(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestFence(t *testing.T) {
	for _, test := range []struct {
		in    string
		least int
		want  string
	}{{"", 1, "`"}, {"a", 3, "```"}, {"a`b``c`", 1, "```"}, {"a`b``c`", 3, "```"}, {"````", 3, "`````"}} {
		if got := Fence(test.in, test.least); got != test.want {
			t.Errorf("%q, %d: %s", test.in, test.least, got)
		}
	}
}
