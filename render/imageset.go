package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror"
	"github.com/olmgraph/olmgraph/render/text"
)

// ImageSet writes an ImageSetConfiguration for oc-mirror v2 that mirrors a selection from a catalog.
func ImageSet(w io.Writer, catalog string, m *mirror.Selection) error {
	var b strings.Builder
	for _, note := range m.Notes {
		fmt.Fprintf(&b, "# %s\n", text.Safe(note))
	}
	b.WriteString("kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n")
	fmt.Fprintf(&b, "  - catalog: %s\n    packages:\n", yamlString(catalog))
	for i := range m.Packages {
		p := &m.Packages[i]
		fmt.Fprintf(&b, "    - name: %s", yamlString(p.Name.Value))
		if by := m.RequiredBy[p.Name.Value]; by != "" {
			fmt.Fprintf(&b, " # required by %s", text.Safe(by))
		}
		b.WriteString("\n      channels:\n")
		for _, ch := range p.Channels {
			fmt.Fprintf(&b, "      - name: %s\n", yamlString(ch.Name.Value))
			for _, bound := range [][2]string{{"minVersion", ch.Min.Value}, {"maxVersion", ch.Max.Value}} {
				if bound[1] != "" {
					fmt.Fprintf(&b, "        %s: %s\n", bound[0], yamlString(bound[1]))
				}
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
	for _, image := range find.Distinct(images) {
		if image != "" {
			b.WriteString(text.Safe(image) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
