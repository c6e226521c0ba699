package amend

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/graph/release"
)

// keyOf returns a key of an object as it is written, in any case; "" if it is not there. Of several the last one counts.
func keyOf(n *tree.Node, key string) string {
	for _, f := range slices.Backward(n.Fields) {
		if strings.EqualFold(f.Key, key) {
			return f.Key
		}
	}
	return ""
}

// value returns the value of a key in any case, or nil.
func value(n *tree.Node, key string) *tree.Node { return n.Get(keyOf(n, key)) }

// str returns the string of a key in any case, or "".
func str(n *tree.Node, key string) string {
	if v := value(n, key); v != nil && v.Kind == tree.String {
		return v.Text
	}
	return ""
}

// listOf returns the list under a key in any case, and the index of its field; nil if there is none.
func listOf(n *tree.Node, key string) (int, *tree.Node) {
	for i := range slices.Backward(n.Fields) {
		if f := &n.Fields[i]; strings.EqualFold(f.Key, key) && f.Value.Kind == tree.List {
			return i, &f.Value
		}
	}
	return 0, nil
}

// find returns the object that a function accepts, and its path: the root, or an item of the entries of a template.
func find(root *tree.Node, is func(*tree.Node) bool) ([]int, *tree.Node) {
	if is(root) {
		return nil, root
	}
	i, list := listOf(root, "entries")
	for j := 0; list != nil && j < len(list.Items); j++ {
		if is(&list.Items[j]) {
			return []int{i, j}, &list.Items[j]
		}
	}
	return nil, nil
}

func isChannel(n *tree.Node, ch *catalogs.Channel) bool {
	return str(n, "schema") == catalogs.SchemaChannel && str(n, "name") == ch.Name.Value && str(n, "package") == ch.Package.Value
}

// entriesOf returns the list of the entries of a channel, and its path.
func entriesOf(root *tree.Node, ch *catalogs.Channel) ([]int, *tree.Node, error) {
	path, n := find(root, func(n *tree.Node) bool { return isChannel(n, ch) })
	if n == nil {
		return nil, nil, edit.ErrChanged
	}
	i, list := listOf(n, "entries")
	if list == nil {
		return nil, nil, edit.ErrForm
	}
	return append(path, i), list, nil
}

func namesOf(list *tree.Node) []string {
	var names []string
	for i := range list.Items {
		names = append(names, str(&list.Items[i], "name"))
	}
	return names
}

// indexOf returns the index of the first entry with a name, or -1.
func indexOf(list *tree.Node, name string) int { return slices.Index(namesOf(list), name) }

func field(key string, v tree.Node) tree.Field { return tree.Field{Key: key, Value: v} }

func object(fields ...tree.Field) tree.Node { return tree.Node{Kind: tree.Map, Fields: fields} }

func stringNode(text string) tree.Node { return tree.Node{Kind: tree.String, Text: text} }

func listNode(texts []string) tree.Node {
	n := tree.Node{Kind: tree.List}
	for _, text := range texts {
		n.Items = append(n.Items, stringNode(text))
	}
	return n
}

// entryNode returns an entry of a channel.
func entryNode(name string, e *release.Edges) tree.Node {
	n := object(field("name", stringNode(name)))
	if e.Replaces != "" {
		n.Fields = append(n.Fields, field("replaces", stringNode(e.Replaces)))
	}
	if len(e.Skips) > 0 {
		n.Fields = append(n.Fields, field("skips", listNode(e.Skips)))
	}
	if e.SkipRange != "" {
		n.Fields = append(n.Fields, field("skipRange", stringNode(e.SkipRange)))
	}
	return n
}

// addToStreams lists the image in streams of a template of schema olm.semver.
func (c *Change) addToStreams(text []byte, pos catalogs.Pos) ([]byte, error) {
	byImage := map[string]string{}
	for _, b := range c.Package.Bundles {
		byImage[b.Image.Value] = b.Name.Value
	}
	return catalogs.Restructure(text, pos, func(root *tree.Node) ([]edit.Op, error) {
		var ops []edit.Op
		for _, stream := range c.Streams {
			item := object(field("image", stringNode(c.Image)))
			i := slices.IndexFunc(root.Fields, func(f tree.Field) bool { return f.Key == keyOf(root, stream) })
			if i < 0 {
				bundles := tree.Node{Kind: tree.List, Items: []tree.Node{item}}
				ops = append(ops, edit.Op{Kind: edit.SetField, Key: stream, Value: object(field("bundles", bundles))})
				continue
			}
			j, list := listOf(&root.Fields[i].Value, "bundles")
			if list == nil {
				return nil, edit.ErrForm
			}
			var names []string
			listed := false
			for k := range list.Items {
				image := str(&list.Items[k], "image")
				names, listed = append(names, byImage[image]), listed || image == c.Image
			}
			if !listed {
				to, before := c.index(names, c.Plan.Name)
				ops = append(ops, edit.Op{Kind: edit.InsertItem, Path: []int{i, j}, Index: to, Before: before, Value: item})
			}
		}
		return ops, nil
	})
}
