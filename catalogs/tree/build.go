package tree

import (
	"bytes"

	"gopkg.in/yaml.v3"
)

// builder converts the parser's nodes to Nodes. It expands aliases and merge keys within the limit of opm's YAML library
// (go.yaml.in/yaml/v2: decode), which counts visits of nodes.
type builder struct {
	*lines

	depth   int
	count   int // of visits
	aliased int // of visits inside aliases
	aliases int // that are being expanded
	open    map[*yaml.Node]bool
	outer   *yaml.Node // the outermost one that is or was last expanded
}

func (b *builder) place(n *yaml.Node) Place { return b.lines.place(n.Line) }

func (b *builder) root(n *yaml.Node) (Node, *Error) {
	if isAbsent(n) && !b.hasNonSpecificTag(n) {
		return Node{Place: b.base}, nil
	}
	return b.node(n)
}

// isAbsent reports whether a node is the null of a document without a value.
func isAbsent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == ""
}

func (b *builder) node(n *yaml.Node) (Node, *Error) {
	if err := b.visit(); err != nil {
		return Node{}, err
	}
	built := Node{Place: b.place(n)}
	var err *Error
	switch n.Kind {
	case yaml.AliasNode:
		return b.alias(n)
	case yaml.ScalarNode:
		v, text, err := b.scalar(n)
		if err != nil {
			return Node{}, err
		}
		if problem := built.set(v, text); problem != "" {
			return Node{}, &Error{built.Place, problem}
		}
		return built, nil
	case yaml.SequenceNode:
		built.Kind = List
		built.Items, err = b.items(n)
	case yaml.MappingNode:
		built.Kind = Map
		built.Fields, err = b.fields(n, nil)
	}
	return built, err
}

// visit counts a visit of a node.
func (b *builder) visit() *Error {
	b.count++
	if b.aliases > 0 {
		b.aliased++
	}
	if b.aliased > 100 && b.count > 1000 && float64(b.aliased)/float64(b.count) > aliasShare(b.count) {
		return &Error{b.place(b.outer), "document contains excessive aliasing"}
	}
	return nil
}

// aliasShare returns which share of the visits may be inside aliases: 99 % of up to 400,000, 10 % from 4,000,000 on, linear in between.
func aliasShare(visits int) float64 {
	const low, high = 400_000, 4_000_000
	switch {
	case visits <= low:
		return 0.99
	case visits >= high:
		return 0.10
	}
	return 0.99 - 0.89*(float64(visits-low)/float64(high-low))
}

func (b *builder) alias(n *yaml.Node) (Node, *Error) {
	if err := b.enter(n); err != nil {
		return Node{}, err
	}
	defer b.leave(n)
	built, err := b.node(n.Alias)
	built.Place = b.place(n)
	return built, err
}

func (b *builder) enter(alias *yaml.Node) *Error {
	if b.open[alias] {
		return &Error{b.place(alias), "anchor '" + alias.Value + "' value contains itself"}
	}
	if b.aliases == 0 {
		b.outer = alias
	}
	b.open[alias] = true
	b.aliases++
	return nil
}

func (b *builder) leave(alias *yaml.Node) {
	b.aliases--
	delete(b.open, alias)
}

func (b *builder) deeper(n *yaml.Node) *Error {
	if b.depth++; b.depth > maxDepth {
		return &Error{b.place(n), "values are nested too deeply"}
	}
	return nil
}

func (b *builder) items(n *yaml.Node) ([]Node, *Error) {
	if err := b.deeper(n); err != nil {
		return nil, err
	}
	var items []Node
	for _, child := range n.Content {
		item, err := b.node(child)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	b.depth--
	return items, nil
}

// fields appends the fields of a mapping.
func (b *builder) fields(n *yaml.Node, fields []Field) ([]Field, *Error) {
	if err := b.deeper(n); err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var err *Error
		if b.isMerge(key) {
			if fields, err = b.merge(value, fields); err != nil {
				return nil, err
			}
			continue
		}
		f := Field{Place: b.place(key)}
		if f.Key, err = b.key(key); err != nil {
			return nil, err
		}
		if f.Value, err = b.node(value); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	b.depth--
	return fields, nil
}

// key returns a key, which must be a scalar or an alias of one.
func (b *builder) key(n *yaml.Node) (string, *Error) {
	if err := b.visit(); err != nil {
		return "", err
	}
	at := b.place(n)
	if n.Kind == yaml.AliasNode {
		if err := b.enter(n); err != nil {
			return "", err
		}
		defer b.leave(n)
		if n = n.Alias; n.Kind == yaml.ScalarNode {
			if err := b.visit(); err != nil {
				return "", err
			}
		}
	}
	if n.Kind != yaml.ScalarNode {
		return "", &Error{at, "unsupported map key: a list or a map"}
	}
	v, text, err := b.scalar(n)
	if err != nil {
		return "", err
	}
	key, ok := keyText(v, text)
	if !ok {
		return "", &Error{at, "unsupported map key: " + v.meaning.String()[2:] + " " + text}
	}
	return key, nil
}

// merge appends the fields of the maps of a merge key. Of several maps the first one takes precedence, and so comes last.
func (b *builder) merge(n *yaml.Node, fields []Field) ([]Field, *Error) {
	if n.Kind != yaml.SequenceNode {
		return b.mergeOne(n, fields)
	}
	for i := len(n.Content) - 1; i >= 0; i-- {
		var err *Error
		if fields, err = b.mergeOne(n.Content[i], fields); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (b *builder) mergeOne(n *yaml.Node, fields []Field) ([]Field, *Error) {
	target := n
	if n.Kind == yaml.AliasNode {
		target = n.Alias
	}
	if target.Kind != yaml.MappingNode {
		return nil, &Error{b.place(n), "map merge requires map or sequence of maps as the value"}
	}
	if err := b.visit(); err != nil {
		return nil, err
	}
	if n.Kind == yaml.AliasNode {
		if err := b.enter(n); err != nil {
			return nil, err
		}
		defer b.leave(n)
		if err := b.visit(); err != nil {
			return nil, err
		}
	}
	return b.fields(target, fields)
}

func (b *builder) isMerge(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Value != "<<" {
		return false
	}
	return n.Style == 0 || n.Style&yaml.TaggedStyle != 0 && n.Tag == "!!merge" || b.hasNonSpecificTag(n)
}

// scalar resolves a scalar. Text is its value if that is a string, and else the scalar as in the source.
func (b *builder) scalar(n *yaml.Node) (v scalar, text string, err *Error) {
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		v, text, problem := resolveTagged(n.Tag, n.Value)
		if problem != "" {
			return v, text, &Error{b.place(n), problem}
		}
		return v, text, nil
	case n.Style == 0 && !b.hasNonSpecificTag(n):
		return resolve(n.Value), n.Value, nil
	}
	return scalar{}, n.Value, nil
}

// hasNonSpecificTag reports whether a scalar has the non-specific tag "!", which makes it a string. The parser's node does not have it.
func (b *builder) hasNonSpecificTag(n *yaml.Node) bool {
	if n.Style&yaml.TaggedStyle != 0 || n.Line >= len(b.text) {
		return false
	}
	rest := b.text[n.Line:]
	if n.Anchor != "" && rest[0] == '&' {
		rest = bytes.TrimLeft(rest[1+len(n.Anchor):], " \t\r\n")
	}
	return len(rest) > 0 && rest[0] == '!'
}
