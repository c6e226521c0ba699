// Package config has the rules on suppressions and baselines, which the engine reports itself.
package config

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{unusedSuppression, expiredSuppression, badIgnore, staleBaseline, changed}
}
