package imageset

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// ErrForm says that an image set is written in a form that is not edited.
var ErrForm = errors.New("it is written in a form that is not edited: write mirror.operators as a list with an item or a field on each line")

// Rewrite returns the text of an image set with other packages of its operators, and without full where that is not set any more. Everything
// else stays as it is, also what it has of packages that are the same; comments in others are lost. It returns ErrForm if it cannot change
// these values alone.
func Rewrite(file string, text []byte, operators []Operator) ([]byte, error) {
	old, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	root, _, _ := tree.ParseYAML(text, tree.Place{Line: 1, Col: 1}, nil)
	items := itemsOf(valueOf(&root, "mirror"), "operators")
	if len(items) != len(operators) {
		return nil, ErrForm
	}
	w := &rewriter{lines: bytes.SplitAfter(text, []byte("\n"))}
	for i := len(items) - 1; i >= 0; i-- {
		if same(&old.Operators[i], &operators[i]) {
			continue
		}
		if err := w.operator(items[i], &old.Operators[i], &operators[i]); err != nil {
			return nil, err
		}
	}
	out := bytes.Join(w.lines, nil)
	if !onlyOperators(text, out) || !has(file, out, operators) {
		return nil, ErrForm
	}
	return out, nil
}

// same reports whether two operators choose the same.
func same(a, b *Operator) bool {
	return (a.Full.Value != "") == (b.Full.Value != "") && slices.EqualFunc(a.Packages, b.Packages, Package.Same)
}

// has reports whether a text is an image set with these operators.
func has(file string, text []byte, operators []Operator) bool {
	c, err := Parse(file, text)
	return err == nil && slices.EqualFunc(c.Operators, operators, func(a, b Operator) bool { return same(&a, &b) })
}

// onlyOperators reports whether two texts have the same values, except packages and full of operators.
func onlyOperators(a, b []byte) bool {
	var values [2]string
	for i, text := range [][]byte{a, b} {
		root, _, err := tree.ParseYAML(text, tree.Place{Line: 1, Col: 1}, nil)
		if err != nil {
			return false
		}
		for _, n := range itemsOf(valueOf(&root, "mirror"), "operators") {
			n.Fields = slices.DeleteFunc(n.Fields, func(f tree.Field) bool {
				return strings.EqualFold(f.Key, "packages") || strings.EqualFold(f.Key, "full")
			})
		}
		values[i] = string(root.AppendJSON(nil))
	}
	return values[0] == values[1]
}

// rewriter changes the lines of a text, the last ones first.
type rewriter struct{ lines [][]byte }

// operator changes one item of operators.
func (w *rewriter) operator(n *tree.Node, old, now *Operator) error {
	full, packages, catalog := fieldOf(n, "full"), fieldOf(n, "packages"), fieldOf(n, "catalog")
	var edits []func()
	if packages != nil {
		edits = append(edits, func() { w.packages(packages, old.Packages, now.Packages) })
	} else if catalog != nil {
		indent := strings.Repeat(" ", catalog.Col-1)
		edits = append(edits, func() { w.replace(catalog.Line, catalog.Line, indent+"packages:\n"+yamlOf(indent, now.Packages)) })
	}
	if full != nil && now.Full.Value == "" {
		remove := func() { w.replace(full.Line-1, full.Line, "") }
		if at := 0; packages != nil && full.Line < packages.Line {
			edits = append(edits, remove)
		} else {
			edits = slices.Insert(edits, at, remove)
		}
	}
	for _, edit := range edits {
		edit()
	}
	if packages == nil && catalog == nil {
		return ErrForm
	}
	return nil
}

func fieldOf(n *tree.Node, key string) *tree.Field {
	for i := range n.Fields {
		if strings.EqualFold(n.Fields[i].Key, key) {
			return &n.Fields[i]
		}
	}
	return nil
}

// replace replaces the lines from one index up to another one.
func (w *rewriter) replace(from, to int, text string) {
	if from > 0 && !bytes.HasSuffix(w.lines[from-1], []byte("\n")) {
		w.lines[from-1] = append(slices.Clip(w.lines[from-1]), '\n')
	}
	w.lines = slices.Replace(w.lines, from, to, []byte(text))
}

