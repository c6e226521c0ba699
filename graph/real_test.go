package graph

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

var realCatalogs = []string{"v4.14", "v4.18", "v4.20", "v4.22"}

// readReal reads what the graph needs of a catalog in blocks of YAML.
func readReal(t testing.TB, catalog string) map[string]*catalogs.Package {
	root := catalogtest.Data(t, "fbc/community-"+catalog)
	packages := map[string]*catalogs.Package{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
			if err := readDocument(packages, document); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		joinBundles(p)
	}
	return packages
}

var (
	topField       = regexp.MustCompile(`(?m)^(schema|name|package): *(.*)$`)
	packageVersion = regexp.MustCompile(`(?m)^- type: olm\.package\n  value:\n    packageName: .*\n(?:    release: .*\n)?    version: (.*)$`)
)

func readDocument(packages map[string]*catalogs.Package, document []byte) error {
	fields := map[string]string{}
	for _, m := range topField.FindAllSubmatch(document, -1) {
		fields[string(m[1])] = strings.Trim(string(m[2]), `"'`)
	}
	name := fields["package"]
	if packages[name] == nil {
		packages[name] = &catalogs.Package{Name: text(name)}
	}
	p := packages[name]
	switch fields["schema"] {
	case catalogs.SchemaChannel:
		c, err := readChannel(document)
		p.Channels = append(p.Channels, c)
		return err
	case catalogs.SchemaBundle:
		b := &catalogs.Bundle{Name: text(fields["name"])}
		if m := packageVersion.FindSubmatch(document); m != nil {
			b.Version = text(strings.Trim(string(m[1]), `"'`))
		}
		p.Bundles = append(p.Bundles, b)
	}
	return nil
}

func readChannel(document []byte) (*catalogs.Channel, error) {
	var raw struct {
		Name    string
		Entries []struct {
			Name, Replaces string
			Skips          []string
			SkipRange      string `yaml:"skipRange"`
		}
	}
	err := yaml.Unmarshal(document, &raw)
	c := &catalogs.Channel{Name: text(raw.Name)}
	for _, e := range raw.Entries {
		entry := catalogs.Entry{Name: text(e.Name), Replaces: text(e.Replaces), SkipRange: text(e.SkipRange)}
		for _, skip := range e.Skips {
			entry.Skips = append(entry.Skips, text(skip))
		}
		c.Entries = append(c.Entries, entry)
	}
	return c, err
}

func joinBundles(p *catalogs.Package) {
	bundles := map[string]*catalogs.Bundle{}
	for _, b := range p.Bundles {
		bundles[b.Name.Value] = b
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			c.Entries[i].Bundle = bundles[c.Entries[i].Name.Value]
		}
	}
}

func lines(t *testing.T, file string) [][]string {
	data, err := os.ReadFile(catalogtest.Data(t, "expected/"+file))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// TestReal compares with what opm and OLM's own resolver say of published catalogs.
func TestReal(t *testing.T) {
	for _, catalog := range realCatalogs {
		t.Run(catalog, func(t *testing.T) {
			graphs := map[[2]string]*Graph{}
			for name, p := range readReal(t, catalog) {
				for _, c := range p.Channels {
					graphs[[2]string{name, c.Name.Value}] = New(p, c)
				}
			}
			checkRealNext(t, graphs, lines(t, "olm-v0-next-"+catalog+".tsv"))
			checkRealPaths(t, graphs, lines(t, "olm-v0-next-"+catalog+".tsv"))
			checkRealHeads(t, graphs, lines(t, "opm-list-channels-"+catalog+".txt")[1:])
			stuck := 0
			for _, g := range graphs {
				checkV0(t, g)
				checkV1(t, g)
				checkStuck(t, g)
				stuck += len(g.Stuck())
				if len(g.StrandedEntries()) > 0 || g.Chain().Cycle != nil {
					t.Errorf("opm would reject %s: %v", g.Channel.Name.Value, names(g, g.StrandedEntries()))
				}
			}
			t.Logf("%d channels, %d stuck entries", len(graphs), stuck)
		})
	}
}

func checkRealNext(t *testing.T, graphs map[[2]string]*Graph, lines [][]string) {
	for _, line := range lines {
		g := graphs[[2]string{line[0], line[1]}]
		from, ok := g.Index(line[2])
		if !ok {
			t.Fatalf("no entry for %v", line)
		}
		got := "-"
		if e, ok := g.Next(from); ok {
			got = g.Name(e.To)
		}
		if got != line[3] {
			t.Errorf("%v: next is %s", line, got)
		}
	}
	t.Logf("%d entries compared", len(lines))
}

// checkRealPaths asks for the path from every entry to its head: each upgrade must be that of OLM's resolver, and there must be a
// path if and only if its upgrades lead there.
func checkRealPaths(t *testing.T, graphs map[[2]string]*Graph, lines [][]string) {
	next := map[[3]string]string{}
	for _, line := range lines {
		next[[3]string(line[:3])] = line[3]
	}
	ways, hops := 0, 0
	for _, line := range lines {
		g := graphs[[2]string{line[0], line[1]}]
		head, _ := g.Head()
		pg := &PackageGraph{Package: g.Package, Graphs: []*Graph{g}}
		answer := pg.Ask(Question{Channel: g, From: line[2], To: g.Name(head), Limit: 1})
		at := line[2]
		for i := range answer.Automatic {
			if at = next[[3]string{line[0], line[1], at}]; answer.Automatic[i].To != at {
				t.Fatalf("%v: step %d is to %s, want %s", line, i+1, answer.Automatic[i].To, at)
			}
			hops++
		}
		if (at == g.Name(head)) != (len(answer.Paths) == 1) || (answer.Obstacle == nil) != (at == g.Name(head)) {
			t.Errorf("%v ends at %s: %d ways, obstacle %v", line, at, len(answer.Paths), answer.Obstacle)
		}
		if next[[3]string{line[0], line[1], at}] != "-" {
			t.Errorf("%v: %s is not the end", line, at)
		}
		ways += len(answer.Paths)
	}
	t.Logf("%d ways to the head, %d hops", ways, hops)
}

func checkRealHeads(t *testing.T, graphs map[[2]string]*Graph, lines [][]string) {
	if len(lines) != len(graphs) {
		t.Errorf("%d channels, and opm lists %d", len(graphs), len(lines))
	}
	for _, line := range lines {
		g := graphs[[2]string{line[0], line[1]}]
		if head, ok := g.Head(); !ok || g.Name(head) != line[2] {
			t.Errorf("%v: heads are %s", line, names(g, g.Heads()))
		}
	}
}
