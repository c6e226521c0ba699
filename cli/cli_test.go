package cli

import (
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
