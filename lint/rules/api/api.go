// Package api has the rules on the APIs that bundles provide and require, and on other dependencies.
package api

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{unsatisfiedRule, rangeSyntax, constraint, providerLost, deadlockRule, notSupportedV1, labelNoop, emptyGVK}
}
