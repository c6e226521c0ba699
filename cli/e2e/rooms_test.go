package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	if err := os.WriteFile("CONTRIBUTING.md", []byte(before+begin+picture+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// roomsDiagram draws the packages of each floor; a floor imports itself and those below.
func roomsDiagram(packages map[string]bool) string {
	floors := []string{"cli", "render", "lint", "graph", "catalogs"}
	var b strings.Builder
	b.WriteString("flowchart TB\n")
	for i, floor := range floors {
		fmt.Fprintf(&b, "  subgraph %s\n    direction LR\n", floor)
		of := []string{}
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			if first, _, _ := strings.Cut(name, "/"); first == floor {
				of = append(of, strings.TrimPrefix(name, floor+"/"))
			}
		}
		for j := 0; j < len(of); j += 9 {
			fmt.Fprintf(&b, "    %s%d[\"%s\"]\n", floor, j/9, strings.Join(of[j:min(j+9, len(of))], "<br/>"))
		}
		b.WriteString("  end\n")
		if i > 0 {
			fmt.Fprintf(&b, "  %s --> %s\n", floors[i-1], floor)
		}
	}
	return b.String()
}
