package snapshot

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"

	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// head is what of an object says whether the rest of it counts.
type head struct {
	APIVersion, Kind, Name, Namespace string
	Labels, Annotations               map[string]string
	Phase, Reason                     string // of the status
	tree.Place
	// IsMap is false for a document that is no object.
	IsMap bool
}

// object is an object of a text. It is valid until the next one, except for what keep returns.
type object struct {
	head
	doc   stream.Document
	whole *tree.Node // nil if some of it is not read yet: what takes the full parser of YAML is read at once
}

// headOfText returns the head of the object that a text of JSON is.
func headOfText(text []byte) head {
	root, _, err := tree.ParseJSON(text, tree.Place{Line: 1, Col: 1}, beyondHead)
	if err != nil {
		return head{}
	}
	return readHead(&root)
}

// reader reads the objects of a text.
type reader struct {
	// ignore reports of the text of an item whether it is an object that does not count; nil if all do. The text may not be good YAML.
	ignore func(item []byte) bool

	scratch tree.Scratch
}

// objects yields the objects: documents that are not empty, and the items of Lists. An error ends it.
func (r *reader) objects(from io.Reader) iter.Seq2[*object, error] {
	return func(yield func(*object, error) bool) {
		for item, err := range items(from) {
			switch {
			case err != nil:
				yield(nil, err)
				return
			case r.ignore != nil && r.ignore(item.Text):
				continue
			case !r.yieldObjects(item, yield):
				return
			}
		}
	}
}

// yieldObjects yields the objects of an item, and is false after an error or if no more are wanted.
func (r *reader) yieldObjects(item item, yield func(*object, error) bool) bool {
	wanted := true
	reader := stream.Reader{Skip: beyondHead, Scratch: &r.scratch,
		Document: func(root *tree.Node, doc stream.Document) {
			wanted = wanted && r.document(root, doc, 0, yield)
		},
		Fault: func(f stream.Fault, lost stream.Document, err *tree.Error) {
			if wanted {
				yield(nil, convertFault(f, lost, err))
				wanted = false
			}
		},
	}
	reader.Read(stream.Chunk{Text: item.Text, Line: item.Line, First: true, Last: true, JSON: stream.LooksLikeObject(item.Text)})
	return wanted
}

func convertFault(f stream.Fault, lost stream.Document, err *tree.Error) *textError {
	switch f {
	case stream.Separator:
		return &textError{Line: err.Line, Col: err.Col, Msg: "the separator of documents is followed by text"}
	case stream.Syntax:
		m := tree.Explain(lost.Text, lost.At, lost.JSON, err)
		return &textError{Line: m.Line, Col: m.Col, Msg: m.Message}
	}
	return &textError{Line: err.Line, Col: err.Col, Msg: "text between two documents: a line --- is missing before it"}
}

// beyondHead reports whether a value is not part of a head. Items are those of a List within a List.
func beyondHead(path []string) bool {
	switch {
	case len(path) == 1:
		return !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, path[0])
	case len(path) != 2:
		return false
	case path[0] == "metadata":
		return !slices.Contains([]string{"name", "namespace", "labels", "annotations"}, path[1])
	}
	return path[1] != "phase" && path[1] != "reason"
}

// document yields the object that a document is, or the objects of the List that it is.
func (r *reader) document(root *tree.Node, doc stream.Document, depth int, yield func(*object, error) bool) bool {
	const deepest = 8
	if root.Kind == tree.Null {
		return true
	}
	o := &object{head: readHead(root), doc: doc}
	if !doc.JSON && !hasUnread(root) {
		o.whole = root
	}
	if items := root.Get("items"); items == nil || !strings.HasSuffix(o.Kind, "List") || depth > deepest {
		return yield(o, nil)
	}
	whole, err := o.parse(nil)
	if err != nil {
		return yield(nil, err)
	}
	items := whole.Get("items")
	if items == nil || items.Kind != tree.List {
		return yield(o, nil)
	}
	for i := range items.Items {
		text := items.Items[i].AppendJSON(nil)
		if r.ignore != nil && r.ignore(text) {
			continue
		}
		inner, _, err := tree.ParseJSON(text, items.Items[i].Place, beyondHead)
		if err != nil {
			return yield(nil, &textError{Line: err.Line, Msg: err.Msg})
		}
		// The lines of its parts are not known: they are all in that of the item.
		if !r.document(&inner, stream.Document{Text: text, At: items.Items[i].Place, JSON: true}, depth+1, yield) {
			return false
		}
	}
	return true
}

func readHead(root *tree.Node) head {
	h := head{APIVersion: root.Str("apiVersion"), Kind: root.Str("kind"), Place: root.Place, IsMap: root.Kind == tree.Map}
	if metadata := root.Get("metadata"); metadata != nil {
		h.Name, h.Namespace = metadata.Str("name"), metadata.Str("namespace")
		h.Labels, h.Annotations = stringMap(metadata.Get("labels")), stringMap(metadata.Get("annotations"))
	}
	if status := root.Get("status"); status != nil {
		h.Phase, h.Reason = status.Str("phase"), status.Str("reason")
	}
	return h
}

func stringMap(n *tree.Node) map[string]string {
	if n == nil {
		return nil
	}
	all := map[string]string{}
	for i := range n.Fields {
		all[n.Fields[i].Key] = n.Fields[i].Value.Text
	}
	return all
}

