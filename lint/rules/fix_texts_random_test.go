package rules

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// fixText applies the fixes of findings whose text matches a pattern, as an author would.
type fixText struct {
	pattern *regexp.Regexp
	apply   func(c *catalogs.Channel, f *lint.Finding, parts []string)
}

const aName = `"([^"]*)"`

var (
	skipOut   = regexp.MustCompile(aName + ` from the skips of ` + aName)
	edgeOut   = regexp.MustCompile(`(?:the |of the )(replaces|skips|replaces and skips) of ` + aName)
	bothIn    = regexp.MustCompile(`^` + aName + ` both replaces and skips ` + aName)
	firstName = regexp.MustCompile(aName)

	noEntry = regexp.MustCompile(`(?:replaces|skips|names) ` + aName)
)

var fixTexts = []fixText{
	{regexp.MustCompile(`^remove "[^"]*" from the skips of "[^"]*".*, which also`), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		for _, m := range skipOut.FindAllStringSubmatch(parts[0], -1) {
			removeSkip(findEntry(c, m[2]), m[1])
		}
	}},
	{regexp.MustCompile(`^remove ` + aName + ` from the skips(?:,|$)`), func(c *catalogs.Channel, f *lint.Finding, parts []string) {
		removeSkip(findEntry(c, f.Bundle), parts[1])
	}},
	{regexp.MustCompile(`^remove ` + aName + `(?:, the newest,)? from (the (?:replaces|skips|replaces and skips) of .*)`), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		for _, m := range edgeOut.FindAllStringSubmatch(parts[2], -1) {
			for _, field := range strings.Split(m[1], " and ") {
				removeEdge(findEntry(c, m[2]), field, parts[1])
			}
		}
	}},
	{regexp.MustCompile(`^remove ` + aName + ` from its own (replaces|skips)$`), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		removeEdge(findEntry(c, parts[1]), parts[2], parts[1])
	}},
	{regexp.MustCompile(`^add (\S*) to the skips of ` + aName + `, and remove it from its own$`), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		addSkips(findEntry(c, parts[2]), parts[1:2])
		removeSkip(findEntry(c, parts[1]), parts[1])
	}},
	{regexp.MustCompile(`^add the \d+ names in the details to the skips of ` + aName), func(c *catalogs.Channel, f *lint.Finding, parts []string) {
		var names []string
		for _, d := range f.Details {
			names = append(names, firstName.FindStringSubmatch(d.Message)[1])
		}
		addSkips(findEntry(c, parts[1]), names)
	}},
	{regexp.MustCompile(`^remove the \d+ skips in the details from entries that also replace`), func(c *catalogs.Channel, f *lint.Finding, _ []string) {
		for _, d := range f.Details {
			if m := bothIn.FindStringSubmatch(d.Message); m != nil {
				removeSkip(findEntry(c, m[1]), m[2])
			}
		}
	}},
	{regexp.MustCompile(`^add ([^"]*) to the skips of ` + aName), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		addSkips(findEntry(c, parts[2]), strings.Split(parts[1], ", "))
	}},
	{regexp.MustCompile(`^add (.*) to the skips of ` + aName), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		list := strings.ReplaceAll(strings.ReplaceAll(parts[1], `"`, ""), " and ", ", ")
		addSkips(findEntry(c, parts[2]), strings.Split(list, ", "))
	}},
	{regexp.MustCompile(`^add replaces: (\S+) to ` + aName), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		findEntry(c, parts[2]).Replaces.Value = parts[1]
	}},
	{regexp.MustCompile(`^add skipRange: '([^']*)' to ` + aName), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		findEntry(c, parts[2]).SkipRange.Value = parts[1]
	}},
	{regexp.MustCompile(`^let the skipRange of ` + aName + ` be '([^']*)'`), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		findEntry(c, parts[1]).SkipRange.Value = parts[2]
	}},
	{regexp.MustCompile(`^write (\S+)$`), func(c *catalogs.Channel, f *lint.Finding, parts []string) {
		m := noEntry.FindStringSubmatch(f.Message)
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.Replaces.Value == m[1] {
				e.Replaces.Value = parts[1]
			}
			for n := range e.Skips {
				if e.Skips[n].Value == m[1] {
					e.Skips[n].Value = parts[1]
				}
			}
		}
	}},
	{regexp.MustCompile(`^let the skipRange be '(.+)'$|^remove the skipRange$`), func(c *catalogs.Channel, f *lint.Finding, parts []string) {
		findEntry(c, f.Bundle).SkipRange.Value = parts[1]
	}},
	{regexp.MustCompile(`^remove it, or write the name`), func(c *catalogs.Channel, f *lint.Finding, _ []string) {
		removeSkip(findEntry(c, f.Bundle), "")
	}},
	{regexp.MustCompile(`^let ` + aName + ` skip ` + aName), func(c *catalogs.Channel, _ *lint.Finding, parts []string) {
		addSkips(findEntry(c, parts[1]), parts[2:3])
	}},
}

