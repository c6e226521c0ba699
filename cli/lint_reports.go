package cli

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// output is a format of the report and its file; "" is standard output.
type output struct {
	format text.Format[report.Report]
	file   string
}

// repeatedFlag holds the values of a flag that may be repeated. Unlike cli.StringSlice it does not split values at commas,
// which file names may contain.
type repeatedFlag []string

func (t *repeatedFlag) Set(s string) error { *t = append(*t, s); return nil }
func (t *repeatedFlag) String() string     { return strings.Join(*t, " ") }

func reportsFlag() cli.Flag {
	names := report.FormatNames()
	return enumFlagValue{&cli.GenericFlag{Name: "format", Value: &repeatedFlag{}, Usage: "`FORMAT` of the report, or FORMAT=FILE; may be repeated (default: text). " +
		"There are " + strings.Join(names, ", ")}, names, true}
}

// outputsOf reads the --format flags. Two formats cannot have the same destination.
func outputsOf(c *cli.Context) ([]output, error) {
	wanted := *c.Generic("format").(*repeatedFlag)
	if len(wanted) == 0 {
		wanted = repeatedFlag{"text"}
	}
	var all []output
	met := map[string]string{}
	for _, text := range wanted {
		name, file, toFile := strings.Cut(text, "=")
		if toFile && file == "" {
			return nil, misusef("--format %s: no file after the equals sign", text)
		}
		format, err := reportFormat(name)
		if err != nil {
			return nil, err
		}
		if file = outputFile(file); file != "" {
			file = filepath.Clean(file)
		}
		if other, taken := met[file]; taken {
			return nil, conflictingOutputs(file, other, name)
		}
		met[file] = name
		all = append(all, output{format, file})
	}
	return all, nil
}

// outputFile returns the file that a flag names, or "" if it is standard output.
func outputFile(name string) string {
	if name == "-" || name == "/dev/stdout" {
		return ""
	}
	return name
}

func conflictingOutputs(file, a, b string) error {
	if file == "" {
		return misusef("--format %s and %s cannot both go to standard output: write one to a file, as in --format %s=FILE", a, b, b)
	}
	return misusef("--format %s and %s cannot both go to %s", a, b, file)
}

func reportFormat(name string) (text.Format[report.Report], error) {
	for _, f := range report.Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return text.Format[report.Report]{}, misusef("no format %q%s", name, didYouMean(name, report.FormatNames()))
}

// report writes all reports, even if one fails: those to files first, since the reader of standard output may stop reading.
func (p *program) report(outputs []output, r report.Report, style text.Style) error {
	var failed []error
	for _, o := range outputs {
		if o.file == "" {
			continue
		}
		var written bytes.Buffer
		err := o.format.Write(&written, r, text.Style{Width: 80})
		if err == nil {
			err = writeFile(o.file, written.Bytes())
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s report: %w", o.format.Name, err))
		}
	}
	for _, o := range outputs {
		if o.file == "" {
			failed = append(failed, o.format.Write(p.rawStdout(), r, style))
		}
	}
	return errors.Join(failed...)
}
