package edit

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// quoteByte returns the quote of a string, 0 if it has none.
func (d *document) quoteByte(n *tree.Node) byte {
	if n.Off < len(d.text) && (d.text[n.Off] == '"' || d.text[n.Off] == '\'') {
		return d.text[n.Off]
	}
	return 0
}

// quote returns a string in the style of its neighbours, or, if that cannot express it, in double quotes.
func (d *document) quote(text string, quote byte) string {
	switch {
	case d.json:
	case quote == '\'' && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case quote == 0 && isPlain(text):
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(text) // never fails for a string
	return strings.TrimSuffix(b.String(), "\n")
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./-][A-Za-z0-9_./+~^@:-]*$`)

// isPlain reports whether a string needs no quotes in YAML.
func isPlain(text string) bool {
	if !plain.MatchString(text) || text[0] == '-' {
		return false
	}
	n, _, err := tree.ParseYAML([]byte(text), tree.Place{Line: 1, Col: 1}, nil)
	return err == nil && n.Kind == tree.String && n.Text == text
}

func (d *document) quoteAll(texts []string, quote byte) []string {
	var all []string
	for _, text := range texts {
		all = append(all, d.quote(text, quote))
	}
	return all
}

// quoteNear returns the quote of the first string of an object.
func (d *document) quoteNear(object *tree.Node) byte {
	for i := range object.Fields {
		if v := &object.Fields[i].Value; v.Kind == tree.String {
			return d.quoteByte(v)
		}
	}
	return 0
}

func itemTexts(items []tree.Node) []string {
	var texts []string
	for _, n := range items {
		texts = append(texts, n.Text)
	}
	return texts
}
