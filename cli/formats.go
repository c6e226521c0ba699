package cli

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/render"
)

// plain makes a format of a function that needs no style.
func plain[T any](name string, write func(io.Writer, T) error) render.Format[T] {
	return render.Format[T]{Name: name, Write: func(w io.Writer, answer T, _ render.Style) error { return write(w, answer) }}
}

func channelTableFormats() []render.Format[*render.ChannelTable] {
	return []render.Format[*render.ChannelTable]{{Name: "text", Write: render.ChannelTableText}, plain("json", render.ChannelTableJSON), plain("markdown", render.ChannelTableMarkdown)}
}

func listFormats() []render.Format[render.Listing] {
	return []render.Format[render.Listing]{{Name: "text", Write: render.List}, plain("json", render.ListJSON)}
}

func crdFormats() []render.Format[render.CRDs] {
	return []render.Format[render.CRDs]{{Name: "text", Write: render.CRDsText}, plain("json", render.CRDsJSON)}
}

func forecastFormats() []render.Format[[]render.Forecasts] {
	return []render.Format[[]render.Forecasts]{{Name: "text", Write: render.ForecastsText}, plain("json", render.ForecastsJSON)}
}

func resolveFormats() []render.Format[*render.Outlook] {
	return []render.Format[*render.Outlook]{{Name: "text", Write: render.OutlookText}, plain("json", render.OutlookJSON)}
}

// pictureFormats are those of a diagram.
func pictureFormats() []string { return []string{"svg", "png", "dot", "mermaid"} }

// formatFlag takes the name of a format.
func formatFlag(names []string) cli.Flag {
	return choiceFlag("format", names[0], "`FORMAT`", names...)
}

func formatNames[T any](table []render.Format[T]) []string {
	var names []string
	for _, f := range table {
		names = append(names, f.Name)
	}
	return names
}

// formatOf returns the format that the flag --format names, if the table has it.
func formatOf[T any](c *cli.Context, table []render.Format[T]) (render.Format[T], bool) {
	at := slices.IndexFunc(table, func(f render.Format[T]) bool { return f.Name == c.String("format") })
	if at < 0 {
		return render.Format[T]{}, false
	}
	return table[at], true
}

// write writes an answer to standard output, in the format that the flag --format names.
func write[T any](p *program, c *cli.Context, table []render.Format[T], answer T) error {
	f, _ := formatOf(c, table) // the flag takes no other
	return f.Write(p.stdout, answer, p.style(c))
}
