package bundled

import (
	"cmp"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Facts reads the properties of the bundle again; of a bundle from manifests they are those that opm derives from them. An error means
// that the source has changed or cannot be read.
func Facts(b *catalogs.Bundle) (*catalogs.Facts, error) {
	if b.Document.File == nil || len(b.Properties) == 0 {
		return cmp.Or(b.Derived, &catalogs.Facts{}), nil
	}
	values, err := propertyValues(b)
	if err != nil {
		return nil, err
	}
	return catalogs.NewFacts(values), nil
}

// propertyValues reads the bundle's document again and returns the properties that hold no manifest. A value that cannot be read is
// left out: it was reported when the catalog was read.
func propertyValues(b *catalogs.Bundle) ([]catalogs.PropertyValue, error) {
	var values []catalogs.PropertyValue
	err := b.Document.Reread(func(text []byte) error {
		d := form.PartDecoder(b.Document.File, b.Document.Json)
		root, syntax := d.Parse(text, b.Document)
		if syntax != nil {
			return fmt.Errorf("%s has changed since it was read: %w", b.Document.File.Name, syntax)
		}
		d.Properties(&root, func(p *catalogs.Property, v *tree.Node) {
			if p.HoldsManifest() {
				return
			}
			if value, err := b.Document.Expand(text, *v); err == nil {
				values = append(values, catalogs.NewProperty(p.Type.Value, &value, p.Pos))
			}
		})
		return nil
	})
	return values, err
}

// KnownDependencies is Dependencies, nothing if the catalog cannot be read again.
func KnownDependencies(b *catalogs.Bundle) *catalogs.Dependencies {
	if known, err := Dependencies(b); err == nil {
		return known
	}
	return &catalogs.Dependencies{}
}

// Dependencies reads the properties of the bundle again, as Facts does, and leaves out values that OLM cannot read.
func Dependencies(b *catalogs.Bundle) (*catalogs.Dependencies, error) {
	if !b.HasDependencies() {
		return &catalogs.Dependencies{}, nil
	}
	facts, err := Facts(b)
	if err != nil {
		return nil, err
	}
	return facts.Dependencies(), nil
}
