package catalog

import (
	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// laterProperties points to the second and later properties of a type.
func laterProperties(b *catalogs.Bundle, kind string) []lint.Related {
	var places []lint.Related
	for _, prop := range b.Properties {
		if prop.Type.Value == kind {
			places = append(places, lint.Related{Pos: prop.Type.Pos, Message: "another " + kind})
		}
	}
	return places[1:]
}
