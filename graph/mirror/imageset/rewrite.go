package imageset

import (
	"errors"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// ErrForm says that an image set is written in a form that is not edited.
var ErrForm = errors.New("olmgraph does not edit this form: write mirror.operators as a list with an item or a field on each line")

// Rewrite returns the text of an image set with other packages of its operators, and without full where that is not set any more. Everything
// else stays as it is; only comments in what is removed go with it. It returns ErrForm if it cannot change these values alone.
func Rewrite(file string, text []byte, operators []Operator) ([]byte, error) {
	old, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	out, err := edit.Rewrite(text, edit.Options{DropComments: true}, func(root *tree.Node) error {
		items := itemsOf(valueOf(root, "mirror"), "operators")
		if len(items) != len(operators) {
			return ErrForm
		}
		for i := range items {
			if !same(&old.Operators[i], &operators[i]) {
				setOperator(items[i], &operators[i])
			}
		}
		return nil
	})
	if err != nil || !has(file, out, operators) {
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

// setOperator gives an item of operators other packages.
func setOperator(n *tree.Node, o *Operator) {
	if o.Full.Value == "" {
		set(n, "full", nil)
	}
	set(n, "packages", packageNodes(valueOf(n, "packages"), o.Packages))
}

// packageNodes returns the list of some packages, as listOf.
func packageNodes(old *tree.Node, packages []Package) *tree.Node {
	return listOf(old, packages, func(n *tree.Node, p *Package) {
		setText(n, "name", p.Name.Value)
		setText(n, "defaultChannel", p.DefaultChannel.Value)
		setBounds(n, p.Bounds)
		set(n, "channels", listOf(valueOf(n, "channels"), p.Channels, func(n *tree.Node, c *Channel) {
			setText(n, "name", c.Name.Value)
			setBounds(n, c.Bounds)
		}))
	})
}

func setBounds(n *tree.Node, b Bounds) {
	setText(n, "minVersion", b.Min.Value)
	setText(n, "maxVersion", b.Max.Value)
}

// listOf returns a list of objects, nil if there are none. Those that an old list has by their names stay in it.
func listOf[T any](old *tree.Node, all []T, fill func(*tree.Node, *T)) *tree.Node {
	if len(all) == 0 {
		return nil
	}
	list := tree.Node{Kind: tree.List}
	if old != nil {
		list.Place = old.Place
	}
	for i := range all {
		n := tree.Node{Kind: tree.Map}
		fill(&n, &all[i])
		if old != nil {
			at := slices.IndexFunc(old.Items, func(m tree.Node) bool { return nameOf(&m) == nameOf(&n) })
			if at >= 0 {
				n = old.Items[at]
				fill(&n, &all[i])
			}
		}
		list.Items = append(list.Items, n)
	}
	return &list
}

func nameOf(n *tree.Node) string {
	if name := valueOf(n, "name"); name != nil {
		return name.Text
	}
	return ""
}

// setText sets a string of an object, or removes it if it is "".
func setText(n *tree.Node, key, text string) {
	was := valueOf(n, key)
	switch {
	case text == "":
		set(n, key, nil)
	case was == nil:
		set(n, key, &tree.Node{Kind: tree.String, Text: text})
	case was.Text != text && was.Source != text:
		set(n, key, &tree.Node{Kind: tree.String, Text: text, Place: was.Place})
	}
}

// set sets a value of an object, or removes it if it is nil.
func set(n *tree.Node, key string, value *tree.Node) {
	i := slices.IndexFunc(n.Fields, func(f tree.Field) bool { return strings.EqualFold(f.Key, key) })
	switch {
	case value == nil:
		n.Fields = slices.DeleteFunc(n.Fields, func(f tree.Field) bool { return strings.EqualFold(f.Key, key) })
	case i >= 0:
		n.Fields[i].Value = *value
	default:
		n.Fields = append(n.Fields, tree.Field{Key: key, Value: *value})
	}
}

// PackageYAML returns an item of packages.
func PackageYAML(p *Package) string { return edit.Block(packageNodes(nil, []Package{*p})) }
