package cli

import (
	"os"
	"strings"
	"testing"
)

// TestWelcome wants every command in what is shown first.
func TestWelcome(t *testing.T) {
	for _, c := range (&program{}).app().Commands {
		if !strings.Contains(welcome, "\n  olmgraph "+c.Name+" ") {
			t.Errorf("the welcome lacks %s", c.Name)
		}
	}
}

// TestReadmeStatuses wants every command in the README's table of exit statuses.
func TestReadmeStatuses(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "### Exit status\n")
	table, _, _ = strings.Cut(table, "\n### ")
	for _, c := range (&program{}).app().Commands {
		if !strings.Contains(table, "`"+c.Name+"` |") && !strings.Contains(table, "`"+c.Name+"`,") {
			t.Errorf("the table of exit statuses lacks %s", c.Name)
		}
	}
}
