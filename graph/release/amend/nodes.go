package amend

import (
	"cmp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/graph/release"
)

// writtenKey returns a key of an object as it is written, in any case; "" if it is not there. Of several the last one counts.
func writtenKey(n *tree.Node, key string) string {
	for _, f := range slices.Backward(n.Fields) {
		if strings.EqualFold(f.Key, key) {
			return f.Key
		}
	}
	return ""
}

// value returns the value of a key in any case, or nil.
func value(n *tree.Node, key string) *tree.Node { return n.Get(writtenKey(n, key)) }

// str returns the string of a key in any case, or "".
func str(n *tree.Node, key string) string {
	if v := value(n, key); v != nil && v.Kind == tree.String {
		return v.Text
	}
	return ""
}

// listField returns the list under a key in any case; nil if there is none.
func listField(n *tree.Node, key string) *tree.Node {
	for i := range slices.Backward(n.Fields) {
		if f := &n.Fields[i]; strings.EqualFold(f.Key, key) && f.Value.Kind == tree.List {
			return &f.Value
		}
	}
	return nil
}

// set sets the string of a key in any case; "" removes the key.
func set(n *tree.Node, key, text string) {
	key = cmp.Or(writtenKey(n, key), key)
	switch old := n.Get(key); {
	case text == "":
		n.Fields = slices.DeleteFunc(n.Fields, func(f tree.Field) bool { return f.Key == key })
	case old != nil:
		*old = tree.Node{Kind: tree.String, Text: text, Place: old.Place}
	default:
		n.Fields = append(n.Fields, field(key, catalogs.TextNode(text)))
	}
}

// find returns the object that a function accepts: the root, or an item of the entries of a template.
func find(root *tree.Node, is func(*tree.Node) bool) *tree.Node {
	if is(root) {
		return root
	}
	if list := listField(root, "entries"); list != nil {
		for i := range list.Items {
			if is(&list.Items[i]) {
				return &list.Items[i]
			}
		}
	}
	return nil
}

func isChannel(n *tree.Node, ch *catalogs.Channel) bool {
	return str(n, "schema") == catalogs.SchemaChannel && str(n, "name") == ch.Name.Value && str(n, "package") == ch.Package.Value
}

// channelEntries returns the list of the entries of a channel.
func channelEntries(root *tree.Node, ch *catalogs.Channel) (*tree.Node, error) {
	n := find(root, func(n *tree.Node) bool { return isChannel(n, ch) })
	if n == nil {
		return nil, edit.ErrChanged
	}
	list := listField(n, "entries")
	if list == nil {
		return nil, edit.ErrForm
	}
	return list, nil
}

func entryNames(list *tree.Node) []string {
	var names []string
	for i := range list.Items {
		names = append(names, str(&list.Items[i], "name"))
	}
	return names
}

func field(key string, v tree.Node) tree.Field { return tree.Field{Key: key, Value: v} }

func object(fields ...tree.Field) tree.Node { return tree.Node{Kind: tree.Map, Fields: fields} }

func listNode(texts []string) tree.Node {
	n := tree.Node{Kind: tree.List}
	for _, text := range texts {
		n.Items = append(n.Items, catalogs.TextNode(text))
	}
	return n
}

// entryNode returns an entry of a channel.
func entryNode(name string, e *release.Edges) tree.Node {
	n := object(field("name", catalogs.TextNode(name)))
	if e.Replaces != "" {
		n.Fields = append(n.Fields, field("replaces", catalogs.TextNode(e.Replaces)))
	}
	if len(e.Skips) > 0 {
		n.Fields = append(n.Fields, field("skips", listNode(e.Skips)))
	}
	if e.SkipRange != "" {
		n.Fields = append(n.Fields, field("skipRange", catalogs.TextNode(e.SkipRange)))
	}
	return n
}

// addToStreams lists the image in streams of a template of schema olm.semver.
func (c *Change) addToStreams(text []byte, pos catalogs.Pos) ([]byte, error) {
	byImage := map[string]string{}
	for _, b := range c.Package.Bundles {
		byImage[b.Image.Value] = b.Name.Value
	}
	return edit.Document(text, pos, func(root *tree.Node) error {
		for _, stream := range c.Streams {
			item := object(field("image", catalogs.TextNode(c.Image)))
			of := value(root, stream)
			if of == nil {
				root.Fields = append(root.Fields, field(stream, object(field("bundles", tree.Node{Kind: tree.List, Items: []tree.Node{item}}))))
				continue
			}
			list := listField(of, "bundles")
			if list == nil {
				return edit.ErrForm
			}
			var names []string
			listed := false
			for k := range list.Items {
				image := str(&list.Items[k], "image")
				names, listed = append(names, byImage[image]), listed || image == c.Image
			}
			if !listed {
				list.Items = slices.Insert(list.Items, c.index(names, c.Plan.Name), item)
			}
		}
		return nil
	})
}
