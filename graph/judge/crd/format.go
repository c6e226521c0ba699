package crd

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// maxMessage and maxValue bound the text of a definition in a message, in bytes.
const (
	maxMessage = 300
	maxValue   = 60
)

// quote returns text from a definition in quotes, on one line, cut to maxValue.
func quote(text string) string {
	return strconv.Quote(cut(text, maxValue))
}

// cut shortens text to n bytes at a boundary of a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// oneLine returns text as one line of at most n bytes. What cannot be printed is escaped.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(cut(text, 4*n)), " ")
	escaped := strconv.Quote(text)
	return cut(strings.ReplaceAll(strings.ReplaceAll(escaped[1:len(escaped)-1], `\"`, `"`), `\\`, `\`), n)
}

// formatScalar formats a string, a number or a boolean of an error of the libraries.
func formatScalar(value any) (shown string, ok bool) {
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return quote(v.String()), v.String() != ""
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64, reflect.Float64:
		return fmt.Sprint(v.Interface()), true
	}
	return "", false
}

// formatValue formats a value of a schema on one line, cut to maxValue.
func formatValue(value string) string {
	return oneLine(value, maxValue)
}

// formatList formats values, the first of them if they are many.
func formatList(values []string) string {
	return words.JoinSome(words.Map(values, formatValue), 6)
}

// describeField returns how a field of a schema differs.
func describeField(field, was, is string) string {
	switch {
	case was == "":
		return fmt.Sprintf("has the %s %s now, had none", field, is)
	case is == "":
		return fmt.Sprintf("has no %s now, was %s", field, was)
	case was == is:
		return fmt.Sprintf("has the %s with different white space now", field)
	}
	return fmt.Sprintf("has the %s %s now, was %s", field, is, was)
}

// contrast returns two texts that differ, each on one line and cut: from their start, or from just before the difference if that is
// further on. They are equal if the texts differ in white space only.
func contrast(was, is string) (string, string) {
	const before = 20 // bytes shown before the difference
	was, is = strings.Join(strings.Fields(was), " "), strings.Join(strings.Fields(is), " ")
	at := 0
	for at < min(len(was), len(is)) && was[at] == is[at] {
		at++
	}
	if at < maxValue-before || was == is {
		return formatValue(was), formatValue(is)
	}
	from := at - before
	for !utf8.RuneStart(was[from]) {
		from--
	}
	rest := func(text string) string {
		if strings.HasPrefix(text, `"`) {
			return `"…` + formatValue(text[from:])
		}
		return "…" + formatValue(text[from:])
	}
	return rest(was), rest(is)
}

// sameMeaning returns the text for a field that is only written differently, which crdify reports as a difference.
func sameMeaning(field string) string {
	return "has " + field + " in another form with the same meaning"
}

// missingValues returns the values that are in all and not in some, sorted, without duplicates.
func missingValues(all, some []string) []string {
	in := make(map[string]bool, len(some))
	for _, v := range some {
		in[v] = true
	}
	var left []string
	for _, v := range all {
		if !in[v] {
			left = append(left, v)
		}
	}
	slices.Sort(left)
	return slices.Compact(left)
}

func rawJSONs(values []v1.JSON) []string {
	var texts []string
	for i := range values {
		texts = append(texts, rawJSON(&values[i]))
	}
	return texts
}

func rawJSON(value *v1.JSON) string {
	if value == nil {
		return ""
	}
	if len(value.Raw) == 0 {
		return "null"
	}
	return string(value.Raw)
}

func deref(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func isTrue(value *bool) bool {
	return value != nil && *value
}

func docs(value *v1.ExternalDocumentation) string {
	if value == nil {
		return ""
	}
	return strings.TrimSpace(value.Description + " " + value.URL)
}
