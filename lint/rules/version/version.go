// Package version has the rules on the versions of bundles.
package version

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{number, semverRule, duplicate, buildMetadata, release, nameMismatch}
}
