package lsp

import (
	"cmp"
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// symbols answers textDocument/documentSymbol: the packages in the file, of each its channels with their entries, and its bundles.
func (s *server) symbols(_ context.Context, p *documentParams) (any, error) {
	all := []documentSymbol{}
	d, x := s.inProject(p.TextDocument.URI)
	if d == nil {
		return all, nil
	}
	o := outline{index: x, file: d.path}
	views := d.project.viewsNow()
	for _, v := range views {
		o.addStarts(v.pkg)
	}
	slices.Sort(o.starts)
	for _, v := range views {
		if symbol, ok := o.packageSymbol(v.pkg); ok {
			all = append(all, symbol)
		}
	}
	slices.SortStableFunc(all, compareSymbols)
	return all, nil
}

func compareSymbols(a, b documentSymbol) int {
	return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
}

// outline makes the symbols of a file.
type outline struct {
	index  *index
	file   string
	starts []int // of its objects, as offsets
}

func (o *outline) addStarts(p *catalogs.Package) {
	add := func(at catalogs.Pos) {
		if at.File == o.file {
			o.starts = append(o.starts, o.index.offsetOf(at))
		}
	}
	add(p.Pos)
	for _, c := range p.Channels {
		add(c.Pos)
	}
	for _, b := range p.Bundles {
		add(b.Pos)
	}
	for _, d := range p.Deprecations {
		add(d.Pos)
	}
}

// objectRange returns the range of an object: until the next one begins.
func (o *outline) objectRange(at catalogs.Pos) textRange {
	from := o.index.offsetOf(at)
	to := len(o.index.text)
	if i, _ := slices.BinarySearch(o.starts, from+1); i < len(o.starts) {
		to = o.starts[i]
	}
	return o.index.span(from, to)
}

// symbol returns a symbol whose name is at a position, if that is in the file and after the beginning of its range.
func (o *outline) symbol(kind int, whole textRange, n catalogs.Text, deprecated bool) documentSymbol {
	d := documentSymbol{Name: inert.Text(n.Value), Kind: kind, Range: whole, Selection: textRange{whole.Start, whole.Start}}
	if d.Name == "" {
		d.Name = "?" // clients reject an empty name
	}
	if from := o.index.offsetOf(n.Pos); n.Pos.File == o.file {
		if named := o.index.span(from, o.index.valueEnd(from)); contains(whole, named) {
			d.Selection = named
		}
	}
	if deprecated {
		d.Tags = []int{tagDeprecated}
	}
	return d
}

func contains(whole, part textRange) bool {
	return !before(part.Start, whole.Start) && !before(whole.End, part.End)
}

func before(a, b position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// packageSymbol returns the symbol of a package, false if nothing of it is in the file.
func (o *outline) packageSymbol(p *catalogs.Package) (documentSymbol, bool) {
	var children []documentSymbol
	deprecated := p.DeprecatedBundles()
	for _, c := range p.Channels {
		if c.Pos.File == o.file {
			children = append(children, o.channelSymbol(p, c, deprecated))
		}
	}
	for _, b := range p.Bundles {
		if b.Pos.File == o.file && !b.Guessed {
			symbol := o.symbol(symbolBundle, o.objectRange(b.Pos), b.Name, deprecated[b.Name.Value] != nil)
			symbol.Detail = inert.Text(b.Version.Value)
			children = append(children, symbol)
		}
	}
	slices.SortStableFunc(children, compareSymbols)
	whole := o.objectRange(p.Pos)
	if p.Pos.File != o.file {
		if len(children) == 0 {
			return documentSymbol{}, false
		}
		whole = children[0].Range
	}
	for i := range children { // clients want them inside
		if before(children[i].Range.Start, whole.Start) {
			whole.Start = children[i].Range.Start
		}
		if before(whole.End, children[i].Range.End) {
			whole.End = children[i].Range.End
		}
	}
	symbol := o.symbol(symbolPackage, whole, p.Name, p.Deprecation(catalogs.SchemaPackage, "") != nil)
	symbol.Children = children
	return symbol, true
}

func (o *outline) channelSymbol(p *catalogs.Package, c *catalogs.Channel, deprecated map[string]*catalogs.Deprecation) documentSymbol {
	symbol := o.symbol(symbolChannel, o.objectRange(c.Pos), c.Name, p.Deprecation(catalogs.SchemaChannel, c.Name.Value) != nil)
	if p.DefaultChannel.Value == c.Name.Value {
		symbol.Detail = "default channel"
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Name.Pos.File == o.file && e.Name.Pos.Line > 0 {
			from := o.index.offsetOf(e.Name.Pos)
			symbol.Children = append(symbol.Children, o.symbol(symbolEntry, o.index.span(from, o.index.valueEnd(from)), e.Name, deprecated[e.Name.Value] != nil))
		}
	}
	return symbol
}
