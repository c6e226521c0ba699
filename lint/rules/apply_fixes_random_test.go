package rules

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// channelWriter writes a random channel, with errors, in one of the common styles of YAML or JSON.
type channelWriter struct {
	*rand.Rand
	out        strings.Builder
	indent     string // of a list under its key
	eol        string
	noComments bool // comments can prevent a fix
	notes      int
}

func (s *channelWriter) line(format string, args ...any) {
	fmt.Fprintf(&s.out, format, args...)
	if !s.noComments && s.IntN(6) == 0 {
		s.notes++
		fmt.Fprintf(&s.out, " # note %d", s.notes)
	}
	s.out.WriteString(s.eol)
}

// quoteRandom returns a name in a random YAML style.
func (s *channelWriter) quoteRandom(name string) string {
	switch {
	case name == "":
		return [...]string{"''", `""`, "null", "~"}[s.IntN(4)]
	case s.IntN(4) == 0:
		return "'" + name + "'"
	case s.IntN(4) == 0:
		return `"` + name + `"`
	}
	return name
}

func (s *channelWriter) all(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, s.quoteRandom(name))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

type writtenEntry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces,omitempty"`
	Skips     []string `json:"skips,omitempty"`
	SkipRange string   `json:"skipRange,omitempty"`
}

// entries returns a chain with skips and some errors.
func (s *channelWriter) entries() []writtenEntry {
	var all []writtenEntry
	for i := range 3 + s.IntN(6) {
		e := writtenEntry{Name: fmt.Sprintf("red.v1.%d.0", i)}
		if i > 0 && s.IntN(8) > 0 {
			e.Replaces = all[i-1].Name
		}
		for n := s.IntN(4); n > 0 && i > 0; n-- {
			e.Skips = append(e.Skips, all[s.IntN(i)].Name)
		}
		switch s.IntN(12) {
		case 0:
			e.Skips = append(e.Skips, "")
		case 1:
			e.Skips = append(e.Skips, e.Name)
		case 2:
			e.Replaces = strings.Replace(e.Replaces, "red", "redd", 1)
		case 3:
			e.Skips = append(e.Skips, "red.v0.9.0", "red.v0.9.0")
		case 4:
			e.SkipRange = fmt.Sprintf(">=1.0.0 <1.%d.0", i)
		}
		all = append(all, e)
	}
	return all
}

func (s *channelWriter) yaml(entries []writtenEntry) string {
	s.line("schema: olm.package")
	s.line("name: red%s---%sschema: olm.channel", s.eol+"defaultChannel: stable"+s.eol, s.eol)
	s.line("name: stable")
	s.line("package: red")
	s.line("entries:")
	for _, e := range entries {
		s.entry(e)
	}
	for _, e := range entries {
		s.out.WriteString("---" + s.eol)
		s.line("schema: olm.bundle")
		s.line("name: %s", e.Name)
		s.line("package: red%simage: quay.io/red/red:v1", s.eol)
		s.line("properties:%s- {type: olm.package, value: {packageName: red, version: %s}}", s.eol, strings.TrimPrefix(e.Name, "red.v"))
	}
	return s.out.String()
}

func (s *channelWriter) entry(e writtenEntry) {
	fields := []string{"name: " + s.quoteRandom(e.Name)}
	if e.Replaces != "" {
		fields = append(fields, "replaces: "+s.quoteRandom(e.Replaces))
	}
	if e.SkipRange != "" {
		fields = append(fields, "skipRange: '"+e.SkipRange+"'")
	}
	s.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	if len(e.Skips) > 0 && s.IntN(3) == 0 {
		fields = append(fields, "skips: "+s.all(e.Skips))
		e.Skips = nil
	}
	if len(e.Skips) == 0 && s.IntN(3) == 0 {
		s.line("%s- {%s}", s.indent, strings.Join(fields, ", "))
		return
	}
	dash := s.indent + "- "
	for _, f := range fields {
		s.line("%s%s", dash, f)
		dash = s.indent + "  "
	}
	if len(e.Skips) > 0 {
		s.line("%sskips:", dash)
	}
	for _, name := range e.Skips {
		s.line("%s%s- %s", dash, s.indent, s.quoteRandom(name))
	}
}

func (s *channelWriter) json(entries []writtenEntry) string {
	indent := strings.Repeat(" ", 2*s.IntN(3))
	objects := []any{
		map[string]any{"schema": "olm.package", "name": "red", "defaultChannel": "stable"},
		map[string]any{"schema": "olm.channel", "name": "stable", "package": "red", "entries": entries},
	}
	for _, e := range entries {
		value := map[string]string{"packageName": "red", "version": strings.TrimPrefix(e.Name, "red.v")}
		objects = append(objects, map[string]any{"schema": "olm.bundle", "name": e.Name, "package": "red", "image": "quay.io/red/red:v1",
			"properties": []any{map[string]any{"type": "olm.package", "value": value}}})
	}
	for _, o := range objects {
		text, _ := json.Marshal(o)
		if indent != "" {
			text, _ = json.MarshalIndent(o, "", indent)
		}
		s.out.Write(text)
		s.out.WriteString("\n")
	}
	return s.out.String()
}

