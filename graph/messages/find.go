package messages

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Found is a message in a text. Its cause and steps have the names of the text.
type Found struct {
	Message
	Texts   []string `json:"texts"`   // what was found, at most mostTexts of it
	Partial bool     `json:"partial"` // it is only a part of what the text says there; the rest decides, so that its steps only look

	values map[string]string // of placeholders
	places int               // where it was found
}

// Limits of a search: how far from a literal its message begins and ends, in bytes, how far before a message another can say what it is about, how often a
// literal is looked at, and how many texts are kept.
const begin, after, before, mostLooks, mostTexts = 600, 700, 400, 500, 5

// passedOn is where OLM, in a message of its own, begins to say what it was told, as by a kubelet: both are explained.
const passedOn = ", Message: "

// place is where a text has a message.
type place struct {
	*Found
	start, end int
}

// Find returns each message that a text has, once: the worst first, then in the table's order, and those known in part last. Of two that overlap only the
// longer counts. A text that is the name of a message has that one.
func Find(text string) (out []Found) {
	for _, m := range All() {
		if m.Name == text {
			return []Found{(&Found{Message: m}).fill()}
		}
	}
	text = quotes.Replace(strings.Join(strings.Fields(text), " "))
	var places []place
	for _, p := range patterns() {
		places = append(places, p.findPlaces(text)...)
	}
	found, special := map[string]*Found{}, map[string]bool{}
	places, fields := keepLongest(places), findFields(text)
	for i, p := range places {
		if p.general && slices.ContainsFunc(places[max(0, i-3):min(len(places), i+4)], func(o place) bool {
			return o.Name != p.Name && (!o.general || o.start > p.start) && o.start < p.end+before && o.end > p.start-before &&
				!strings.Contains(text[min(o.start, p.start):p.start], passedOn)
		}) {
			continue // the other says what it is about, as a cause does that follows what failed
		}
		f := found[p.Name]
		if f == nil {
			f = p.Found
			f.Partial, found[f.Name] = true, f
		}
		if f.places++; f.places <= mostTexts {
			f.Partial = f.Partial && isPart(text, fields, places, i)
		}
		f.general = f.general && p.general
		for name, value := range p.values {
			f.values[name] = cmp.Or(f.values[name], value)
		}
		if said := text[p.start:p.end]; len(f.Texts) < mostTexts && !slices.Contains(f.Texts, said) {
			f.Texts = append(f.Texts, said)
		}
		special[f.section] = special[f.section] || !f.general
	}
	for _, p := range patterns() {
		if f := found[p.Name]; f != nil && !(f.general && special[f.section]) {
			out = append(out, f.fill())
		}
		delete(found, p.Name)
	}
	worst := func(f Found) int {
		if f.Partial {
			return len(stopOrder())
		}
		return slices.Index(stopOrder(), f.Stops)
	}
	slices.SortStableFunc(out, func(a, b Found) int { return worst(a) - worst(b) })
	return out
}

// quotes are those of YAML and JSON within strings.
var quotes = strings.NewReplacer(`\\\"`, `"`, `\"`, `"`, `''`, `'`)

// Value returns what the text has for a placeholder; "" if it has nothing.
func (f *Found) Value(placeholder string) string { return f.values[placeholder] }

// findPlaces looks for a message where the literal of the pattern is.
func (p *pattern) findPlaces(text string) (all []place) {
	for end, looks := 0, 0; looks < mostLooks; looks++ {
		next := strings.Index(text[end:], p.literal)
		if next < 0 {
			break
		}
		from := end + max(0, next-begin)
		end += next + len(p.literal)
		m := p.form().FindStringSubmatchIndex(text[from:min(len(text), end+after)])
		if m == nil {
			continue
		}
		at := place{&Found{Message: p.Message, values: map[string]string{}}, from + m[0], from + len(strings.TrimRight(text[from:from+m[1]], " "))}
		for i, name := range p.form().SubexpNames() {
			if name != "" {
				at.values[name] = strings.TrimRight(text[from+m[2*i]:from+m[2*i+1]], ".:)]")
			}
		}
		all = append(all, at)
		end = max(end, at.end)
	}
	return all
}

// keepLongest returns the places that are in no longer one. A general message does not hide another one.
func keepLongest(places []place) (kept []place) {
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	end := map[bool]int{}
	for _, p := range places {
		if p.end > max(end[p.general], end[false]) {
			kept, end[p.general] = append(kept, p), p.end
		}
	}
	return kept
}

// fill returns a message with the names of the text. In commands a name that Kubernetes does not allow stays a word in capitals.
func (f *Found) fill() Found {
	word := func(hole string) string {
		return strings.ToUpper(strings.ReplaceAll(strings.Trim(hole, "{}"), "_", "-"))
	}
	said := func(hole string) string { return cmp.Or(f.values[strings.Trim(hole, "{}")], word(hole)) }
	run := func(hole string) string {
		value := said(hole)
		if hole == "{kind}" {
			value = strings.ToLower(value)
		}
		if !snapshot.IsName(value) {
			return word(hole)
		}
		return value
	}
	out := *f
	steps := f.Steps
	if f.Partial {
		steps = looks(steps[f.own[0]:f.own[1]])
		out.own = [2]int{0, len(steps)}
	} else if f.Stops == "nothing" && f.section != "oc-mirror" {
		steps = steps[f.own[0]:f.own[1]] // those of the section are about what is stopped
		out.own = [2]int{0, len(steps)}
	}
	cause := aside.ReplaceAllStringFunc(f.Cause, func(said string) string {
		if f.values[strings.Trim(hole.FindString(said), "{}")] == "" {
			return ""
		}
		return said
	})
	out.Cause, out.Steps = hole.ReplaceAllStringFunc(cause, said), nil
	for _, s := range steps {
		out.Steps = append(out.Steps, Step{hole.ReplaceAllStringFunc(s.Text, said), hole.ReplaceAllStringFunc(s.Command, run)})
	}
	return out
}

// aside is a part of a cause that needs a name.
var aside = regexp.MustCompile(` \([^()]*\{[a-z_]+\}[^()]*\)`)

// StepsFor returns the steps without those of its whole section, with names that the text did not have, by the words in capitals for which they stand, as
// PACKAGE. What deletes an object gets no name but NAMESPACE, and what lowers the security of a namespace none: whoever runs it has to look which one is
// meant.
func (f *Found) StepsFor(names map[string]string) []Step {
	var steps []Step
	for _, s := range f.Steps[f.own[0]:f.own[1]] {
		deletes, lowers := strings.Contains(s.Command, " delete "), strings.Contains(s.Command, " label namespace ")
		s.Command = capitals.ReplaceAllStringFunc(s.Command, func(word string) string {
			if name := names[word]; snapshot.IsName(name) && !lowers && (!deletes || word == "NAMESPACE") {
				return name
			}
			return word
		})
		steps = append(steps, s)
	}
	return steps
}

var capitals = regexp.MustCompile(`\b[A-Z][A-Z-]+\b`)

// Nearest returns at most three messages that have a third of the words of a text, those with the most first.
func Nearest(text string) []Message {
	words := word.FindAllString(text[:min(len(text), 10_000)], -1)
	score := func(m Message) int {
		said := strings.Join(m.Patterns, " ")
		return len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.Contains(said, w) }))
	}
	all := slices.DeleteFunc(All(), func(m Message) bool { return 3*score(m) < len(words) || score(m) == 0 })
	slices.SortStableFunc(all, func(a, b Message) int { return score(b) - score(a) })
	return all[:min(3, len(all))]
}

// word is what tells messages apart.
var word = regexp.MustCompile(`\w{5,}`)
