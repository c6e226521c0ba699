package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// output is a place where an answer goes, and its format.
type output struct {
	format string
	path   string // of a file or folder; "" is standard output
	folder bool   // path is a folder, which gets a file for each package
}

// outputs are the places where the answer to a command line goes.
type outputs struct {
	streams
	c   *cli.Context
	all []output
}

// has reports whether one of the outputs is in a format.
func (to outputs) has(format string) bool {
	return slices.ContainsFunc(to.all, func(o output) bool { return o.format == format })
}

// hasOther reports whether one of the outputs is in another format.
func (to outputs) hasOther(format string) bool {
	return slices.ContainsFunc(to.all, func(o output) bool { return o.format != format })
}

// formatList lists the formats that a command writes. The first is the default.
type formatList struct {
	names   []string
	folders bool // they can be written to a folder, a file for each package
}

// answerFormats returns the formats of an answer.
func answerFormats[T any](table []text.Format[T]) formatList {
	return formatList{names: formatNames(table)}
}

func formatNames[T any](table []text.Format[T]) []string {
	return words.Map(table, func(f text.Format[T]) string { return f.Name })
}

// endings returns the endings of file names that say a format. Of the formats that JSON holds only the plain one has .json.
func endings(format string) []string {
	switch format {
	case "text", "images":
		return []string{".txt"}
	case "markdown":
		return []string{".md", ".markdown"}
	case "mermaid":
		return []string{".mmd", ".mermaid"}
	case "dot":
		return []string{".dot", ".gv"}
	case "html":
		return []string{".html", ".htm"}
	case "sarif":
		return []string{".sarif", ".sarif.json"}
	case "junit":
		return []string{".xml"}
	case "imageset", "yaml", "release-config", catalogFormat:
		return []string{".yaml", ".yml"}
	case "json", "svg", "png":
		return []string{"." + format}
	}
	return nil
}

// flags returns the flag of the outputs.
func (l formatList) flags() []cli.Flag {
	names := slices.Clone(l.names)
	names[0] += " (default)"
	usage := "write this `FORMAT`: " + words.List(names, "or") + "; or FORMAT=FILE, or a FILE with " + l.endingsInWords()
	if l.folders {
		usage += "; or a FOLDER/, for a file for each package"
	}
	return []cli.Flag{
		enumFlagValue{documentedFlag: &cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: &repeatedFlag{}, Usage: usage + "; may be repeated"}, values: l.names, openEnded: true},
	}
}

// endingsInWords describes the endings of the formats: "the ending .json, .md or .dot".
func (l formatList) endingsInWords() string {
	var all []string
	for _, name := range l.names {
		all = append(all, endings(name)[:min(1, len(endings(name)))]...)
	}
	return "the ending " + words.Or(find.Distinct(all))
}

// repeatedFlag holds the values of a flag that may be repeated. Unlike cli.StringSlice it does not split values at commas,
// which file names may contain.
type repeatedFlag []string

// copied is what the flag package sets for each further name of a flag. Arguments cannot contain it.
const copied = "\x00"

func (t *repeatedFlag) Set(s string) error {
	if s != copied {
		*t = append(*t, s)
	}
	return nil
}
func (t *repeatedFlag) String() string    { return strings.Join(*t, " ") }
func (t *repeatedFlag) Serialize() string { return copied }

// outputs returns the outputs that --output names: standard output in the default format if it names none. A command without formats has none.
func (l formatList) outputs(c *cli.Context, s streams) (to outputs, err error) {
	to = outputs{streams: s, c: c}
	if len(l.names) > 0 {
		to.all, err = l.parse(*c.Generic("output").(*repeatedFlag))
	}
	if s.trying && len(to.all) > 0 {
		to.all = []output{{format: to.all[0].format}}
	}
	return to, err
}

