// Package deprecation has the rules on deprecations.
package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// deprecationSubject returns the channel or bundle that an entry deprecates.
func deprecationSubject(d *catalogs.Deprecation) lint.Subject {
	switch d.Schema.Value {
	case catalogs.SchemaChannel:
		return lint.Subject{Channel: d.Name.Value}
	case catalogs.SchemaBundle:
		return lint.Subject{Bundle: d.Name.Value}
	}
	return lint.Subject{}
}

// describeDeprecated names what an entry deprecates.
func describeDeprecated(d *catalogs.Deprecation) string {
	switch d.Schema.Value {
	case catalogs.SchemaPackage:
		return "the package"
	case catalogs.SchemaChannel:
		return fmt.Sprintf("channel %q", d.Name.Value)
	case catalogs.SchemaBundle:
		return fmt.Sprintf("bundle %q", d.Name.Value)
	}
	return fmt.Sprintf("%s %q", d.Schema.Value, d.Name.Value)
}

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Deprecations}, []lint.Rule{
		{
			ID: "deprecation/invalid", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `opm rejects a deprecation
An olm.deprecations object names a package that the catalog defines, and there is one for each package. Each of its entries refers to the
package, without a name, or to a channel or a bundle that the package has, by olm.package, olm.channel or olm.bundle; no two to the same; and
has a message, which users read in the console. When a bundle or a channel is removed from a catalog, its deprecation must be removed as well.
Correct the entry, or remove it.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel; alpha/model Deprecation.Validate",
			Check:     checkInvalid,
		},
		{
			ID: "deprecation/head", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `new users get something deprecated
An installation without a channel gets the head of the default channel. If that bundle or that channel is deprecated, but the
package is not, new users start on a deprecated version.
Set defaultChannel to a channel that is not deprecated, add a newer bundle, or deprecate the package if it is no longer
maintained.`,
			Reference: "OLM Subscription conditions BundleDeprecated, ChannelDeprecated",
			Check:     checkDeprecatedHead,
		},
		{
			ID: "deprecation/no-way-out", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `every upgrade from a deprecated bundle is deprecated too
Users of a deprecated bundle should upgrade, but each automatic upgrade up to the head of their channel is to another deprecated
bundle. It is not reported if the channel or the package is deprecated as a whole.
Add a bundle that is not deprecated, or deprecate the channel with a message that names another one.`,
			Reference: "OLM Subscription condition BundleDeprecated",
			Check:     checkOnlyDeprecatedUpgrades,
		},
		{
			ID: "deprecation/channel-no-way-out", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a deprecated channel has no upgrade to other channels
Users of a deprecated channel should switch. In each channel that is not deprecated the head of the deprecated channel is not an
entry, and is not replaced, skipped or in a skipRange: after the switch OLM v0 never upgrades it.
Let an entry of another channel skip the head of the deprecated channel, or cover it with a skipRange.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkDeprecatedChannel,
		},
		{
			ID: "deprecation/stuck-v1", Severity: lint.Warning, Gates: lint.GateOLMv1,
			Doc: `OLM v1 does not upgrade to deprecated bundles
OLM v1 prefers bundles that are not deprecated to deprecated ones, and the installed bundle is a candidate. If all successors of a
bundle that is not deprecated are deprecated, OLM v1 never upgrades it, even if later bundles are not deprecated.
Let a later bundle that is not deprecated skip the installed one, or deprecate the installed one as well.`,
			Reference: "operator-controller compare.ByDeprecationFunc",
			Check:     checkStuckByDeprecation,
		},
		{
			ID: "deprecation/legacy-property", Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `OLM v0 does not install a bundle with the property olm.deprecated
This property comes from SQLite indexes. OLM v0 never installs a bundle that has it, neither as a new installation nor as an
upgrade. Users see no message, only an older version or a failed resolution. It differs from olm.deprecations.
Render the bundle without the property, and deprecate it with an entry in olm.deprecations.`,
			Reference: "OLM resolver NewBundleVariableFromOperator",
			Check:     checkLegacyDeprecated,
		},
	})
}
