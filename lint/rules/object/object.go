// Package object has the rules on objects of bundles other than ClusterServiceVersions and CRDs.
package object

import (
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// eachObject returns a check that calls check for each object of a bundle.
func eachObject(check func(*contents.Contents, *bundled.Manifest)) func(*contents.Contents) {
	return func(c *contents.Contents) {
		for _, m := range c.Objects() {
			check(c, m)
		}
	}
}

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{removedAPIRule, disruptionBudget, priorityClass, defaultSCC, budgetPermission, serviceAccount, metadata, podSecurityPolicy}
}
