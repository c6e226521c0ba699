// Package fbcwriter writes file-based catalogs as opm does: the same objects in the same order, with the same keys, byte for byte
// (opm: alpha/declcfg WriteYAML and WriteJSON).
package fbcwriter

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Catalog has the objects of a file-based catalog. The zero value is empty.
type Catalog struct {
	packages map[string]*objects
	rest     []entity // of schemas that are not OLM's, and in no package
}

// objects are those of one package, each kind in the order in which they were added.
type objects struct{ packages, channels, bundles, others, deprecations []entity }

type entity struct {
	schema, name string
	read         func() (tree.Node, error)
}

// Entry is an entry of a channel.
type Entry struct {
	Name, Replaces, SkipRange string
	Skips                     []string
}

// Add adds an object that opm reads: keys in any case; those that opm does not know are left out unless the schema is not one of OLM's.
// The node must not be changed afterwards.
func (c *Catalog) Add(n *tree.Node) {
	schema, name, pkg := jsonText(n, "schema"), jsonText(n, "name"), jsonText(n, "package")
	o := entity{schema: schema, name: name, read: func() (tree.Node, error) { return *n, nil }}
	switch schema {
	case "olm.package":
		c.updatePackage(name, func(p *objects) { p.packages = append(p.packages, o) })
	case "olm.channel":
		c.updatePackage(pkg, func(p *objects) { p.channels = append(p.channels, o) })
	case "olm.bundle":
		c.updatePackage(pkg, func(p *objects) { p.bundles = append(p.bundles, o) })
	case "olm.deprecations":
		c.updatePackage(pkg, func(p *objects) { p.deprecations = append(p.deprecations, o) })
	default:
		if pkg == "" {
			c.rest = append(c.rest, o)
		}
		c.updatePackage(pkg, func(p *objects) { p.others = append(p.others, o) })
	}
}

// updatePackage calls do with the objects of a package. What names no package is not written by opm.
func (c *Catalog) updatePackage(pkg string, do func(*objects)) {
	if pkg == "" {
		return
	}
	if c.packages == nil {
		c.packages = map[string]*objects{}
	}
	if c.packages[pkg] == nil {
		c.packages[pkg] = &objects{}
	}
	do(c.packages[pkg])
}

// AddPackage adds an olm.package. The icon may be nil.
func (c *Catalog) AddPackage(name, defaultChannel, description string, icon *tree.Node) {
	n := header("olm.package", name, "")
	n.Fields = append(n.Fields, field("defaultChannel", text(defaultChannel)), field("description", text(description)))
	if icon != nil {
		n.Fields = append(n.Fields, field("icon", *icon))
	}
	c.Add(&n)
}

// AddPackageAs adds an olm.package that was read, with another default channel.
func (c *Catalog) AddPackageAs(n tree.Node, defaultChannel string) {
	n.Fields = slices.DeleteFunc(slices.Clone(n.Fields), func(f tree.Field) bool { return strings.EqualFold(f.Key, "defaultChannel") })
	n.Fields = append(n.Fields, field("defaultChannel", text(defaultChannel)))
	c.Add(&n)
}

// Deprecation is an entry of an olm.deprecations.
type Deprecation struct{ Schema, Name, Message string }

// AddDeprecations adds an olm.deprecations.
func (c *Catalog) AddDeprecations(pkg string, entries []Deprecation) {
	n := header("olm.deprecations", "", pkg)
	list := tree.Node{Kind: tree.List}
	for _, e := range entries {
		reference := object(field("schema", text(e.Schema)), field("name", text(e.Name)))
		list.Items = append(list.Items, object(field("reference", reference), field("message", text(e.Message))))
	}
	n.Fields = append(n.Fields, field("entries", list))
	c.Add(&n)
}

// AddChannel adds an olm.channel. Properties are those of the channel that it is made of, or nil.
func (c *Catalog) AddChannel(pkg, name string, entries []Entry, properties *tree.Node) {
	n := header("olm.channel", name, pkg)
	list := tree.Node{Kind: tree.List}
	for _, e := range entries {
		skips := tree.Node{Kind: tree.List}
		for _, skip := range e.Skips {
			skips.Items = append(skips.Items, text(skip))
		}
		list.Items = append(list.Items, object(field("name", text(e.Name)), field("replaces", text(e.Replaces)), field("skips", skips),
			field("skipRange", text(e.SkipRange))))
	}
	n.Fields = append(n.Fields, field("entries", list))
	if properties != nil {
		n.Fields = append(n.Fields, field("properties", *properties))
	}
	c.Add(&n)
}

