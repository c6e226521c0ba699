package manifests

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// csvObject is what is read of a ClusterServiceVersion.
type csvObject struct {
	Name, version, replaces, skipRange catalogs.Text
	skips                              []catalogs.Text
	Owned, required                    []ownedCRD
	images                             []catalogs.RelatedImage
	annotation                         catalogs.Text            // olm.properties, which is JSON
	metadataProperties                 []catalogs.PropertyValue // of the metadata of the bundle
	ownedServices                      []catalogs.API
	requiredServices                   []catalogs.API
}

// ownedCRD is an entry of the CSV's list of owned or required CRDs.
type ownedCRD struct {
	Name, Version, Kind               string
	Pos, namePos, versionPos, kindPos catalogs.Pos
}

// crdObject is what is read of a CustomResourceDefinition.
type crdObject struct {
	Name, Group, Kind string
	Versions          []string
	Pos               catalogs.Pos
}

// inFile returns the CSV with its positions in another file.
func (c csvObject) inFile(file string) csvObject {
	in := func(pos *catalogs.Pos) {
		if pos.File != "" {
			pos.File = file
		}
	}
	for _, t := range []*catalogs.Text{&c.Name, &c.version, &c.replaces, &c.skipRange, &c.annotation} {
		in(&t.Pos)
	}
	c.skips, c.Owned, c.required, c.images = slices.Clone(c.skips), slices.Clone(c.Owned), slices.Clone(c.required), slices.Clone(c.images)
	for i := range c.skips {
		in(&c.skips[i].Pos)
	}
	for i := range c.Owned {
		in(&c.Owned[i].Pos)
	}
	for i := range c.required {
		in(&c.required[i].Pos)
	}
	for i := range c.images {
		in(&c.images[i].Name.Pos)
		in(&c.images[i].Image.Pos)
	}
	return c
}

func readCSV(d *form.Decoder, n *tree.Node) csvObject {
	c := csvObject{Name: d.Text(n, "metadata", "name"), version: d.Text(n, "spec", "version"), replaces: d.Text(n, "spec", "replaces"),
		skipRange: d.Text(n, "metadata", "annotations", "olm.skipRange"), annotation: d.Text(n, "metadata", "annotations", "olm.properties"),
		Owned: readCRDs(d, n, "owned"), required: readCRDs(d, n, "required")}
	if c.Name.Pos.File == "" {
		c.Name.Pos = d.Pos(n.Place)
	}
	skips := form.Items(n, "spec", "skips")
	for i := range skips {
		if skips[i].Kind == tree.String {
			c.skips = append(c.skips, catalogs.Text{Value: skips[i].Text, Pos: d.Pos(skips[i].Place)})
		}
	}
	images := form.Items(n, "spec", "relatedImages")
	for i := range images {
		c.images = append(c.images, catalogs.RelatedImage{Name: d.Text(&images[i], "name"), Image: d.Text(&images[i], "image")})
	}
	c.ownedServices, c.requiredServices = services(d, n, "owned"), services(d, n, "required")
	return c
}

func readCRDs(d *form.Decoder, n *tree.Node, list string) []ownedCRD {
	var all []ownedCRD
	listed := form.Items(n, "spec", "customresourcedefinitions", list)
	for i := range listed {
		v := &listed[i]
		name, version, kind := d.Text(v, "name"), d.Text(v, "version"), d.Text(v, "kind")
		all = append(all, ownedCRD{Name: name.Value, Version: version.Value, Kind: kind.Value,
			Pos: d.Pos(v.Place), namePos: name.Pos, versionPos: version.Pos, kindPos: kind.Pos})
	}
	return all
}

func services(d *form.Decoder, n *tree.Node, list string) []catalogs.API {
	var all []catalogs.API
	listed := form.Items(n, "spec", "apiservicedefinitions", list)
	for i := range listed {
		v := &listed[i]
		all = append(all, catalogs.API{Group: d.Text(v, "group").Value, Version: d.Text(v, "version").Value, Kind: d.Text(v, "kind").Value})
	}
	return all
}

func readCRD(d *form.Decoder, n *tree.Node) crdObject {
	c := crdObject{Name: d.Text(n, "metadata", "name").Value, Group: d.Text(n, "spec", "group").Value,
		Kind: d.Text(n, "spec", "names", "kind").Value, Pos: d.Pos(n.Place)}
	versions := form.Items(n, "spec", "versions")
	for i := range versions {
		c.Versions = append(c.Versions, d.Text(&versions[i], "name").Value)
	}
	if v := d.Text(n, "spec", "version").Value; v != "" && !slices.Contains(c.Versions, v) {
		c.Versions = append(c.Versions, v)
	}
	return c
}

// entry returns the entry of a CSV in a channel, with all its edges.
func (c *csvObject) entry() catalogs.Entry {
	return catalogs.Entry{Name: c.Name, Replaces: c.replaces, Skips: c.skips, SkipRange: c.skipRange, Pos: c.Name.Pos}
}
