// Package published has the rules that compare a catalog with what was published before.
package published

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{packageRemoved, channelRemoved, bundleRemoved, edgeRemovedRule, headBack, defaultChannelChanged, bundleChangedRule, deprecationChanged, nextChanged, channelAdded, bundleAdded}
}
