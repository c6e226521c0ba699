package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonDiff is the JSON form of differences.
type jsonDiff struct {
	Version     int                  `json:"version"`
	Tool        string               `json:"tool"`
	Catalogs    []report.JSONCatalog `json:"catalogs"`
	Differences []jsonDifference     `json:"differences"`
}

type jsonDifference struct {
	Kind    string   `json:"kind"`
	Catalog string   `json:"catalog"`
	Package string   `json:"package"`
	Channel string   `json:"channel"`
	Names   []string `json:"names"`
	Was     string   `json:"was"`
	Is      string   `json:"is"`
}

func diffJSON(w io.Writer, d Differences) error {
	out := jsonDiff{Version: text.JSONVersion, Tool: "olmgraph", Catalogs: []report.JSONCatalog{}, Differences: []jsonDifference{}}
	for i, pair := range d.Pairs {
		out.Catalogs = append(out.Catalogs, report.CatalogJSON(pair.Now))
		for _, differences := range d.packages(i) {
			for _, one := range differences {
				out.Differences = append(out.Differences, jsonDifference{Kind: one.Kind.String(), Catalog: pair.Now.Name, Package: one.Package,
					Channel: one.Channel, Names: append([]string{}, one.Names...), Was: one.Was, Is: one.Is})
			}
		}
	}
	return text.JSON(w, out)
}

func diffMarkdown(w io.Writer, d Differences) error {
	b := bufio.NewWriter(w)
	for i := range d.ByPair {
		in := ""
		if len(d.Pairs) > 1 {
			in = " in " + text.MarkdownCode(d.Pairs[i].Now.Name)
		}
		markdownPackages(b, "### Packages removed"+in, d.packagesOfKind(i, graph.PackageRemoved))
		for _, differences := range d.packages(i) {
			if !isWholePackage(differences[0]) {
				fmt.Fprintf(b, "### %s%s\n\n", text.MarkdownCode(differences[0].Package), in)
				for _, one := range differences {
					fmt.Fprintf(b, "- %s\n", differenceText(one, codeNames))
				}
				b.WriteByte('\n')
			}
		}
		markdownPackages(b, "### New packages"+in, d.packagesOfKind(i, graph.PackageAdded))
	}
	fmt.Fprintln(b, d.summary())
	return b.Flush()
}

func markdownPackages(b *bufio.Writer, heading string, names []string) {
	if len(names) == 0 {
		return
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = text.MarkdownCode(name)
	}
	fmt.Fprintf(b, "%s\n\n%s\n\n", heading, strings.Join(quoted, ", "))
}

func codeNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = text.MarkdownCode(name)
	}
	return listNames(quoted)
}
