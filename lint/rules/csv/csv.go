// Package csv has the rules on ClusterServiceVersions.
package csv

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{fieldType, name, requiredField, crdEntry, version, minKubeVersion, installModesRule, installModeLost, allNamespaces, webhook, webhookRules, deploymentReference, deploymentName, rules, ownedAPIService, examples, exampleNotOwned, annotationCase, publisher, description, capabilitiesRule, categoriesRule, annotations, exampleMissing, crdDescription, createCRDs, resourceRequests, relatedImagesRule, icon, nameConvention, keywords, relatedImageSpec, marketplace}
}
