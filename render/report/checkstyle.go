package report

import (
	"encoding/xml"
	"io"

	"github.com/olmgraph/olmgraph/render/text"
)

// checkstyleReport is the document that XMLLogger of Checkstyle writes.
type checkstyleReport struct {
	XMLName xml.Name         `xml:"checkstyle"`
	Version string           `xml:"version,attr"` // of Checkstyle, not of olmgraph
	Files   []checkstyleFile `xml:"file"`
}

type checkstyleFile struct {
	Name   string            `xml:"name,attr"`
	Errors []checkstyleError `xml:"error"`
}

type checkstyleError struct {
	Line     int    `xml:"line,attr"` // 0 if it is not known: readers require the attribute
	Column   int    `xml:"column,attr,omitempty"`
	Severity string `xml:"severity,attr"`
	Message  string `xml:"message,attr"`
	Source   string `xml:"source,attr"`
}

// Checkstyle writes the findings by file, in the format of Checkstyle, which review bots and build servers read.
func Checkstyle(w io.Writer, r Report) error {
	out := checkstyleReport{Version: "8.0"}
	at := map[string]int{}
	for f := range r.counted() {
		name := f.Pos.File
		if _, met := at[name]; !met {
			at[name] = len(out.Files)
			out.Files = append(out.Files, checkstyleFile{Name: text.SafeLines(name)})
		}
		file := &out.Files[at[name]]
		file.Errors = append(file.Errors, checkstyleError{Line: f.Pos.Line, Column: f.Pos.Col, Severity: f.Severity.String(),
			Message: text.SafeLines(r.adviceOf(f)), Source: f.Rule})
	}
	return writeXML(w, out)
}

// writeXML writes an indented XML document.
func writeXML(w io.Writer, v any) error {
	text, err := xml.MarshalIndent(v, "", "  ")
	if err == nil {
		_, err = w.Write(append([]byte(xml.Header), append(text, '\n')...))
	}
	return err
}
