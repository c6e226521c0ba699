package lint

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

// deprecationRules judge what a catalog declares deprecated: does opm take it, and where does it leave users?
var deprecationRules = []Rule{
	{
		ID: "deprecation/unknown-package", Severity: Error, Gates: GateOPM,
		Doc: `deprecations for a package that is not defined
An olm.deprecations object must name a package that an olm.package object defines.
Correct the name, or remove the object.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDeprecationPackage,
	},
	{
		ID: "deprecation/duplicate-object", Severity: Error, Gates: GateOPM,
		Doc: `a package has two olm.deprecations objects
opm accepts one for each package and does not merge them; OLM v1 reads only the first one.
Move the entries into one.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDeprecationObjects,
	},
	{
		ID: "deprecation/reference-schema", Severity: Error, Gates: GateOPM,
		Doc: `the reference of a deprecation has no valid schema
The schema of a reference must be olm.package, olm.channel or olm.bundle.
Add or correct reference.schema.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     eachDeprecation(checkReferenceSchema),
	},
	{
		ID: "deprecation/duplicate-reference", Severity: Error, Gates: GateOPM,
		Doc: `something is deprecated twice
opm rejects two entries with the same reference, even if their messages are equal.
Keep one.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDuplicateReference,
	},
	{
		ID: "deprecation/dangling-reference", Severity: Error, Gates: GateOPM,
		Doc: `a deprecation names a bundle or channel that the package does not have
When a bundle or a channel is removed from a catalog, its deprecation must be removed as well.
Correct the name, or remove the entry.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     eachDeprecation(checkDanglingReference),
	},
	{
		ID: "deprecation/package-reference-name", Severity: Error, Gates: GateOPM,
		Doc: `the deprecation of a package has a name
A reference with the schema olm.package means the package of the object. opm rejects a name in it, even the name of the package.
Remove the name.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     eachDeprecation(checkPackageReference),
	},
	{
		ID: "deprecation/empty-message", Severity: Error, Gates: GateOPM,
		Doc: `a deprecation has no message
The message is what users read in the console: opm rejects an empty one.
Write since when, why, and what to use instead.`,
		Reference: "operator-registry alpha/model Deprecation.Validate",
		Check:     eachDeprecation(checkDeprecationMessage),
	},
	{
		ID: "deprecation/head", Severity: Warning, Gates: GateAdvice,
		Doc: `new users get something deprecated
An installation without a channel gets the head of the default channel. If that bundle or that channel is deprecated, but the
package is not, new users start on a deprecated version.
Set defaultChannel to a channel that is not deprecated, add a newer bundle, or deprecate the package if it is no longer
maintained.`,
		Reference: "OLM Subscription conditions BundleDeprecated, ChannelDeprecated",
		Check:     checkDeprecatedHead,
	},
	{
		ID: "deprecation/no-way-out", Severity: Warning, Gates: GateAdvice,
		Doc: `every upgrade from a deprecated bundle is deprecated too
Users of a deprecated bundle should upgrade, but each automatic upgrade up to the head of their channel is to another deprecated
bundle. It is not reported if the channel or the package is deprecated as a whole.
Add a bundle that is not deprecated, or deprecate the channel with a message that names another one.`,
		Reference: "OLM Subscription condition BundleDeprecated",
		Check:     checkOnlyDeprecatedUpgrades,
	},
	{
		ID: "deprecation/channel-no-way-out", Severity: Warning, Gates: GateAdvice,
		Doc: `a deprecated channel has no upgrade to other channels
Users of a deprecated channel should switch. In each channel that is not deprecated the head of the deprecated channel is not an
entry, and is not replaced, skipped or in a skipRange: after the switch OLM v0 never upgrades it.
Let an entry of another channel skip the head of the deprecated channel, or cover it with a skipRange.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     checkDeprecatedChannel,
	},
	{
		ID: "deprecation/stuck-v1", Severity: Warning, Gates: GateOLMv1,
		Doc: `OLM v1 does not upgrade to deprecated bundles
OLM v1 prefers bundles that are not deprecated to deprecated ones, and the installed bundle is a candidate. If all successors of a
bundle that is not deprecated are deprecated, OLM v1 never upgrades it, even if later bundles are not deprecated.
Let a later bundle that is not deprecated skip the installed one, or deprecate the installed one as well.`,
		Reference: "operator-controller compare.ByDeprecationFunc",
		Check:     checkStuckByDeprecation,
	},
	{
		ID: "deprecation/lower-preferred", Severity: Info, Gates: GateOLMv1,
		Doc: `OLM v1 installs an older version, since the newer ones are deprecated
Without a version or channel in the ClusterExtension OLM v1 installs the highest version that is not deprecated. If all newer
versions are deprecated, but the package is not, new users of OLM v1 get the older version and those of OLM v0 the head.
Deprecate the older versions as well, or explain in the message why the newer ones were withdrawn.`,
		Reference: "operator-controller resolve.CatalogResolver",
		Check:     checkLowerPreferred,
	},
	{
		ID: "deprecation/legacy-property", Severity: Warning, Gates: GateOLMv0,
		Doc: `OLM v0 does not install a bundle with the property olm.deprecated
This property comes from SQLite indexes. OLM v0 never installs a bundle that has it, neither as a new installation nor as an
upgrade. Users see no message, only an older version or a failed resolution. It differs from olm.deprecations.
Render the bundle without the property, and deprecate it with an entry in olm.deprecations.`,
		Reference: "OLM resolver NewBundleVariableFromOperator",
		Check:     checkLegacyDeprecated,
	},
}

// eachDeprecation makes a Check of a question about one entry of olm.deprecations.
func eachDeprecation(check func(*Pass, *catalogs.Deprecation)) func(*Pass) {
	return func(p *Pass) {
		for _, d := range p.Package.Deprecations {
			for i := range d.Entries {
				check(p, &d.Entries[i])
			}
		}
	}
}

// deprecationSubject names what an entry deprecates.
func deprecationSubject(d *catalogs.Deprecation) Subject {
	switch d.Schema.Value {
	case catalogs.SchemaChannel:
		return Subject{Channel: d.Name.Value}
	case catalogs.SchemaBundle:
		return Subject{Bundle: d.Name.Value}
	}
	return Subject{}
}

// causeOf is the cause of a finding about an entry.
func causeOf(d *catalogs.Deprecation) []string { return []string{d.Schema.Value, d.Name.Value} }

// whatIsDeprecated names it in a sentence.
func whatIsDeprecated(d *catalogs.Deprecation) string {
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

func checkDeprecationPackage(p *Pass) {
	if p.Package.Defined() {
		return
	}
	name := p.Package.Name.Value
	for _, d := range p.Package.Deprecations {
		f := Finding{
			Pos:     firstKnown(d.Package.Pos, d.Pos),
			Message: fmt.Sprintf("deprecations for package %q, which no olm.package object defines", name),
			Fix:     "correct the name, or remove the object",
		}
		if near := nearestPackage(p.Catalog, name); near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the object", near)
		}
		if name == "" {
			f.Message, f.Fix = "an olm.deprecations object names no package", "add package"
		}
		p.Report(f)
	}
}

func checkDeprecationObjects(p *Pass) {
	if len(p.Package.Deprecations) < 2 {
		return
	}
	first := p.Package.Deprecations[0]
	for _, d := range p.Package.Deprecations[1:] {
		p.Report(Finding{
			Pos:     firstKnown(d.Package.Pos, d.Pos),
			Message: fmt.Sprintf("package %q has a second olm.deprecations object, and opm does not merge them", p.Package.Name.Value),
			Fix:     "move its entries into the first one",
			Related: []Related{{Pos: firstKnown(first.Package.Pos, first.Pos), Message: "the first one"}},
		})
	}
}

func checkReferenceSchema(p *Pass, d *catalogs.Deprecation) {
	schemas := []string{catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle}
	f := Finding{Cause: causeOf(d), Pos: firstKnown(d.Schema.Pos, d.Pos), Fix: "write " + oneOf(schemas)}
	if isProblemAt(p.Catalog, d.Schema.Pos) {
		return
	}
	switch d.Schema.Value {
	case catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle:
		return
	case "":
		f.Message = fmt.Sprintf("the deprecation of %q has no schema for a bundle or a channel", d.Name.Value)
		f.Fix = "add reference.schema: " + oneOf(schemas)
	default:
		f.Message = fmt.Sprintf("a deprecation of schema %q: only packages, channels and bundles can be deprecated",
			d.Schema.Value)
		if near, ok := spelling.Nearest(d.Schema.Value, schemas); ok {
			f.Fix = fmt.Sprintf("did you mean %q?", near)
		}
	}
	p.Report(f)
}

func checkDuplicateReference(p *Pass) {
	type reference struct{ schema, name string }
	for _, object := range p.Package.Deprecations {
		first := map[reference]*catalogs.Deprecation{}
		for i := range object.Entries {
			d := &object.Entries[i]
			key := reference{d.Schema.Value, d.Name.Value}
			other := first[key]
			if other == nil {
				first[key] = d
				continue
			}
			p.Report(Finding{
				Subject: deprecationSubject(d),
				Cause:   causeOf(d),
				Pos:     firstKnown(d.Name.Pos, d.Schema.Pos, d.Pos),
				Message: fmt.Sprintf("%s is deprecated a second time, which opm refuses", whatIsDeprecated(d)),
				Fix:     "keep one entry, with the intended message",
				Related: []Related{{Pos: firstKnown(other.Name.Pos, other.Schema.Pos, other.Pos), Message: "first deprecated here"}},
			})
		}
	}
}

func checkDanglingReference(p *Pass, d *catalogs.Deprecation) {
	if isProblemAt(p.Catalog, d.Name.Pos) {
		return
	}
	var known []string
	switch name := d.Name.Value; d.Schema.Value {
	case catalogs.SchemaBundle:
		if p.Package.Bundle(name) != nil {
			return
		}
		for _, b := range p.Package.Bundles {
			known = append(known, b.Name.Value)
		}
	case catalogs.SchemaChannel:
		if p.Package.Channel(name) != nil {
			return
		}
		for _, c := range p.Package.Channels {
			known = append(known, c.Name.Value)
		}
	default:
		return
	}
	f := Finding{
		Subject: deprecationSubject(d),
		Cause:   causeOf(d),
		Pos:     firstKnown(d.Name.Pos, d.Pos),
		Message: fmt.Sprintf("%s is deprecated, but package %q has none of that name", whatIsDeprecated(d), p.Package.Name.Value),
		Fix:     "remove the entry, or correct the name",
	}
	if near, ok := spelling.NearestVersioned(d.Name.Value, known); ok {
		f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the entry", near)
	}
	p.Report(f)
}

func checkPackageReference(p *Pass, d *catalogs.Deprecation) {
	if d.Schema.Value != catalogs.SchemaPackage || d.Name.Value == "" {
		return
	}
	f := Finding{
		Cause:   causeOf(d),
		Pos:     d.Name.Pos,
		Message: fmt.Sprintf("the deprecation of the package names %q; opm allows no name there", d.Name.Value),
		Fix:     "remove the name from the reference",
	}
	switch {
	case p.Package.Channel(d.Name.Value) != nil:
		f.Fix += ", or write olm.channel if the channel of that name is meant"
	case p.Package.Bundle(d.Name.Value) != nil:
		f.Fix += ", or write olm.bundle if the bundle of that name is meant"
	}
	p.Report(f)
}

func checkDeprecationMessage(p *Pass, d *catalogs.Deprecation) {
	if d.Message.Value == "" && !isProblemAt(p.Catalog, d.Message.Pos) {
		p.Report(Finding{
			Subject: deprecationSubject(d),
			Cause:   causeOf(d),
			Pos:     firstKnown(d.Message.Pos, d.Pos),
			Message: fmt.Sprintf("%s is deprecated without a message: users are not told what to do", whatIsDeprecated(d)),
			Fix:     "add message: why, since when, and what to use instead",
		})
	}
}
