// Package openshift has the rules that compare the catalogs for several OpenShift versions: a cluster that is updated keeps its operators, and gets
// the catalog of the newer version.
package openshift

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.UpgradeGraph, Scope: lint.AcrossVersions}, []lint.Rule{
		{
			ID: "openshift/head-stranded", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `the head of a channel has no upgrade in the catalog for a newer OpenShift version
A cluster that is updated keeps the operator, and gets the catalog for the newer OpenShift version. There nothing in the channel replaces,
skips or covers what is installed: the operator is never upgraded again, and nobody is told. opm and OLM look at one catalog at a
time. Bundles whose olm.maxOpenShiftVersion keeps the cluster from that version do not count.
Let an entry of the newer catalog replace, skip or cover the version, or keep its entry there.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkHeads,
		},
		{
			ID: "openshift/head-lower", Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `the head of a channel is lower in the catalog for a newer OpenShift version
A cluster that is updated has a version that is newer than the head of the channel, which the newer catalog does not have. The operator stays as it is
until a still newer version is released for that OpenShift version as well, and that replaces, skips or covers what is installed. Mostly
a release was forgotten in one of the catalogs.
Release the version for the newer OpenShift version too.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkLower,
		},
		{
			ID: "openshift/channel-removed", Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `a channel is not in the catalog for a newer OpenShift version
A Subscription names a channel. On a cluster that is updated, OLM v0 resolves nothing in the namespace any more, other operators included, until
an administrator selects another channel. Channels that the older catalog deprecates, with a message that says so, are not reported; nor are
those whose head keeps the cluster from that version with an olm.maxOpenShiftVersion.
Deprecate the channel in the older catalogs, with a message that names another one, or keep it.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkChannels,
		},
		{
			ID: "openshift/package-removed", Severity: lint.Info, Gates: lint.GateOLMv0,
			Doc: `a package is not in the catalog for a newer OpenShift version
On a cluster that is updated the operator is not upgraded any more, and OLM v0 resolves nothing in its namespace. Mostly the operator is not
made for that version. With an olm.maxOpenShiftVersion of its bundles OpenShift is not updated before the operator is
removed.
Set olm.maxOpenShiftVersion, or deprecate the package in the older catalogs.`,
			Reference: "OLM resolver getSubscriptionVariables; OLM openshift controller",
			Check:     checkPackage,
		},
	})
}
