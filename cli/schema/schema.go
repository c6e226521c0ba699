// Package schema holds the JSON Schemas of what commands write with -o json: a file for each command, and error.json for what all of
// them write instead of an answer. TestSchemas of cli/e2e makes them of the types in render.
package schema

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

//go:embed *.json
var files embed.FS

// Names returns the commands that have a schema, and error, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return words.Map(entries, func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), ".json") })
}

// Read returns the schema of a command. It reports whether there is one.
func Read(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".json")
	return text, err == nil
}
