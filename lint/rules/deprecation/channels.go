package deprecation

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// channelsNotDeprecated returns the names of the channels that are not deprecated.
func channelsNotDeprecated(pkg *catalogs.Package, d edges.Deprecated) []string {
	var names []string
	for _, c := range pkg.Channels {
		if d.Channels[c.Name.Value] == nil {
			names = append(names, c.Name.Value)
		}
	}
	return names
}
