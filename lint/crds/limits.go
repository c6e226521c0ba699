package crds

import (
	"fmt"
)

// What is looked at. An API server takes no request above 3 MiB, so no CustomResourceDefinition beyond it can exist; the
// deepest real ones nest some sixty levels, while the libraries' cost grows with the square of the depth.
const (
	maxBytes = 3 << 20
	maxDepth = 300
)

// withinLimits refuses JSON that no API server would take or that would cost too much to look at, before anything decodes it.
func withinLimits(text []byte) error {
	size, deepest := measure(text)
	switch {
	case size > maxBytes:
		return fmt.Errorf("%d bytes without white space, and an API server takes %d at most", size, maxBytes)
	case deepest > maxDepth:
		return fmt.Errorf("nested %d levels deep, and more than %d are not looked at", deepest, maxDepth)
	}
	return nil
}

// measure is the size of JSON without white space between its tokens and its deepest nesting.
func measure(text []byte) (size, deepest int) {
	depth, quoted, escaped := 0, false, false
	for _, c := range text {
		switch {
		case quoted:
			quoted = escaped || c != '"'
			escaped = !escaped && c == '\\'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			continue
		}
		size++
	}
	return size, deepest
}

// recovered turns a panic of a library into an error: one definition that a library cannot take must not end everything else.
func recovered(doing string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: the library gave up: %s", doing, oneLine(fmt.Sprint(r), maxMessage))
	}
}
