// Package pipelineconfig checks the files by which a catalog repository configures its pipeline: config.yaml of the repository, ci.yaml
// of an operator, release-config.yaml of a bundle. What is an error is what operator-pipelines rejects, by its JSON schemas and its code.
package pipelineconfig

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Fault is something in a file that its author did not mean, or that the pipelines reject.
type Fault struct {
	tree.Place
	Message, Fix string
	Field        string   // the path of the value; "" for the whole file
	Cause        []string // what is wrong, and further names and values that tell the fault from others of the field
	// Accepted says that the pipelines do not reject it, but ignore it or read it otherwise.
	Accepted bool
	// Published says that it is about what is published already.
	Published bool
}

// schema describes a value as a JSON schema does: a kind and, by kind, what it may have.
type schema struct {
	kind     tree.Kind
	values   []string // of a String; any if there are none
	item     *schema  // of a List
	nonEmpty bool     // List
	unique   bool     // List
	fields   []field  // of a Map
	closed   bool     // Map: other keys are rejected
}

type field struct {
	name     string
	required bool
	value    schema
}

func text(values ...string) schema { return schema{kind: tree.String, values: values} }

func texts(nonEmpty, unique bool) schema {
	one := text()
	return schema{kind: tree.List, item: &one, nonEmpty: nonEmpty, unique: unique}
}

// checker collects the faults of one file.
type checker struct{ faults []Fault }

// Causes of faults.
const (
	wrongKind    = "kind"
	wrongValue   = "value"
	noItem       = "no-item"
	repeatedItem = "repeated-item"
	repeatedKey  = "repeated-key"
	unknownKey   = "unknown-key"
	missingKey   = "missing-key"
	unknownName  = "unknown-name"
	unusable     = "unusable" // beside what else is set
)

// because is the path of a value, and the Cause of its fault.
func because(field string, cause ...string) Fault { return Fault{Field: field, Cause: cause} }

func (c *checker) add(why Fault, at tree.Place, fix, format string, args ...any) *Fault {
	why.Place, why.Fix, why.Message = at, fix, fmt.Sprintf(format, args...)
	c.faults = append(c.faults, why)
	return &c.faults[len(c.faults)-1]
}

// check checks a value. name is what messages call it.
func (c *checker) check(n *tree.Node, s *schema, name string) {
	if n.Kind != s.kind {
		c.wrongKind(n, s, name)
		return
	}
	switch n.Kind {
	case tree.String:
		c.checkValue(n, s, name)
	case tree.List:
		c.checkList(n, s, name)
	case tree.Map:
		c.checkKeys(n, s, name)
	}
}

// interpret returns a value as its author probably meant it: with known keys and values instead of misspelt ones, and with what quotes or a missing
// list changes.
func (s *schema) interpret(n tree.Node) tree.Node {
	switch {
	case s.kind == tree.Bool && n.Kind == tree.String:
		n.Kind, n.Text = tree.Bool, fmt.Sprint(!slices.Contains([]string{"false", "no", "off", ""}, strings.ToLower(n.Text)))
	case s.kind == tree.List && n.Kind == tree.String:
		n = tree.Node{Kind: tree.List, Place: n.Place, Items: []tree.Node{n}}
	case s.kind != n.Kind:
	case s.kind == tree.String:
		if near, ok := words.Nearest(n.Text, s.values); ok {
			n.Text = near
		}
	case s.kind == tree.List:
		n.Items = slices.Clone(n.Items)
		for i := range n.Items {
			n.Items[i] = s.item.interpret(n.Items[i])
		}
		if s.unique {
			n.Items = slices.CompactFunc(n.Items, func(a, b tree.Node) bool { return equal(&a, &b) })
		}
	case s.kind == tree.Map:
		n.Fields = s.interpretFields(n.Fields)
	}
	return n
}

func (s *schema) interpretFields(fields []tree.Field) []tree.Field {
	var names []string
	for _, f := range s.fields {
		if !slices.ContainsFunc(fields, func(o tree.Field) bool { return o.Key == f.name }) {
			names = append(names, f.name)
		}
	}
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		at := func() int { return slices.IndexFunc(s.fields, func(o field) bool { return o.name == f.Key }) }
		if near, ok := words.Nearest(f.Key, names); ok && at() < 0 {
			f.Key = near
		}
		if at() >= 0 {
			f.Value = s.fields[at()].value.interpret(f.Value)
		}
		if before := (&tree.Node{Fields: fields[:i]}).Get(f.Key); before != nil && before.Kind == tree.List && f.Value.Kind == tree.List {
			f.Value.Items = slices.Concat(before.Items, f.Value.Items) // of a repeated key, which CheckCI reports
		}
	}
	return fields
}

var kindNames = map[tree.Kind]string{tree.Null: "empty", tree.Bool: "a boolean", tree.Number: "a number", tree.String: "a string", tree.List: "a list", tree.Map: "keys and values"}

