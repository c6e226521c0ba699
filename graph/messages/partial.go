package messages

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A message is known in part if its patterns explain less than leastKnown of its words and are general or have more than fewAhead words before them, which
// say what went wrong; if they explain less than enough words behind mostAhead others; or if they are of another program and explain less than
// leastKnownElsewhere. A shorter message than shortest is what it is found as, unless its cause says that the rest of the message decides, and that has more than
// mostBehind words.
const leastKnown, leastKnownElsewhere, fewAhead, mostAhead, mostBehind, shortest, enough = 0.25, 0.75, 3, 8, 2, 8, 8

// RestDecides reports whether the cause says that the rest of the message decides what happened.
func (f *Found) RestDecides() bool { return strings.Contains(f.Cause, "the rest of the message") }

// isPart reports whether only a part of the sentence is known in which a place is.
func isPart(text string, fields []int, places []place, i int) bool {
	p := places[i]
	if podState.MatchString(text[max(0, p.start-mostPadding):p.start]) {
		return false // the other columns of the table are names and numbers
	}
	from, to := sentence(text, fields, p)
	first, last := i, i
	for first > 0 && places[first-1].start >= from {
		first--
	}
	for last+1 < len(places) && places[last+1].end <= to {
		last++
	}
	ahead, unknown, at := countWords(text[from:places[first].start]), 0, from
	for _, o := range places[first : last+1] {
		unknown += countWords(text[at:max(at, o.start)])
		at = max(at, o.end)
	}
	total, behind := countWords(text[from:to]), countWords(text[min(at, to):to])
	unknown += behind
	share := float64(total-unknown) / float64(max(total, 1))
	return p.RestDecides() && behind > mostBehind || total >= shortest && (share < leastKnown && (p.general || ahead > fewAhead) || ahead > mostAhead && total-unknown < enough ||
		share < leastKnownElsewhere && isOfOther(text, &p.Message))
}

// mostPadding is the length of the column READY with its padding, in bytes.
const mostPadding = 40

// podState matches the column READY in the table of kubectl get pods, which the state follows.
var podState = regexp.MustCompile(`[0-9]+/[0-9]+\s+(?:Init:)?$`)

// sentence returns from where to where a text says one thing, around a place: the value of a field of YAML, JSON or a log, or all that is near.
func sentence(text string, fields []int, p place) (from, to int) {
	from, to = max(0, p.start-before), min(len(text), p.end+after)
	if i, _ := slices.BinarySearch(fields, p.start+1); i > 1 {
		from = max(from, fields[(i-2)|1])
	}
	if i, _ := slices.BinarySearch(fields, p.end); i < len(fields)-1 {
		to = min(to, fields[i+i%2])
	}
	return from, to
}

// findFields returns where each field begins, and where its value does.
func findFields(text string) (all []int) {
	for _, at := range fieldForm().FindAllStringIndex(text, -1) {
		all = append(all, at...)
	}
	return all
}

// fieldForm matches where a field of YAML, JSON or a log begins, or what kubectl or a log says next. It and the others are compiled when first asked for.
var fieldForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[ ,{(-])(?:"?(?:[mM]essage|msg|[rR]eason|[sS]tatus|[tT]ype|last[A-Za-z]*Time|ts|[nN]ame|[nN]amespace|[kK]ind|version|group|err|phase)"?: ?|` +
		`(?:msg|level|time|err|error|id|namespace|phase)=|"\w+":|\[(?:INFO|WARN|ERROR)\] *: |(?:INFO|WARN|ERRO|FATA)\[\d+\] |Error from server \(\w+\): )["']?|; `)
})

// noise matches what a message has of one case: times, names, places, what containers must set; and what each has.
var noise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\((?:pod or )?containers? [^()]*\\)|\\{[^{} ]+\\}|[\"'`][^\"'` ]*[\"'`]|\\S*[\\d/@_=<>\\\\-]\\S*|\\S+\\.\\S+|\\S+:\\S+|" +
		`\b(?i:error|fatal|fata|warn|warning|info|level|failed|normal|the|a|an|and|of|is|to|in|for|it|be|or|was|were|are|by|on)\b`)
})

var plainWord = regexp.MustCompile(`[A-Za-z']{2,}`)

// countWords counts the words of a text that say what happened.
func countWords(text string) int {
	return len(plainWord.FindAllStringIndex(noise().ReplaceAllString(text, " "), -1))
}

// programs are what begins or names the messages of each program that people run, or that has its own kinds.
var programs = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"oc-mirror":           regexp.MustCompile(`oc-mirror|^(?:\S+ \S+ )?\[(?:ERROR|WARN|INFO)\] *:|\[Worker\]`),
		"operator-sdk":        regexp.MustCompile(`operator-sdk|Failed to (?:run|cleanup) (?:bundle|packagemanifests)`),
		"operator-controller": regexp.MustCompile(`operator-controller|Cluster(?:Extension|Catalog|ObjectSet)\b`),
	}
})

// isOfOther reports whether the beginning of a text is of a program, and a message is one of another program. What Kubernetes and opm say others pass on.
func isOfOther(text string, m *Message) bool {
	source, _, _ := strings.Cut(m.Source, " ")
	if source != "OLM" && source != "operator-framework/api" && programs()[source] == nil {
		return false
	}
	other := false
	for name, said := range programs() {
		if said.MatchString(text[:min(len(text), before)]) {
			if strings.Contains(m.Source, name) {
				return false
			}
			other = true
		}
	}
	return other
}

// looks returns the steps that change nothing.
func looks(steps []Step) (all []Step) {
	for _, s := range steps {
		if look.MatchString(s.Text) && !changes.MatchString(s.Command) && (s.Command != "" || !strings.Contains(s.Text, ";")) {
			all = append(all, s)
		}
	}
	return all
}

var (
	look    = regexp.MustCompile(`^(?:see|list|find|read|look|compare)\b`)
	changes = regexp.MustCompile(`\b(?:delete|patch|edit|create|apply|replace|label|annotate|scale|set|run|cleanup|--fix)\b`)
)
