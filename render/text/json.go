package text

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// JSONVersion is the version of all JSON formats. Adding a field does not change it; removing a field or changing its meaning
// does.
const JSONVersion = 2

// JSON writes a value as indented JSON, with <, > and & unescaped. Control characters are escaped, so that it is safe to show
// on a terminal or in a log.
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
