package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// Compact writes a line for each finding, in the format of compilers, which editors parse; nothing if there are none.
func Compact(w io.Writer, r Report) error {
	b := bufio.NewWriter(w)
	for f := range r.countedFindings() {
		message := f.Message
		if also := alsoIn(f, len(r.Catalogs)); also != "" {
			message += " (" + also + ")"
		}
		if folded := foldedIn(f, ""); len(folded) > 0 {
			message += " (" + strings.Join(folded, "; ") + ")"
		}
		fmt.Fprintf(b, "%s: %s: %s [%s]\n", text.Safe(f.Pos.String()), f.Severity, text.Safe(text.Shorten(message, mostLine)), f.Rule)
	}
	return b.Flush()
}
