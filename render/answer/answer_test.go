package answer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// everyBlock says something in each kind of block.
func everyBlock(name, said string) *Answer {
	a := New("package ", text.Styled(name, text.Name))
	a.Say(said)
	a.Section("heading ", said)
	a.Item(said, ": ", text.Styled(name, text.Place))
	a.Detail(said)
	a.NumberedItem(1, text.Styled(said, text.Heading), ", ", text.Styled("run "+name, text.Command))
	a.Code("yaml", "name: "+said)
	t := &Table{Columns: []string{"name", "number"}, Right: []int{1}, Caption: said}
	t.Add(text.Styled(name, text.Name), 12)
	t.Note(said)
	t.Add(said, 3)
	a.Table(t)
	a.InText().Say("text: ", said)
	a.InMarkdown().Say("markdown: ", said)
	a.Fold(said).Item(said)
	return a
}

func writeAnswer(t testing.TB, a *Answer) (plain, markdown string) {
	t.Helper()
	var one, other bytes.Buffer
	if err := a.Text(&one, text.Style{Width: 40}); err != nil {
		t.Fatal(err)
	}
	if err := a.Markdown(&other); err != nil {
		t.Fatal(err)
	}
	return one.String(), other.String()
}

func TestBlocks(t *testing.T) {
	plain, markdown := writeAnswer(t, everyBlock("tide", "a note_of (some) words which needs more than a line"))
	if want := `package tide
a note_of (some) words which needs more
  than a line

heading a note_of (some) words which
  needs more than a line
  a note_of (some) words which needs
    more than a line: tide
      a note_of (some) words which needs
        more than a line
1. a note_of (some) words which needs
    more than a line, run tide
  name: a note_of (some) words which needs more than a line
a note_of (some) words which needs more than a line
NAME                                                 NUMBER
tide                                                     12
     a note_of (some) words which needs
       more than a line
a note_of (some) words which needs more than a line       3
text: a note_of (some) words which needs
  more than a line
  a note_of (some) words which needs
    more than a line
`; plain != want {
		t.Errorf("text: got\n%swant\n%s", plain, want)
	}
	said := `a note\_of \(some\) words which needs more than a line`
	want := strings.ReplaceAll("### package `tide`\n\nSAID\n\n#### heading SAID\n\n- SAID: tide\n    - SAID\n1. **SAID**, `run tide`\n\n"+
		"```yaml\nname: a note_of (some) words which needs more than a line\n```\n\nSAID:\n\n| name | number | note |\n|---|--:|---|\n| `tide` | 12 | SAID |\n| SAID | 3 |  |\n\n"+
		"markdown: SAID\n\n<details><summary>a note_of (some) words which needs more than a line</summary>\n\n- SAID\n\n</details>\n", "SAID", said)
	if markdown != want {
		t.Errorf("Markdown: got\n%swant\n%s", markdown, want)
	}
}

// FuzzBlocks checks that no text of a catalog commands a terminal, makes HTML, a mention or a block of its own, or adds a cell.
func FuzzBlocks(f *testing.F) {
	for _, hostile := range []string{"</details><img src=x>", "@all\n# x", "- a", "1. a", "--- ", "a|b\x1b[31m", "```\n````", "\u202e`", "**a"} {
		f.Add(hostile, "b")
		f.Add("b", hostile)
	}
	lines := func(s string) (n int) { return strings.Count(s, "\n") }
	_, harmless := writeAnswer(f, everyBlock("b", "b"))
	f.Fuzz(func(t *testing.T, name, said string) {
		plain, markdown := writeAnswer(t, everyBlock(name, said))
		for _, s := range []string{plain, markdown} {
			if strings.ContainsFunc(strings.NewReplacer("\n", "", "\t", "").Replace(s), words.Unsafe) {
				t.Errorf("a control character in %q", s)
			}
		}
		before, after, _ := strings.Cut(markdown, "\nname: ")
		code, rest, _ := strings.Cut(after, "\n")
		if n := lines(code); n > 0 || strings.TrimSpace(name) != "" && strings.TrimSpace(said) != "" && !strings.Contains(said, "\n") && lines(markdown) != lines(harmless) {
			t.Errorf("%d lines, want %d:\n%s", lines(markdown), lines(harmless), markdown)
		}
		for line := range strings.Lines(before + rest) {
			if row, is := strings.CutPrefix(line, "| "); is && strings.Count(strings.ReplaceAll(row, `\|`, ""), "|") != 3 {
				t.Errorf("another cell: %q", line)
			}
			outside := withoutSpans(strings.NewReplacer("<details><summary>", "", "</summary>", "", "</details>", "").Replace(line))
			if strings.ContainsAny(outside, "<>@") {
				t.Errorf("HTML or a mention: %q", line)
			}
		}
	})
}

// withoutSpans drops code spans and escaped characters.
func withoutSpans(line string) string {
	var b strings.Builder
	for len(line) > 0 {
		n := len(line) - len(strings.TrimLeft(line, "`"))
		_, after, closed := strings.Cut(line[n:], line[:n])
		switch {
		case line[0] == '\\':
			line = line[min(2, len(line)):]
		case n > 0 && closed:
			line = after
		default:
			b.WriteByte(line[0])
			line = line[1:]
		}
	}
	return b.String()
}
