package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/graph/plan/mirrored"
	"github.com/olmgraph/olmgraph/render/text"
)

// imageSetHead is before the operators of an ImageSetConfiguration for oc-mirror v2.
const imageSetHead = "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n"

// ImageSet writes an ImageSetConfiguration that mirrors a selection from a catalog.
func ImageSet(w io.Writer, catalog string, m *mirror.Selection) error {
	var b strings.Builder
	for _, note := range m.Notes {
		fmt.Fprintf(&b, "# %s\n", text.Safe(note))
	}
	b.WriteString(imageSetHead)
	addOperator(&b, catalog, m.Packages, func(name string) string {
		if by := m.RequiredBy[name]; by != "" {
			return " # required by " + text.Safe(by)
		}
		return ""
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// PlanImageSet returns an ImageSetConfiguration that mirrors what a plan passes at an OpenShift version. images are those of the catalogs.
func PlanImageSet(s *mirrored.Set, images []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# OpenShift %s\n%s", s.Minor, imageSetHead)
	for i := range s.Catalogs {
		c := &s.Catalogs[i]
		addOperator(&b, images[c.Index], c.Operator.Packages, func(name string) string {
			if slices.Contains(c.Dependencies, name) {
				return " # a dependency"
			}
			return ""
		})
	}
	return b.String()
}

// addOperator adds what is mirrored of a catalog; why returns a comment on a package, or "".
func addOperator(b *strings.Builder, catalog string, packages []imageset.Package, why func(name string) string) {
	fmt.Fprintf(b, "  - catalog: %s\n    packages:\n", yamlString(catalog))
	for i := range packages {
		p := &packages[i]
		fmt.Fprintf(b, "    - name: %s%s\n      channels:\n", yamlString(p.Name.Value), why(p.Name.Value))
		for _, ch := range p.Channels {
			fmt.Fprintf(b, "      - name: %s\n", yamlString(ch.Name.Value))
			for _, bound := range [][2]string{{"minVersion", ch.Min.Value}, {"maxVersion", ch.Max.Value}} {
				if bound[1] != "" {
					fmt.Fprintf(b, "        %s: %s\n", bound[0], yamlString(bound[1]))
				}
			}
		}
	}
}

// yamlString quotes a string for YAML, which accepts all escapes of Go.
func yamlString(s string) string { return strconv.Quote(s) }

// Images writes the images of the bundles on a path, each once: those of the installed bundle first.
func Images(w io.Writer, p *Path, path graph.Path) error {
	var images []string
	add := func(name string) {
		b := p.PackageGraph.Package.Bundle(name)
		if b == nil {
			return
		}
		images = append(images, b.Image.Value)
		for _, r := range b.RelatedImages {
			images = append(images, r.Image.Value)
		}
	}
	add(p.From)
	for i := range path {
		add(path[i].To)
	}
	var b strings.Builder
	for i, image := range images {
		if image != "" && slices.Index(images, image) == i {
			b.WriteString(text.Safe(image) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