func findEntry(c *catalogs.Channel, name string) *catalogs.Entry {
	return &c.Entries[slices.IndexFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })]
}

func removeEdge(e *catalogs.Entry, field, name string) {
	if field == "skips" {
		removeSkip(e, name)
	} else if e.Replaces.Value == name {
		e.Replaces.Value = ""
	}
}

func removeSkip(e *catalogs.Entry, name string) {
	e.Skips = slices.DeleteFunc(slices.Clone(e.Skips), func(t catalogs.Text) bool { return t.Value == name })
}

func addSkips(e *catalogs.Entry, names []string) {
	for _, name := range names {
		e.Skips = append(slices.Clip(e.Skips), catalogs.Text{Value: name})
	}
}

// fixFunc returns a function that applies the fix of a finding; nil if an author has to choose or to publish a version.
func fixFunc(f *lint.Finding) func(*catalogs.Channel) {
	if f.Channel == "" {
		return nil
	}
	for _, a := range fixTexts {
		if parts := a.pattern.FindStringSubmatch(f.Fix); parts != nil {
			return func(c *catalogs.Channel) { a.apply(c, f, parts) }
		}
	}
	return nil
}

// unorderedEntries returns the entries of a channel in which some older entries follow newer ones.
func (s *channelWriter) unorderedEntries() []writtenEntry {
	all := s.entries()
	for i := range all {
		if j := s.IntN(len(all)); s.IntN(6) == 0 {
			renamed := map[string]string{all[i].Name: all[j].Name, all[j].Name: all[i].Name}
			rename := func(name string) string {
				if other, ok := renamed[name]; ok {
					return other
				}
				return name
			}
			for n := range all {
				all[n].Name, all[n].Replaces = rename(all[n].Name), rename(all[n].Replaces)
				for k, skip := range all[n].Skips {
					all[n].Skips[k] = rename(skip)
				}
			}
		}
		if s.IntN(10) == 0 {
			all[i].SkipRange = fmt.Sprintf(">=1.0.0 <1.%d.0 || >=2.0.0", s.IntN(len(all)+1))
		}
		if e := &all[i]; e.Replaces != "" && s.IntN(4) == 0 {
			e.Skips = append(e.Skips, e.Replaces)
		}
	}
	return all
}

// graphFindings lints the graph of a catalog as it is in memory.
func graphFindings(t *testing.T, cats []*catalogs.Catalog) []lint.Finding {
	t.Helper()
	return lintAll(t, cats, lint.Options{Rules: family("graph")})
}

const missingTarget = "graph/missing-target"

func findingSubject(f *lint.Finding) string {
	return fmt.Sprintf("%s %s %s %s", f.Rule, f.Package, f.Channel, f.Bundle)
}

// errorsIn returns the subject of a finding for each of its faults.
func errorsIn(f *lint.Finding) []string {
	if len(f.Faults) == 0 {
		return []string{findingSubject(f)}
	}
	var all []string
	for _, fault := range f.Faults {
		all = append(all, fmt.Sprintf("%s %s %s %s", f.Rule, f.Package, f.Channel, fault))
	}
	return all
}

// isNew reports whether findings with some subjects lack a fault of a finding.
func isNew(f *lint.Finding, had map[string]bool) bool {
	return slices.ContainsFunc(errorsIn(f), func(subject string) bool { return !had[subject] })
}

