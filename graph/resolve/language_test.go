package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
)

// The tests say a namespace in a few lines:
//
//	catalog main priority 10 in olm
//	package a default stable          (a package of the catalog; without default it is its first channel)
//	channel stable                    (without a line: stable)
//	a.v1 provides X
//	a.v2 replaces a.v1 skips a.v1 range '<2.0.0' is 2.0.0 requires Y needs b '>=1.0.0' label blue deprecated
//	sub a channel stable from main starting a.v1 has a.v1 current a.v1
//	csv c.v1 is 1.0.0 provides Z      (installed, of no catalog)
//
// Of a subscription only the name is needed: it is the package, the channel is stable, the catalog the first. What it has is
// installed, as in its catalog if that has it. X is the API X.v1.g. Other properties are 'property TYPE JSON', JSON in single
// quotes; "asks blue" requires a label. Then come questions with answers; a case ends at an empty line.

type world struct {
	n       Namespace
	objects map[string][]any // of each catalog
	order   []string
	csvs    []string
}

// split splits at spaces outside of single quotes, which it drops.
func split(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 0 {
			words = append(words, strings.Fields(part)...)
		} else {
			words = append(words, part)
		}
	}
	return words
}

type object = map[string]any

// parseNamespace reads a namespace.
func parseNamespace(t testing.TB, text string) Namespace {
	t.Helper()
	w := &world{n: Namespace{Name: "ns"}, objects: map[string][]any{}}
	var cat, pkg, channel string
	channels := map[string]object{}
	for line := range strings.Lines(text) {
		words := split(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		switch words[0] {
		case "catalog":
			cat, pkg = words[1], ""
			w.catalog(words[1:])
		case "package":
			pkg, channel = words[1], "stable"
			w.objects[cat] = append(w.objects[cat], object{"schema": "olm.package", "name": pkg, "defaultChannel": wordAfter(words, "default", "stable")})
		case "channel":
			channel = words[1]
		case "sub", "csv", "group":
			w.csvs = append(w.csvs, line)
		default:
			key := cat + "/" + pkg + "/" + channel
			if channels[key] == nil {
				channels[key] = object{"schema": "olm.channel", "package": pkg, "name": channel, "entries": []any{}}
				w.objects[cat] = append(w.objects[cat], channels[key])
			}
			entry, bundle := parseBundle(pkg, words)
			channels[key]["entries"] = append(channels[key]["entries"].([]any), entry)
			w.objects[cat] = append(w.objects[cat], bundle)
		}
	}
	w.open(t)
	slices.SortStableFunc(w.csvs, func(a, b string) int { return strings.Compare(a[:3], b[:3]) })
	for _, line := range w.csvs {
		w.install(split(line))
	}
	return w.n
}

func (w *world) catalog(words []string) {
	s := Source{SourceKey: SourceKey{words[0], wordAfter(words, "in", "olm")}}
	fmt.Sscan(wordAfter(words, "priority", "0"), &s.Priority)
	w.n.Sources = append(w.n.Sources, s)
	w.order = append(w.order, words[0])
}

// wordAfter returns the word behind a word.
func wordAfter(words []string, name, otherwise string) string {
	if i := slices.Index(words, name); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return otherwise
}

func api(kind string) object { return object{"group": "g", "version": "v1", "kind": kind} }

// parseBundle reads an entry and its bundle.
func parseBundle(pkg string, words []string) (entry, bundle object) {
	name := words[0]
	entry = object{"name": name}
	version, properties := parseProperties(name, words[1:], entry)
	properties = append([]any{object{"type": "olm.package", "value": object{"packageName": pkg, "version": version}}}, properties...)
	return entry, object{"schema": "olm.bundle", "package": pkg, "name": name, "image": "i", "properties": properties}
}

func parseProperties(name string, words []string, entry object) (version string, properties []any) {
	if _, number, ok := strings.Cut(name, ".v"); ok {
		v, _ := semver.ParseTolerant(number)
		version = v.String()
	}
	add := func(kind string, value any) { properties = append(properties, object{"type": kind, "value": value}) }
	field := ""
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch word {
		case "replaces", "skips", "range", "is", "provides", "requires", "label", "asks", "needs", "property":
			field = word
			continue
		case "deprecated":
			add("olm.deprecated", object{})
			continue
		}
		switch field {
		case "replaces":
			entry["replaces"] = word
		case "skips":
			skips, _ := entry["skips"].([]string)
			entry["skips"] = append(skips, word)
		case "range":
			entry["skipRange"] = word
		case "is":
			version = word
		case "provides":
			add("olm.gvk", api(word))
		case "requires":
			add("olm.gvk.required", api(word))
		case "label":
			add("olm.label", object{"label": word})
		case "asks":
			add("olm.label.required", object{"label": word})
		case "needs":
			add("olm.package.required", object{"packageName": word, "versionRange": words[i+1]})
			i++
		case "property":
			add(word, json.RawMessage(words[i+1]))
			i++
		}
	}
	return version, properties
}

