package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render/text"
)

// pictureFormats returns the formats of a diagram.
func pictureFormats() []string { return []string{"svg", "png", "dot", "mermaid"} }

// formatFlag returns the flag --format. The first name is the default.
func formatFlag(names []string) cli.Flag {
	return enumFlag("format", names[0], "`FORMAT`", names...)
}

func formatNames[T any](table []text.Format[T]) []string {
	var names []string
	for _, f := range table {
		names = append(names, f.Name)
	}
	return names
}

// formatOf returns the format that --format names, and whether the table has it.
func formatOf[T any](c *cli.Context, table []text.Format[T]) (text.Format[T], bool) {
	at := slices.IndexFunc(table, func(f text.Format[T]) bool { return f.Name == c.String("format") })
	if at < 0 {
		return text.Format[T]{}, false
	}
	return table[at], true
}

// write writes an answer to standard output in the format that --format names.
func write[T any](p *program, c *cli.Context, table []text.Format[T], answer T) error {
	f, _ := formatOf(c, table) // enumFlagValue has checked the name
	return f.Write(p.stdout, answer, p.style(c))
}
