package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/render/text"
)

// releaseMarkdown writes a release for the description of a pull request: what is written, the difference of the files, and what happens to
// users.
func releaseMarkdown(w io.Writer, r Release) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: release %s\n\n", codeName(r.Package.Name.Value), codeName(r.Name))
	if r.Refusal != nil {
		where := "No entry can be written"
		if r.Refusal.Channel != "" {
			where += " for channel " + codeName(r.Refusal.Channel)
		}
		fmt.Fprintf(&b, "**%s:** %s.\n\nWhat would have to change: %s.\n", where, text.Markdown(r.Refusal.Constraint), text.Markdown(r.Refusal.Change))
		_, err := io.WriteString(w, b.String())
		return err
	}
	if r.Streams != nil {
		fmt.Fprintf(&b, "%s, and this is made of it by opm %s:\n\n", text.Markdown(r.listing()), r.Catalog.Template.Version())
	}
	for i := range r.Edits {
		if e := &r.Edits[i]; i == 0 || r.Edits[i-1].Channel != e.Channel {
			fmt.Fprintf(&b, "- channel %s: %s\n", codeName(e.Channel), text.Markdown(r.summary(e)))
		}
	}
	r.markdownFiles(&b)
	r.markdownUsers(&b)
	for _, note := range r.remarks() {
		fmt.Fprintf(&b, "\n%s\n", text.Markdown(note))
	}
	for _, note := range r.warnings() {
		fmt.Fprintf(&b, "\n**Note:** %s\n", text.Markdown(note))
	}
	if changes := r.crds(); len(changes) > 0 {
		b.WriteString("\nWhat its CRDs change:\n\n")
		for _, change := range changes {
			fmt.Fprintf(&b, "- %s\n", text.Markdown(change))
		}
	}
	r.Write = true // the reader of a pull request does not write it
	if todo := r.next(); len(todo) > 0 {
		b.WriteString("\nNext:\n\n")
		for _, one := range todo {
			fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(text.Markdown(one.say)+" "+text.MarkdownCode(one.command)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownFiles writes the differences of files, or the entries in YAML if these are not shown.
func (r Release) markdownFiles(b *strings.Builder) {
	var code strings.Builder
	language := "diff"
	if r.showsFiles() {
		for _, f := range r.Files {
			for line := range shortened(f.Diff) {
				code.WriteString(diffLine(strings.TrimRight(line, "\r\n")) + "\n")
			}
		}
	} else {
		language = "yaml"
		for i := range r.Edits {
			if e := &r.Edits[i]; !e.Removed {
				fmt.Fprintf(&code, "# channel %s\n%s\n", text.Safe(e.Channel), entryYAML(e))
			}
		}
	}
	fence := "```"
	for strings.Contains(code.String(), fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s%s\n%s%s\n", fence, language, code.String(), fence)
}

// markdownUsers writes a table of what happens to installed bundles.
func (r Release) markdownUsers(b *strings.Builder) {
	both := r.sameForBoth()
	if b.WriteString("\n| channel | installed | "); both {
		b.WriteString("OLM v0 and v1 |\n|---|---|---|\n")
	} else {
		b.WriteString("OLM v0 | OLM v1 |\n|---|---|---|---|\n")
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		installed := text.Markdown(r.installedIn(c))
		if slices.Contains(c.From, r.Name) {
			installed = "**" + installed + "**"
		}
		fmt.Fprintf(b, "| %s | %s | %s |", codeName(c.Channel), installed, text.Markdown(r.fate(c, c.V0)))
		if !both {
			fmt.Fprintf(b, " %s |", text.Markdown(r.fate(c, c.V1)))
		}
		b.WriteByte('\n')
	}
}

func codeName(name string) string { return text.MarkdownCode(text.Shorten(text.Safe(name), 80)) }