func (w *world) open(t testing.TB) {
	t.Helper()
	for i, name := range w.order {
		var text strings.Builder
		for _, o := range w.objects[name] {
			data, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(data, '\n'))
		}
		if text.Len() == 0 {
			continue
		}
		catalog, err := NewCatalog(t.Context(), opentest.Text(t, text.String()))
		if err != nil {
			t.Fatal(err)
		}
		w.n.Sources[i].Catalog = catalog
	}
}

// install adds a subscription, what it has, or an operator of its own.
func (w *world) install(words []string) {
	switch words[0] {
	case "group":
		w.n.OwnCatalogsOnly, w.n.FailForward = slices.Contains(words, "own"), slices.Contains(words, "failforward")
	case "csv":
		version, properties := parseProperties(words[1], words[2:], object{})
		in := InstalledOperator{Name: words[1], Facts: newFacts(properties), FromAnnotation: slices.Contains(words, "projected"),
			Replaces: wordAfter(words, "replaces", ""), Phase: Phase(wordAfter(words, "phase", ""))}
		in.Version, _ = semver.Parse(version)
		w.n.Installed = append(w.n.Installed, in)
	case "sub":
		from := wordAfter(words, "from", w.n.Sources[0].Name)
		at := slices.IndexFunc(w.n.Sources, func(s Source) bool { return s.Name == from })
		sub := Subscription{Name: words[1], Package: wordAfter(words, "package", words[1]), Channel: wordAfter(words, "channel", "stable"),
			Source: SourceKey{from, "olm"}, StartingCSV: wordAfter(words, "starting", ""), InstalledCSV: wordAfter(words, "has", ""),
			CurrentCSV: wordAfter(words, "current", "")}
		sub.Channel = strings.TrimPrefix(sub.Channel, "any")
		if at >= 0 {
			sub.Source = w.n.Sources[at].SourceKey
		}
		w.n.Subscriptions = append(w.n.Subscriptions, sub)
		known := slices.ContainsFunc(w.n.Installed, func(i InstalledOperator) bool { return i.Name == sub.InstalledCSV })
		if at >= 0 && w.n.Sources[at].Catalog != nil && !known {
			if in, ok := w.n.Sources[at].Catalog.InstalledOperator(sub.Package, sub.InstalledCSV); ok {
				w.n.Installed = append(w.n.Installed, in)
			}
		}
	}
}

func newFacts(properties []any) *catalogs.Facts {
	var values []catalogs.PropertyValue
	for _, p := range properties {
		value, _ := json.Marshal(p.(object)["value"])
		values = append(values, catalogs.PropertyValue{Type: p.(object)["type"].(string), Value: value})
	}
	return catalogs.NewFacts(values)
}

var questions = map[string]func(t *testing.T, n Namespace, arg string) string{
	"installs": func(t *testing.T, n Namespace, _ string) string { return installs(resolve(t, n)) },
	"choices":  func(t *testing.T, n Namespace, _ string) string { return choices(resolve(t, n)) },
	"why":      func(t *testing.T, n Namespace, arg string) string { return whyNot(resolve(t, n), arg) },
	"conflict": func(t *testing.T, n Namespace, _ string) string { return reasons(resolve(t, n).Conflict) },
	"faults":   func(t *testing.T, n Namespace, _ string) string { return faults(resolve(t, n)) },
	"settles":  settles,
}

