package lint

// publishedRules hold a catalog against what users already have: they ask what a change does to whoever has installed
// something of the base. A cluster forgets nothing: what was published once is installed somewhere.
var publishedRules = []Rule{
	{
		ID: "published/package-removed", Severity: Error, Gates: GateOLMv0 | GateOLMv1, Scope: PerCatalog, NeedsBase: true,
		Doc: `a published package is gone
Who has the operator installed keeps it, and never gets another version or fix. A Subscription to a package that is not there
stops OLM v0 from resolving anything in its namespace; a ClusterExtension of OLM v1 reports a failure.
Put the package back and deprecate it first; it can go from the catalog of the next OpenShift version.`,
		Reference: "OLM resolver getSubscriptionVariables; operator-controller resolve.CatalogResolver",
		Check:     checkPackageRemoved,
	},
	{
		ID: "published/channel-removed", Severity: Error, Gates: GateOLMv0 | GateOLMv1, NeedsBase: true,
		Doc: `a published channel is gone
Subscriptions name a channel. One that is not there any more stops OLM v0 from resolving anything in the namespace of such a
Subscription, other operators included, until an administrator chooses another channel.
Put the channel back with the entries that it had, and deprecate it with a message that says where to move.`,
		Reference: "OLM resolver getSubscriptionVariables; operator-controller resolve.CatalogResolver",
		Check:     checkChannelRemoved,
	},
	{
		ID: "published/bundle-removed", Severity: Error, Gates: GateOLMv0, NeedsBase: true,
		Doc: `a published bundle is gone from its channel, and nothing upgrades it
To take an old entry out of a channel is fine as long as a newer one still replaces it, skips it or covers its version: then
who has it installed goes on. Here nothing leads from it to the head any more, as it did before. Where the head itself is gone
published/head-back says so.
Let a newer entry skip the name, which need not be an entry for that, or cover the version with its skipRange.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     checkBundleRemoved,
	},
	{
		ID: "published/edge-removed", Severity: Error, Gates: GateOLMv0, NeedsBase: true,
		Doc: `an upgrade that was published is gone
An entry from which OLM v0 went on to the head does so no more: a replaces, a skips or a skipRange that led on was taken away,
or leads to something that is not offered any more. Where only a direct way is gone and a longer one is left, so that users
pass by older versions than before, it is a warning.
Put the edge back, or let the head skip or cover the entry.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     eachChanged(checkEdgeRemoved),
	},
	{
		ID: "published/head-back", Severity: Error, Gates: GateAdvice, NeedsBase: true,
		Doc: `the head of a channel is older than it was
New users get an older version than yesterday's, and who upgraded yesterday has something that is newer than the channel's
head: OLM does not go back, so they stay with it.
To withdraw a version publish a newer one that replaces the last good version and skips the bad one.`,
		Reference: "operator-registry alpha/model Channel.Head; OLM resolver getSubscriptionVariables",
		Check:     checkHeadBack,
	},
	{
		ID: "published/default-channel-changed", Severity: Warning, Gates: GateAdvice, NeedsBase: true,
		Doc: `the default channel is another one
New users who name no channel get another version stream than those before them. Subscriptions without a channel move with the
default; where the new channel has no upgrade from what they have installed, they stay as they are, without a word.
See that the new default channel replaces, skips or covers what the old one offered.`,
		Reference: "OLM catalog operator; operator-registry alpha/model Package",
		Check:     checkDefaultChanged,
	},
	{
		ID: "published/bundle-changed", Severity: Warning, Gates: GateAdvice, NeedsBase: true,
		Doc: `a published bundle has another image or version
A cluster that has the bundle installed never looks at it again: it keeps the old content under the same name, and nobody can
tell the two apart. Mirrors and signatures of the old image do not fit either.
Publish the new content as a new bundle with a higher version.`,
		Reference: "OLM resolver: an installed ClusterServiceVersion is known by its name",
		Check:     checkBundleChanged,
	},
	{
		ID: "published/deprecation-changed", Severity: Info, Gates: GateAdvice, NeedsBase: true,
		Doc: `something is deprecated that was not, or the other way round
Users are told in the console that they should move. That something is deprecated no more is a warning, since a deprecation
often gets lost when a catalog is made anew.
See that it is meant.`,
		Reference: "operator-registry alpha/declcfg olm.deprecations",
		Check:     checkDeprecationChanged,
	},
	{
		ID: "published/next-changed", Severity: Info, Gates: GateAdvice, NeedsBase: true,
		Doc: `an automatic upgrade leads elsewhere than before
Clusters that follow the channel by themselves make another upgrade from the same installed version than they did with the
published catalog. That is what most changes are for; a reviewer wants to see whether it is what was meant.
See that each of these upgrades has been tried.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     eachChanged(checkNextChanged),
	},
	{
		ID: "published/channel-added", Severity: Info, Gates: GateAdvice, NeedsBase: true,
		Doc: `a channel is new
Nobody is subscribed to it yet. Who moves to it needs an upgrade there from what is installed.
See that it has one from the heads of the older channels: graph/channel-switch says where not.`,
		Reference: "operator-registry alpha/declcfg olm.channel",
		Check:     checkChannelAdded,
	},
	{
		ID: "published/bundle-added", Severity: Info, Gates: GateAdvice, NeedsBase: true,
		Doc: `a channel has a new entry
Said is whether it is the head, which all clusters that follow the channel upgrade to, or is never offered.
See that it is what the change was to publish.`,
		Reference: "operator-registry alpha/declcfg olm.channel",
		Check:     checkBundleAdded,
	},
}
