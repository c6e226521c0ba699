// Package catalog has the rules on what opm and OLM read in a catalog.
package catalog

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{parse, noPackage, unchecked, form, template, schemaMissing, unknownSchema, unknownKey, fieldType, yamlCoercion, bundleObject, duplicateKey, repeatedKey, lostDocument, caseFoldedField, customSchemaName, packageName, duplicatePackage, defaultChannel, noChannels, unknownPackage, channelName, duplicateChannel, emptyChannel, duplicateEntry, entryWithoutBundle, duplicateBundle, bundleWithoutChannel, packageProperty, bundleImage, pullSpec, csvMetadata, noCSV, icon, nameCollision, bundleObjectForbidden}
}