// TestFixTextsRandom applies the fixes of findings about random channels, one at a time. The finding must be gone, without new
// errors, unless the channel was rejected as a whole or has misspelled names. It then applies all fixes, round by round, until
// there are none.
func TestFixTextsRandom(t *testing.T) {
	followed, rounds := map[string]int{}, make([]int, maxFixTextRounds+1)
	for seed := range randomChannels() {
		s := &channelWriter{Rand: rand.New(rand.NewPCG(seed, 2)), eol: "\n"}
		text := s.yaml(s.unorderedEntries())
		cats := openText(t, text)
		before := graphFindings(t, cats)
		for i := range before {
			f := &before[i]
			follow := fixFunc(f)
			if follow == nil {
				continue
			}
			followed[f.Rule]++
			if why := applyProblem(t, cats, before, f, follow); why != "" {
				t.Errorf("%s: %s\n%s", f.Message, f.Fix, why)
			}
		}
		n := fixTextRounds(t, cats)
		if n > maxFixTextRounds {
			t.Errorf("there is still something to do after %d rounds", n)
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
		rounds[n]++
	}
	t.Logf("followed %v; channels, by rounds: %v", followed, rounds)
	for _, rule := range []string{"downgrade", "missing-target", "multiple-heads", "no-head", "replaces-and-skips", "self-reference",
		"skip-range-newer", "skips-item-empty", "stranded", "stuck"} {
		if followed["graph/"+rule] < max(1, int(randomChannels()/400)) {
			t.Errorf("the samples no longer try graph/%s", rule)
		}
	}
}

// randomChannels returns the number of channels to test.
func randomChannels() uint64 { return uint64(catalogtest.Rounds(2000)) }

func openText(t *testing.T, text string) []*catalogs.Catalog {
	t.Helper()
	return []*catalogs.Catalog{opentest.Text(t, text)}
}

// applyProblem applies a fix and returns what is wrong then, "" if nothing is. It restores the catalog.
func applyProblem(t *testing.T, cats []*catalogs.Catalog, before []lint.Finding, f *lint.Finding, follow func(*catalogs.Channel)) string {
	t.Helper()
	c := findingChannel(cats[0], f)
	saved := slices.Clone(c.Entries)
	defer func() { c.Entries = saved }()
	c.Entries = slices.Clone(c.Entries)
	for i := range c.Entries {
		c.Entries[i].Skips = slices.Clone(c.Entries[i].Skips)
	}
	clear := edges.IsValid(findingGraph(cats[0], f)) && (f.Rule == missingTarget || !slices.ContainsFunc(before, func(f lint.Finding) bool {
		return f.Rule == missingTarget && len(f.Edits) > 0
	}))
	follow(c)
	after := graphFindings(t, cats)
	had := map[string]bool{}
	for i := range before {
		for _, subject := range errorsIn(&before[i]) {
			had[subject] = true
		}
	}
	for i := range after {
		a := &after[i]
		if findingSubject(a) == findingSubject(f) && a.Pos == f.Pos && a.Message == f.Message {
			return "it is still there"
		}
		if a.Severity == lint.Error && isNew(a, had) && clear {
			return fmt.Sprintf("now: %s [%s]", a.Message, a.Rule)
		}
	}
	return ""
}

func findingChannel(c *catalogs.Catalog, f *lint.Finding) *catalogs.Channel {
	p := c.Package(f.Package)
	return p.Channels[slices.IndexFunc(p.Channels, func(c *catalogs.Channel) bool { return c.Name.Value == f.Channel })]
}

func findingGraph(c *catalogs.Catalog, f *lint.Finding) *graph.Graph {
	return graph.New(c.Package(f.Package), findingChannel(c, f))
}

// maxFixTextRounds is the maximum number of rounds in which all fixes are applied, for channels with many errors.
const maxFixTextRounds = 5

// fixTextRounds applies all fixes of a catalog round by round until none can be applied, and returns the number of rounds.
func fixTextRounds(t *testing.T, cats []*catalogs.Catalog) int {
	t.Helper()
	for rounds := 0; ; rounds++ {
		all := graphFindings(t, cats)
		done := 0
		for i := range all {
			if follow := fixFunc(&all[i]); follow != nil {
				follow(findingChannel(cats[0], &all[i]))
				done++
			}
		}
		if done == 0 || rounds > maxFixTextRounds {
			return rounds
		}
	}
}
