package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/olmgraph/olmgraph/render/text"
)

// Compact writes a line for each finding, in the format of compilers, which editors parse; nothing if there are none.
func Compact(w io.Writer, r Report) error {
	b := bufio.NewWriter(w)
	for f := range r.counted() {
		fmt.Fprintf(b, "%s: %s: %s [%s]\n", text.Safe(f.Pos.String()), f.Severity, text.Safe(f.Message), f.Rule)
	}
	return b.Flush()
}