func (c *checker) wrongKind(n *tree.Node, s *schema, name string) {
	want, is, fix := kindNames[s.kind], kindNames[n.Kind], "write "+kindNames[s.kind]
	if s.kind == tree.Bool {
		want, fix = "true or false", "write true or false"
		if text := strings.ToLower(n.Text); text == "true" || text == "false" {
			fix = "write " + text
		}
	}
	source := n.Source
	if source == "" {
		source = n.Text
	}
	switch {
	case s.kind == tree.String && (n.Kind == tree.Bool || n.Kind == tree.Number):
		is, fix = fmt.Sprintf("%s (%s)", is, source), fmt.Sprintf("quote it: %q", source)
		if strings.Contains(name, "catalog_names[") {
			fix = "write v" + source
		}
	case s.kind == tree.List && n.Kind == tree.String:
		fix = fmt.Sprintf("write [%q]", n.Text)
	case n.Kind == tree.Null:
		fix = "give it a value, or remove the key"
	}
	c.add(because(name, wrongKind, n.Kind.String()), n.Place, fix, "%s is %s: the pipelines require %s", name, is, want)
}

func (c *checker) checkValue(n *tree.Node, s *schema, name string) {
	if len(s.values) == 0 || slices.Contains(s.values, n.Text) {
		return
	}
	c.add(because(name, wrongValue, n.Text), n.Place, writeOne(n.Text, s.values), "%s is %q: the pipelines accept only %s", name, n.Text, words.List(s.values, "or"))
}

// writeOne says what to write instead of a value: the known one that it is like, or any.
func writeOne(value string, known []string) string {
	if near, ok := words.Nearest(value, known); ok {
		return "write " + near
	}
	return "write " + words.List(known, "or")
}

func (c *checker) checkList(n *tree.Node, s *schema, name string) {
	if s.nonEmpty && len(n.Items) == 0 {
		c.add(because(name, noItem), n.Place, "add an item, or remove the key", "%s is an empty list: the pipelines require an item", name)
	}
	for i := range n.Items {
		item := &n.Items[i]
		c.check(item, s.item, fmt.Sprintf("%s[%d]", name, i))
		if s.unique && slices.ContainsFunc(n.Items[:i], func(before tree.Node) bool { return equal(item, &before) }) {
			what := "the same item"
			if item.Kind == tree.String {
				what = fmt.Sprintf("%q", item.Text)
			}
			c.add(because(name, repeatedItem, item.Text), item.Place, "remove one of them", "%s has %s twice: the pipelines reject it", name, what)
		}
	}
}

// equal reports whether two values are the same.
func equal(a, b *tree.Node) bool { return string(a.AppendJSON(nil)) == string(b.AppendJSON(nil)) }

// checkKeys checks the keys and values of a mapping.
func (c *checker) checkKeys(n *tree.Node, s *schema, name string) {
	in, path := "", func(key string) string { return key }
	if name != "" {
		in, path = " in "+name, func(key string) string { return name + "." + key }
	}
	absent := map[string]bool{} // required keys
	var names []string
	for i := range s.fields {
		f := &s.fields[i]
		names = append(names, f.name)
		if v := n.Get(f.name); v != nil {
			c.check(v, &f.value, path(f.name))
			if f.required && v.Kind == tree.Null {
				c.faults[len(c.faults)-1].Fix = "give it a value"
			}
		} else if f.required {
			absent[f.name] = true
		}
	}
	for i := range n.Fields {
		key := &n.Fields[i]
		switch near, misspelt := words.Nearest(key.Key, names); {
		case slices.ContainsFunc(n.Fields[:i], func(before tree.Field) bool { return before.Key == key.Key }):
			fix, rest := "keep one of them", ""
			if key.Value.Kind == tree.List {
				fix, rest = "make one list of both", ", and ignore what the other lists"
			}
			c.add(because(path(key.Key), repeatedKey), key.Place, fix, "the key %q is there twice%s: the pipelines take the last one%s", key.Key, in, rest).Accepted = true
		case slices.Contains(names, key.Key):
		case misspelt && absent[near]:
			delete(absent, near)
			c.add(because(path(key.Key), unknownKey), key.Place, "write "+near, "no key %q is known%s: the pipelines require %s", key.Key, in, near)
		case misspelt && n.Get(near) == nil:
			c.unknownKey(path(key.Key), key, "write "+near, in, s.closed)
		case s.closed:
			c.unknownKey(path(key.Key), key, "remove it; there are "+strings.Join(names, ", "), in, true)
		}
	}
	for _, f := range s.fields {
		if absent[f.name] {
			c.add(because(path(f.name), missingKey), n.Place, "add "+f.name, "the key %s is missing%s: the pipelines require it", f.name, in)
		}
	}
}

func (c *checker) unknownKey(path string, key *tree.Field, fix, in string, rejected bool) {
	does := "ignore it"
	if rejected {
		does = "reject it"
	}
	c.add(because(path, unknownKey), key.Place, fix, "no key %q is known%s: the pipelines %s", key.Key, in, does).Accepted = !rejected
}
