package words

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"plain é 日本\n\ttab\r\nlast":        "plain é 日本\n\ttab\r\nlast",
		"::stop-commands::x\n":             "\\::stop-commands::x\n",
		"a\n \t\u00a0\u3000::add-mask::b":  "a\n \t\u00a0\u3000\\::add-mask::b",
		"\u00ad\u200b::set-env name=a::b":  "\u00ad\u200b\\::set-env name=a::b",
		"a ::error::b std::string":         "a ::error::b std::string",
		"a ##[add-mask]b":                  `a #\#[add-mask]b`,
		"###[x] ##vso[y] ##teamcity[z]":    `##\#[x] #\#vso[y] #\#teamcity[z]`,
		"## heading [link] #[1]":           "## heading [link] #[1]",
		"a\x1b[31mb\u009bc\u202ed\re\x00":  `a\x1b[31mb\x9bc\u202ed\re\x00`,
		"\r::error::x":                     `\x0d::error::x`,
		"a\u0085::error::\u2028::error::b": `a\x85::error::\u2028::error::b`,
		"bad \xff":                         "bad \ufffd",
	} {
		want = strings.ReplaceAll(want, `d\re`, `d\x0de`)
		if got := string(Lines([]byte(text), false)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := string(Lines([]byte(want), false)); again != want {
			t.Errorf("%q becomes %q", want, again)
		}
	}
	const coloured = "\x1b[1mbold\x1b[0m \x1b[2Kwiped"
	if got := string(Lines([]byte(coloured), true)); got != "\x1b[1mbold\x1b[0m \\x1b[2Kwiped" {
		t.Errorf("%q", got)
	}
}

// obeyed is what a runner takes for a command.
var obeyed = regexp.MustCompile(`(?m)^[\pZ\s\p{Cf}]*::|##[A-Za-z]*\[`)

func isInert(text string, also string) bool {
	return utf8.ValidString(text) && !obeyed.MatchString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return Unsafe(r) && !strings.ContainsRune(also, r) })
}

// FuzzInert writes any text in pieces: the output has no commands, and JSON has the same values.
func FuzzInert(f *testing.F) {
	f.Add("a\n  ::stop-commands::x\n##[b]\u009b31m")
	f.Add("##\x1b[1m[a]\r\n::")
	f.Fuzz(func(t *testing.T, text string) {
		if one := Text(text); strings.ContainsFunc(one, Unsafe) {
			t.Errorf("%q", one)
		}
		var b bytes.Buffer
		w := &Writer{To: &b}
		for r := iotest.OneByteReader(strings.NewReader(text)); ; {
			piece := make([]byte, 1)
			n, err := r.Read(piece)
			if err != nil {
				break
			}
			if _, err := w.Write(piece[:n]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil || !isInert(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\n\t") || b.String() != string(Lines([]byte(text), false)) {
			t.Errorf("%q: %v", b.String(), err)
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var back, want string
		if json.Unmarshal(quoted, &want); !isInert(string(JSON(quoted)), "") {
			t.Errorf("%q", JSON(quoted))
		}
		if err := json.Unmarshal(JSON(quoted), &back); err != nil || back != want {
			t.Errorf("%q: %q, %v", text, back, err)
		}
	})
}

// TestShellFile: a name is one word of a shell, and no option.
func TestShellFile(t *testing.T) {
	for name, want := range map[string]string{
		"a/b-1.yaml": "a/b-1.yaml", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "-rf": "./-rf", "~": "'~'", "": "''",
	} {
		if got := ShellFile(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