// TestApplyFixesRandom applies the fixes of random catalogs in several styles. Each finding with a fix is fixed or has a reason,
// and only the fields that the fixes name change.
func TestApplyFixesRandom(t *testing.T) {
	fixed, left := 0, 0
	for seed := range uint64(150) {
		s := &channelWriter{Rand: rand.New(rand.NewPCG(seed, 1)), eol: "\n"}
		if s.IntN(2) == 0 {
			s.indent = "  "
		}
		if s.IntN(4) == 0 {
			s.eol = "\r\n"
		}
		name, write := "catalog.yaml", s.yaml
		if s.IntN(3) == 0 {
			name, write = "catalog.json", s.json
		}
		path := filepath.Join(t.TempDir(), name)
		text := write(s.entries())
		if s.IntN(4) == 0 {
			text = strings.TrimRight(text, "\r\n")
		}
		catalogtest.Write(t, path, text)
		result, after := applyFixes(t, path)
		before := opentest.Open(t, path)
		fixed, left = fixed+result.Fixed, left+len(result.Unfixed)
		checkNoneLeft(t, result, after)
		checkEntries(t, before[0], after[0])
		for _, f := range result.Files {
			checkLines(t, string(f.Old), string(f.New))
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if fixed < 150 {
		t.Errorf("only %d findings were fixed, %d left", fixed, left)
	}
	t.Logf("%d fixed, %d left", fixed, left)
}

func checkNoneLeft(t *testing.T, result *lint.FixResult, after []*catalogs.Catalog) {
	t.Helper()
	findings := lintAll(t, after, lint.Options{Rules: family("graph")})
	for _, f := range findings {
		said := slices.ContainsFunc(result.Unfixed, func(l lint.UnfixedFinding) bool { return l.Rule == f.Rule && l.Pos == f.Pos })
		if len(f.Edits) > 0 && !said {
			t.Errorf("no reason for an unfixed finding: %s", f.Message)
		}
	}
	for _, l := range result.Unfixed {
		if !strings.Contains(l.Why, "new problem") {
			t.Errorf("%s: %s", l.Message, l.Why)
		}
	}
}

// checkEntries checks that names are added to skips only, and that only self-references and skips of replaced entries are
// removed.
func checkEntries(t *testing.T, before, after *catalogs.Catalog) {
	t.Helper()
	a, b := before.Packages[0], after.Packages[0]
	if len(after.Problems) > 0 || len(a.Bundles) != len(b.Bundles) || len(a.Channels[0].Entries) != len(b.Channels[0].Entries) {
		t.Fatalf("another catalog: %v", after.Problems)
	}
	for i := range a.Channels[0].Entries {
		old, new := &a.Channels[0].Entries[i], &b.Channels[0].Entries[i]
		replaced := strings.Replace(old.Replaces.Value, "redd", "red", 1)
		if old.Name.Value != new.Name.Value || old.SkipRange.Value != new.SkipRange.Value ||
			new.Replaces.Value != replaced && new.Replaces.Value != old.Replaces.Value {
			t.Errorf("entry %s became %s", old.Name.Value, new.Name.Value)
		}
		for _, skip := range old.Skips {
			kept := slices.ContainsFunc(new.Skips, func(s catalogs.Text) bool { return s.Value == skip.Value })
			if !kept && skip.Value != "" && skip.Value != old.Name.Value && skip.Value != new.Replaces.Value {
				t.Errorf("%s does not skip %s any more", old.Name.Value, skip.Value)
			}
		}
	}
}

var mayChange = regexp.MustCompile(`skips|replaces|name: |"name"|^\s*-|^\s*"red|^\s*""|^\s*\]`)

// checkLines checks that only lines of entries differ.
func checkLines(t *testing.T, old, new string) {
	t.Helper()
	count := map[string]int{}
	for line := range strings.Lines(old) {
		count[line]++
	}
	for line := range strings.Lines(new) {
		count[line]--
	}
	for line, n := range count {
		if n != 0 && !mayChange.MatchString(line) {
			t.Errorf("changed: %q (%d)", line, n)
		}
	}
	if strings.HasSuffix(old, "\n") != strings.HasSuffix(new, "\n") ||
		strings.Count(new, "\n")-strings.Count(new, "\r\n") != 0 && strings.Contains(old, "\r\n") {
		t.Error("other line ends")
	}
}
