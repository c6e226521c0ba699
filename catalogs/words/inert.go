package words

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a string as one line. Tabs and line feeds become blanks, and what is Unsafe becomes an escape, as \x1b.
func Text(s string) string {
	if strings.IndexFunc(s, Unsafe) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t' || r == '\n':
			b.WriteByte(' ')
		case Unsafe(r):
			b.WriteString(escapeRune(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Unsafe reports whether a character is a control character, a bidirectional mark, a line or paragraph separator or a byte order mark.
func Unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

func escapeRune(r rune) string {
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// runnerCommand matches the beginning of a command that a CI runner executes anywhere in a line: ##[ (GitHub: ActionCommand.TryParse), ##vso[
// (Azure), ##teamcity[.
var runnerCommand = regexp.MustCompile(`##([A-Za-z]*\[)`)

// EscapeCommands returns a string with a backslash in each command that a CI runner would execute anywhere in a line.
func EscapeCommands(s string) string { return runnerCommand.ReplaceAllString(s, `#\#$1`) }

// JSON returns a JSON text of the same value without Unsafe characters and without commands of CI runners.
func JSON(text []byte) []byte {
	plain := func(r rune) bool { return Unsafe(r) && r >= 0x7f }
	if bytes.IndexFunc(text, plain) >= 0 {
		var b bytes.Buffer
		for _, r := range string(text) { // all of them are in strings
			if plain(r) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		text = b.Bytes()
	}
	return runnerCommand.ReplaceAll(text, []byte(`#\u0023$1`))
}

// Lines returns text with its lines and tabs, in which what is Unsafe is an escape, and a backslash is in each command of CI runners.
// With color, sequences that set colours are kept.
func Lines(text []byte, color bool) []byte {
	if !bytes.Contains(text, []byte("##")) && !bytes.Contains(text, []byte("::")) && bytes.IndexFunc(text, needsEscape) < 0 {
		return text
	}
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		writeLine(&b, line, color)
	}
	return b.Bytes()
}

// needsEscape reports whether a line with a character may have to be escaped.
func needsEscape(r rune) bool { return r != '\n' && r != '\t' && Unsafe(r) || r == utf8.RuneError }

// colours matches the sequences that set the style of text on a terminal (ECMA-48, SGR).
var colours = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

func writeLine(b *bytes.Buffer, line []byte, color bool) {
	end := []byte(nil)
	for _, e := range []string{"\r\n", "\n"} {
		if body, ok := bytes.CutSuffix(line, []byte(e)); ok {
			line, end = body, []byte(e)
			break
		}
	}
	if bytes.IndexFunc(line, needsEscape) >= 0 {
		line = escapeLine(line, color)
	}
	line = runnerCommand.ReplaceAll(line, []byte(`#\#$1`))
	if indent := len(line) - len(bytes.TrimLeftFunc(line, skippedByRunner)); bytes.HasPrefix(line[indent:], []byte("::")) {
		b.Write(line[:indent])
		b.WriteByte('\\')
		line = line[indent:]
	}
	b.Write(line)
	b.Write(end)
}

// skippedByRunner reports whether a CI runner ignores a character at the start of a line (GitHub: TryParseV2, by String.TrimStart and a comparison
// that ignores format characters).
func skippedByRunner(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// escapeLine escapes what is Unsafe in a line.
func escapeLine(line []byte, color bool) []byte {
	var b bytes.Buffer
	for len(line) > 0 {
		if color && line[0] == 0x1b {
			if sgr := colours.Find(line); sgr != nil {
				b.Write(sgr)
				line = line[len(sgr):]
				continue
			}
		}
		r, size := utf8.DecodeRune(line)
		if r != '\t' && Unsafe(r) {
			b.WriteString(escapeRune(r))
		} else {
			b.WriteRune(r)
		}
		line = line[size:]
	}
	return b.Bytes()
}

// plainWord matches words that no shell expands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$`)

// ShellFile returns the name of a file as one word of a shell that is never like an option: see ShellWord.
func ShellFile(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return ShellWord(name)
}

// ShellWord returns a word that bash and zsh expand to s. Text that Text would change is written as $'…', with an escape for each of its
// bytes.
func ShellWord(s string) string {
	switch {
	case plainWord.MatchString(s):
		return s
	case Text(s) == s && !strings.Contains(s, "##") && !strings.Contains(s, "::"):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		if c := s[i]; 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(" _./@%+,=-", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String() + "'"
}
