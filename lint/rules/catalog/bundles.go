package catalog

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// laterProperties returns the positions of all but the first property of a type.
func laterProperties(b *catalogs.Bundle, kind string) []lint.Related {
	var places []lint.Related
	for _, prop := range b.Properties {
		if prop.Type.Value == kind {
			places = append(places, lint.Related{Pos: prop.Type.Pos, Message: "another " + kind})
		}
	}
	return places[1:]
}

func checkBundleWithoutChannel(p *lint.Pass) {
	if !p.Package.IsDefined() {
		return // reported by catalog/unknown-package
	}
	meant := edges.FindMeanings(p)
	for _, b := range edges.UnlistedBundles(p.Package) {
		name := b.Name.Value
		if p.Catalog.MayBeUnread(name) || meant.Include(name) {
			continue
		}
		f := lint.Finding{Subject: lint.Subject{Bundle: name}, Pos: b.Name.Pos,
			Message: fmt.Sprintf("bundle %q is in no channel: it cannot be installed", name),
			Fix:     "add an entry for it to a channel, or remove it"}
		if !b.Name.Pos.IsKnown() {
			f.Pos, f.Message, f.Fix = b.Pos, "a bundle without a name", "add its name"
		}
		p.Report(f)
	}
}

func checkPackageProperty(p *lint.Pass, b *catalogs.Bundle) {
	f := lint.Finding{Subject: lint.Subject{Bundle: b.Name.Value}, Pos: b.Name.Pos}
	switch n := b.PropertyCount(catalogs.TypePackage); {
	case n == 0:
		f.Message = fmt.Sprintf("bundle %q has no olm.package property: its version is unknown", b.Name.Value)
		f.Fix = fmt.Sprintf("add one with packageName %q and its version", b.Package.Value)
	case n > 1:
		f.Message = fmt.Sprintf("bundle %q has %d olm.package properties; opm requires exactly one", b.Name.Value, n)
		f.Fix = "keep the one with the version that the bundle image has"
		f.Related = laterProperties(b, catalogs.TypePackage)
	case b.PackageName.Value != b.Package.Value:
		f.Pos, f.Cause = b.PackageName.Pos, []string{b.Name.Value, b.PackageName.Value}
		f.Message = fmt.Sprintf("the olm.package property names package %q, but the bundle belongs to %q",
			b.PackageName.Value, b.Package.Value)
		f.Fix = fmt.Sprintf("set packageName to %q", b.Package.Value)
	default:
		return
	}
	if !f.Pos.IsKnown() {
		f.Pos = b.Pos
	}
	p.Report(f)
}

func checkBundleImage(p *lint.Pass, b *catalogs.Bundle) {
	if b.Image.Value == "" && b.PropertyCount(catalogs.TypeBundleObject) == 0 {
		p.Report(lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Pos:     b.Pos,
			Message: fmt.Sprintf("bundle %q has neither an image nor its manifests: there is nothing to install", b.Name.Value),
			Fix:     "set image to the bundle image's pull spec, with its digest",
		})
	}
}

// checkReusedImages finds images that a bundle has which another one of the package has as well.
func checkReusedImages(p *lint.Pass) {
	first := map[string]*catalogs.Bundle{}
	for _, b := range p.Package.Bundles {
		image := b.Image.Value
		if image == "" || !strings.Contains(image, "@") {
			continue
		}
		if first[image] == nil || first[image].Name.Value == b.Name.Value {
			first[image] = b
			continue
		}
		p.Report(lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Cause:   []string{b.Name.Value, image},
			Pos:     b.Image.Pos,
			Message: fmt.Sprintf("%q has the image of %q: OLM installs the same version from both", b.Name.Value, first[image].Name.Value),
			Related: []lint.Related{{Pos: first[image].Image.Pos, Message: "the same image"}},
			Fix:     "set the image of each bundle, with its digest",
		})
	}
}

func checkPullSpecs(p *lint.Pass, b *catalogs.Bundle) {
	check := func(image catalogs.Text, what string) {
		if image.Value == "" {
			return
		}
		if err := schema.CheckPullSpec(image.Value); err != nil {
			p.Report(lint.Finding{
				Subject: lint.Subject{Bundle: b.Name.Value},
				Cause:   []string{b.Name.Value, image.Value},
				Pos:     image.Pos,
				Message: fmt.Sprintf("%s %q is not a pull spec: %v", what, image.Value, err),
				Fix:     "write registry/repository:tag or registry/repository@sha256:…, the repository in lower case",
			})
		}
	}
	check(b.Image, "image")
	for _, r := range b.RelatedImages {
		check(r.Image, "the related image")
	}
}

func checkCSVMetadata(p *lint.Pass, b *catalogs.Bundle) {
	if n := b.PropertyCount(catalogs.TypeCSVMetadata); n > 1 {
		more := laterProperties(b, catalogs.TypeCSVMetadata)
		p.Report(lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Pos:     more[0].Pos,
			Message: fmt.Sprintf("bundle %q has %d olm.csv.metadata properties: opm serve fails to answer for it", b.Name.Value, n),
			Fix:     "keep one",
			Related: more[1:],
		})
	}
}

// checkBundleObjectForbidden reports once per package, at the first bundle.
func checkBundleObjectForbidden(p *lint.Pass) {
	version := p.OpenShift()
	if !lint.VersionAtLeast(version, 4, 17) {
		return
	}
	var first *catalogs.Bundle
	n := 0
	for _, b := range p.Package.Bundles {
		if b.PropertyCount(catalogs.TypeBundleObject) > 0 {
			if n++; first == nil {
				first = b
			}
		}
	}
	if first == nil {
		return
	}
	i := first.PropertyIndex(catalogs.TypeBundleObject)
	f := lint.Finding{
		Subject: lint.Subject{Bundle: first.Name.Value},
		Cause:   lint.OncePerPackage(),
		Pos:     first.Properties[i].Type.Pos,
		Message: fmt.Sprintf("%d %s of this catalog for OpenShift %s %s olm.bundle.object properties, which the pipelines reject from 4.17 on",
			n, words.Plural(n, "bundle", "bundles"), version, words.Plural(n, "has", "have")),
		Fix: "render the catalog with --migrate-level=bundle-object-to-csv-metadata",
	}
	if first != p.Package.Bundles[0] {
		f.WarningGates = lint.GatePipelines
	}
	p.Report(f)
}
