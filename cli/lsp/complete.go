package lsp

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// maxItems is how many names are offered.
const maxItems = 1000

var (
	// openField matches the beginning of a line until the cursor, which is in the value of a field, or in its list in flow style.
	openField = regexp.MustCompile(`^([ \t{\[,-]*)["']?([A-Za-z]+)["']?[ \t]*:[ \t]*(?:\[(?:[^\]]*,)?[ \t]*)?["']?([^\s"',\[\]]*)$`)
	// openItem matches the beginning of a line until the cursor, which is in an item of a list.
	openItem = regexp.MustCompile(`^([ \t]*)(?:-[ \t]+)?["']?([^\s"':,\[\]{}]*)$`)
	// anyField matches a line that begins a field.
	anyField = regexp.MustCompile(`^([ \t{\[,-]*)["']?([A-Za-z]+)["']?[ \t]*:`)
)

// cursor is where names are asked for: a field, what is written of its value, and the document that has it.
type cursor struct {
	field    string
	typed    string
	document []byte
	inEntry  bool // the field is one of an entry
}

// cursorAt returns the cursor at an offset, false if it is not in a value of a field with names.
func cursorAt(x *index, off int) (cursor, bool) {
	begin := bytes.LastIndexByte(x.text[:off], '\n') + 1
	from, to := documentAround(x.text, off)
	c := cursor{document: x.text[from:to]}
	if off-begin > maxLine {
		return c, false
	}
	line := string(x.text[begin:off])
	m := openField.FindStringSubmatch(line)
	indent := 0
	if m != nil {
		c.field, c.typed, indent = m[2], m[3], len(m[1])
	} else if m = openItem.FindStringSubmatch(line); m != nil {
		var field string
		if field, indent = parentField(x.text[from:max(from, begin)], len(m[1]), true); field != "skips" {
			return c, false
		}
		c.field, c.typed = field, m[2]
	} else {
		return c, false
	}
	parent, _ := parentField(x.text[from:max(from, begin)], indent, false)
	c.inEntry = parent == "entries"
	return c, true
}

// parentField returns the last field of a text that has less indent, or as much where a list of YAML is in it; "" if there is none.
func parentField(text []byte, indent int, item bool) (field string, at int) {
	text = text[max(0, len(text)-(1<<20)):]
	for len(text) > 0 {
		end := len(bytes.TrimRight(text, "\r\n"))
		begin := bytes.LastIndexByte(text[:end], '\n') + 1
		line := text[begin:end]
		text = text[:begin]
		m := anyField.FindSubmatch(line[:min(len(line), maxLine)])
		if m == nil || len(m[1]) > indent || len(m[1]) == indent && !item && !isBareField(m, line) {
			continue
		}
		return string(m[2]), len(m[1])
	}
	return "", 0
}

// isBareField reports whether nothing follows the colon of a field: the list or the object in it may have the same indent.
func isBareField(m [][]byte, line []byte) bool {
	return len(bytes.TrimSpace(line[len(m[0]):])) == 0 && !bytes.ContainsRune(m[1], '-')
}

// complete answers textDocument/completion.
func (s *server) complete(_ context.Context, p *positionParams) (any, error) {
	items := []completionItem{}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	d := s.document(p.TextDocument.URI)
	if d == nil || d.project == nil {
		return items, nil
	}
	off := d.index.offset(p.Position)
	c, ok := cursorAt(d.index, off)
	if !ok {
		return items, nil
	}
	place := d.index.span(off-len(c.typed), off)
	for _, one := range c.names(d.project.views) {
		if len(items) == maxItems || one.name == "" || words.Text(one.name) != one.name {
			continue // what cannot be shown is not offered
		}
		items = append(items, completionItem{Label: one.name, Kind: itemValue, Detail: words.Text(one.about), Sort: fmt.Sprintf("%05d", len(items)),
			Filter: one.name, Edit: textEdit{place, one.name}})
	}
	return items, nil
}

// offer is a name that is offered, and what it is.
type offer struct{ name, about string }

// names returns what the field can have, the most likely first. The texts may have changed since the packages were read.
func (c *cursor) names(views []view) []offer {
	var all []offer
	if c.field == "package" {
		return unique(words.Map(views, func(v view) offer { return offer{v.pkg.Name.Value, "package"} }))
	}
	pkg := packageIn(c.document)
	for _, v := range views {
		if v.pkg.Name.Value != pkg && (pkg != "" || len(views) != 1) {
			continue
		}
		switch {
		case c.field == "defaultChannel":
			all = append(all, channelOffers(v.pkg)...)
		case c.field == "replaces", c.field == "skips", c.field == "name" && c.inEntry:
			all = append(all, c.bundleOffers(v.pkg)...)
		case c.field == "name" && bytes.Contains(c.document, []byte(catalogs.SchemaDeprecations)):
			all = append(append(all, c.bundleOffers(v.pkg)...), channelOffers(v.pkg)...)
		}
	}
	return unique(all)
}

func channelOffers(p *catalogs.Package) []offer {
	return words.Map(p.Channels, func(c *catalogs.Channel) offer { return offer{c.Name.Value, "channel"} })
}

// bundleOffers returns the entries of the channel that the document is, newest first, and the other bundles of the package: these first
// where an entry is named, which the channel has once.
func (c *cursor) bundleOffers(p *catalogs.Package) []offer {
	var entries, bundles []offer
	own, named := outermost(c.document, nameField), map[string]bool{}
	if channel := p.Channel(own); channel != nil {
		g := graph.New(p, channel)
		for _, i := range g.ByVersion() {
			named[g.Name(i)] = true
			entries = append(entries, offer{g.Name(i), "entry of channel " + own})
		}
	}
	for _, b := range p.Bundles {
		if !named[b.Name.Value] {
			bundles = append(bundles, offer{b.Name.Value, strings.TrimSpace("bundle " + b.Version.Value)})
		}
	}
	if c.field == "name" {
		return append(bundles, entries...)
	}
	return append(entries, bundles...)
}

func unique(all []offer) []offer {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(o offer) bool {
		again := seen[o.name]
		seen[o.name] = true
		return again
	})
}
