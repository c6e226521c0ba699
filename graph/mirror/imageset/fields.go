package imageset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// configShape returns the type of an ImageSetConfiguration (oc-mirror: api/v2alpha1).
func configShape() *tree.Shape {
	str, yes, number := &tree.Shape{}, &tree.Shape{Kind: tree.BoolShape}, &tree.Shape{Kind: tree.IntShape}
	object := func(fields map[string]*tree.Shape) *tree.Shape {
		s := tree.StructOf()
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			s.Fields = append(s.Fields, tree.ShapeField{Key: key, Shape: fields[key]})
		}
		return s
	}
	list := tree.ListOf
	platforms := list(object(map[string]*tree.Shape{"os": str, "architecture": str}))
	channel := object(map[string]*tree.Shape{"name": str, "minVersion": str, "maxVersion": str})
	pkg := object(map[string]*tree.Shape{"name": str, "defaultChannel": str, "minVersion": str, "maxVersion": str, "channels": list(channel)})
	operator := object(map[string]*tree.Shape{"catalog": str, "targetCatalog": str, "targetTag": str, "full": yes, "skipDependencies": yes,
		"targetCatalogSourceTemplate": str, "platforms": platforms, "packages": list(pkg)})
	release := object(map[string]*tree.Shape{"name": str, "type": str, "minVersion": str, "maxVersion": str, "shortestPath": yes, "full": yes})
	chart := object(map[string]*tree.Shape{"name": str, "version": str, "path": str, "imagePaths": list(str), "platforms": platforms})
	image := object(map[string]*tree.Shape{"name": str, "targetRepo": str, "targetTag": str, "platforms": platforms})
	named := list(object(map[string]*tree.Shape{"name": str}))
	return object(map[string]*tree.Shape{"kind": str, "apiVersion": str, "archiveSize": number, "mirror": object(map[string]*tree.Shape{
		"platform": object(map[string]*tree.Shape{"graph": yes, "channels": list(release), "architectures": list(str), "platforms": platforms, "release": str,
			"kubeVirtContainer": yes}),
		"operators": list(operator), "additionalImages": list(image), "blockedImages": named, "samples": named,
		"helm": object(map[string]*tree.Shape{"local": list(chart),
			"repositories": list(object(map[string]*tree.Shape{"url": str, "name": str, "charts": list(chart)}))}),
	})})
}

// check reports fields that oc-mirror does not know, repeated ones, and values of the wrong type (oc-mirror: config ReadConfig, LoadConfig).
func (r *reader) check(n *tree.Node, want *tree.Shape, path string) {
	switch {
	case n.Kind == tree.Null:
	case want.Kind == tree.StructShape && n.Kind == tree.Map:
		r.checkFields(n, want, path)
	case want.Kind == tree.ListShape && n.Kind == tree.List:
		for i := range n.Items {
			r.check(&n.Items[i], want.Elem, fmt.Sprintf("%s[%d]", path, i))
		}
	case !hasShape(n, want.Kind):
		f := Fault{Pos: r.pos(n.Place), Message: fmt.Sprintf("%s is %s, and oc-mirror wants %s", cmp.Or(path, "the text"), n.Kind.WithArticle(), shapeName(want.Kind))}
		if want.Kind == tree.StringShape && n.Source+n.Text != "" && n.Kind != tree.List && n.Kind != tree.Map {
			f.Fix = fmt.Sprintf("write it in quotes: %q", cmp.Or(n.Source, n.Text))
		}
		r.config.Faults = append(r.config.Faults, f)
	}
}

func (r *reader) checkFields(n *tree.Node, want *tree.Shape, path string) {
	seen := map[string]bool{}
	for i := range n.Fields {
		f := &n.Fields[i]
		at := strings.TrimPrefix(path+"."+f.Key, ".")
		if seen[f.Key] {
			r.config.Faults = append(r.config.Faults, Fault{Pos: r.pos(f.Place), Message: at + " is listed twice"})
		}
		seen[f.Key] = true
		field := want.Field(f.Key)
		if field == nil {
			fault := Fault{Pos: r.pos(f.Place), Message: at + " is not a field of oc-mirror"}
			if like, ok := words.NearestWord(f.Key, words.Map(want.Fields, func(f tree.ShapeField) string { return f.Key })); ok {
				fault.Fix = fmt.Sprintf("write %s", like)
			}
			r.config.Faults = append(r.config.Faults, fault)
			continue
		}
		r.check(&f.Value, field.Shape, at)
	}
}

// hasShape reports whether a scalar is of a type.
func hasShape(n *tree.Node, want tree.ShapeKind) bool {
	switch want {
	case tree.StringShape:
		return n.Kind == tree.String
	case tree.BoolShape:
		return n.Kind == tree.Bool
	case tree.IntShape:
		return n.Kind == tree.Number && !strings.ContainsAny(n.Text, ".eE")
	}
	return false
}

func shapeName(k tree.ShapeKind) string {
	switch k {
	case tree.ListShape:
		return "a list"
	case tree.StructShape:
		return "an object"
	case tree.BoolShape:
		return "true or false"
	case tree.IntShape:
		return "a whole number"
	}
	return "a string"
}