// parse returns the outputs that values of --output name. No two of them have the same destination.
func (l formatList) parse(values []string) ([]output, error) {
	if len(values) == 0 {
		return []output{{format: l.names[0]}}, nil
	}
	var all []output
	for _, value := range values {
		one, err := l.output(value)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if one.path == other.path && (!one.folder || one.format == other.format) {
				return nil, conflictingOutputs(one, other)
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// output parses one value: a format, FORMAT=FILE, a folder, or a file whose ending says the format.
func (l formatList) output(value string) (output, error) {
	name, file, named := strings.Cut(value, "=")
	if meant := formatSynonyms()[name]; l.isFormat(meant) && !l.isFormat(name) {
		name, value = meant, meant+strings.TrimPrefix(value, name)
	}
	switch {
	case l.isFormat(value):
		return output{format: value}, nil
	case named && l.isFormat(name) && file == "":
		return output{}, misusef("-o %s: no file after the equals sign", value)
	case named && l.isFormat(name):
		return l.outputTo(name, file)
	case named && looksLikeFormat(name):
		return output{}, suggestName(misusef("no format %q%s", name, didYouMean(name, l.names)), name, l.names)
	case value == "":
		return output{}, misusef("-o needs a format or a file")
	case isStdout(value) || isFolder(value):
		return l.outputTo(l.names[0], value)
	}
	format, err := l.formatOfFile(value)
	if err != nil {
		return output{}, err
	}
	if named := stem(filepath.Base(value)); l.isFormat(named) && named != format {
		return output{}, suggestInstead(misusef("-o %s: its name says %s, its ending %s: give -o %[2]s=%[1]s or -o %[3]s=%[1]s", value, named, format), value, named+"="+value)
	}
	return l.outputTo(format, value)
}

// outputTo returns the output of a format to a file or folder.
func (l formatList) outputTo(format, file string) (output, error) {
	switch {
	case isStdout(file):
		return output{format: format}, nil
	case isFolder(file) && !l.folders:
		return output{}, misusef("%s is a folder: give a file, as in -o %s=%s", file, format, filepath.Join(file, "FILE"))
	}
	return output{format, filepath.Clean(file), isFolder(file)}, nil
}

// formatSynonyms are words that people write for a format.
func formatSynonyms() map[string]string {
	return map[string]string{"md": "markdown", "mmd": "mermaid", "txt": "text", "htm": "html", "graphviz": "dot", "gv": "dot", "short": "compact", "xml": "junit", "gha": "github"}
}

// formatOfFile returns the format that the ending of a file says; of several endings the longest counts.
func (l formatList) formatOfFile(file string) (string, error) {
	longest, found := "", ""
	for _, name := range l.names {
		for _, ending := range endings(name) {
			if strings.HasSuffix(strings.ToLower(file), ending) && len(ending) > len(longest) {
				longest, found = ending, name
			}
		}
	}
	switch {
	case found != "":
		return found, nil
	case looksLikeFormat(file) && slices.Contains(renderOutputs().names, file):
		return "", suggestCommand(misusef("no format %q: render draws pictures, and with --base those of a change", file), "render", "--help")
	case looksLikeFormat(file) && l.isFormat("dot") && slices.Contains(formatNames(render.ListFormats()), file):
		return "", suggestCommand(misusef("no format %q: render draws the graph, as %s; list has its entries", file, words.List(l.names, "or")), listName, "--help")
	case file == "imageset" && l.isFormat("mermaid") && l.isFormat("text"): // of path
		return "", suggestion{error: misusef("no format %q; did you mean --imageset?", file), was: file, now: []string{"--imageset"}, withFlag: true}
	case file == "imageset" && l.isFormat("catalog"):
		return "", misusef("no format %q: %s", file, onePath)
	case looksLikeFormat(file):
		return "", l.noFormat(file)
	}
	return "", misusef("-o %s: no format has this ending: give a file with %s, or -o FORMAT=FILE with one of %s", file, l.endingsInWords(), strings.Join(l.names, ", "))
}

// noFormat returns the error of a value of -o that is no format: with the one that was probably meant, or else without the flag.
func (l formatList) noFormat(name string) error {
	err := misusef("no format %q%s", name, didYouMean(name, l.names))
	if meant := suggestName(err, name, l.names); meant != err {
		return meant
	}
	err = misuse{unknownName{errors.Unwrap(err)}}
	if l.isFormat("svg") {
		return err
	}
	return suggestion{error: err, was: name, withFlag: true}
}

func (l formatList) isFormat(name string) bool { return slices.Contains(l.names, name) }

// looksLikeFormat reports whether a word is no file, unless it is given as ./WORD.
func looksLikeFormat(word string) bool { return formatWord.MatchString(word) }

var formatWord = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

func isStdout(name string) bool { return name == "-" || name == "/dev/stdout" }

func isFolder(name string) bool {
	return name != "" && (os.IsPathSeparator(name[len(name)-1]) || disk.IsFolder(name))
}

// makeFolders makes the folders of outputs.
func (to outputs) makeFolders() error {
	for _, o := range to.all {
		if !o.folder {
			continue
		}
		if err := os.MkdirAll(o.path, 0o777); err != nil {
			return fmt.Errorf("the folder of -o cannot be made: %w", err)
		}
	}
	return nil
}

// binaryFormats are binary, or already filtered, and no terminal shows them.
func binaryFormats() []string { return []string{"svg", "png", "html"} }

func conflictingOutputs(one, other output) error {
	if one.path == "" {
		return misusef("-o %s and %s cannot both go to standard output: write one to a file, as in -o %s=FILE", other.format, one.format, one.format)
	}
	return misusef("-o %s and %s cannot both go to %s", other.format, one.format, one.path)
}

// checkFormats rejects outputs in formats that are not in a table.
func checkFormats[T any](to outputs, what string, table []text.Format[T]) error {
	for _, o := range to.all {
		if names := formatNames(table); !slices.Contains(names, o.format) {
			return misusef("%s: want -o %s", what, words.List(names, "or"))
		}
	}
	return nil
}

// formatNamed returns the format with a name that the table has.
func formatNamed[T any](table []text.Format[T], name string) text.Format[T] {
	return table[slices.Index(formatNames(table), name)]
}

// write writes an answer to all outputs in a format of the table.
func write[T any](to outputs, table []text.Format[T], answer T) error {
	return to.each(func(o output) error { return writeTo(to, o, table, answer) })
}

// writeTo writes an answer to one of the outputs.
func writeTo[T any](to outputs, o output, table []text.Format[T], answer T) error {
	f := formatNamed(table, o.format)
	if o.path == "" {
		return f.Write(to.stdout, answer, to.style(to.c))
	}
	var written bytes.Buffer
	if err := f.Write(&written, answer, fileStyle()); err != nil {
		return err
	}
	return to.write(o, written.Bytes())
}

// each writes all outputs, even if one fails: those to files first, since the reader of standard output may stop reading.
func (to outputs) each(write func(output) error) error {
	var failed []error
	for _, files := range []bool{true, false} {
		for _, o := range to.all {
			if files != (o.path != "") {
				continue
			}
			err := write(o)
			if err != nil && len(to.all) > 1 {
				err = fmt.Errorf("%s: %w", o.format, err)
			}
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// fileStyle returns the style of text in a file.
func fileStyle() text.Style { return text.Style{Width: 80} }

// write writes a picture or a report to a file, or to standard output.
func (s streams) write(o output, written []byte) error {
	binary := slices.Contains(binaryFormats(), o.format)
	switch {
	case o.path != "" && binary:
		return s.writeFile(o.path, written)
	case o.path != "":
		return s.writeFile(o.path, words.Lines(written, false))
	}
	w := io.Writer(s.stdout)
	if binary {
		w = s.rawStdout()
	}
	_, err := w.Write(written)
	return err
}

// report writes the report to all outputs. Its formats are filtered already, and workflow commands must not be.
func (to outputs) report(r report.Report) error {
	return to.each(func(o output) error {
		format := formatNamed(report.Formats(), o.format)
		if o.path == "" {
			return format.Write(to.rawStdout(), r, to.style(to.c))
		}
		var written bytes.Buffer
		if err := format.Write(&written, r, fileStyle()); err != nil {
			return err
		}
		return to.writeFile(o.path, written.Bytes())
	})
}
