package lint

// graphRules judge the upgrade graph of each channel: who refuses it, and where does it leave users?
var graphRules = []Rule{
	{
		ID: "graph/no-head", Severity: Error, Gates: GateOPM | GateOLMv0,
		Doc: `a channel has no head
The head of a channel is the entry that no other entry replaces or skips: what a new user gets. Where every entry is named by
another one opm refuses the catalog, and OLM v0 resolves nothing at all in a namespace subscribed to the channel.
Take the newest entry out of the replaces and skips that name it.`,
		Reference: "operator-registry alpha/model Channel.Head; OLM resolver sortChannel",
		HasEdits:  true,
		Check:     eachChannel(checkNoHead),
	},
	{
		ID: "graph/multiple-heads", Severity: Error, Gates: GateOPM | GateOLMv0,
		Doc: `a channel has several heads
Exactly one entry of a channel may be left that no other replaces or skips. With several opm refuses the catalog, and OLM v0
resolves nothing at all in a namespace subscribed to the channel. A skipRange does not count: it joins nothing.
Let the newest entry replace or skip the others; often a name in replaces is misspelt.`,
		Reference: "operator-registry alpha/model Channel.Head; OLM resolver sortChannel",
		Check:     eachChannel(checkMultipleHeads),
	},
	{
		ID: "graph/cycle", Severity: Error, Gates: GateOPM | GateOLMv0,
		Doc: `upgrades run in a loop
If the walk along replaces from the head comes back to an entry, opm refuses the catalog and OLM v0 resolves nothing in a
namespace subscribed to the channel. opm looks away where the loop is among skipped entries; OLM v0 does not. Other loops of
replaces and skips are reported as a warning, and as an error where OLM v0 would go round in them without end.
Take out the edge that leads from a newer entry to an older one.`,
		Reference: "operator-registry alpha/model validateReplacesChain; OLM resolver sortChannel",
		HasEdits:  true,
		Check:     eachChannel(checkCycle),
	},
	{
		ID: "graph/stranded", Severity: Error, Gates: GateOPM,
		Doc: `entries are cut off from the head
opm walks from the head along replaces, as far as that is not skipped, and refuses the channel if an entry is neither met nor
skipped by another one: nobody could upgrade from it step by step.
Let the walk reach the entry, or let the head skip it.`,
		Reference: "operator-registry alpha/model validateReplacesChain",
		Check:     eachChannel(checkStranded),
	},
	{
		ID: "graph/stuck", Severity: Error, Gates: GateOLMv0,
		Doc: `an entry from which OLM v0 never upgrades
OLM v0 never offers an entry that another one skips, and skips are not handed on: if v2 replaces v1, and v3 skips v2 but not
v1, then whoever has v1 installed stays there for ever, without a word. opm accepts this.
Let the entry that skips skip the stuck one as well, or cover it with its skipRange. If it also replaces what it skips, take
that out of its skips: then nobody is stuck.`,
		Reference: "OLM resolver getSubscriptionVariables, sortChannel",
		HasEdits:  true,
		Check:     eachChannel(checkStuck),
	},
	{
		ID: "graph/stuck-v1", Severity: Error, Gates: GateOLMv1,
		Doc: `an entry from which OLM v1 never upgrades
OLM v1 upgrades to a bundle that replaces the installed one, skips it, or has its version in the skipRange. Here nothing in
the channel does, and the entry is not the newest.
Let a newer entry replace, skip or cover it.`,
		Reference: "operator-controller catalogmetadata/filter SuccessorsOf",
		Check:     eachChannel(checkStuckV1),
	},
	{
		ID: "graph/dead-edge", Severity: Info, Gates: GateOLMv0,
		Doc: `a replaces that OLM v0 never follows
An entry that is skipped is never offered, so what it replaces is never upgraded to it. Where both ends are skipped the edge
has no effect at all under OLM v0; OLM v1 may follow it.
Nothing has to be done. Take it out if it only confuses.`,
		Reference: "OLM resolver sortChannel",
		Check:     eachChannel(checkUnusedReplaces),
	},
	{
		ID: "graph/self-reference", Severity: Warning, Gates: GateAdvice,
		Doc: `an entry is declared an upgrade of itself
An entry that replaces or skips itself, or whose skipRange covers its own version, is its own successor. One that skips itself
is no head any more and is never offered; a skipRange that covers its own version can hold an operator where it is.
Take the name out, or let the range end below the entry's own version.`,
		Reference: "OLM resolver getSubscriptionVariables",
		HasEdits:  true,
		Check:     eachChannel(checkSelfReference),
	},
	{
		ID: "graph/replaces-and-skips", Severity: Warning, Gates: GateAdvice,
		Doc: `an entry replaces and skips the same name
To skip is to say that nobody shall install it, to replace that it is the step before. opm ends its walk at such an entry, so
that everything below has to be skipped too; what looks like a chain is none.
Keep one of the two.`,
		Reference: "operator-registry alpha/model validateReplacesChain",
		Check:     eachChannel(checkReplacesAndSkips),
	},
	{
		ID: "graph/skip-range-syntax", Severity: Error, Gates: GateOPM | GateOLMv0,
		Doc: `a skipRange is not a range
A skipRange is read by blang/semver: versions in full behind <, <=, >, >=, = or !=, a space for and, || with spaces for or. No
leading v, no comma, no ^ or ~, no hyphen range. opm refuses others from 1.69 on; OLM v0 and v1 ignore them
without a word, so that nobody is upgraded by them. A part between || without a whole version, as in "1.0.0 || 1 || 2.0.0", is
taken by opm and crashes OLM.
Write the range in this grammar, as in ">=1.0.0 <1.2.3".`,
		Reference: "operator-registry alpha/model Bundle.Validate; github.com/blang/semver ParseRange",
		Check:     eachChannel(checkRangeSyntax),
	},
	{
		ID: "graph/skip-range-newer", Severity: Warning, Gates: GateAdvice,
		Doc: `a skipRange covers newer versions than its entry
A skipRange says from which versions users may jump to the entry. If it covers newer ones, a downgrade is declared as an
upgrade. Where OLM v0 meets nothing better it makes it, then upgrades again, and so on without end: that is an error. Mind
prereleases: <2.0.0 covers 2.0.0-rc1.
Let the range end below the entry's own version.`,
		Reference: "OLM resolver SkipRangeIncludesPredicate",
		Check:     eachRange(checkRangeNewer),
	},
	{
		ID: "graph/skip-range-open", Severity: Info, Gates: GateAdvice,
		Doc: `a skipRange has no lower bound
Users of any older version, even of another major one, jump to the entry at once and pass by every step in between, such as a
migration of stored objects.
Let it begin with the oldest version from which the jump has been tried.`,
		Reference: "OLM resolver SkipRangeIncludesPredicate",
		Check:     checkRangeOpen,
	},
	{
		ID: "graph/skip-range-empty", Severity: Info, Gates: GateAdvice,
		Doc: `a skipRange covers nothing
No version can be in the range (a warning), or none of the package's versions is, although some are older than the entry: the
bounds may be mistaken, and the upgrade that they should declare is missing. Versions that were published once and are no
longer in the catalog are not known here.
Mend the bounds, or take the skipRange out.`,
		Reference: "github.com/blang/semver ParseRange",
		Check:     eachRange(checkRangeEmpty),
	},
	{
		ID: "graph/skip-range-only", Severity: Warning, Gates: GateAdvice,
		Doc: `an entry is above others by its skipRange alone
The order of a channel comes from replaces and skips. An entry that only covers the older ones with a skipRange is not above
them: they are heads of their own, or never reached from the head, and cannot be installed.
Add replaces.`,
		Reference: "operator-pipelines check_pruned_graph",
		Check:     eachRange(checkRangeOnly),
	},
	{
		ID: "graph/skip-range-sole-way", Severity: Info, Gates: GateAdvice,
		Doc: `upgrades hang on a skipRange alone
Everything that replaces or skips the entry is skipped itself, so OLM v0 never offers it. The entry is not stuck only because
its version happens to be in a skipRange further up: the next change of that range can strand its users without a word.
Let the entry with the skipRange skip it by name as well.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     eachChannel(checkRangeOnlyPath),
	},
	{
		ID: "graph/skips-item-empty", Severity: Error, Gates: GateOPM,
		Doc: `an item of skips is empty
opm refuses an empty name in skips; mostly a template left it behind.
Take the item out.`,
		Reference: "operator-registry alpha/model Bundle.Validate",
		HasEdits:  true,
		Check:     eachChannel(checkSkipsItems),
	},
	{
		ID: "graph/duplicate-skip", Severity: Warning, Gates: GateAdvice,
		Doc: `an entry skips the same name twice
That does no harm by itself, but mostly one of the two was to be another name, whose users then have no upgrade.
Take one out, or mend it.`,
		Reference: "operator-registry alpha/model Bundle.Validate",
		HasEdits:  true,
		Check:     eachChannel(checkDuplicateSkips),
	},
	{
		ID: "graph/missing-target", Severity: Info, Gates: GateAdvice,
		Doc: `replaces or skips names something that is not there
To name a version that was published once and is no longer in the catalog is fine: its users still find their way. But if the
name is that of an existing entry but for its spelling, somebody meant that one, and its users have no upgrade.
Mend the name.`,
		Reference: "operator-registry alpha/model validateReplacesChain",
		HasEdits:  true,
		Check:     checkMissingTargets,
	},
	{
		ID: "graph/replaces-other-channel", Severity: Info, Gates: GateAdvice,
		Doc: `an entry replaces one that is in other channels only
Within the channel the replaced entry does not exist: nobody comes from it unless they switch channels. That is meant where
a channel goes on where another one ends.
If it is not meant, add the replaced entry to the channel.`,
		Reference: "operator-registry alpha/model validateReplacesChain",
		Check:     checkReplacesOtherChannel,
	},
	{
		ID: "graph/cross-package-edge", Severity: Warning, Gates: GateAdvice,
		Doc: `an entry replaces or skips a bundle of another package
OLM upgrades within a package only, so the edge has no effect; what looks like a migration from an old package is none.
Name a bundle of the same package. To move users to another package, deprecate the old one with a message that says so.`,
		Reference: "operator-registry pkg/registry ValidateEdgeBundlePackage", Scope: PerCatalog,
		Check: checkCrossPackage,
	},
	{
		ID: "graph/entry-edges-differ", Severity: Info, Gates: GateAdvice,
		Doc: `the same bundle has another skipRange in another channel
The same bundle is then reachable from some versions in one channel and from others in another one. Mostly one of the two was
forgotten when the other changed.
Let them agree, unless that is meant.`,
		Reference: "OLM resolver SkipRangeIncludesPredicate",
		Check:     checkEdgesDiffer,
	},
	{
		ID: "graph/downgrade", Severity: Warning, Gates: GateAdvice,
		Doc: `an entry replaces or skips a newer version
OLM follows the edges of a channel, not its versions: here it leads users from a higher version down to a lower one, with data
that the newer operator may already have migrated. It is an error where OLM v0 takes the edge, and not reported where no OLM does.
A suffix makes a version older: 1.0.1-1 is a prerelease of 1.0.1.
Publish the content again under a higher version, or let a newer entry cover the version that is left with its skipRange.`,
		Reference: "semver.org 11; OLM resolver getSubscriptionVariables",
		Check:     eachChannel(checkDowngrade),
	},
	{
		ID: "graph/head-not-newest", Severity: Warning, Gates: GateAdvice,
		Doc: `the head of a channel is not its newest version
New users get the head, and all upgrades lead to it. If an entry of a higher version is in the channel, OLM v0 ends at the
lower one and OLM v1 prefers the higher one where it can.
Let the newest version be the head.`,
		Reference: "operator-registry alpha/model Channel.Head",
		Check:     eachChannel(checkHeadNotNewest),
	},
	{
		ID: "graph/many-hops", Severity: Info, Gates: GateAdvice,
		Doc: `it takes many upgrades in a row to reach the head
OLM v0 installs every step on the way, one after the other, and waits for each; every one can fail. More than 20 is reported,
or more than the configuration says.
Let newer entries skip what need not be passed, or cover it with a skipRange.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     eachChannel(checkManyHops),
	},
	{
		ID: "graph/channel-switch", Severity: Info, Gates: GateAdvice,
		Doc: `a switch to another channel ends the upgrades
Users change the channel of their subscription to get newer versions. OLM v0 then looks for an entry of the new channel that
replaces, skips or covers what they have installed; where there is none, they stay as they are for ever, without a word.
Reported is the head of a channel that none of the channels with a newer head upgrades.
Let an entry of the newer channel skip the older one's entries, or cover them with a skipRange.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     checkChannelSwitch,
	},
	{
		ID: "graph/channel-switch-downgrade", Severity: Warning, Gates: GateAdvice,
		Doc: `a switch to another channel downgrades
An entry of one channel skips or covers a newer version of another channel. Whoever has that installed and switches is taken
back to the older version, which may not read what the newer one has stored.
Let the skipRange end below the entry's own version, and skips name older entries only.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     checkSwitchDowngrade,
	},
	{
		ID: "graph/v1-all-channels", Severity: Info, Gates: GateAdvice,
		Doc: `OLM v1 without a channel installs what the default channel does not have
OLM v1 knows no default channel: where a user names none it takes the highest version of all channels. A prerelease in a
candidate channel then reaches users of OLM v1 who asked for nothing of the kind.
Tell users of OLM v1 which channel to set.`,
		Reference: "operator-controller resolve.CatalogResolver",
		Check:     checkAllChannels,
	},
	{
		ID: "graph/v0-v1-differ", Severity: Info, Gates: GateAdvice,
		Doc: `OLM v0 and OLM v1 lead to different versions
OLM v0 goes to the head of the channel. OLM v1 knows no head: of what replaces, skips or covers the installed version it takes
the highest that is not deprecated. Here the two end at different entries from the same installed version.
Let the head have the highest version of its channel, and be no more deprecated than the rest.`,
		Reference: "operator-controller catalogmetadata/compare",
		Check:     eachChannel(checkDifferentTargets),
	},
}
