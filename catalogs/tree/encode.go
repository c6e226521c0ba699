package tree

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// AppendJSON appends the value as JSON, as opm and Kubernetes read it. Of a repeated key only the last value is written. A Raw value is
// written as null: expand it first.
func (n *Node) AppendJSON(dst []byte) []byte {
	switch n.Kind {
	case Bool, Number:
		return append(dst, n.Text...)
	case String:
		return appendString(dst, n.Text)
	case List:
		dst = append(dst, '[')
		for i := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.Items[i].AppendJSON(dst)
		}
		return append(dst, ']')
	case Map:
		return n.appendFields(dst)
	}
	return append(dst, "null"...)
}

func (n *Node) appendFields(dst []byte) []byte {
	last := n.lastFields()
	dst = append(dst, '{')
	for i := range n.Fields {
		if last != nil && last[n.Fields[i].Key] != i {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, n.Fields[i].Key), ':')
		dst = n.Fields[i].Value.AppendJSON(dst)
	}
	return append(dst, '}')
}

// Sorted returns the value with the keys of all objects in it sorted, each once.
func (n *Node) Sorted() Node {
	out := *n
	switch n.Kind {
	case List:
		out.Items = make([]Node, len(n.Items))
		for i := range n.Items {
			out.Items[i] = n.Items[i].Sorted()
		}
	case Map:
		out.Fields = make([]Field, 0, len(n.Fields))
		for _, f := range n.sortedFields(strings.Compare) {
			out.Fields = append(out.Fields, Field{Key: f.Key, Place: f.Place, Value: f.Value.Sorted()})
		}
	}
	return out
}

// sortedFields returns the fields in the order of their keys, of a repeated key the last one.
func (n *Node) sortedFields(compare func(a, b string) int) []*Field {
	last := n.lastFields()
	all := make([]*Field, 0, len(n.Fields))
	for i := range n.Fields {
		if last == nil || last[n.Fields[i].Key] == i {
			all = append(all, &n.Fields[i])
		}
	}
	byKey := func(a, b *Field) int { return compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(all, byKey) {
		slices.SortFunc(all, byKey)
	}
	return all
}

// lastFields returns the index of the last field of each key, or nil if no key is repeated.
func (n *Node) lastFields() map[string]int {
	const few = 8
	if len(n.Fields) <= few && !n.repeats() {
		return nil
	}
	last := make(map[string]int, len(n.Fields))
	for i := range n.Fields {
		last[n.Fields[i].Key] = i
	}
	if len(last) == len(n.Fields) {
		return nil
	}
	return last
}

// repeats reports whether a key is repeated, in quadratic time: for few fields only.
func (n *Node) repeats() bool {
	for i := range n.Fields {
		for j := range i {
			if n.Fields[i].Key == n.Fields[j].Key {
				return true
			}
		}
	}
	return false
}

func appendString(dst []byte, s string) []byte {
	begin, from := len(dst), 0 // from is the first byte that is not appended yet
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n' || c == '"' || c == '\\':
			dst = append(append(dst, s[from:i]...), '\\', c)
			if from = i + 1; c == '\n' {
				dst[len(dst)-1] = 'n'
			}
		case c < ' ' || c >= 0x7f:
			quoted := bytes.NewBuffer(dst[:begin])
			enc := json.NewEncoder(quoted)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(s) // fails for no string
			return bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))
		}
	}
	return append(append(dst, s[from:]...), '"')
}
