// Package shell writes text for shells: quoted arguments, and scripts that complete what a user types.
package shell

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// plain matches words that no shell expands.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$`)

// Join returns arguments as a command for bash, zsh and fish.
func Join(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = Quote(arg)
	}
	return strings.Join(quoted, " ")
}

// Quote returns a word that bash and zsh expand to s. Text that inert.Text would change is written as $'…', with an escape for each of its
// bytes.
func Quote(s string) string {
	switch {
	case plain.MatchString(s):
		return s
	case inert.Text(s) == s && !strings.Contains(s, "##") && !strings.Contains(s, "::"):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		if c := s[i]; 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(" _./@%+,=-", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String() + "'"
}
