// Olmgraph analyses and lints the upgrade graphs of operator catalogs, offline.
package main

import (
	"embed"
	"io/fs"

	"github.com/olmgraph/olmgraph/cli"
)

// testdata has the scripts of the rules, which contain the examples of olmgraph explain.
//
//go:embed testdata/script/lint/*.txtar
var testdata embed.FS

func main() {
	rules, err := fs.Sub(testdata, "testdata/script/lint")
	if err != nil {
		panic(err) // the path is embedded
	}
	cli.Main(rules)
}