// AddBundle adds an olm.bundle, which is read when it is written.
func (c *Catalog) AddBundle(pkg, name string, read func() (tree.Node, error)) {
	c.updatePackage(pkg, func(p *objects) { p.bundles = append(p.bundles, entity{schema: "olm.bundle", name: name, read: read}) })
}

func object(fields ...tree.Field) tree.Node { return tree.Node{Kind: tree.Map, Fields: fields} }

func header(schema, name, pkg string) tree.Node {
	return object(field("schema", text(schema)), field("name", text(name)), field("package", text(pkg)))
}

func text(s string) tree.Node { return tree.Node{Kind: tree.String, Text: s} }

func field(key string, value tree.Node) tree.Field { return tree.Field{Key: key, Value: value} }

// sortedEntities returns the objects in the order in which opm writes them: by package; channels and bundles by name, others by schema.
func (c *Catalog) sortedEntities() []entity {
	var all []entity
	for _, name := range slices.Sorted(maps.Keys(c.packages)) {
		p := c.packages[name]
		channels, bundles, others := slices.Clone(p.channels), slices.Clone(p.bundles), slices.Clone(p.others)
		// The sort of opm, which may change the order of equal names.
		sort.Slice(channels, func(i, j int) bool { return channels[i].name < channels[j].name })
		sort.Slice(bundles, func(i, j int) bool { return bundles[i].name < bundles[j].name })
		sort.SliceStable(others, func(i, j int) bool { return others[i].schema < others[j].schema })
		all = append(all, slices.Concat(p.packages, channels, bundles, others, p.deprecations)...)
	}
	return append(all, c.rest...)
}

// WriteYAML writes the catalog as documents of YAML.
func (c *Catalog) WriteYAML(w io.Writer) error {
	return c.write(w, asIs, func(dst []byte, n *tree.Node) []byte { return n.AppendYAML(append(dst, "---\n"...)) })
}

// WriteInertYAML is WriteYAML for a reader that interprets text, as a terminal or a CI runner does: values with such text are escaped.
func (c *Catalog) WriteInertYAML(w io.Writer) error {
	return c.write(w, asIs, func(dst []byte, n *tree.Node) []byte {
		from := len(dst)
		dst = n.AppendYAML(append(dst, "---\n"...))
		if document := string(dst[from:]); isInert(document) || string(words.Lines([]byte(document), false)) == document {
			return dst
		}
		return n.AppendEscapedYAML(append(dst[:from], "---\n"...), func(s string) bool { return !isInert(s) })
	})
}

func asIs(n *tree.Node) tree.Node { return *n }

// isInert reports whether a text has nothing that is escaped, as package words does it.
func isInert(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\n' || s[i] >= 0x7f {
			return strings.IndexFunc(strings.ReplaceAll(s, "\n", " "), words.Unsafe) < 0 && !strings.Contains(s, "##") && !strings.Contains(s, "::")
		}
	}
	return !strings.Contains(s, "##") && !strings.Contains(s, "::")
}

// WriteJSON writes the catalog as documents of JSON. What opm copies has its keys sorted, since opm does not keep their order.
func (c *Catalog) WriteJSON(w io.Writer) error {
	var compact []byte
	return c.write(w, (*tree.Node).Sorted, func(dst []byte, n *tree.Node) []byte {
		compact = n.AppendJSON(compact[:0])
		indented := bytes.NewBuffer(dst)
		_ = json.Indent(indented, compact, "", "    ") // it is JSON
		indented.WriteByte('\n')
		return indented.Bytes()
	})
}

// WriteInertJSON is WriteInertYAML for JSON.
func (c *Catalog) WriteInertJSON(w io.Writer) error {
	var written bytes.Buffer
	if err := c.WriteJSON(&written); err != nil {
		return err
	}
	_, err := w.Write(words.JSON(written.Bytes()))
	return err
}

// flushAt is how many bytes are written at once.
const flushAt = 1 << 18

func (c *Catalog) write(w io.Writer, raw anyValue, appendTo func([]byte, *tree.Node) []byte) error {
	var written []byte
	for _, o := range c.sortedEntities() {
		n, err := o.read()
		if err != nil {
			return err
		}
		n = normalize(&n, o.schema, raw)
		if written = appendTo(written, &n); len(written) < flushAt {
			continue
		}
		if _, err := w.Write(written); err != nil {
			return err
		}
		written = written[:0]
	}
	_, err := w.Write(written)
	return err
}
