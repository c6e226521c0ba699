package cli

import (
	"bytes"

	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// report writes the report to all outputs. Its formats are filtered already, and workflow commands must not be.
func (p *program) report(to []output, r report.Report, style text.Style) error {
	return writeAll(to, func(o output) error {
		format := formatNamed(report.Formats(), o.format)
		if o.path == "" {
			return format.Write(p.rawStdout(), r, style)
		}
		var written bytes.Buffer
		if err := format.Write(&written, r, fileStyle()); err != nil {
			return err
		}
		return writeFile(o.path, written.Bytes())
	})
}
