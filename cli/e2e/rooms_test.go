package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// TestRooms checks that CONTRIBUTING.md shows the packages as they are; with -update it writes the picture.
func TestRooms(t *testing.T) {
	packages := map[string]bool{}
	eachSource(t, func(path string) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir != "." && !strings.HasSuffix(dir, "test") && !strings.HasSuffix(dir, "e2e") {
			packages[dir] = true
		}
	})
	const begin, end = "<!-- packages: go test ./cli/e2e -run TestRooms -update -->\n", "<!-- end of packages -->\n"
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("CONTRIBUTING.md has no place for the packages")
	}
	picture := "```mermaid\n" + roomsDiagram(packages) + "```\n"
	if picture == old {
		return
	}
	if !*update {
		t.Fatal("CONTRIBUTING.md shows other packages: go test ./cli/e2e -run TestRooms -update")
	}
	catalogtest.Write(t, "CONTRIBUTING.md", before+begin+picture+end+after)
}

// roomsDiagram draws the packages of each floor, which imports itself and those below. Mermaid reserves names as graph, so that none is an ID.
func roomsDiagram(packages map[string]bool) string {
	var b strings.Builder
	b.WriteString("%%{init: {\"flowchart\": {\"wrappingWidth\": 700}}}%%\nflowchart TB\n")
	for i, floor := range []string{"cli", "render", "lint", "graph", "catalogs"} {
		var inside []string
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			if name, ok := strings.CutPrefix(name, floor+"/"); ok {
				inside = append(inside, name)
			}
		}
		fmt.Fprintf(&b, "  floor%d[\"<b>%s</b><br/>%s\"]\n", i, floor, strings.Join(inside, " · "))
		if i > 0 {
			fmt.Fprintf(&b, "  floor%d --> floor%d\n", i-1, i)
		}
	}
	return b.String()
}
