package template_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// documents returns the YAML documents of a file.
func documents(t *testing.T, name string) []tree.Node {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var roots []tree.Node
	for _, document := range bytes.Split(append([]byte("\n"), text...), []byte("\n---\n")) {
		if root := parse(t, string(document)); root.Kind != tree.Null {
			roots = append(roots, *root)
		}
	}
	return roots
}

func TestReadRealTemplates(t *testing.T) {
	for _, name := range catalogtest.Match(t, "templates/*/catalog-templates/*") {
		f, faults := template.Read(&documents(t, name)[0])
		for _, fault := range faults {
			if !fault.Accepted {
				t.Errorf("%s:%d: %s", name, fault.Line, fault.Message)
			}
		}
		if !template.IsSchema(f.Schema) {
			t.Errorf("%s: %q", name, f.Schema)
		}
	}
}

// TestExpandRealTemplates expands the semver templates of published catalogs: each is published as some version of opm expands it.
func TestExpandRealTemplates(t *testing.T) {
	compared := 0
	for _, name := range catalogtest.Match(t, "templates/*/catalog-templates/semver.yaml") {
		f, _ := template.Read(&documents(t, name)[0])
		operator := filepath.Base(filepath.Dir(filepath.Dir(name)))
		published, err := filepath.Glob(filepath.Join(catalogtest.Data(t, "fbc"), "community-v4.20", operator, "catalog.yaml"))
		if err != nil || len(published) == 0 || f.Channels == nil {
			continue
		}
		bundles, want := map[string]template.Bundle{}, &template.Expansion{}
		for _, d := range documents(t, published[0]) {
			switch d.Str("schema") {
			case "olm.package":
				want.DefaultChannel = d.Str("defaultChannel")
			case "olm.channel":
				want.Channels = append(want.Channels, channel(&d))
			case "olm.bundle":
				bundles[d.Str("image")] = bundle(&d)
			}
		}
		if slices.ContainsFunc(f.Channels.Images(), func(i template.Text) bool { return bundles[i.Value].Name == "" }) {
			continue // the template is newer than the catalog
		}
		agrees := slices.ContainsFunc(eraVersions(), func(version string) bool {
			e, _ := f.Channels.Expand(bundles, opm(t, version))
			return e != nil && sortLines(edges(e)) == sortLines(edges(want))
		})
		if compared++; !agrees {
			t.Errorf("%s: no version of opm expands it to what is published", operator)
		}
	}
	t.Logf("%d templates", compared)
}

func channel(n *tree.Node) template.Channel {
	c := template.Channel{Name: n.Str("name")}
	for _, e := range n.Get("entries").Items {
		entry := template.Entry{Name: e.Str("name"), Replaces: e.Str("replaces")}
		if skips := e.Get("skips"); skips != nil {
			for _, s := range skips.Items {
				entry.Skips = append(entry.Skips, s.Text)
			}
		}
		c.Entries = append(c.Entries, entry)
	}
	return c
}

func bundle(n *tree.Node) template.Bundle {
	b := template.Bundle{Name: n.Str("name"), Package: n.Str("package")}
	for _, p := range n.Get("properties").Items {
		if p.Str("type") == "olm.package" {
			b.Version = p.Get("value").Str("version")
		}
	}
	return b
}

// sortLines returns the lines of a text in order.
func sortLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
