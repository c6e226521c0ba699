package cli

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render"
)

// format is a form in which an answer is written. A command has a table of its formats, the default first.
type format[T any] struct {
	Name  string
	Write func(io.Writer, T, render.Style) error
}

// plain makes a format of a function that needs no style.
func plain[T any](name string, write func(io.Writer, T) error) format[T] {
	return format[T]{name, func(w io.Writer, answer T, _ render.Style) error { return write(w, answer) }}
}

func pathFormats() []format[*render.Path] {
	var table []format[*render.Path]
	for _, f := range render.PathFormats() {
		table = append(table, format[*render.Path](f))
	}
	return table
}

func diffFormats() []format[render.Differences] {
	var table []format[render.Differences]
	for _, f := range render.DiffFormats() {
		table = append(table, format[render.Differences](f))
	}
	return table
}

func channelTableFormats() []format[*render.ChannelTable] {
	return []format[*render.ChannelTable]{{"text", render.ChannelTableText}, plain("json", render.ChannelTableJSON), plain("markdown", render.ChannelTableMarkdown)}
}

func listFormats() []format[render.Listing] {
	return []format[render.Listing]{{"text", render.List}, plain("json", render.ListJSON)}
}

func crdFormats() []format[render.CRDs] {
	return []format[render.CRDs]{{"text", render.CRDsText}, plain("json", render.CRDsJSON)}
}

func forecastFormats() []format[[]render.Forecasts] {
	return []format[[]render.Forecasts]{{"text", render.ForecastsText}, plain("json", render.ForecastsJSON)}
}

func resolveFormats() []format[*render.Outlook] {
	return []format[*render.Outlook]{{"text", render.OutlookText}, plain("json", render.OutlookJSON)}
}

// pictureFormats are those of a diagram.
func pictureFormats() []string { return []string{"svg", "png", "dot", "mermaid"} }

// formatFlag takes the name of a format.
func formatFlag(names []string) cli.Flag {
	return choiceFlag("format", names[0], "`FORMAT`", names...)
}

func formatNames[T any](table []format[T]) []string {
	var names []string
	for _, f := range table {
		names = append(names, f.Name)
	}
	return names
}

// formatOf returns the format that the flag --format names, if the table has it.
func formatOf[T any](c *cli.Context, table []format[T]) (format[T], bool) {
	at := slices.IndexFunc(table, func(f format[T]) bool { return f.Name == c.String("format") })
	if at < 0 {
		return format[T]{}, false
	}
	return table[at], true
}

// write writes an answer to standard output, in the format that the flag --format names.
func write[T any](p *program, c *cli.Context, table []format[T], answer T) error {
	f, _ := formatOf(c, table) // the flag takes no other
	return f.Write(p.stdout, answer, p.style(c))
}
