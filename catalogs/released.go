package catalogs

import (
	"context"
	"path"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Release is what the release of a bundle adds to a template, by an item of catalog_templates in its release-config.yaml.
type Release struct {
	Template, Bundle string // the names of the template and of the bundle
	Replaces         Text
	Channels, Skips  []Text
	SkipRange        Text

	source   *source
	options  Options
	operator string // the folder
	version  string // the folder of the bundle
	item     *tree.Node
}

// communityImages is where the pipeline of the community catalog pushes the images of bundles, as NAME:VERSION (operator-pipelines: copy-image).
const communityImages = "quay.io/community-operator-pipeline-prod"

// releases returns a problem for each item of catalog_templates: what it makes of its template is not known yet.
func (l *layout) releases(operator, bundle string, f *pipelineFile) []Problem {
	var all []Problem
	list := items(f.root, "catalog_templates")
	for i := range list {
		item := &list[i]
		text := func(n *tree.Node) Text {
			if n == nil {
				return Text{}
			}
			return Text{Value: n.Text, Pos: f.decoder.pos(n.Place)}
		}
		texts := func(key string) (all []Text) {
			for _, n := range items(item, key) {
				all = append(all, text(&n))
			}
			return all
		}
		all = append(all, Problem{Kind: ReleaseOutcome, Pos: f.decoder.pos(item.Place), Cause: []string{path.Base(bundle), string(item.AppendJSON(nil))}, Release: &Release{
			Template: item.Str("template_name"), Replaces: text(item.Get("replaces")), SkipRange: text(item.Get("skipRange")), Channels: texts("channels"), Skips: texts("skips"),
			source: l.source, options: l.options, operator: operator, version: path.Base(bundle), item: item, Bundle: csvName(l.source, bundle)}})
	}
	return all
}

// Make returns the catalog of the template, and what it is after the release; nil if that is not known: there is no template yet, or it has the
// bundle already (operator-pipelines: add_bundle_to_fbc).
func (r *Release) Make(ctx context.Context) (before, after *Catalog) {
	file := path.Join(r.operator, templateFolder, r.Template)
	if r.Bundle == "" || !isFile(r.source.fsys, file) || r.source.restricted(r.source.display(file)) {
		return nil, nil
	}
	s := r.source.only(file)
	before, err := openTemplate(ctx, s, file, r.options)
	if err != nil || before == nil || before.Template.Rejected || slices.ContainsFunc(before.Packages, func(p *Package) bool { return p.Bundle(r.Bundle) != nil }) {
		return nil, nil
	}
	x, root := readTemplate(ctx, s, file, r.options)
	if root == nil {
		return nil, nil
	}
	x.home = homeOf(s, file, r.options)
	name := path.Base(x.home.operator)
	image := textNode(communityImages + "/" + name + ":" + r.version)
	if before.Template.Generated() {
		r.list(root, image)
	} else {
		r.add(root, name, image)
	}
	if after, err = x.expand(root); err != nil {
		return nil, nil
	}
	return before, after
}

func textNode(text string) tree.Node { return tree.Node{Kind: tree.String, Text: text} }

func mapNode(fields ...tree.Field) tree.Node { return tree.Node{Kind: tree.Map, Fields: fields} }

// add adds the entry to the channels of a basic template, and the image (BasicTemplate.amend).
func (r *Release) add(root *tree.Node, name string, image tree.Node) {
	entries := root.Get("entries")
	if entries == nil {
		return
	}
	entry := mapNode(tree.Field{Key: "name", Value: textNode(r.Bundle)})
	for _, key := range []string{"replaces", "skips", "skipRange"} {
		if n := r.item.Get(key); n != nil {
			entry.Fields = append(entry.Fields, tree.Field{Key: key, Value: *n})
		}
	}
	entry.Place = r.item.Place
	for _, channel := range r.Channels {
		there := false
		for i := range entries.Items {
			if n := &entries.Items[i]; n.Str("schema") == SchemaChannel && n.Str("name") == channel.Value {
				if list := n.Get("entries"); list != nil {
					list.Items, there = append(list.Items, entry), true
				}
			}
		}
		if !there {
			list := tree.Node{Kind: tree.List, Items: []tree.Node{entry}}
			entries.Items = append(entries.Items, mapNode(tree.Field{Key: "schema", Value: textNode(SchemaChannel)}, tree.Field{Key: "name", Value: textNode(channel.Value)},
				tree.Field{Key: "package", Value: textNode(name)}, tree.Field{Key: "entries", Value: list}))
		}
	}
	entries.Items = append(entries.Items, mapNode(tree.Field{Key: "schema", Value: textNode(SchemaBundle)}, tree.Field{Key: "image", Value: image}))
}

// list lists the image in the channels of a template of schema olm.semver, under their keys as they are spelt (SemverTemplate.amend).
func (r *Release) list(root *tree.Node, image tree.Node) {
	for _, channel := range r.Channels {
		one := mapNode(tree.Field{Key: "Image", Value: image})
		if list := root.At(channel.Value, "Bundles"); list != nil {
			list.Items = append(list.Items, one)
		} else {
			bundles := mapNode(tree.Field{Key: "Bundles", Value: tree.Node{Kind: tree.List, Items: []tree.Node{one}}})
			root.Fields = append(root.Fields, tree.Field{Key: channel.Value, Place: root.Place, Value: bundles})
		}
	}
}
