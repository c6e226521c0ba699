package mirror

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// BundleImages returns the images of bundles, each once: what oc-mirror copies for them.
func BundleImages(bundles []*catalogs.Bundle) []string {
	var all []string
	for _, b := range bundles {
		all = append(all, b.Image.Value)
		for _, related := range b.RelatedImages {
			all = append(all, related.Image.Value)
		}
	}
	return slices.DeleteFunc(find.Distinct(all), func(image string) bool { return image == "" })
}

// Bundles returns the bundles that are left of a catalog.
func (c *Catalog) Bundles() []*catalogs.Bundle {
	var all []*catalogs.Bundle
	if c.Left != nil {
		for _, p := range c.Left.Packages {
			all = append(all, p.Bundles...)
		}
	}
	return all
}

// checkImages finds bundles to which nobody is upgraded, and which no new installation gets. of has the index of each catalog of the index.
func (r *Report) checkImages(index *resolve.DependencyIndex, of []int) {
	needed := r.neededBundles()
	r.addProviders(needed, index, of)
	var bundles []*catalogs.Bundle
	for _, c := range r.Catalogs {
		for _, b := range c.Bundles() {
			if needed[b] {
				bundles = append(bundles, b)
			}
		}
	}
	images := map[string]bool{}
	for _, image := range BundleImages(bundles) {
		images[image] = true
	}
	for _, c := range r.Catalogs {
		r.reportUnneeded(c, needed, images)
	}
}

// neededBundles returns the bundles to which users are upgraded, or could be, and the heads, which new installations get.
func (r *Report) neededBundles() map[*catalogs.Bundle]bool {
	needed := map[*catalogs.Bundle]bool{}
	for i, c := range r.Catalogs {
		if c.Left == nil {
			continue
		}
		for _, p := range c.Left.Packages {
			for _, g := range c.filteredGraph(p.Name.Value).Graphs {
				for _, head := range g.Heads() {
					needed[g.Channel.Entries[head].Bundle] = true
				}
			}
		}
		for _, u := range r.users[i] {
			whole, left := c.channel(u.Package, u.Channel)
			if left == nil || u.Installed.Name == "" {
				continue
			}
			along := []*graph.Graph{left}
			if whole != nil && judge(&u, whole, left) == stranded { // with what is to be mirrored as well
				along = append(along, whole)
			}
			for _, g := range along {
				for _, name := range upgradePath(g, u.Installed) {
					needed[c.filteredGraph(u.Package).Package.Bundle(name)] = true
				}
			}
		}
	}
	return needed
}

// addProviders adds the bundles that meet requirements of those that are needed, unless one of them is needed anyway.
func (r *Report) addProviders(needed map[*catalogs.Bundle]bool, index *resolve.DependencyIndex, of []int) {
	bundle := func(o resolve.IndexedBundle) *catalogs.Bundle {
		return r.Catalogs[of[o.Catalog()]].Left.Package(o.Package()).Bundle(o.Name())
	}
	for changed := true; changed; {
		changed = false
		for _, d := range index.Dependencies {
			wanted := false
			for _, o := range d.Dependents {
				wanted = wanted || needed[bundle(o)]
			}
			all := d.Providers()
			for _, o := range all {
				wanted = wanted && !needed[bundle(o)]
			}
			if !wanted || d.Operator == "not" {
				continue
			}
			for _, o := range all {
				needed[bundle(o)], changed = true, true
			}
		}
	}
}

// reportUnneeded reports what a package, or a catalog of which the image set names no packages, has for nobody.
func (r *Report) reportUnneeded(c *Catalog, needed map[*catalogs.Bundle]bool, images map[string]bool) {
	if c.Left == nil {
		return
	}
	var of []*catalogs.Bundle
	report := func(pkg string) {
		var unneeded []string
		names := words.Map(of, func(b *catalogs.Bundle) string { return b.Name.Value })
		for _, image := range BundleImages(of) {
			if !images[image] {
				unneeded = append(unneeded, image)
			}
		}
		if of = nil; len(unneeded) == 0 {
			return
		}
		where := fmt.Sprintf("package %q", pkg)
		if pkg == "" {
			where = "the catalog"
		}
		f := r.find(c, kindUnneeded, Info, c.pos(pkg, ""), pkg, "", fmt.Sprintf("%s: no user is upgraded to %s: %s not needed", where, words.And(names), words.CountPlural(len(unneeded), "image is", "images are")))
		f.Bundles, f.Images = names, unneeded
	}
	for _, p := range c.Left.Packages {
		for _, b := range p.Bundles {
			if !needed[b] {
				of = append(of, b)
			}
		}
		if c.Operator.Package(p.Name.Value) != nil {
			report(p.Name.Value)
		}
	}
	report("")
}
