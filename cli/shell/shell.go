// Package shell writes text for shells: quoted arguments, and scripts that complete what a user types.
package shell

import (
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// Join returns arguments as a command for bash, zsh and fish.
func Join(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = inert.ShellWord(arg)
	}
	return strings.Join(quoted, " ")
}
