// Package crd has the rules on CustomResourceDefinitions: each on its own, in one upgrade, and along upgrade paths.
package crd

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
)

// schemaRule returns a rule on schema changes that the CRD upgrade safety preflight of OLM v1 rejects.
func schemaRule(name, title, effect string, checks ...string) lint.Rule {
	return lint.Rule{
		ID: "crd/schema-" + name, Severity: lint.Error, Gates: lint.GateOLMv1, OtherGates: lint.GateOLMv0,
		Doc: title + `
OLM v1 compares the old and the new schema of each version and rejects the upgrade (preflight crdUpgradeSafety). OLM v0 does not
compare them, but ` + effect + `. It is a warning in an alpha version.
Revert the change, or ship it as a new version of the API with a conversion.`,
		Reference: "sigs.k8s.io/crdify as operator-controller configures it: " + checks[0],
		Check:     eachSchemaChange(checks...),
		Asks:      preflight.CheckChanges,
	}
}

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{invalid, v1beta1, immutable, storageRemoved, storedVersionPath, servedRemoved, droppedRule, schemaRemoved, schemaType, schemaRequired, schemaEnum, schemaLimit, schemaDefault, schemaOther, schemaUnseen, exampleInvalid, shared, conversion}
}
