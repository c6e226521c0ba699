package tree

import (
	"fmt"
	"strings"
	"testing"
)

// TestExplain: each mistake is explained in its own line, wherever the parser gives up.
func TestExplain(t *testing.T) {
	begin := Place{Line: 1, Col: 1}
	for text, want := range map[string]string{
		"a: 1\nb: >=1.0.0\n":                "2:4 a value that begins with >",
		"a: 1\n\tb: 2\n":                    "2:1 a tab",
		"name stable\na: 1\n":               "1:1 a colon is missing",
		"name:stable\na: 1\n":               "1:6 a space is missing",
		"a: \"b\nc: d\n":                    "1:4 the quote",
		"a: 'b's'\n":                        "1:6 the quote ' ends the value",
		"a: b: c\n":                         "1:4 a value with a colon",
		"a: 1\n<<<<<<< HEAD\nb: 2\n":        "2:1 a merge conflict",
		"a:\n- name: b\n-name: c\n  d: e\n": "3:1 a space is missing after the hyphen",
		"a: {b: c\nd: e\n":                  "1:4 the { is not closed",
		"a: @b\n":                           "1:4 a value that begins with @",
		"a: 1\n   b: 2\n  c: 3\nd: [\n":     "2:1 the indentation does not fit",
	} {
		_, _, err := ParseYAML([]byte(text), begin, nil)
		if err == nil {
			t.Errorf("%q is YAML", text)
			continue
		}
		m := Explain([]byte(text), begin, false, err)
		if got := fmt.Sprintf("%d:%d %s", m.Line, m.Col, m.Message); !strings.HasPrefix(got, want) || m.Fix == "" {
			t.Errorf("%q: %s; %s; want %s", text, got, m.Fix, want)
		}
	}
}

// FuzzExplain checks that no text panics, and that each mistake has a message.
func FuzzExplain(f *testing.F) {
	f.Add("a: >b\n\tc", 2)
	f.Fuzz(func(t *testing.T, text string, line int) {
		begin := Place{Line: 1, Col: 1}
		for _, json := range []bool{false, true} {
			m := Explain([]byte(text), begin, json, &Error{Place: Place{Line: line, Col: 1}, Msg: "did not find expected key"})
			if m.Message == "" {
				t.Errorf("%q: no message", text)
			}
		}
	})
}
