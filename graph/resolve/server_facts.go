package resolve

import (
	"encoding/json"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// factsFromServer returns the facts of a bundle as they reach the resolver: the registry server adds the simple requirements a second
// time, as dependencies, and OLM adds the package if there is none. Only rules that count properties see the difference (opm:
// api convertModelPropertiesToAPIDependencies; OLM: resolver newOperatorFromBundle, EnsurePackageProperty).
func factsFromServer(f *catalogs.Facts, own catalogs.PackageProperty) *catalogs.Facts {
	out := *f
	out.Properties = slices.Clone(f.Properties)
	for _, p := range f.Properties {
		switch p.Type {
		case catalogs.TypeGVKRequired:
			out.Properties = appendWithFieldsOf[struct {
				Group   string `json:"group"`
				Version string `json:"version"`
				Kind    string `json:"kind"`
			}](out.Properties, p)
		case catalogs.TypePackageRequired:
			out.Properties = appendWithFieldsOf[struct {
				Name  string `json:"packageName"`
				Range string `json:"versionRange"`
			}](out.Properties, p)
		}
	}
	if len(f.Packages) == 0 {
		out.Packages = []catalogs.PackageProperty{own}
		if value, err := json.Marshal(own); err == nil {
			out.Properties = append(out.Properties, catalogs.PropertyValue{Type: catalogs.TypePackage, Value: value})
		}
	}
	return &out
}

// appendWithFieldsOf appends a property of whose value only the fields of T are kept.
func appendWithFieldsOf[T any](all []catalogs.PropertyValue, p catalogs.PropertyValue) []catalogs.PropertyValue {
	var known T
	if json.Unmarshal(p.Value, &known) != nil {
		return all
	}
	value, err := json.Marshal(known)
	if err != nil {
		return all
	}
	return append(all, catalogs.PropertyValue{Type: p.Type, Value: value, Pos: p.Pos})
}
