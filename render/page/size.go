package page

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
)

// maxShown is how many channels, entries, skips and bundles a page shows. A page of community-operators-prod
// for one OpenShift version has a third of it, skips not counted.
const maxShown = 60_000

// perPackage is what a package counts for besides: its picture takes as long as so many entries.
const perPackage = 25

// CheckSize returns an error if packages have more channels, entries, skips and bundles than a page shows. Any may be nil.
func CheckSize(packages ...*catalogs.Package) error {
	size := 0
	for _, p := range packages {
		if p == nil {
			continue
		}
		size += perPackage + len(p.Bundles) + len(p.Channels)
		for _, c := range p.Channels {
			for i := range c.Entries {
				size += 1 + len(c.Entries[i].Skips)
			}
		}
	}
	if size > maxShown {
		return fmt.Errorf("too large for a page: it shows %d channels, entries, skips and bundles, and here are about %d; name fewer packages", maxShown, size)
	}
	return nil
}
