package bundled

import (
	"regexp"
	"strconv"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Manifest is one object of one bundle. Bundles with the same text share the Object, so that its address identifies it.
type Manifest struct {
	*Object
	// Pos is the position of the object; of one in base64, that of the property.
	Pos catalogs.Pos
	// File is the path in the folder of manifests, as "crd.yaml"; "" for a manifest in a property.
	File string
	// Document is the index of the document in its file or property. OLM v0 and opm read the first one only.
	Document int
	// Partial says that it is a ClusterServiceVersion made of an olm.csv.metadata: without deployments, permissions, webhooks and version.
	Partial bool

	reader *Manifests
	// read reads it again, with the places of its parts, whose positions it returns as well; nil where these have none, as in base64.
	read func() (*tree.Node, func(tree.Place) catalogs.Pos)
}

// At returns the position of a part of the object, by its path as Kubernetes writes it: spec.versions[0].schema or
// metadata.annotations[a.b/c]. If there is no such part, it is the position of the innermost part around it; in base64, that of the
// property.
func (m *Manifest) At(path string) catalogs.Pos {
	if m.read == nil {
		return m.Pos
	}
	known := m.reader.locate(m)
	if known.root == nil {
		return m.Pos
	}
	_, at, _ := walk(known.root, pathKeys(path))
	return known.pos(at)
}

// walk returns a part of a value by its keys and indices, or the innermost part around it, and how many of the keys lead to it. The place is
// that of the key of a field.
func walk(n *tree.Node, keys []string) (part *tree.Node, at tree.Place, known int) {
	at = n.Place
	for _, key := range keys {
		i, err := strconv.Atoi(key)
		switch field := n.Field(key); {
		case field != nil && field.Line == 0: // made up
			n, at = &field.Value, field.Value.Place
		case field != nil:
			n, at = &field.Value, field.Place
		case err == nil && 0 <= i && i < len(n.Items):
			n = &n.Items[i]
			at = n.Place
		default:
			return n, at, known
		}
		known++
	}
	return n, at, known
}

// IsEncoded reports whether the source shows the object only in another form, as base64, so that the positions of its parts are not
// known.
func (m *Manifest) IsEncoded() bool { return m.read == nil }

// Part returns the path and the value of a part of the object, or of the innermost part around it. The value is JSON; "" for a
// list or an object. See At for the path.
func (m *Manifest) Part(path string) (found, value string) {
	root, _, syntax := tree.ParseJSON(m.JSON(), tree.Place{}, nil)
	if syntax != nil {
		return "", ""
	}
	part, _, known := walk(&root, pathKeys(path))
	if known > 0 {
		found = path[:pathPart.FindAllStringIndex(path, known)[known-1][1]]
	}
	if part.Kind == tree.Map || part.Kind == tree.List {
		return found, ""
	}
	return found, string(part.AppendJSON(nil))
}

// pathPart matches a key or an index of a path: in brackets, or between dots.
var pathPart = regexp.MustCompile(`\[([^]]*)\]|([^.[]+)`)

// pathKeys returns the keys and indices of a path.
func pathKeys(path string) []string {
	var keys []string
	for _, part := range pathPart.FindAllStringSubmatch(path, -1) {
		keys = append(keys, part[1]+part[2])
	}
	return keys
}
