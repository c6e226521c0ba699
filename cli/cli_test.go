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

func TestWithin(t *testing.T) {
	for _, c := range []struct{ ref, name, want string }{
		{"catalogs", "v4.18", "catalogs/v4.18"}, {"catalogs/", "v4.18", "catalogs/v4.18"}, {"catalogs/", "", "catalogs"}, {"/", "v4.18", "/v4.18"},
		{"docker://registry.example/a:v1", "", "docker://registry.example/a:v1"}, {"git:HEAD:", "v4.18", "git:HEAD:v4.18"}, {"git:HEAD:a", "v4.18", "git:HEAD:a/v4.18"},
	} {
		if got := within(c.ref, c.name); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.name, c.ref, got, c.want)
		}
	}
}
