package expansion

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/fbcwriter"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// FileBased returns the file-based catalog that opm renders a template into; nil if the catalog is no template, opm rejects it, or a bundle is
// not known. The bundles are read when it is written. An error means that they cannot be read, or not as opm renders them.
func FileBased(c *catalogs.Catalog) (*fbcwriter.Catalog, error) {
	t := c.Template
	if t == nil || t.Rejected || len(t.Unknown) > 0 {
		return nil, nil
	}
	out := &fbcwriter.Catalog{}
	if t.Expansion != nil {
		if err := addGenerated(t, out); err != nil {
			return nil, err
		}
	}
	for i := range t.Entries {
		n := &t.Entries[i]
		if ch := channelAt(c, n.Place); ch != nil && t.Schema == template.Substitutes && len(ch.Entries) > 0 {
			out.AddChannel(ch.Package.Value, ch.Name.Value, fbc.WrittenEntries(ch), n.Get("properties"))
		} else if t.Schema != template.Basic || fbcwriter.Schema(n) != catalogs.SchemaBundle {
			out.Add(n)
		}
	}
	for _, b := range t.Bundles {
		out.AddBundle(b.Package.Value, b.Name.Value, func() (tree.Node, error) { return renderBundle(b, t.Target) })
	}
	return out, nil
}

// addGenerated adds what opm generates from a template of schema olm.semver.
func addGenerated(t *catalogs.Template, out *fbcwriter.Catalog) error {
	description, icon, err := describe(t)
	if err != nil {
		return err
	}
	out.AddPackage(t.Expansion.Package, t.Expansion.DefaultChannel, description, icon)
	for i := range t.Expansion.Channels {
		var entries []fbcwriter.Entry
		for _, e := range t.Expansion.Channels[i].Entries {
			entries = append(entries, fbcwriter.Entry{Name: e.Name, Replaces: e.Replaces, Skips: e.Skips})
		}
		out.AddChannel(t.Expansion.Package, t.Expansion.Channels[i].Name, entries, nil)
	}
	return nil
}

// describe returns the description and the icon of the generated package. Those of a bundle without its CSV are in its olm.csv.metadata, and
// in the published package.
func describe(t *catalogs.Template) (description string, icon *tree.Node, err error) {
	channel := slices.IndexFunc(t.Expansion.Channels, func(c template.Channel) bool { return c.Name == t.Expansion.DefaultChannel })
	if channel < 0 || !t.OPM.DescribesPackage() {
		return "", nil, nil
	}
	entries := t.Expansion.Channels[channel].Entries
	head := slices.IndexFunc(t.Bundles, func(b *catalogs.Bundle) bool { return b.Name.Value == entries[len(entries)-1].Name })
	root, err := renderBundle(t.Bundles[head], "")
	if err != nil {
		return "", nil, err
	}
	description, icon = fbcwriter.Description(&root)
	if objects, _ := fbcwriter.ManifestProperties(&root); !objects {
		icon = t.Icon
	}
	return description, icon, nil
}

// channelAt returns the channel at a place of the template, or nil.
func channelAt(c *catalogs.Catalog, at tree.Place) *catalogs.Channel {
	for _, p := range c.Packages {
		for _, ch := range p.Channels {
			if ch.Pos.Line == at.Line && ch.Pos.Col == at.Col {
				return ch
			}
		}
	}
	return nil
}

// renderBundle returns the bundle as opm renders it for a catalog of an OpenShift version.
func renderBundle(b *catalogs.Bundle, target string) (root tree.Node, err error) {
	if root, err = fbc.Render(b); err != nil || target == "" {
		return root, err
	}
	objects, metadata := fbcwriter.ManifestProperties(&root)
	switch {
	case withMetadata(target) && objects:
		root = fbcwriter.WithMetadata(root)
	case !withMetadata(target) && metadata && !objects && withMetadata(publishedFor(b)):
		err = fmt.Errorf("%s: known with olm.csv.metadata only, and opm renders olm.bundle.object for OpenShift %s: give --catalog, a catalog for a version below %s", b.Image.Value, target, firstWithMetadata)
	}
	return root, err
}

// publishedFor returns the OpenShift version of the catalog in which the bundle was published, "" if it is not known.
func publishedFor(b *catalogs.Bundle) string {
	for part := range strings.SplitSeq(path.Join(b.Document.File.Source.Prefix, b.Document.File.Path), "/") {
		if v := catalogs.OpenShiftVersion(part); v != "" {
			return v
		}
	}
	return ""
}

