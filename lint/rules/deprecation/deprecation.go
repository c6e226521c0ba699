// Package deprecation has the rules on deprecations.
package deprecation

import (
	"fmt"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
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
An olm.deprecations object names a package that the catalog defines; each package has at most one. Each of its entries has a message, which
users read in the console. It refers to the package, without a name, or to a channel or a bundle of the package, by olm.package, olm.channel
or olm.bundle. No two entries refer to the same. If you remove a bundle or a channel from a catalog, remove its deprecation too.
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
Users of a deprecated channel should switch to one that is not deprecated. None of these has the head of the deprecated
channel as an entry, replaces or skips it, or covers it with a skipRange. After the switch OLM v0 never upgrades it.
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

// checkInvalid reports what opm rejects in the olm.deprecations of a package.
func checkInvalid(p *lint.Pass) {
	name := p.Package.Name.Value
	for i, object := range p.Package.Deprecations {
		f := lint.Finding{Pos: catalogs.KnownPos(object.Package.Pos, object.Pos)}
		if !p.Package.IsDefined() && !p.Catalog.MayBeUnread(name) {
			f.Message, f.Fix = fmt.Sprintf("deprecations for package %q, which no olm.package object defines", name), "correct the name, or remove the object"
			if near := versions.NearestPackage(p.Catalog, name); near != "" {
				f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the object", near)
				f.Suggest(object.Package, near)
			}
			if name == "" {
				f.Message, f.Fix = "an olm.deprecations object names no package", "add package"
			}
			p.Report(f)
		}
		if i > 0 {
			first := p.Package.Deprecations[0]
			f.Cause, f.Related = []string{"second"}, []lint.Related{{Pos: catalogs.KnownPos(first.Package.Pos, first.Pos), Message: "the first one"}}
			f.Message = fmt.Sprintf("package %q has a second olm.deprecations object, and opm does not merge them", name)
			f.Fix = "move its entries into the first one"
			p.Report(f)
		}
		seen := map[[2]string]*catalogs.Deprecation{}
		bundles, channels := sync.OnceValue(p.Package.BundleNames), sync.OnceValue(p.Package.ChannelNames)
		for j := range object.Entries {
			d := &object.Entries[j]
			id := [2]string{d.Schema.Value, d.Name.Value}
			names := bundles
			if d.Schema.Value == catalogs.SchemaChannel {
				names = channels
			}
			checkEntry(p, d, seen[id], names)
			if seen[id] == nil {
				seen[id] = d
			}
		}
	}
}

// checkEntry reports what is wrong with an entry. The first one before it of its schema and name is nil if there is none; names returns those
// of the channels or bundles of the package.
func checkEntry(p *lint.Pass, d, first *catalogs.Deprecation, names func() []string) {
	finding := func(at catalogs.Pos, part, fix, message string, related ...lint.Related) *lint.Finding {
		return &lint.Finding{Subject: deprecationSubject(d), Cause: []string{part, d.Schema.Value, d.Name.Value},
			Pos: catalogs.KnownPos(at, d.Pos), Message: message, Fix: fix, Related: related}
	}
	report := func(at catalogs.Pos, part, fix, message string, related ...lint.Related) {
		p.Report(*finding(at, part, fix, message, related...))
	}
	if first != nil {
		report(catalogs.KnownPos(d.Name.Pos, d.Schema.Pos), "twice", "keep one entry, with the intended message", describeDeprecated(d)+" is deprecated a second time, which opm rejects",
			lint.Related{Pos: catalogs.KnownPos(first.Name.Pos, first.Schema.Pos, first.Pos), Message: "first deprecated here"})
	}
	if d.Message.Value == "" && !versions.HasTypeProblem(p.Catalog, d.Message.Pos) {
		report(d.Message.Pos, "message", "add message: why, since when, and what to use instead", describeDeprecated(d)+" is deprecated without a message: users are not told what to do")
	}
	switch d.Schema.Value {
	case catalogs.SchemaPackage:
		if d.Name.Value != "" {
			report(d.Name.Pos, "name", nameFix(p.Package, d.Name.Value), fmt.Sprintf("the deprecation of the package names %q; opm allows no name there", d.Name.Value))
		}
	case catalogs.SchemaChannel, catalogs.SchemaBundle:
		if fix, near := danglingFix(p, d, names); fix != "" {
			f := finding(d.Name.Pos, "dangling", fix, fmt.Sprintf("%s is deprecated, but package %q has none of that name", describeDeprecated(d), p.Package.Name.Value))
			if near != "" {
				f.Suggest(d.Name, near)
			}
			p.Report(*f)
		}
	default:
		if !versions.HasTypeProblem(p.Catalog, d.Schema.Pos) {
			message, fix := schemaFault(d)
			report(d.Schema.Pos, "schema", fix, message)
		}
	}
}

// nameFix returns the fix of a name where the package is deprecated.
func nameFix(pkg *catalogs.Package, name string) string {
	fix := "remove the name from the reference"
	switch {
	case pkg.Channel(name) != nil:
		return fix + ", or write olm.channel if the channel of that name is meant"
	case pkg.Bundle(name) != nil:
		return fix + ", or write olm.bundle if the bundle of that name is meant"
	}
	return fix
}

// danglingFix returns the fix of the deprecation of a channel or a bundle that the package does not have, and the name that is probably meant; "" if it has it.
func danglingFix(p *lint.Pass, d *catalogs.Deprecation, names func() []string) (fix, near string) {
	name := d.Name.Value
	has := p.Package.Bundle(name) != nil
	if d.Schema.Value == catalogs.SchemaChannel {
		has = p.Package.Channel(name) != nil
	}
	if has || versions.HasTypeProblem(p.Catalog, d.Name.Pos) || p.Catalog.MayBeUnread(name) {
		return "", ""
	}
	if near, ok := words.NearestVersioned(name, names()); ok {
		return fmt.Sprintf("did you mean %q? Otherwise remove the entry", near), near
	}
	return "remove the entry, or correct the name", ""
}

// schemaFault says what is wrong with a schema that cannot be deprecated, and the fix.
func schemaFault(d *catalogs.Deprecation) (message, fix string) {
	schemas := []string{catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle}
	if d.Schema.Value == "" {
		return fmt.Sprintf("the deprecation of %q has no schema for a bundle or a channel", d.Name.Value), "add reference.schema: " + words.QuoteOr(schemas)
	}
	message, fix = fmt.Sprintf("a deprecation of schema %q: only packages, channels and bundles can be deprecated", d.Schema.Value), "write "+words.QuoteOr(schemas)
	if near, ok := words.Nearest(d.Schema.Value, schemas); ok {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	return message, fix
}
