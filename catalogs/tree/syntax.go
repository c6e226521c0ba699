package tree

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// Mistake is what is wrong, where, and what to do.
type Mistake struct {
	Place
	Message, Fix string
}

var (
	mergeMarker = regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>)( |\r?$)`)
	keyLine     = regexp.MustCompile(`^([ \t]*(?:- +)*)("[^"]*"|'[^']*'|[A-Za-z$][\w./-]*):(.*)$`)
	noColon     = regexp.MustCompile(`^([ \t]*(?:- +)*)([A-Za-z]+)[ \t]+([^:]*|\S*)$`)
	tightHyphen = regexp.MustCompile(`^([ \t]*)-([A-Za-z][\w.-]*:.*)$`)
	blockHeader = regexp.MustCompile(`^[>|][-+0-9]*[ \t]*(#.*)?$`)
)

// Explain says what is wrong in the text of a document at a place where its parser gave up. The text begins at a place of its own.
func Explain(text []byte, begin Place, json bool, err *Error) Mistake {
	if at := mergeMarker.FindIndex(text); at != nil {
		line := begin.Line + bytes.Count(text[:at[0]], []byte("\n"))
		return Mistake{Place{Line: line, Col: 1}, "a merge conflict of git is not resolved: this line is one of its markers",
			"keep one of the two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>"}
	}
	if json {
		return Mistake{err.Place, err.Msg, JSONFix(err.Msg)}
	}
	lines := strings.Split(string(text), "\n")
	at := err.Line - begin.Line
	for _, i := range []int{at, at - 1, at + 1} {
		if i < 0 || i >= len(lines) || len(lines[i]) > maxLine {
			continue
		}
		if m, ok := inLine(strings.TrimRight(lines[i], "\r \t")); ok {
			m.Line = begin.Line + i
			return m
		}
	}
	if err.Msg == endOfStream {
		for i, line := range lines {
			if m, ok := inLine(strings.TrimRight(line, "\r \t")); ok && len(line) <= maxLine && strings.HasPrefix(m.Message, "the quote") {
				m.Line = begin.Line + i
				return m
			}
		}
	}
	m := translate(err.Msg)
	m.Place = err.Place
	return m
}

// endOfStream is the message of the YAML parser on a quote that is not closed.
const endOfStream = "found unexpected end of stream"

// maxLine is how long a line may be in which a mistake is looked for, in bytes.
const maxLine = 2000

// JSONFix returns what to do about a message of package tree on JSON; "" if the message says it all.
func JSONFix(msg string) string {
	switch {
	case strings.HasPrefix(msg, "expected a comma") && strings.HasSuffix(msg, "found '{'"):
		return "close the object or the list before it"
	case strings.HasPrefix(msg, "expected a comma"):
		return "put a comma after the value before it"
	case strings.HasSuffix(msg, "found '/'") || strings.HasSuffix(msg, "found '#'"):
		return "remove the comment: JSON has none"
	case strings.HasSuffix(msg, "found ','"):
		return "remove the comma: objects follow each other without one"
	case strings.HasPrefix(msg, "expected a key") && strings.HasSuffix(msg, "found '}'"), strings.HasSuffix(msg, "found ']'"):
		return "remove the comma before it"
	case strings.HasSuffix(msg, "found '}'"):
		return "remove it: it closes nothing"
	case strings.HasPrefix(msg, "expected a key"), strings.HasSuffix(msg, `found '\''`):
		return "write keys and strings in double quotes"
	case strings.HasPrefix(msg, "expected a value"):
		return "write true, false, null, a number, or a string in double quotes"
	case strings.HasPrefix(msg, "the control character '\\n'"):
		return "close the string with a double quote in its line"
	case strings.HasPrefix(msg, "the text ends inside"):
		return "close the objects and lists that are open"
	}
	return ""
}

// inLine recognises a mistake in a line.
func inLine(line string) (Mistake, bool) {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	found := func(col int, message, fix string) (Mistake, bool) {
		return Mistake{Place{Col: col + 1}, message, fix}, true
	}
	if i := strings.IndexByte(indent, '\t'); i >= 0 {
		return found(i, "a tab indents the line, and YAML allows spaces only", "replace the tab with spaces")
	}
	if line == "--" {
		return found(0, "two hyphens separate nothing: a line between documents has three", "write ---")
	}
	if m := tightHyphen.FindStringSubmatch(line); m != nil {
		return found(len(m[1]), "a space is missing after the hyphen", fmt.Sprintf("write - %s", m[2]))
	}
	if m := keyLine.FindStringSubmatch(line); m != nil {
		return inValue(m[1], m[2], m[3])
	}
	if m := noColon.FindStringSubmatch(line); m != nil && knownKeys[m[2]] {
		return found(len(m[1]), fmt.Sprintf("a colon is missing after %s", m[2]), fmt.Sprintf("write %s: %s", m[2], m[3]))
	}
	if key := strings.TrimLeft(line, " -"); knownKeys[key] {
		return found(len(line)-len(key), fmt.Sprintf("a colon is missing after %s", key), fmt.Sprintf("write %s:", key))
	}
	return Mistake{}, false
}

