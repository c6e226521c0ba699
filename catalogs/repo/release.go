package repo

import (
	"bytes"
	"context"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// communityImages is where the pipeline of the community catalog pushes the images of bundles, as NAME:VERSION (operator-pipelines: copy-image).
const communityImages = "quay.io/community-operator-pipeline-prod"

// releases returns a problem for each item of catalog_templates: what it makes of its template is not known yet.
func (l *layout) releases(operator, bundle string, f *pipelineconfig.PipelineFile) []catalogs.Problem {
	var all []catalogs.Problem
	list, meant := form.Items(f.Root, "catalog_templates"), form.Items(pipelineconfig.MeantRelease(f.Root), "catalog_templates") // of a repeated key of all lists
	for i := range list {
		item := &list[i]
		text := func(n *tree.Node) catalogs.Text {
			if n == nil {
				return catalogs.Text{}
			}
			return catalogs.Text{Value: n.Text, Pos: f.Decoder.Pos(n.Place)}
		}
		texts := func(key string) (all []catalogs.Text) {
			for _, n := range form.Items(item, key) {
				all = append(all, text(&n))
			}
			return all
		}
		misspelt := catalogs.Text{}
		for j, key := range find.Value(meant, func(n tree.Node) bool { return n.Place == item.Place }).Fields {
			if key.Key != item.Fields[j].Key {
				misspelt = catalogs.Text{Value: key.Key, Pos: f.Decoder.Pos(key.Place)}
			}
		}
		all = append(all, catalogs.Problem{Kind: catalogs.ReleaseOutcome, Pos: f.Decoder.Pos(item.Place), Cause: []string{path.Base(bundle), string(item.AppendJSON(nil))}, Release: &catalogs.Release{
			Template: item.Str("template_name"), Replaces: text(item.Get("replaces")), SkipRange: text(item.Get("skipRange")), Channels: texts("channels"), Skips: texts("skips"), Misspelt: misspelt, Item: item,
			Expand: released{l.Source, l.options, operator, bundle}.catalogs}})
	}
	return all
}

// releaseTo returns the release of the newest bundle of an operator that adds to a template; nil if there is none.
func (l *layout) releaseTo(t *operatorTemplate, problems []catalogs.Problem) *catalogs.Release {
	i := slices.IndexFunc(problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.ReleaseOutcome && !p.Published && (t.operator == "." || p.Package == l.packageName(t.operator)) && p.Release.Template == path.Base(t.name)
	})
	if i < 0 {
		return nil
	}
	return problems[i].Release
}

// released is the bundle of a release.
type released struct {
	source   *source.Source
	options  form.Options
	operator string // the folder
	folder   string // of the bundle
}

// catalogs is what Release.Expand returns (operator-pipelines: add_bundle_to_fbc).
func (b released) catalogs(ctx context.Context, r *catalogs.Release) (before, after *catalogs.Catalog) {
	file := path.Join(b.operator, pipelineconfig.TemplateFolder, r.Template)
	r.Bundle = csvName(b.source, b.folder)
	if r.Bundle == "" || !source.IsFile(b.source.Fsys, file) || b.source.IsRestricted(b.source.Display(file)) {
		return nil, nil
	}
	s := b.source.WithSingle(file)
	before, err := expansion.OpenTemplate(ctx, s, file, b.options)
	if err != nil || before == nil || slices.ContainsFunc(before.Packages, func(p *catalogs.Package) bool { return p.Bundle(r.Bundle) != nil }) {
		return nil, nil
	}
	x, root := expansion.ReadTemplate(ctx, s, file, b.options)
	if root == nil {
		return nil, nil
	}
	x.Home = expansion.FindHome(s, file, b.options)
	name := path.Base(x.Home.Operator)
	image := catalogs.TextNode(communityImages + "/" + name + ":" + path.Base(b.folder))
	if before.Template.IsGenerated() {
		list(r, root, image)
	} else {
		add(r, root, name, image)
	}
	if after, err = x.Expand(root); err != nil {
		return nil, nil
	}
	return before, after
}

func mapNode(fields ...tree.Field) tree.Node { return tree.Node{Kind: tree.Map, Fields: fields} }

// add adds the entry to the channels of a basic template, unless an identical one is there, and the image unless it is there (BasicTemplate.amend).
func add(r *catalogs.Release, root *tree.Node, name string, image tree.Node) {
	entries := root.Get("entries")
	if entries == nil {
		return
	}
	entry := mapNode(tree.Field{Key: "name", Value: catalogs.TextNode(r.Bundle)})
	for _, key := range []string{"replaces", "skips", "skipRange"} {
		if n := r.Item.Get(key); n != nil {
			entry.Fields = append(entry.Fields, tree.Field{Key: key, Value: *n})
		}
	}
	entry.Place = r.Item.Place
	for _, channel := range r.Channels {
		there := false
		for i := range entries.Items {
			if n := &entries.Items[i]; n.Str("schema") == catalogs.SchemaChannel && n.Str("name") == channel.Value {
				if list := n.Get("entries"); list != nil {
					if there = true; !slices.ContainsFunc(list.Items, func(e tree.Node) bool { return sameFields(&e, &entry) }) {
						list.Items = append(list.Items, entry)
					}
				}
			}
		}
		if !there {
			list := tree.Node{Kind: tree.List, Items: []tree.Node{entry}}
			entries.Items = append(entries.Items, mapNode(tree.Field{Key: "schema", Value: catalogs.TextNode(catalogs.SchemaChannel)}, tree.Field{Key: "name", Value: catalogs.TextNode(channel.Value)},
				tree.Field{Key: "package", Value: catalogs.TextNode(name)}, tree.Field{Key: "entries", Value: list}))
		}
	}
	if !slices.ContainsFunc(entries.Items, func(n tree.Node) bool {
		return n.Str("schema") == catalogs.SchemaBundle && n.Str("image") == image.Text
	}) {
		entries.Items = append(entries.Items, mapNode(tree.Field{Key: "schema", Value: catalogs.TextNode(catalogs.SchemaBundle)}, tree.Field{Key: "image", Value: image}))
	}
}

// sameFields reports whether two mappings have the same values under the same keys.
func sameFields(a, b *tree.Node) bool {
	return len(a.Fields) == len(b.Fields) && !slices.ContainsFunc(a.Fields, func(f tree.Field) bool {
		other := b.Get(f.Key)
		return other == nil || !bytes.Equal(f.Value.AppendJSON(nil), other.AppendJSON(nil))
	})
}

// list lists the image in the channels of a template of schema olm.semver, under their keys as they are spelt, unless it is listed there
// (SemverTemplate.amend).
func list(r *catalogs.Release, root *tree.Node, image tree.Node) {
	for _, channel := range r.Channels {
		one := mapNode(tree.Field{Key: "Image", Value: image})
		if list := root.At(channel.Value, "Bundles"); list != nil {
			if !slices.ContainsFunc(list.Items, func(n tree.Node) bool { return sameFields(&n, &one) }) {
				list.Items = append(list.Items, one)
			}
		} else {
			bundles := mapNode(tree.Field{Key: "Bundles", Value: tree.Node{Kind: tree.List, Items: []tree.Node{one}}})
			root.Fields = append(root.Fields, tree.Field{Key: channel.Value, Place: root.Place, Value: bundles})
		}
	}
}
