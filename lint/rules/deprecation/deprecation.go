// Package deprecation has the rules on deprecations.
package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// eachDeprecation returns a Check that calls check for each entry of olm.deprecations.
func eachDeprecation(check func(*lint.Pass, *catalogs.Deprecation)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		for _, d := range p.Package.Deprecations {
			for i := range d.Entries {
				check(p, &d.Entries[i])
			}
		}
	}
}

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

// causeOf returns the cause of a finding about an entry.
func causeOf(d *catalogs.Deprecation) []string { return []string{d.Schema.Value, d.Name.Value} }

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
			ID: "deprecation/unknown-package", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `deprecations for a package that is not defined
An olm.deprecations object must name a package that an olm.package object defines.
Correct the name, or remove the object.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkDeprecationPackage,
		},
		{
			ID: "deprecation/duplicate-object", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a package has two olm.deprecations objects
opm accepts one for each package and does not merge them; OLM v1 reads only the first one.
Move the entries into one.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkDeprecationObjects,
		},
		{
			ID: "deprecation/reference-schema", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `the reference of a deprecation has no valid schema
The schema of a reference must be olm.package, olm.channel or olm.bundle.
Add or correct reference.schema.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     eachDeprecation(checkReferenceSchema),
		},
		{
			ID: "deprecation/duplicate-reference", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `something is deprecated twice
opm rejects two entries with the same reference, even if their messages are equal.
Keep one.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     checkDuplicateReference,
		},
		{
			ID: "deprecation/dangling-reference", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a deprecation names a bundle or channel that the package does not have
When a bundle or a channel is removed from a catalog, its deprecation must be removed as well.
Correct the name, or remove the entry.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     eachDeprecation(checkDanglingReference),
		},
		{
			ID: "deprecation/package-reference-name", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `the deprecation of a package has a name
A reference with the schema olm.package means the package of the object. opm rejects a name in it, even the name of the package.
Remove the name.`,
			Reference: "operator-registry alpha/declcfg ConvertToModel",
			Check:     eachDeprecation(checkPackageReference),
		},
		{
			ID: "deprecation/empty-message", Severity: lint.Error, Gates: lint.GateOPM,
			Doc: `a deprecation has no message
The message is what users read in the console: opm rejects an empty one.
Write since when, why, and what to use instead.`,
			Reference: "operator-registry alpha/model Deprecation.Validate",
			Check:     eachDeprecation(checkDeprecationMessage),
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
