// Olmgraph analyses and lints the upgrade graphs of operator catalogs, offline.
package main

import (
	"embed"
	"io/fs"

	"github.com/olmgraph/olmgraph/cli"
)

// The scripts that test the rules are the examples of olmgraph explain, too.
//
//go:embed testdata/script/lint/*.txtar
var testdata embed.FS

func main() {
	rules, err := fs.Sub(testdata, "testdata/script/lint")
	if err != nil {
		panic(err) // it is embedded above
	}
	cli.Main(rules)
}
