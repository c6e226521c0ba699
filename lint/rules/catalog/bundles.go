package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// laterProperties returns the positions of all but the first property of a type.
func laterProperties(b *catalogs.Bundle, kind string) []lint.Related {
	var places []lint.Related
	for _, prop := range b.Properties {
		if prop.Type.Value == kind {
			places = append(places, lint.Related{Pos: prop.Type.Pos, Message: "another " + kind})
		}
	}
	return places[1:]
}
