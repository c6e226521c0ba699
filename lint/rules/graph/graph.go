// Package upgrades has the rules of the family graph, on the upgrade graphs of channels. Its name avoids a conflict with package
// graph.
package upgrades

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{noHead, multipleHeads, cycleRule, stranded, stuck, stuckV1, deadEdge, selfReferenceRule, replacesAndSkips, skipRangeSyntax, skipRangeNewer, skipRangeOpen, skipRangeEmpty, skipRangeOnly, skipRangeSoleWay, skipsItemEmpty, duplicateSkip, missingTarget, replacesOtherChannel, crossPackageEdge, entryEdgesDiffer, downgrade, headNotNewest, channelName, betterEdges, manyHops, channelSwitchRule, channelSwitchDowngrade, v1AllChannels, v0V1Differ}
}
