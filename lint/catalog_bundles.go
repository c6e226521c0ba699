package lint

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

func checkDuplicateBundle(p *Pass) {
	for _, b := range p.Package.Bundles {
		if first := p.Package.Bundle(b.Name.Value); first != b {
			p.Report(Finding{
				Subject: Subject{Bundle: b.Name.Value},
				Pos:     b.Name.Pos,
				Message: fmt.Sprintf("bundle %q is defined a second time", b.Name.Value),
				Fix:     "keep one of the two; a rebuilt bundle needs a new version and name",
				Related: []Related{{Pos: first.Name.Pos, Message: "first defined here"}},
			})
		}
	}
}

func checkPackageProperty(p *Pass, b *catalogs.Bundle) {
	f := Finding{Subject: Subject{Bundle: b.Name.Value}, Pos: b.Name.Pos}
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
	if !f.Pos.Known() {
		f.Pos = b.Pos
	}
	p.Report(f)
}

// laterProperties points to the second and later properties of a type.
func laterProperties(b *catalogs.Bundle, kind string) []Related {
	var places []Related
	for _, prop := range b.Properties {
		if prop.Type.Value == kind {
			places = append(places, Related{Pos: prop.Type.Pos, Message: "another " + kind})
		}
	}
	return places[1:]
}

func checkBundleImage(p *Pass, b *catalogs.Bundle) {
	if b.Image.Value == "" && b.PropertyCount(catalogs.TypeBundleObject) == 0 {
		p.Report(Finding{
			Subject: Subject{Bundle: b.Name.Value},
			Pos:     b.Pos,
			Message: fmt.Sprintf("bundle %q has neither an image nor its manifests: there is nothing to install", b.Name.Value),
			Fix:     "set image to the bundle image's pull spec, with its digest",
		})
	}
}

func checkPullSpecs(p *Pass, b *catalogs.Bundle) {
	check := func(image catalogs.Text, what string) {
		if image.Value == "" {
			return
		}
		if err := checkPullSpec(image.Value); err != nil {
			p.Report(Finding{
				Subject: Subject{Bundle: b.Name.Value},
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

func checkCSVMetadata(p *Pass, b *catalogs.Bundle) {
	if n := b.PropertyCount(catalogs.TypeCSVMetadata); n > 1 {
		more := laterProperties(b, catalogs.TypeCSVMetadata)
		p.Report(Finding{
			Subject: Subject{Bundle: b.Name.Value},
			Pos:     more[0].Pos,
			Message: fmt.Sprintf("bundle %q has %d olm.csv.metadata properties: opm serve fails to answer for it", b.Name.Value, n),
			Fix:     "keep one",
			Related: more[1:],
		})
	}
}

// checkBundleObjectForbidden reports once a package, at the first bundle.
func checkBundleObjectForbidden(p *Pass) {
	version := p.openShift()
	if !atLeast(version, 4, 17) {
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
	p.Report(Finding{
		Subject: Subject{Bundle: first.Name.Value},
		Cause:   oncePerPackage(),
		Pos:     first.Properties[i].Type.Pos,
		Message: fmt.Sprintf("%d %s of this catalog for OpenShift %s have olm.bundle.object properties, which the hubs refuse from 4.17 on",
			n, plural(n, "bundle", "bundles"), version),
		Fix: "render the catalog with --migrate-level=bundle-object-to-csv-metadata",
	})
}

// atLeast reports whether a version like "4.18" is known and not below major.minor.
func atLeast(version string, major, minor int) bool {
	a, b, ok := strings.Cut(version, ".")
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return ok && errX == nil && errY == nil && (x > major || x == major && y >= minor)
}