// Expand returns the package that opm of a version makes of a template of schema olm.semver after a change, which may be nil. It returns nil if
// opm rejects that, and if the template was not expanded: bundles are not known.
func Expand(t *catalogs.Template, v template.OPM, change func(*template.SemverTemplate)) *catalogs.Package {
	p, _ := expandWith(t, v, t.Known, change)
	return p
}

// ExpandWithImage returns the package that opm makes of a template of schema olm.semver after an image is listed in further streams: candidate, fast and
// stable. The image may be new: then it has the bundle. An error says why opm rejects that; the package is nil if the template was not
// expanded.
func ExpandWithImage(t *catalogs.Template, image string, b template.Bundle, streams []string) (*catalogs.Package, error) {
	known := maps.Clone(t.Known)
	if _, has := known[image]; !has && known != nil {
		known[image] = b
	}
	p, err := expandWith(t, t.OPM, known, func(s *template.SemverTemplate) { s.List(image, streams) })
	if p == nil || p.Bundle(b.Name) != nil {
		return p, err
	}
	added := &catalogs.Bundle{Name: catalogs.Text{Value: b.Name}, Package: p.Name, PackageName: p.Name, Image: catalogs.Text{Value: image}, Version: catalogs.Text{Value: b.Version}, Guessed: true}
	added.SetVersion(added.Version)
	p = p.WithContents(p.Channels, append(slices.Clone(p.Bundles), added))
	setBundles(p)
	return p, nil
}

// expandWith is Expand with bundles by image. The error says why opm rejects the template.
func expandWith(t *catalogs.Template, v template.OPM, known map[string]template.Bundle, change func(*template.SemverTemplate)) (*catalogs.Package, error) {
	if t.Made == nil {
		return nil, nil
	}
	changed := *t.Semver
	changed.Streams = slices.Clone(changed.Streams)
	for i := range changed.Streams {
		changed.Streams[i].Images = slices.Clone(changed.Streams[i].Images)
	}
	if change != nil {
		change(&changed)
	}
	made, faults := changed.Expand(known, v)
	if made == nil {
		return nil, errors.New(faults[0].Message)
	}
	p := t.Made.WithContents(generatedChannels(made, t.At), t.Made.Bundles)
	p.DefaultChannel.Value = made.DefaultChannel
	setBundles(p)
	return p, nil
}

// setBundles sets the bundles of the entries of a package.
func setBundles(p *catalogs.Package) {
	for _, c := range p.Channels {
		for i := range c.Entries {
			c.Entries[i].Bundle = p.Bundle(c.Entries[i].Name.Value)
		}
	}
}

// generatedChannels returns the channels that opm generates, with each entry and its edges at the image of its bundle.
func generatedChannels(made *template.Expansion, pos func(tree.Place) catalogs.Pos) []*catalogs.Channel {
	at := func(value string, place tree.Place) catalogs.Text {
		return catalogs.Text{Value: value, Pos: pos(place)}
	}
	var all []*catalogs.Channel
	for i := range made.Channels {
		ch := &made.Channels[i]
		c := &catalogs.Channel{Name: at(ch.Name, ch.Place), Package: catalogs.Text{Value: made.Package, Pos: pos(ch.Place)}, Pos: pos(ch.Place)}
		for _, e := range ch.Entries {
			entry := catalogs.Entry{Name: at(e.Name, e.Image.Place), Pos: pos(e.Image.Place)}
			if e.Replaces != "" {
				entry.Replaces = at(e.Replaces, e.Image.Place)
			}
			for _, skip := range e.Skips {
				entry.Skips = append(entry.Skips, at(skip, e.Image.Place))
			}
			c.Entries = append(c.Entries, entry)
		}
		all = append(all, c)
	}
	return all
}

// node returns the icon as it is in a catalog, or nil.
func node(i *catalogs.Icon) *tree.Node {
	if i == nil {
		return nil
	}
	return &tree.Node{Kind: tree.Map, Fields: []tree.Field{{Key: "base64data", Value: catalogs.TextNode(i.Data.Value)}, {Key: "mediatype", Value: catalogs.TextNode(i.MediaType.Value)}}}
}
