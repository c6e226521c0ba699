package imageset

import (
	"fmt"
	"iter"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/olmgraph/olmgraph/catalogs"
)

// versions are the versions of the bundles of a package by name, as oc-mirror reads them.
type versions map[string]*semver.Version

// read reads the versions of a package, and yields the bundles of which oc-mirror cannot read it.
func (v versions) read(p *catalogs.Package) iter.Seq[*catalogs.Bundle] {
	return func(yield func(*catalogs.Bundle) bool) {
		for _, b := range p.Bundles {
			if one, err := semver.StrictNewVersion(b.Version.Value); err == nil {
				v[b.Name.Value] = one
			} else if !yield(b) {
				return
			}
		}
	}
}

// withVersion returns the bundles with a version, build metadata aside, by name (catalog-filter: specificBundle). There is at least one, or an error.
func (v versions) withVersion(version string) ([]string, error) {
	want, err := semver.NewVersion(version)
	if err != nil {
		return nil, fmt.Errorf("%q is not a version", version)
	}
	var found []string
	for name, has := range v {
		if has.Equal(want) {
			found = append(found, name)
		}
	}
	if slices.Sort(found); len(found) == 0 {
		return nil, fmt.Errorf("no bundle of the package has the version %s", version)
	}
	return found, nil
}

// keptNames returns what bounds keep of a channel: of one version the first bundle that has it, of whatever channel of the package, and all that have it.
func (v versions) keptNames(b Bounds, ch *catalogs.Channel) (kept map[string]bool, several []string, err error) {
	if b.Set() && b.Min.Value == b.Max.Value {
		several, err := v.withVersion(b.Min.Value)
		if err != nil {
			return nil, nil, err
		}
		return map[string]bool{several[0]: true}, several, nil
	}
	c, err := newChannel(ch)
	switch {
	case err != nil:
		return nil, nil, err
	case !b.Set():
		return map[string]bool{c.head: true}, nil, nil
	}
	span, err := semver.NewConstraint(b.span())
	if err != nil {
		return nil, nil, fmt.Errorf("the range %s: %w", b.span(), err)
	}
	return c.keptSegment(func(name string) bool { return v[name] != nil && span.Check(v[name]) }), nil, nil
}