// knownKeys are keys after which a colon was forgotten, if a word follows.
var knownKeys = func() map[string]bool {
	known := map[string]bool{}
	for key := range strings.FieldsSeq("schema package name defaultChannel icon description entries replaces skips skipRange image properties " +
		"relatedImages type value packageName version release reference message apiVersion kind metadata spec annotations group " +
		"displayName install installModes supported maturity provider") {
		known[key] = true
	}
	return known
}()

// inValue recognises a mistake in the value after a key and a colon.
func inValue(before, key, rest string) (Mistake, bool) {
	value := strings.TrimLeft(rest, " \t")
	col := len(before) + len(key) + 1 + len(rest) - len(value)
	quoted := fmt.Sprintf("write %s: %s", key, quote(value))
	found := func(message, fix string) (Mistake, bool) {
		return Mistake{Place{Col: col + 1}, message, fix}, true
	}
	switch {
	case value == "":
		return Mistake{}, false
	case strings.HasPrefix(rest, "\u00a0"):
		return found("a no-break space (U+00A0) follows the colon, where YAML requires a space", fmt.Sprintf("write %s: %s", key, strings.TrimPrefix(value, "\u00a0")))
	case rest == value:
		return found("a space is missing after the colon", fmt.Sprintf("write %s: %s", key, value))
	case strings.ContainsRune(">|", rune(value[0])) && !blockHeader.MatchString(value):
		return found(fmt.Sprintf("a value that begins with %c must be quoted: YAML reads it as the start of a block of text", value[0]), quoted)
	case strings.ContainsRune("@`%,]}*&!", rune(value[0])):
		return found(fmt.Sprintf("a value that begins with %c must be quoted", value[0]), quoted)
	case value[0] == '"' || value[0] == '\'':
		return inQuotes(value, col)
	case value[0] == '{' || value[0] == '[':
		opening, closing := string(value[0]), string(value[0]+2)
		if strings.Count(value, opening) > strings.Count(value, closing) {
			return found(fmt.Sprintf("the %s is not closed in this line", opening), fmt.Sprintf("add the missing %s, or quote the value if it is text", closing))
		}
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		return found("a value with a colon in it must be quoted", quoted)
	}
	return Mistake{}, false
}

// inQuotes recognises a quote that is not closed, or closed too early.
func inQuotes(value string, col int) (Mistake, bool) {
	end := 1
	for ; end < len(value) && value[end] != value[0]; end++ {
		if value[0] == '"' && value[end] == '\\' {
			end++
		} else if value[0] == '\'' && strings.HasPrefix(value[end:], "''") {
			end++
		}
	}
	if end >= len(value) {
		return Mistake{Place{Col: col + 1}, fmt.Sprintf("the quote %c is not closed in this line", value[0]), fmt.Sprintf("put a %c at the end of the value", value[0])}, true
	}
	if after := strings.TrimSpace(value[end+1:]); after != "" && after[0] != '#' {
		fix := `write \" for a double quote in the value`
		if value[0] == '\'' {
			fix = "write '' for a single quote in the value"
		}
		return Mistake{Place{Col: col + end + 1}, fmt.Sprintf("the quote %c ends the value here, and text follows it", value[0]), fix}, true
	}
	return Mistake{}, false
}

func quote(value string) string {
	if strings.Contains(value, `"`) || strings.Contains(value, `\`) {
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return `"` + value + `"`
}

// translate says what a message of the YAML parser means.
func translate(msg string) Mistake {
	says := func(message, fix string) Mistake { return Mistake{Message: message, Fix: fix} }
	switch {
	case msg == "found a tab character that violates indentation":
		return says("a tab indents the line, and YAML allows spaces only", "replace the tab with spaces")
	case msg == "mapping values are not allowed in this context", msg == "did not find expected key", msg == "did not find expected '-' indicator":
		return says("the indentation does not fit that of the lines before", "indent the keys of one object alike, and the items of one list alike")
	case msg == "could not find expected ':'":
		return says("a key without a colon", "write the key, a colon and a space")
	case msg == endOfStream:
		return says("a quote that begins here is not closed", "close it")
	case msg == "found character that cannot start any token":
		return says("a value begins with a character that must be quoted", "quote the value")
	case strings.HasPrefix(msg, "did not find expected ',' or"):
		return says("a { or [ is not closed, or a comma is missing in it", "close it, or add the comma")
	case strings.HasSuffix(msg, "UTF-8 octet"):
		return says("the text is not in UTF-8", "save the file as UTF-8")
	case strings.HasPrefix(msg, "the text is in UTF-16"):
		return says(msg, "save the file as UTF-8")
	case strings.HasPrefix(msg, "unknown anchor"):
		return says(msg, "quote a value that begins with *")
	}
	return says(msg, "")
}