// packages replaces the list under a key. Of a block list, items that stay the same keep their lines and all items the comments before them
// and the line with the name.
func (w *rewriter) packages(f *tree.Field, old, now []Package) {
	end := w.endOf(f)
	items := w.itemsOf(f, end)
	indent := strings.Repeat(" ", f.Col-1)
	for _, item := range items {
		indent = item.indent
	}
	key, _, _ := strings.Cut(string(w.lines[f.Line-1]), f.Key)
	var text strings.Builder
	text.WriteString(key + f.Key + ":\n")
	for _, p := range now {
		at := slices.IndexFunc(old, func(o Package) bool { return o.Name.Value == p.Name.Value })
		item, block := items[at]
		if !block {
			text.WriteString(yamlOf(indent, []Package{p}))
			continue
		}
		lines := slices.Clone(item.comments)
		if old[at].Same(p) {
			lines = append(lines, item.lines...)
		} else {
			made := strings.SplitAfter(yamlOf(indent, []Package{p}), "\n")
			if bytes.HasPrefix(item.lines[0], []byte(indent+"- name: ")) {
				made[0] = string(item.lines[0])
			}
			lines = append(lines, []byte(strings.Join(made, "")))
		}
		text.Write(bytes.TrimSuffix(bytes.Join(lines, nil), []byte("\n")))
		text.WriteString("\n")
	}
	w.replace(f.Line-1, end, text.String())
}

// listItem is an item of a block list: its lines, and those of comments before it.
type listItem struct {
	indent          string
	comments, lines [][]byte
}

// itemsOf returns the items of a block list that begin in lines of their own, by index.
func (w *rewriter) itemsOf(f *tree.Field, end int) map[int]listItem {
	starts := []int{f.Line - 1}
	for i := range f.Value.Items {
		starts = append(starts, f.Value.Items[i].Line-1)
	}
	items := map[int]listItem{}
	for i, at := range starts[1:] {
		next := end
		if i+2 < len(starts) {
			next = w.before(starts[i+2], at)
		}
		dash := bytes.TrimLeft(w.lines[at], " ")
		if at >= f.Line && next > at && bytes.HasPrefix(dash, []byte("- ")) {
			items[i] = listItem{string(w.lines[at][:len(w.lines[at])-len(dash)]), w.lines[w.before(at, starts[i]):at], w.lines[at:next]}
		}
	}
	return items
}

// before returns the index of the first of the comments right before a line, which are after another one.
func (w *rewriter) before(line, after int) int {
	for line > after+1 && bytes.HasPrefix(bytes.TrimLeft(w.lines[line-1], " "), []byte("#")) {
		line--
	}
	return line
}

// endOf returns the index of the line after the value of a field: the first that is not further in, blank lines and comments before it aside.
func (w *rewriter) endOf(f *tree.Field) int {
	end := f.Line
	for i := f.Line; i < len(w.lines); i++ {
		content := bytes.TrimLeft(w.lines[i], " ")
		indent := len(w.lines[i]) - len(content)
		if text := bytes.TrimSpace(content); len(text) == 0 || text[0] == '#' {
			continue
		}
		if indent < f.Col-1 || indent == f.Col-1 && !bytes.HasPrefix(content, []byte("-")) && !bytes.HasPrefix(content, []byte("]")) {
			break
		}
		end = i + 1
	}
	return end
}

// yamlOf returns items of packages.
func yamlOf(indent string, packages []Package) string {
	var b strings.Builder
	for i := range packages {
		p := &packages[i]
		fmt.Fprintf(&b, "%s- name: %s\n", indent, scalar(p.Name.Value))
		field := func(in, key, value string) {
			if value != "" {
				fmt.Fprintf(&b, "%s%s  %s: %s\n", indent, in, key, scalar(value))
			}
		}
		field("", "defaultChannel", p.DefaultChannel.Value)
		field("", "minVersion", p.Min.Value)
		field("", "maxVersion", p.Max.Value)
		if len(p.Channels) > 0 {
			fmt.Fprintf(&b, "%s  channels:\n", indent)
		}
		for j := range p.Channels {
			fmt.Fprintf(&b, "%s  - name: %s\n", indent, scalar(p.Channels[j].Name.Value))
			field("  ", "minVersion", p.Channels[j].Min.Value)
			field("  ", "maxVersion", p.Channels[j].Max.Value)
		}
	}
	return b.String()
}

// plain is what YAML reads as a string without quotes, if it is not one of the words.
var (
	plain = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*[A-Za-z0-9._-]*|[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]*)?)$`)
	words = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
)

// scalar returns a string as YAML has it.
func scalar(s string) string {
	if plain.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return strconv.QuoteToASCII(s)
}

// PackageYAML returns an item of packages.
func PackageYAML(p *Package) string { return yamlOf("", []Package{*p}) }
