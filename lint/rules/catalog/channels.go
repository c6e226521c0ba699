package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
)

// unlisted returns the names of bundles without an entry in any channel.
func unlisted(pkg *catalogs.Package) []string {
	listed := map[string]bool{}
	for _, c := range pkg.Channels {
		for i := range c.Entries {
			listed[c.Entries[i].Name.Value] = true
		}
	}
	var names []string
	for _, b := range pkg.Bundles {
		if !listed[b.Name.Value] {
			names = append(names, b.Name.Value)
		}
	}
	return names
}