// parse parses the object again, without some of its values, unless all of it was read at once.
func (o *object) parse(without tree.Skip) (*tree.Node, *textError) {
	if o.whole != nil {
		return o.whole, nil
	}
	var root tree.Node
	var err *tree.Error
	if o.doc.JSON {
		root, _, err = tree.ParseJSON(o.doc.Text, o.doc.At, without)
	} else {
		root, _, err = tree.ParseYAML(o.doc.Text, o.doc.At, without)
	}
	if err != nil {
		return nil, &textError{Line: err.Line, Col: err.Col, Msg: err.Msg}
	}
	return &root, nil
}

// asJSON returns the object as Kubernetes sees it, without the values at some paths; nil leaves out nothing.
func (o *object) asJSON(without tree.Skip) ([]byte, error) {
	root, err := o.parse(without)
	if err != nil {
		return nil, err
	}
	if without != nil {
		dropUnread(root, without, nil)
	}
	return root.AppendJSON(nil), nil
}

// checkRepeated returns an error at the first key that an object has twice, of which the last would count; nil if there is none.
func (o *object) checkRepeated() error {
	root, err := o.parse(nil)
	if err == nil {
		err = repeatedIn(root)
	}
	if err != nil {
		return err
	}
	return nil
}

func repeatedIn(n *tree.Node) *textError {
	known := map[string]bool{}
	for i := range n.Fields {
		f := &n.Fields[i]
		if known[f.Key] {
			return &textError{Line: f.Line, Col: f.Col, Msg: fmt.Sprintf("the key %q is repeated", f.Key)}
		}
		known[f.Key] = true
		if err := repeatedIn(&f.Value); err != nil {
			return err
		}
	}
	for i := range n.Items {
		if err := repeatedIn(&n.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// dropUnread drops the values that were not read, or need not have been.
func dropUnread(n *tree.Node, without tree.Skip, path []string) {
	n.Fields = slices.DeleteFunc(n.Fields, func(f tree.Field) bool {
		return f.Value.Kind == tree.Raw || without(append(path, f.Key))
	})
	for i := range n.Fields {
		dropUnread(&n.Fields[i].Value, without, append(path, n.Fields[i].Key))
	}
	for i := range n.Items {
		dropUnread(&n.Items[i], without, append(path, "[]"))
	}
}

// hasUnread reports whether some value was not read.
func hasUnread(n *tree.Node) bool {
	return n.Kind == tree.Raw || slices.ContainsFunc(n.Fields, func(f tree.Field) bool { return hasUnread(&f.Value) }) ||
		slices.ContainsFunc(n.Items, func(i tree.Node) bool { return hasUnread(&i) })
}

// At returns an error at the value with a path of keys, or the innermost around it; lists have no keys, so it ends before them.
func (o *object) At(path []string, msg string) *textError {
	place := o.Place
	if n, err := o.parse(nil); err == nil {
		for _, key := range path {
			i := slices.IndexFunc(n.Fields, func(f tree.Field) bool { return f.Key == key })
			if i < 0 {
				break
			}
			place, n = n.Fields[i].Place, &n.Fields[i].Value
		}
	}
	return &textError{Line: place.Line, Col: place.Col, Msg: msg}
}

// keep returns a function that returns the JSON of the whole object, which stays valid. Until then only its compressed text is kept.
func (o *object) keep() func() []byte {
	packed := bytes.Clone(s2.Encode(nil, o.doc.Text))
	at, isJSON := o.doc.At, o.doc.JSON
	return func() []byte {
		text, err := s2.Decode(nil, packed)
		if err != nil {
			panic(err) // it was packed here
		}
		again := object{doc: stream.Document{Text: text, At: at, JSON: isJSON}}
		whole, err := again.asJSON(nil)
		if err != nil {
			return nil // but a part that was not read at first cannot be read
		}
		return whole
	}
}

// yamlValue returns the value at a path of keys in the text of an item in the block style in which kubectl prints YAML, without reading the
// rest: a scalar as it is written, without quotes. It is false if the text has no such line.
func yamlValue(item []byte, path ...string) (value string, ok bool) {
	rest := item
	column := len(item) - len(bytes.TrimLeft(item, " "))
	for depth, key := range path {
		if depth > 0 {
			line, after, _ := bytes.Cut(rest, []byte("\n"))
			if len(bytes.TrimSpace(line)) > 0 {
				return "", false
			}
			rest = after
		}
		if rest, ok = behindKey(rest, column+2*depth, key); !ok {
			return "", false
		}
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(bytes.Trim(bytes.TrimSpace(line), `"'`)), true
}

// behindKey returns the text behind a key of a block that begins at a column, if it has the key before the block ends.
func behindKey(text []byte, column int, key string) ([]byte, bool) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		content := bytes.TrimLeft(line, " ")
		switch indent := len(line) - len(content); {
		case len(content) == 0 || indent > column:
		case indent < column:
			return nil, false
		default:
			if value, ok := bytes.CutPrefix(content, []byte(key)); ok && bytes.HasPrefix(value, []byte(":")) {
				return text[indent+len(key)+1:], true
			}
		}
		text = rest
	}
	return nil, false
}
