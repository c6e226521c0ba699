package lsp

import (
	"bytes"
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// nameKind is what a name is of.
type nameKind int

const (
	bundleName nameKind = iota
	channelName
	packageName
)

// name is a place that has the name of a bundle, a channel or a package.
type name struct {
	catalogs.Text
	kind    nameKind
	defines bool // the object or the entry is there
	view    view
	channel *catalogs.Channel // of an entry or an edge
	entry   *catalogs.Entry   // that is there
	bundle  *catalogs.Bundle  // that is there
}

// names returns the names in a package.
func (v view) names() []name {
	p := v.pkg
	var all []name
	add := func(n name) {
		if n.Value != "" && n.Pos.Line > 0 {
			n.view = v
			all = append(all, n)
		}
	}
	if p.IsDefined() {
		add(name{Text: p.Name, kind: packageName, defines: true})
	}
	add(name{Text: p.DefaultChannel, kind: channelName})
	for _, c := range p.Channels {
		add(name{Text: c.Name, kind: channelName, defines: true, channel: c})
		add(name{Text: c.Package, kind: packageName})
		for i := range c.Entries {
			e := &c.Entries[i]
			add(name{Text: e.Name, defines: true, channel: c, entry: e})
			for _, edge := range append([]catalogs.Text{e.Replaces}, e.Skips...) {
				add(name{Text: edge, channel: c})
			}
		}
	}
	for _, b := range p.Bundles {
		add(name{Text: b.Name, defines: true, bundle: b})
		add(name{Text: b.Package, kind: packageName})
	}
	for _, d := range p.Deprecations {
		add(name{Text: d.Package, kind: packageName})
		for i := range d.Entries {
			switch e := &d.Entries[i]; e.Schema.Value {
			case catalogs.SchemaBundle:
				add(name{Text: e.Name})
			case catalogs.SchemaChannel:
				add(name{Text: e.Name, kind: channelName})
			}
		}
	}
	return all
}

// nameRange returns where the name is in the text, without quotes; false if the text has changed since it was read.
func nameRange(x *index, n catalogs.Text) (from, to int, ok bool) {
	from = x.posOffset(n.Pos)
	if from < len(x.text) && (x.text[from] == '"' || x.text[from] == '\'') {
		from++
	}
	to = from + len(n.Value)
	return from, to, bytes.HasPrefix(x.text[from:], []byte(n.Value))
}

// place is what a request is about: a name at a position of an open document.
type place struct {
	index   *index
	project *project
	name
	from, to int
}

// nameAt returns the name at a position, nil if there is none.
func (s *server) nameAt(uri string, at position) *place {
	d, p, x := s.inProject(uri)
	if d == nil {
		return nil
	}
	off := x.offset(at)
	for _, v := range p.viewsNow() {
		for _, n := range v.names() {
			if n.Pos.File != d.path {
				continue
			}
			if from, to, ok := nameRange(x, n.Text); ok && from <= off && off <= to {
				return &place{x, p, n, from, to}
			}
		}
	}
	return nil
}

// sameNames returns the places in the package that have the same name.
func (p *place) sameNames() []name {
	var all []name
	for _, v := range p.project.viewsNow() {
		if v.pkg.Name.Value != p.view.pkg.Name.Value || v.catalog.Name != p.view.catalog.Name {
			continue
		}
		for _, n := range v.names() {
			if n.kind == p.kind && n.Value == p.Value {
				all = append(all, n)
			}
		}
	}
	return all
}

// definition answers textDocument/definition: of the name in an edge or a deprecation the entry, of an entry the bundle, and else the object.
func (s *server) definition(_ context.Context, p *positionParams) (any, error) {
	at := s.nameAt(p.TextDocument.URI, p.Position)
	if at == nil {
		return nil, nil
	}
	all := slices.DeleteFunc(at.sameNames(), func(n name) bool { return !n.defines || n.Pos == at.Pos })
	if len(all) == 0 {
		return nil, nil
	}
	best := slices.MaxFunc(all, func(a, b name) int { return at.rank(&a) - at.rank(&b) })
	return s.locations(best)[0], nil
}

// rank returns how much a definition is what the name stands for.
func (p *place) rank(n *name) int {
	switch {
	case p.defines && n.bundle == nil && p.kind == bundleName:
		return 1
	case !p.defines && p.channel != nil && n.entry != nil && n.channel == p.channel:
		return 4
	case !p.defines && p.channel != nil && n.entry != nil:
		return 3
	}
	return 2
}

// locations returns where names are.
func (s *server) locations(names ...name) []location {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	texts := s.indexes()
	all := make([]location, 0, len(names))
	for _, n := range names {
		all = append(all, location{s.uri(n.Pos.File), valueRange(texts(n.Pos.File), n.Pos)})
	}
	return all
}

// references answers textDocument/references.
func (s *server) references(_ context.Context, p *positionParams) (any, error) {
	at := s.nameAt(p.TextDocument.URI, p.Position)
	if at == nil {
		return nil, nil
	}
	return s.locations(at.sameNames()...), nil
}

// editTo returns the edit of the lines that differ between the text and a new one.
func (x *index) editTo(is []byte) textEdit {
	was, now := bytes.SplitAfter(x.text, []byte("\n")), bytes.SplitAfter(is, []byte("\n"))
	from, tail := 0, 0
	for from < min(len(was), len(now)) && bytes.Equal(was[from], now[from]) {
		from++
	}
	for tail < min(len(was), len(now))-from && bytes.Equal(was[len(was)-1-tail], now[len(now)-1-tail]) {
		tail++
	}
	at := textRange{position{Line: uint32(from)}, position{Line: uint32(len(was) - tail)}}
	return textEdit{at, string(bytes.Join(now[from:len(now)-tail], nil))}
}
