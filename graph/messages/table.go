// Package messages explains messages of OLM, Kubernetes, opm, oc-mirror, operator-sdk and pipelines: their cause, who has to act, and what to run.
package messages

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed messages.txt
var table string

// Message is a message that is known, with placeholders like {csv} for names.
type Message struct {
	Name  string `json:"name"`
	Cause string `json:"cause"`
	Stops string `json:"stops" enum:"namespace,operator,cluster,mirror,waits,nothing"`
	// Who has to act: administrator, maintainer (of the package or the catalog) or platform (registries, network, nodes and quotas).
	Who      string   `json:"who" enum:"administrator,maintainer,platform"`
	Steps    []Step   `json:"steps"`   // the least harmful first
	Earlier  string   `json:"earlier"` // rules and commands of olmgraph that find it before; "" if none does
	Source   string   `json:"source"`  // the repository, file and function that says it
	Patterns []string `json:"-"`       // what it says

	section string
	own     [2]int // of Steps, those that are not of the section
	general bool   // is not found beside others of its section, and does not prove what it stops
}

// IsGeneral says that nothing is known of what a message stops, since it is said of many things.
func (m *Message) IsGeneral() bool { return m.general }

// Step is something to do.
type Step struct {
	Text    string `json:"text"`
	Command string `json:"command"` // or empty
}

// stopOrder returns what a message can stop, the worst first.
func stopOrder() []string {
	return []string{"namespace", "operator", "cluster", "mirror", "waits", "nothing"}
}

// All returns the messages in the order of the table.
func All() (all []Message) {
	section, shared := "", map[string][]Step{}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	for len(lines) > 0 {
		kind, rest, _ := strings.Cut(lines[0], " ")
		switch kind {
		case "#":
		case "==":
			section = rest
			clear(shared)
		case "first:", "last:":
			shared[kind] = parseSteps(rest)
		default:
			m := parseMessage(lines[0], lines[1])
			first := shared["first:"]
			m.own = [2]int{len(first), len(first) + len(m.Steps)}
			m.section, m.Steps = section, slices.Concat(first, m.Steps, shared["last:"])
			all, lines = append(all, m), lines[1:]
		}
		lines = lines[1:]
	}
	return all
}

func parseMessage(said, text string) Message {
	name, patterns, _ := strings.Cut(said, ": ")
	plain, general := strings.CutSuffix(name, "?")
	t := strings.SplitN(text, " | ", 6)
	return Message{Name: plain, general: general, Patterns: strings.Split(patterns, " || "), Stops: t[0], Who: t[1], Source: t[2], Earlier: strings.TrimPrefix(t[3], "-"),
		Cause: t[4], Steps: parseSteps(t[5])}
}

// parseSteps returns steps. In their commands resources have full names, since another project can have the same short ones.
func parseSteps(line string) (all []Step) {
	full := strings.NewReplacer("%sub", "subscriptions.operators.coreos.com", "%csv", "clusterserviceversions.operators.coreos.com", "%ip", "installplans.operators.coreos.com",
		"%og", "operatorgroups.operators.coreos.com", "%catsrc", "catalogsources.operators.coreos.com", "%crd", "customresourcedefinitions.apiextensions.k8s.io", `\|`, "|")
	for _, one := range strings.Split(line, " | ") {
		said, command, _ := strings.Cut(one, " $ ")
		all = append(all, Step{said, full.Replace(command)})
	}
	return all
}

// hole is a placeholder of a name or …, any text in one message.
var hole = regexp.MustCompile(`\{[a-z_]+\}|…`)

// pattern is what a message says.
type pattern struct {
	Message
	form    func() *regexp.Regexp
	literal string
}

// patterns are those of all messages, read once. A short one is general: it is a status, of which another message can say the cause, or a part of
// what other programs say too.
var patterns = sync.OnceValue(func() (all []*pattern) {
	for _, m := range All() {
		for _, said := range m.Patterns {
			form, literal := compile(said)
			of := m
			of.general = m.general || !strings.Contains(said, " ") || isShort(said)
			all = append(all, &pattern{of, form, literal})
		}
	}
	return all
})

// isShort reports whether a pattern has less than three words of its own, and less than 18 letters.
func isShort(pattern string) bool {
	words := strings.Fields(hole.ReplaceAllString(pattern, " "))
	return len(words) < 3 && len(strings.Join(words, "")) < 18
}

// compile returns a pattern as a regular expression, made when first asked for, and the longest text that it needs.
func compile(pattern string) (form func() *regexp.Regexp, literal string) {
	var b strings.Builder
	holes := hole.FindAllString(pattern, -1)
	for i, part := range hole.Split(pattern, -1) {
		b.WriteString(regexp.QuoteMeta(part))
		if len(part) > len(literal)+1 {
			literal = part[1:] // since older versions begin with a capital letter
		}
		if i == len(holes) {
			break
		} else if name := strings.Trim(holes[i], "{}"); name == "…" {
			b.WriteString(`.{0,500}?`)
		} else if name == "object" {
			b.WriteString(`\b(?P<object>(?-i:[a-z]+s|[A-Z][a-z]\w+|[\w-]+\.[\w.-]*\w))`) // configmaps, ConfigMap or Deployment.apps, and no channel
		} else {
			b.WriteString(`(?P<` + name + `>[^\s"',;]+)`)
		}
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + b.String()) }), literal
}
