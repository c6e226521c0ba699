package crd

import (
	"bytes"
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// The limits are at least three times what the largest published definitions have (421,000 objects times their depth). An API
// server accepts no request above 3 MiB, so larger definitions cannot exist. The other limits exist because the cost of the
// libraries grows with the square of the depth, with the length of all paths, or by a factor of a hundred per schema. What exceeds
// them is Unchecked, since an API server may accept it.
const (
	maxBytes    = 3 << 20
	maxDepth    = 110
	maxObjects  = 60_000
	maxValues   = 120_000
	maxPaths    = 13 << 20  // bytes of the paths of all objects
	maxWeight   = 120 << 20 // bytes times their depth
	maxNesting  = 1_300_000 // objects times their depth
	maxVersions = 100
	maxRules    = 5_000
	maxRuleText = 512 << 10
	maxServed   = 20     // served versions, which are compared in pairs
	maxVisits   = 40_000 // schemas that are compared to describe differences
	maxMatches  = 200e6  // bytes of a schema times values of an object
	maxGrowth   = 16e6   // bytes of defaults that an object can get
	maxErrors   = 30_000 // of one object: each is compared with all others
)

// extent is the size of a JSON text, measured without decoding it.
type extent struct {
	size, deepest, objects, values, paths, weight, nesting int
}

// measure scans JSON once. For text that is not JSON the result has no meaning.
func measure(text []byte) extent {
	var e extent
	var path []int // the length of the path at each depth
	length, last := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\n', '\t', '\r':
			continue
		case '"':
			last = stringLength(text[i:])
			e.size, e.weight = e.size+last-1, e.weight+(last-1)*len(path)
			i += last - 1
		case '{', '[':
			path = append(path, length)
			length += last
			e.objects, e.values, e.paths, e.nesting = e.objects+1, e.values+1, e.paths+length, e.nesting+len(path)
			last = 0
		case '}', ']':
			if n := len(path); n > 0 {
				length, path = path[n-1], path[:n-1]
			}
		case ',':
			e.values++
			last = 0
		}
		e.size++
		e.deepest = max(e.deepest, len(path))
		e.weight += len(path)
	}
	return e
}

// stringLength returns the length of the string at the start of text, with its quotes.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// uncheckedError is the error for something that was not checked because of a limit of this package or a fault of a library: whether an
// API server accepts it is unknown.
type uncheckedError string

func (u uncheckedError) Error() string { return string(u) }

// IsUnchecked reports whether an error is Unchecked.
func IsUnchecked(err error) bool { return errors.As(err, new(uncheckedError)) }

func uncheckedf(format string, args ...any) error {
	return uncheckedError(fmt.Sprintf(format, args...))
}

// withinLimits returns an error for JSON that no API server would accept or that would take too long, before it is decoded.
func withinLimits(e extent) error {
	if e.size > maxBytes {
		return fmt.Errorf("has %d bytes without white space; an API server accepts no request of more than %d", e.size, maxBytes)
	}
	for _, l := range []struct {
		is, most int
		what     string
	}{
		{e.deepest, maxDepth, "levels"},
		{e.objects, maxObjects, "objects and lists"},
		{e.values, maxValues, "values"},
		{e.paths, maxPaths, "bytes of paths"},
		{e.weight, maxWeight, "bytes times their depth"},
		{e.nesting, maxNesting, "objects times their depth"},
	} {
		if l.is > l.most {
			return uncheckedf("has %d %s; a CRD with more than %d is not checked", l.is, l.what, l.most)
		}
	}
	return nil
}

// textWithoutSchemas returns the text of a definition in which each schema has a type only.
func textWithoutSchemas(text []byte) []byte {
	const key, space = `"openAPIV3Schema"`, " \t\r\n"
	var out []byte
	for len(text) > 0 {
		n := 1
		if text[0] == '"' {
			n = stringLength(text)
		}
		word := text[:n]
		out, text = append(out, word...), text[n:]
		value, isKey := bytes.CutPrefix(bytes.TrimLeft(text, space), []byte(":"))
		if value = bytes.TrimLeft(value, space); string(word) == key && isKey && len(value) > 0 && value[0] == '{' {
			out, text = append(out, `:{"type":"object"}`...), value[valueLength(value):]
		}
	}
	return out
}

// valueLength returns the length of the value at the start of text.
func valueLength(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringLength(text[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return i
			}
			if text[i] != ',' {
				depth--
			}
		}
	}
	return len(text)
}

// rulesWithinLimits returns an error for more CEL rules than can be compiled in a second or two.
func rulesWithinLimits(spec *apiextensions.CustomResourceDefinitionSpec) error {
	rules, size := 0, 0
	count := func(s *apiextensions.JSONSchemaProps) bool {
		for _, rule := range s.XValidations {
			rules, size = rules+1, size+len(rule.Rule)+len(rule.MessageExpression)
		}
		return false
	}
	validation.HasSchemaWith(spec, func(s *apiextensions.JSONSchemaProps) bool { return validation.SchemaHas(s, count) })
	if rules > maxRules || size > maxRuleText {
		return uncheckedf("has %d CEL rules of %d bytes; more than %d rules or %d bytes are not compiled", rules, size, maxRules, maxRuleText)
	}
	return nil
}

// recoverTo converts a panic of a library to an error, so that one definition does not end the program.
func recoverTo(doing string, err *error) {
	if r := recover(); r != nil {
		*err = uncheckedf("%s: the validation library failed: %s", doing, oneLine(fmt.Sprint(r), maxMessage))
	}
}
