package mirror

import (
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// suggestion returns what to write instead of a name that is not known; "" if nothing is like it.
func suggestion(name string, known []string) string {
	if like, ok := words.Nearest(name, known); ok {
		return "write " + like
	}
	return ""
}
