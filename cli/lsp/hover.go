package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
)

// maxNames is how many names a hover lists.
const maxNames = 12

// hover answers textDocument/hover: what the entries, the bundle or the channel of the name are.
func (s *server) hover(_ context.Context, p *positionParams) (any, error) {
	at := s.nameAt(p.TextDocument.URI, p.Position)
	if at == nil {
		return nil, nil
	}
	var b strings.Builder
	switch at.kind {
	case bundleName:
		at.describeBundle(&b)
	case channelName:
		at.describeChannel(&b)
	case packageName:
		describePackage(&b, at.view.pkg)
	}
	return hover{markup{"markdown", b.String()}, at.index.span(at.from, at.to)}, nil
}

// describeBundle describes the bundle of a name, and its entry in the channel of the place, or in each channel.
func (p *place) describeBundle(b *strings.Builder) {
	pkg := p.view.pkg
	fmt.Fprintf(b, "**%s**", text.Markdown(p.Value))
	bundle := pkg.Bundle(p.Value)
	switch {
	case bundle == nil:
		b.WriteString("\n\nnot in the catalog")
	case bundle.Version.Value != "":
		fmt.Fprintf(b, ", version %s", text.Markdown(bundle.Version.Value))
	}
	describeDeprecation(b, pkg.Deprecation(catalogs.SchemaBundle, p.Value))
	channels := 0
	for _, c := range pkg.Channels {
		if p.channel != nil && c != p.channel {
			continue
		}
		g := graph.New(pkg, c)
		if i, ok := g.Index(p.Value); ok && channels < maxNames {
			describeEntry(b, g, i)
			channels++
		}
	}
	switch {
	case channels > 0:
	case p.channel != nil:
		fmt.Fprintf(b, "\n\nno entry of channel %s", text.Markdown(p.channel.Name.Value))
	default:
		b.WriteString("\n\nin no channel")
	}
	if bundle != nil && bundle.Image.Value != "" {
		fmt.Fprintf(b, "\n\nimage %s", text.MarkdownCode(bundle.Image.Value))
	}
}

func describeDeprecation(b *strings.Builder, d *catalogs.Deprecation) {
	if d != nil {
		fmt.Fprintf(b, "\n\n**deprecated**: %s", text.Markdown(text.Shorten(d.Message.Value, 500)))
	}
}

// describeEntry says what upgrades to an entry, and what it upgrades to.
func describeEntry(b *strings.Builder, g *graph.Graph, i int) {
	fmt.Fprintf(b, "\n\nchannel %s", text.Markdown(g.Channel.Name.Value))
	if head, ok := g.Head(); ok && head == i {
		b.WriteString(", head")
	}
	switch {
	case slices.ContainsFunc(g.Stuck(), func(s graph.Stuck) bool { return s.Entry == i }):
		b.WriteString(", stuck: " + graph.NeverUpgrades)
	case g.IsSkipped(g.Name(i)):
		b.WriteString(", skipped")
	}
	b.WriteString("\n\n")
	v0, is := g.Next(i)
	v1, isV1 := g.NextV1(i)
	switch to, toV1 := nextName(g, v0, is), nextName(g, v1, isV1); {
	case to == toV1:
		fmt.Fprintf(b, "- upgrades to: %s\n", to)
	default:
		fmt.Fprintf(b, "- upgrades to: %s under OLM v0, %s under OLM v1\n", to, toV1)
	}
	var from, fromV1 []string
	for _, other := range g.Entries() {
		if e, ok := g.Next(other); ok && e.To == i {
			from = append(from, text.Markdown(g.Name(other))+" ("+e.Kind.String()+")")
		}
		if e, ok := g.NextV1(other); ok && e.To == i {
			fromV1 = append(fromV1, text.Markdown(g.Name(other))+" ("+e.Kind.String()+")")
		}
	}
	if slices.Equal(from, fromV1) {
		fmt.Fprintf(b, "- upgraded from: %s", fewNames(from))
	} else {
		fmt.Fprintf(b, "- upgraded from, under OLM v0: %s\n- upgraded from, under OLM v1: %s", fewNames(from), fewNames(fromV1))
	}
}

// nextName returns the name of what an edge leads to.
func nextName(g *graph.Graph, e graph.Edge, ok bool) string {
	if !ok {
		return "nothing"
	}
	return text.Markdown(g.Name(e.To)) + " (" + e.Kind.String() + ")"
}

func fewNames(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return words.JoinSome(names, maxNames)
}

func (p *place) describeChannel(b *strings.Builder) {
	pkg := p.view.pkg
	fmt.Fprintf(b, "channel **%s**", text.Markdown(p.Value))
	if pkg.DefaultChannel.Value == p.Value {
		b.WriteString(", the default channel")
	}
	describeDeprecation(b, pkg.Deprecation(catalogs.SchemaChannel, p.Value))
	c := pkg.Channel(p.Value)
	if c == nil {
		b.WriteString("\n\nnot in the catalog")
		return
	}
	g := graph.New(pkg, c)
	heads := words.Map(g.Names(g.Heads()), text.Markdown)
	fmt.Fprintf(b, "\n\n- %s\n- %s: %s", words.CountPlural(len(c.Entries), "entry", "entries"), words.Plural(len(heads), "head", "heads"), fewNames(heads))
}

func describePackage(b *strings.Builder, pkg *catalogs.Package) {
	fmt.Fprintf(b, "package **%s**", text.Markdown(pkg.Name.Value))
	describeDeprecation(b, pkg.Deprecation(catalogs.SchemaPackage, ""))
	names := words.Map(pkg.ChannelNames(), text.Markdown)
	fmt.Fprintf(b, "\n\n- default channel: %s\n- channels: %s\n- %s", text.Markdown(text.Dash(pkg.DefaultChannel.Value)), fewNames(names), words.Count(len(pkg.Bundles), "bundle"))
}
