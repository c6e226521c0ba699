// Package bundle has the rules on the contents of bundles: metadata and manifests.
package bundle

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{drift, missingOwnedCRD, extraCRD, ownedVersionNotServed, ownedVersionBehind, unsupportedKind, multiDocument, severalCSVs, duplicateObject, crdAPIVersion, keyCollision, subfolder, size, annotations, dependencies, propertiesAnnotation, folderName, namePrefixRule, packageName, channelConvention, networkPolicy, openShiftVersions, maxOpenShiftVersion, replacedRange}
}
