package text

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// JSONVersion is the version of the JSON report. A field may be added without a new one; none is taken away or given
// another meaning.
const JSONVersion = 2

// JSON writes a value as people indent it, and leaves <, > and & as they are. Shown on a terminal or in a log, it commands
// nothing.
func JSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(inert.JSON(text.Bytes()))
	return err
}
