package upgrades

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// hasName reports whether a package has a bundle or an entry of that name.
func hasName(pkg *catalogs.Package, name string) bool {
	return pkg.Bundle(name) != nil || slices.ContainsFunc(pkg.Channels, func(c *catalogs.Channel) bool {
		return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })
	})
}

// isSuffixed reports whether a is the version of b with a suffix, which makes it a prerelease of b.
func isSuffixed(a, b *catalogs.Bundle) bool {
	x, y := a.Semver(), b.Semver()
	return x.Major == y.Major && x.Minor == y.Minor && x.Patch == y.Patch && len(x.Pre) > 0 && len(y.Pre) == 0
}
