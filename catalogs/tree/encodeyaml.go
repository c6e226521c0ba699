package tree

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	opm "go.yaml.in/yaml/v2"
)

// AppendYAML appends the value as a document of YAML without ---, as opm writes it (opm: alpha/declcfg WriteYAML). Keys are sorted, and
// of a repeated key only the last value is written. A Raw value is written as null: expand it first.
func (n *Node) AppendYAML(dst []byte) []byte {
	text, _ := opm.Marshal(n.forYAML(asIs)) // fails for no value of JSON
	return append(dst, text...)
}

func asIs(text string) string { return text }

// AppendEscapedYAML is AppendYAML, but strings for which escape returns true are written in one line and in double
// quotes, with an escape for each #, each colon, and each character above ASCII that is no letter.
func (n *Node) AppendEscapedYAML(dst []byte, escape func(string) bool) []byte {
	mark := "_escaped"
	for plain := n.AppendYAML(nil); bytes.Contains(plain, []byte(mark)); {
		mark += "x"
	}
	var marks []string // each with the string that it stands for
	marked := n.forYAML(func(text string) string {
		if !escape(text) {
			return text
		}
		one := fmt.Sprintf("%s-%08d", mark, len(marks))
		marks = append(marks, one, quoteEscaped(text))
		return one
	})
	text, _ := opm.Marshal(marked)
	return append(dst, strings.NewReplacer(marks...).Replace(string(text))...)
}

// forYAML returns the value as the library takes it, with other strings and keys.
func (n *Node) forYAML(text func(string) string) any {
	switch n.Kind {
	case Bool:
		return n.Text == "true"
	case Number:
		return yamlNumber(n.Text)
	case String:
		return text(n.Text)
	case List:
		items := make([]any, len(n.Items))
		for i := range n.Items {
			items[i] = n.Items[i].forYAML(text)
		}
		return items
	case Map:
		fields := make(map[string]any, len(n.Fields))
		for i := range n.Fields {
			f := &n.Fields[i]
			fields[text(f.Key)] = f.Value.forYAML(text)
		}
		return fields
	}
	return nil
}

// yamlNumber returns a number of JSON as the library reads it.
func yamlNumber(text string) any {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i
	}
	if i, err := strconv.ParseUint(text, 10, 64); err == nil {
		return i
	}
	f, _ := strconv.ParseFloat(text, 64) // tree numbers are in the range of float64
	return f
}

// quoteEscaped returns a string in double quotes, for AppendEscapedYAML.
func quoteEscaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case strings.ContainsRune(`"\`, c):
			b.WriteString(`\` + string(c))
		case ' ' <= c && c <= '~' && c != '#' && c != ':', c < 0xfffe && unicode.IsLetter(c):
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c <= 0xff:
			fmt.Fprintf(&b, `\x%02X`, c)
		case c <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			fmt.Fprintf(&b, `\U%08X`, c)
		}
	}
	return `"` + b.String() + `"`
}
