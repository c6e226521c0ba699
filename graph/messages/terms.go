package messages

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

//go:embed terms.txt
var termTable string

// Term is a word that people read in the status of an object or in a catalog, as a state, a reason, a field or a kind.
type Term struct {
	Name   string `json:"name"`
	Of     string `json:"of"` // what it is, for example "phase of an InstallPlan"
	Means  string `json:"means"`
	Do     Step   `json:"do"`
	Source string `json:"source"` // the repository and the file that declare it
}

// AllTerms returns the terms in the order of the table.
func AllTerms() (all []Term) {
	of, source := "", ""
	for line := range strings.Lines(termTable) {
		line = strings.TrimSuffix(line, "\n")
		if section, is := strings.CutPrefix(line, "== "); is {
			of, source, _ = strings.Cut(section, " | ")
			continue
		}
		if t := strings.SplitN(line, " | ", 3); len(t) == 3 {
			all = append(all, Term{t[0], of, t[1], parseSteps(t[2])[0], source})
		}
	}
	return all
}

// FindTerms returns the terms that a text of a few words names, whatever their case: only those of the kinds of objects that it names too, as in "csv Failed".
func FindTerms(text string) (found []Term) {
	said := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`:=,"'()`, r) })
	if len(said) > mostWords {
		return nil
	}
	all := AllTerms()
	var kinds, names []string
	for _, word := range said {
		switch kind := kindMeant(word, all); {
		case kind != "":
			kinds = append(kinds, kind)
		case slices.ContainsFunc(all, func(t Term) bool { return strings.EqualFold(word, t.Name) }):
			names = append(names, word)
		case !slices.Contains([]string{"state", "phase", "reason", "status", "condition", "type", "is", "of", "the", "in", "what", "true", "false"}, strings.ToLower(word)):
			return nil // it is of a sentence
		}
	}
	if len(names) == 0 {
		names, kinds = kinds, nil
	}
	for _, t := range all {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, t.Name) }) &&
			(len(kinds) == 0 || slices.ContainsFunc(kinds, func(kind string) bool { return strings.Contains(t.Of, kind) })) {
			found = append(found, t)
		}
	}
	return found
}

// mostWords is the length of a text that asks for a term.
const mostWords = 5

// kindMeant returns the kind, of those among the terms, that a word names as kubectl does, in the singular, the plural or short; "" if it names none.
func kindMeant(word string, all []Term) string {
	word, _, _ = strings.Cut(strings.ToLower(word), ".")
	short := map[string]string{"sub": "subscription", "ip": "installplan", "csv": "clusterserviceversion", "catsrc": "catalogsource", "og": "operatorgroup"}
	if long := short[strings.TrimSuffix(word, "s")]; long != "" {
		word = long
	}
	for _, t := range all {
		if strings.HasPrefix(t.Of, "kind ") && strings.EqualFold(strings.TrimSuffix(word, "s"), t.Name) {
			return t.Name
		}
	}
	return ""
}
