package words

import (
	"fmt"
	"strconv"
	"strings"
)

// Map returns what of returns for each value: mostly its name.
func Map[T, U any](values []T, of func(T) U) []U {
	var all []U
	for _, v := range values {
		all = append(all, of(v))
	}
	return all
}

// Quote returns names in quotes.
func Quote(names []string) []string { return Map(names, strconv.Quote) }

// List joins names with commas, and the last one with a word.
func List(names []string, last string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " " + last + " " + names[n-1]
}

// JoinSome joins names with "and". Of more, only the first most are named, unless one alone would not be.
func JoinSome(names []string, most int) string {
	if n := len(names); n > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return List(names, "and")
}

// And joins names with "and", or says that there are none. Of many, only the first are named.
func And(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return JoinSome(names, 5)
}

// Or joins names with "or". Of many, only the first are named.
func Or(names []string) string {
	if n := len(names); n > 6 {
		return fmt.Sprintf("%s or %d others", strings.Join(names[:5], ", "), n-5)
	}
	return List(names, "or")
}

// QuoteSome joins names in quotes with "and". Of many, only the first are named.
func QuoteSome(names []string) string { return JoinSome(Quote(names), 3) }

// QuoteOr joins names in quotes with "or". Of many, only the first are named.
func QuoteOr(names []string) string { return Or(Quote(names)) }

// Prefix returns text after what separates it, or "" if there is none.
func Prefix(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// Count returns a number and a noun with a regular plural.
func Count(n int, what string) string { return CountPlural(n, what, what+"s") }

// CountPlural returns a number and the form of the noun for it.
func CountPlural(n int, one, many string) string {
	return fmt.Sprintf("%d %s", n, Plural(n, one, many))
}

// Plural returns the form of a word for n things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// WithArticle returns a noun, or a name that is used as one, with the indefinite article; "" of "".
func WithArticle(noun string) string {
	switch {
	case noun == "":
		return ""
	case strings.ContainsAny(strings.ToLower(noun[:1]), "aeiou"):
		return "an " + noun
	}
	return "a " + noun
}
