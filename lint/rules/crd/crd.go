// Package crd has the rules on CustomResourceDefinitions: each on its own, in one upgrade, and along upgrade paths.
package crd

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{invalid, v1beta1, immutable, storageRemoved, storedVersionPath, servedRemoved, droppedRule, schemaNarrowed, schemaChanged, exampleInvalid, shared, conversion}
}