func resolve(t testing.TB, n Namespace) *Resolution {
	t.Helper()
	r, err := Resolve(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func installs(r *Resolution) string {
	var said []string
	for _, i := range r.Installs {
		word := i.Name + " for " + strings.Join(i.Subscriptions, " and ")
		if g := i.Generated; g != nil {
			word = i.Name + " new " + g.Name
		}
		if i.Replaces != "" {
			word += " instead of " + i.Replaces
		}
		said = append(said, word)
	}
	return strings.Join(said, ", ")
}

func operator(o Operator) string {
	if o.isFromNamespace() {
		return o.Name + "!"
	}
	return o.Name
}

func operators(all []Operator) string {
	var said []string
	for _, o := range all {
		said = append(said, operator(o))
	}
	return strings.Join(said, " ")
}

func choices(r *Resolution) string {
	var said []string
	for _, c := range r.Choices {
		of := c.Subscription
		if c.Requirement != nil {
			of = fmt.Sprintf("%s's %s", operator(c.Subject), c.Requirement)
		}
		word := of + ": " + operator(c.Chosen)
		for i, rejected := range c.Rejected {
			if i == 0 {
				word += " not"
			}
			word += " " + operator(rejected.Operator)
		}
		said = append(said, word)
	}
	return strings.Join(said, "; ")
}

func whyNot(r *Resolution, name string) string {
	for _, c := range r.Choices {
		for _, rejected := range c.Rejected {
			if rejected.Name == name && !rejected.Operator.isFromNamespace() {
				said := reasons(rejected.Because)
				return said
			}
		}
	}
	return ""
}

func reasons(all []Reason) string {
	var said []string
	for _, r := range all {
		said = append(said, reason(r))
	}
	return strings.Join(said, "; ")
}

func reason(r Reason) string {
	switch r.Kind {
	case Wanted:
		return fmt.Sprintf("%s wants %s", r.Subscription, operators(r.Operators))
	case Requires:
		return strings.TrimSpace(fmt.Sprintf("%s requires %s of %s", operator(r.Subject), r.Requirement, operators(r.Operators)))
	case OnlyPackage:
		return fmt.Sprintf("one %s of %s", r.Package, operators(r.Operators))
	case OnlyAPI:
		return fmt.Sprintf("one %s of %s", r.API, operators(r.Operators))
	case Replacement:
		return fmt.Sprintf("%s for %s", operator(r.Subject), operators(r.Operators))
	case NotOwned:
		return operator(r.Subject) + " stays"
	case Prohibited:
		return operator(r.Subject) + " is deprecated"
	case Unexplained:
		return "unexplained"
	}
	return operator(r.Subject) + " was chosen"
}

var faultNames = [...]string{"no catalog", "no package", "no channel", "no startingCSV", "malformed", "unordered", "several", "twins", "endless", "chain",
	"groups", "dead plan", "unreachable", "unseen", "too hard"}

func faults(r *Resolution) string {
	var said []string
	for _, f := range r.Faults {
		said = append(said, strings.TrimSpace(fmt.Sprintf("%s %s", faultNames[f.Kind], strings.Join(strings.Fields(
			f.Subscription+" "+f.Operator.Package+" "+f.Operator.Channel+" "+f.Operator.Name+" "+f.Property), " "))))
	}
	return strings.Join(said, "; ")
}

func settles(t *testing.T, n Namespace, _ string) string {
	c, err := runToFixedPoint(t.Context(), n, 20)
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range c.Steps {
		var names []string
		for _, i := range s.Installs {
			names = append(names, i.Name)
		}
		if len(names) > 0 {
			steps = append(steps, strings.Join(names, " "))
		}
	}
	end := [...]string{"settled", "unresolvable", "loop", "limit"}[c.End]
	return strings.TrimSpace(strings.Join(steps, ", ") + " " + end)
}

func TestLanguage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "namespaces.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for paragraph := range strings.SplitSeq(string(data), "\n\n") {
		name, text, asked := readCase(paragraph)
		if name == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			n := parseNamespace(t, text)
			for _, q := range asked {
				question, arg, _ := strings.Cut(q[0], " ")
				got := questions[question](t, n, arg)
				if got == "" {
					got = "none"
				}
				if got != q[1] {
					t.Errorf("%s:\n got %s\nwant %s", q[0], got, q[1])
				}
			}
			check(t, n)
		})
	}
}

// readCase reads one case: a line is a question if the text before its first colon is one.
func readCase(paragraph string) (name, text string, asked [][2]string) {
	for line := range strings.Lines(paragraph) {
		line = strings.TrimSpace(line)
		before, answer, ok := strings.Cut(line, ":")
		word, _, _ := strings.Cut(before, " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case ok && before == "name":
			name = strings.TrimSpace(answer)
		case ok && questions[word] != nil:
			asked = append(asked, [2]string{before, strings.TrimSpace(answer)})
		default:
			text += line + "\n"
		}
	}
	return name, text, asked
}

// TestCancelled wants an error, and at once, from a context that has ended.
func TestCancelled(t *testing.T) {
	n := parseNamespace(t, "catalog main\npackage a\na.v1\nsub a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Resolve(ctx, n); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	if _, err := runToFixedPoint(ctx, n, 3); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
}
