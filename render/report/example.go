package report

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/olmgraph/olmgraph/render/text"
)

// Example is a catalog in which a rule fires and one in which it does not, both shortened to the parts that differ.
type Example struct {
	Wrong string `json:"wrong"`
	Right string `json:"right"`
}

// ScriptRun is a run of lint in the script of a rule.
type ScriptRun struct {
	Args  []string     // of olmgraph lint
	Files []txtar.File // that the arguments name
}

// ScriptRuns returns the first run of a rule's script in which the rule must fire, and, of the runs in which it must not, the one with the fewest lines that
// differ from it, but at least one.
func ScriptRuns(script []byte, rule string) (wrong, right ScriptRun) {
	archive := txtar.Parse(script)
	var now ScriptRun
	var silentRuns []ScriptRun
	for line := range strings.Lines(string(archive.Comment)) {
		if _, args, ok := strings.Cut(strings.TrimSpace(line), "olmgraph lint "); ok {
			now = newScriptRun(archive, strings.Fields(args))
			continue
		}
		fires, silent := expects(line, rule)
		if fires && wrong.Args == nil {
			wrong = now
		}
		if silent && len(now.Files) > 0 {
			silentRuns = append(silentRuns, now)
		}
	}
	least := 0
	for i, run := range silentRuns {
		if n := run.differingLines(wrong); i == 0 || n > 0 && (least == 0 || n < least) {
			right, least = run, n
		}
	}
	return wrong, right
}

// differingLines counts the lines that only one of two runs has.
func (t ScriptRun) differingLines(other ScriptRun) (n int) {
	more := map[string]int{}
	for sign, run := range map[int]ScriptRun{1: t, -1: other} {
		for _, d := range run.documents() {
			for line := range strings.Lines(d.text + "\n") {
				more[line] += sign
			}
		}
	}
	for _, m := range more {
		n += max(m, -m)
	}
	return n
}

// expects reports what a line of a script expects: that the rule fires, or that it is silent.
func expects(line, rule string) (fires, silent bool) {
	names := strings.Contains(line, rule)
	return names && strings.HasPrefix(line, "stdout "),
		names && strings.HasPrefix(line, "! stdout ") || strings.HasPrefix(line, "stdout 'No problems found")
}

func newScriptRun(archive *txtar.Archive, args []string) ScriptRun {
	t := ScriptRun{Args: args}
	for _, f := range archive.Files {
		if slices.ContainsFunc(args, func(arg string) bool {
			arg = path.Clean(strings.Trim(arg, "'"))
			return f.Name == arg || arg == "." || strings.HasPrefix(f.Name, arg+"/")
		}) {
			t.Files = append(t.Files, f)
		}
	}
	return t
}

// Limits of an example, in lines and in characters of a line.
const (
	exampleLines = 40
	exampleWidth = 100
)

const omitted = "# …"

// ReadExample returns the example in a rule's script, or an empty one.
func ReadExample(script []byte, rule string) Example {
	wrong, right := ScriptRuns(script, rule)
	if wrong.Files == nil || right.Files == nil {
		return Example{}
	}
	e := newExample(wrong, right)
	if e.Wrong == e.Right {
		e = newExample(wrong.without(right), right.without(wrong))
	}
	return e
}

func newExample(wrong, right ScriptRun) Example {
	return Example{Wrong: wrong.difference(right, "below"), Right: right.difference(wrong, "above")}
}

// without returns the run with the files that the other one does not have; with all if there are none.
func (t ScriptRun) without(other ScriptRun) ScriptRun {
	own := slices.DeleteFunc(slices.Clone(t.Files), func(f txtar.File) bool {
		return slices.ContainsFunc(other.Files, func(o txtar.File) bool { return o.Name == f.Name })
	})
	if len(own) > 0 {
		t.Files = own
	}
	return t
}

// document is a YAML document in a file of a catalog.
type document struct{ file, text string }

// documents splits the files into YAML documents.
func (t ScriptRun) documents() []document {
	var all []document
	for _, f := range t.Files {
		text := strings.TrimSuffix(strings.TrimPrefix(string(f.Data), "---\n"), "\n")
		for _, doc := range strings.Split(text, "\n---\n") {
			all = append(all, document{f.Name, doc})
		}
	}
	return all
}

// difference returns the documents that are in t more or less often than in other. Without any, it returns all documents if
// they are short or if only file names differ, and otherwise a note that refers to the other catalog.
func (t ScriptRun) difference(other ScriptRun, where string) string {
	const short = 12
	all, others := t.documents(), other.documents()
	more, pairs := map[string]int{}, map[[2]string]bool{}
	for _, d := range all {
		more[d.text]++
	}
	for _, d := range others {
		more[d.text]--
		eachPair(d.text, func(_ int, pair [2]string) { pairs[pair] = true })
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(d document) bool { return more[d.text] == 0 })
	if len(shown) > 0 {
		return lines(shown, len(t.Files) > 1, pairs)
	}
	whole := lines(all, len(t.Files) > 1 || len(all) == len(others), nil)
	if strings.Count(whole, "\n") <= short || len(all) == len(others) {
		return whole
	}
	return "# the same, without what is shown " + where + "\n"
}

// eachPair calls do for each line of a document, with the line before it.
func eachPair(doc string, do func(i int, pair [2]string)) {
	before := ""
	for i, line := range strings.Split(doc, "\n") {
		do(i, [2]string{before, line})
		before = line
	}
}

// lines joins documents. If named, those of a file follow its name. Lines are left out by shortenDocument.
func lines(docs []document, named bool, known map[[2]string]bool) string {
	var out []string
	for i, d := range docs {
		switch {
		case named && (i == 0 || docs[i-1].file != d.file):
			out = append(out, "# "+d.file)
		case i > 0:
			out = append(out, "---")
		}
		out = append(out, shortenDocument(d.text, known)...)
	}
	return strings.Join(clip(out), "\n") + "\n"
}

// shortenDocument shortens a long document to its first lines and those near a pair of lines that is not among the known pairs.
func shortenDocument(doc string, known map[[2]string]bool) []string {
	const long, first, around = 24, 4, 3
	lines := strings.Split(doc, "\n")
	if len(lines) <= long {
		return lines
	}
	keep := make([]bool, len(lines))
	eachPair(doc, func(i int, pair [2]string) {
		if i >= first && known[pair] {
			return
		}
		for j := max(0, i-around); j <= min(len(lines)-1, i+around); j++ {
			keep[j] = true
		}
	})
	var out []string
	for i, line := range lines {
		switch {
		case keep[i]:
			out = append(out, line)
		case i == 0 || keep[i-1]:
			out = append(out, omitted)
		}
	}
	return out
}

// clip cuts lines that are too long, and excess lines.
func clip(lines []string) []string {
	if len(lines) > exampleLines {
		lines = append(lines[:exampleLines-1:exampleLines-1], omitted)
	}
	for i, line := range lines {
		lines[i] = text.Shorten(line, exampleWidth)
	}
	return lines
}
