// Package graph has the rules on the upgrade graphs of channels, and on the versions of bundles.
package graph

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.UpgradeGraph, InfoIfPublished: lint.Warning}, []lint.Rule{
		{
			ID: "graph/no-head", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0,
			Doc: `a channel has no head
The head of a channel is the entry that no other entry replaces or skips: new users get it. If another entry names every entry,
opm rejects the catalog, and OLM v0 resolves nothing in a namespace subscribed to the channel.
Remove the newest entry from the replaces and skips that name it.`,
			Reference: "operator-registry alpha/model Channel.Head; OLM resolver sortChannel",
			HasEdits:  true,
			Check:     lint.EachChannel(checkNoHead),
		},
		{
			ID: "graph/multiple-heads", Severity: lint.Error, Gates: headGates,
			Doc: `a channel has several heads
Exactly one entry of a channel can be neither replaced nor skipped by another. With several, opm rejects the catalog, and OLM v0
resolves nothing in a namespace subscribed to the channel. A skipRange does not count here.
Let the newest entry replace or skip the others; often a name in replaces is misspelt.`,
			Reference: "operator-registry alpha/model Channel.Head; OLM resolver sortChannel",
			Check:     lint.EachChannel(checkMultipleHeads),
		},
		{
			ID: "graph/cycle", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0,
			Doc: `upgrades form a cycle
If the chain of replaces from the head returns to an entry, opm rejects the catalog and OLM v0 resolves nothing in a namespace
subscribed to the channel. opm ignores cycles among skipped entries; OLM v0 does not. Other cycles of replaces and skips are a
warning, or an error if OLM v0 would follow them endlessly.
Remove the edge from a newer entry to an older one.`,
			Reference: "operator-registry alpha/model validateReplacesChain; OLM resolver sortChannel",
			HasEdits:  true,
			Check:     lint.EachChannel(checkCycle),
		},
		{
			ID: "graph/stranded", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `entries are cut off from the head
opm follows replaces from the head up to the first skipped entry. It rejects the channel if an entry
is neither reached nor skipped by another one: users on it could not be upgraded step by step.
Let the chain of replaces reach the entry, or let the head skip it.`,
			Reference:  "operator-registry alpha/model validateReplacesChain",
			OtherGates: lint.GateOLMv0,
			EditsLast:  true, // as those of graph/stuck
			HasEdits:   true,
			Check:      lint.EachChannel(checkStranded),
		},
		{
			ID: "graph/stuck", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `OLM v0 never upgrades an entry
OLM v0 never offers an entry that another one skips, and skips are not transitive. If v2 replaces v1,
and v3 skips v2 but not v1, OLM v0 never upgrades users on v1, and reports nothing. opm accepts this.
Let the entry that skips skip the stuck one as well, or cover it with its skipRange. If
it also replaces what it skips, remove that from its skips: then no entry is stuck.`,
			Reference: "OLM resolver getSubscriptionVariables, sortChannel",
			EditsLast: true, // the entries that OLM v0 offers depend on other fixes
			HasEdits:  true,
			Check:     lint.EachChannel(checkStuck),
		},
		{
			ID: "graph/stuck-v1", Severity: lint.Error, Gates: lint.GateOLMv1,
			Doc: `OLM v1 never upgrades an entry
OLM v1 upgrades to a bundle that replaces the installed one, skips it, or has its version in the skipRange. The channel has no
such bundle, and the entry is not the newest.
Let a newer entry replace, skip or cover it.`,
			Reference: "operator-controller catalogmetadata/filter SuccessorsOf",
			Check:     lint.EachChannel(checkStuckV1),
		},
		{
			ID: "graph/self-reference", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an entry is declared an upgrade of itself
An entry that replaces or skips itself is its own successor. An entry that skips itself is not a head and is never offered.
Remove the name.`,
			Reference: "OLM resolver getSubscriptionVariables",
			HasEdits:  true,
			Check:     lint.EachChannel(checkSelfReference),
		},
		{
			ID: "graph/replaces-and-skips", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an entry replaces and skips the same name
A skipped entry is never installed; a replaced entry is the step before. opm ends the chain of replaces at such an entry, so all
entries below it must be skipped too.
Keep one of the two.`,
			Reference: "operator-registry alpha/model validateReplacesChain",
			Check:     lint.EachChannel(checkReplacesAndSkips),
		},
		{
			ID: "graph/skip-range-syntax", Severity: lint.Error, Gates: lint.GateOPM | lint.GateOLMv0, InfoIfPublished: lint.Error,
			Doc: `a skipRange is invalid
A skipRange is parsed by blang/semver: full versions after <, <=, >, >=, = or !=, a space for and, || with spaces for or. A
leading v, a comma, ^, ~ and hyphen ranges are not allowed. opm rejects invalid ranges from 1.69 on; OLM v0 and v1 ignore them
silently, so that they upgrade nothing. opm accepts a part between || without a full version, as in "1.0.0 || 1 || 2.0.0", and it
crashes OLM.
Write the range in this grammar, for example ">=1.0.0 <1.2.3".`,
			Reference: "operator-registry alpha/model Bundle.Validate; github.com/blang/semver ParseRange",
			Check:     lint.EachChannel(checkRangeSyntax),
		},
		{
			ID: "graph/skip-range-newer", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a skipRange covers versions newer than its entry
A skipRange states from which versions OLM can upgrade directly to the entry. If it covers newer ones, and OLM has no better
candidate for them, it downgrades their users. It is an error if OLM v0 then upgrades them again, endlessly. Note prereleases:
<2.0.0 covers 2.0.0-rc1.
Let the range end below the entry's own version.`,
			Reference: "OLM resolver SkipRangeIncludesPredicate",
			Check:     eachRange(checkRangeNewer),
		},
		{
			ID: "graph/skip-range-open", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `a skipRange has no lower bound
Users on any older version, even of another major version, upgrade to the entry directly and skip every step in between, such as a
migration of stored objects.
Set the lower bound to the oldest version from which the upgrade is tested.`,
			Reference: "OLM resolver SkipRangeIncludesPredicate",
			Check:     checkRangeOpen,
		},
		{
			ID: "graph/skip-range-empty", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `a skipRange covers nothing, or less than intended
No version can be in the range (a warning), or no version of the package is, although some are
older than the entry. The bounds may be wrong, and the upgrade that they should declare is
missing. Versions that were published earlier and are no longer in the catalog are not known here.
It is a warning if the range of a head ends below its own version, and that of the head before ended at its own; and if a change
gives a range only to entries that others skip: OLM v0 does not offer them.
Correct the bounds, or remove the skipRange.`,
			Reference: "github.com/blang/semver ParseRange; OLM resolver sortChannel",
			Check:     checkRangeEffect,
		},
		{
			ID: "graph/skip-range-only", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an entry has a skipRange, but no replaces or skips
The order of a channel comes from replaces and skips. An entry that only covers the older ones with a skipRange is not above them:
they are heads, or not reached from the head, and cannot be installed.
Add replaces.`,
			Reference: "operator-pipelines check_pruned_graph",
			Check:     lint.EachChannel(checkRangesOnly),
		},
		{
			ID: "graph/skips-item-empty", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `an item of skips is empty
opm rejects an empty name in skips; the usual cause is a template.
Remove the item.`,
			Reference: "operator-registry alpha/model Bundle.Validate",
			HasEdits:  true,
			Check:     lint.EachChannel(checkSkipsItems),
		},
		{
			ID: "graph/duplicate-skip", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an entry skips the same name twice
This is harmless, but one of the two may be a mistake for another name, whose users then have no upgrade.
Remove one, or correct it.`,
			Reference: "operator-registry alpha/model Bundle.Validate",
			HasEdits:  true,
			Check:     lint.EachChannel(checkDuplicateSkips),
		},
		{
			ID: "graph/missing-target", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `replaces or skips names an unknown bundle
A name of a version that was published earlier and is no longer in the catalog is correct: its users can still upgrade. A name
that differs from an existing entry only in spelling is probably a mistake, and users on that entry have no upgrade. It is an
error if a change adds a placeholder, as TODO, which no bundle can be named: the edge that was meant is missing.
Correct the name.`,
			Reference: "operator-registry alpha/model validateReplacesChain",
			HasEdits:  true,
			Check:     checkMissingTargets,
		},
		{
			ID: "graph/replaces-other-channel", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `an entry replaces one that is in other channels only
The replaced entry is not in this channel, so the edge applies only to users who switch channels. This is correct if the channel
continues another one.
If it is not intended, add the replaced entry to the channel.`,
			Reference: "operator-registry alpha/model validateReplacesChain",
			Check:     checkReplacesOtherChannel,
		},
		{
			ID: "graph/downgrade", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an entry replaces or skips a newer version
OLM follows the edges of a channel, not its versions: this edge downgrades users, although the newer operator may already have
migrated data. It is an error if OLM v0 takes the edge, and not reported if no OLM does. A version with a suffix is a prerelease:
1.0.1-1 is older than 1.0.1.
Publish the content again under a higher version, or let a newer entry cover the downgraded version with its skipRange.`,
			Reference: "semver.org 11; OLM resolver getSubscriptionVariables",
			Check:     lint.EachChannel(checkDowngrade),
		},
		{
			ID: "graph/head-not-newest", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `the head of a channel is not its newest version
New users get the head, and all upgrades end at it. If an entry of a higher version is in the channel, OLM v0 ends at the lower
version, and OLM v1 prefers the higher one if it can.
Let the newest version be the head.`,
			Reference: "operator-registry alpha/model Channel.Head",
			Check:     lint.EachChannel(checkHeadNotNewest),
		},
		{
			ID: "graph/many-hops", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `the head is many upgrades away
OLM v0 installs every step of the path, one after the other, and waits for each; each one can fail. Paths of more than 20 upgrades
are reported, or of more than maxHops in the configuration.
Let newer entries skip versions that need not be installed, or cover them with a skipRange.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkManyHops,
		},
		{
			ID: "graph/channel-switch", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `after a switch to another channel there are no upgrades
Users change the channel of their Subscription to get newer versions. OLM v0 then needs an entry of the new channel that replaces,
skips or covers the installed version. Without one it never upgrades, and reports nothing. The finding names the head of a channel
that no channel with a newer head upgrades. Users of a release need not be able to switch to a pre-release. It is a warning if a new
version channel, or the newest, does not upgrade the head of the one before, and at least half of the earlier ones do.
Let an entry of the newer channel skip the older one's entries, or cover them with a skipRange.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkChannelSwitch,
		},
		{
			ID: "graph/channel-switch-downgrade", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a switch to another channel downgrades
An entry of one channel skips or covers a newer version of another channel. Users on that version who switch are downgraded to the
older version, which may not read data that the newer one has stored.
Let the skipRange end below the entry's own version, and skips name older entries only.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkSwitchDowngrade,
		},
		{
			ID: "graph/v1-all-channels", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `OLM v1 without a channel installs a version newer than the default channel
OLM v1 has no default channel: without channels in the ClusterExtension it installs the highest version of all channels. Users of
OLM v1 can then get, for example, a prerelease of a candidate channel.
Document which channel users of OLM v1 should set.`,
			Reference: "operator-controller resolve.CatalogResolver",
			Check:     checkAllChannels,
		},
		{
			ID: "graph/v0-v1-differ", Severity: lint.Info, Gates: lint.GateAdvice,
			Doc: `OLM v0 and OLM v1 upgrade to different versions
OLM v0 upgrades to the head of the channel. OLM v1 has no head: of the bundles that replace, skip or cover the installed version
it takes the highest one that is not deprecated. Here they end at different entries from the same installed version.
Give the head the highest version of its channel, and do not deprecate it before others.`,
			Reference: "operator-controller catalogmetadata/compare",
			Check:     lint.EachChannel(checkDifferentTargets),
		},
	})
}
