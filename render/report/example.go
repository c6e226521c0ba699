package report

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Example is a catalog in which a rule fires and one in which it does not, both shortened to what makes the difference.
type Example struct{ Wrong, Right string }

// Trial is a catalog on which the rule's own script runs lint.
type Trial struct {
	Args  []string     // of olmgraph lint
	Files []txtar.File // those that the arguments name
}

// Trials returns the first catalog of a rule's script in which the rule must fire, and the first in which it must not.
func Trials(script []byte, rule string) (wrong, right Trial) {
	archive := txtar.Parse(script)
	var now Trial
	for line := range strings.Lines(string(archive.Comment)) {
		if _, args, ok := strings.Cut(strings.TrimSpace(line), "olmgraph lint "); ok {
			now = trialOf(archive, strings.Fields(args))
			continue
		}
		fires, silent := expects(line, rule)
		if fires && wrong.Args == nil {
			wrong = now
		}
		if silent && right.Args == nil {
			right = now
		}
	}
	return wrong, right
}

// expects reads what a line of a script expects of the output.
func expects(line, rule string) (fires, silent bool) {
	names := strings.Contains(line, rule)
	return names && strings.HasPrefix(line, "stdout "),
		names && strings.HasPrefix(line, "! stdout ") || strings.HasPrefix(line, "stdout 'No problems found")
}

func trialOf(archive *txtar.Archive, args []string) Trial {
	t := Trial{Args: args}
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

// Of an example at most so much is shown.
const (
	exampleLines = 40
	exampleWidth = 100
)

const omitted = "# …"

// ExampleOf returns the example that a rule's script holds; it is empty if there is none.
func ExampleOf(script []byte, rule string) Example {
	wrong, right := Trials(script, rule)
	if wrong.Files == nil || right.Files == nil {
		return Example{}
	}
	return Example{Wrong: wrong.besides(right, "below"), Right: right.besides(wrong, "above")}
}

// document is a document of one of the files of a catalog.
type document struct{ file, text string }

// documents cuts the files where YAML does.
func (t Trial) documents() []document {
	var all []document
	for _, f := range t.Files {
		text := strings.TrimSuffix(strings.TrimPrefix(string(f.Data), "---\n"), "\n")
		for _, doc := range strings.Split(text, "\n---\n") {
			all = append(all, document{f.Name, doc})
		}
	}
	return all
}

// besides shows the documents that a catalog has more or less often than another one. If there are none the other one has
// more, and this is shown whole if it is short; or only the names of the files tell them apart.
func (t Trial) besides(other Trial, where string) string {
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

// eachPair calls do for each line of a document, with the one before it.
func eachPair(doc string, do func(i int, pair [2]string)) {
	before := ""
	for i, line := range strings.Split(doc, "\n") {
		do(i, [2]string{before, line})
		before = line
	}
}

// lines joins documents, those of a file under its name if files are to be named.
func lines(docs []document, named bool, known map[[2]string]bool) string {
	var out []string
	for i, d := range docs {
		switch {
		case named && (i == 0 || docs[i-1].file != d.file):
			out = append(out, "# "+d.file)
		case i > 0:
			out = append(out, "---")
		}
		out = append(out, excerpt(d.text, known)...)
	}
	return strings.Join(clipped(out), "\n") + "\n"
}

// excerpt shortens a long document to its first lines, and those around the ones that stand behind others than in the known
// ones.
func excerpt(doc string, known map[[2]string]bool) []string {
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

// clipped cuts lines that are too long or too many.
func clipped(lines []string) []string {
	if len(lines) > exampleLines {
		lines = append(lines[:exampleLines-1:exampleLines-1], omitted)
	}
	for i, line := range lines {
		if runes := []rune(line); len(runes) > exampleWidth {
			lines[i] = string(runes[:exampleWidth-1]) + "…"
		}
	}
	return lines
}
