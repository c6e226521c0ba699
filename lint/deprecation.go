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
Mend the name, or take the object out.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDeprecationPackage,
	},
	{
		ID: "deprecation/duplicate-object", Severity: Error, Gates: GateOPM,
		Doc: `a package has two olm.deprecations objects
opm wants one a package and does not merge them; OLM v1 reads only the first it meets.
Move the entries into one.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDeprecationObjects,
	},
	{
		ID: "deprecation/reference-schema", Severity: Error, Gates: GateOPM,
		Doc: `a deprecation does not say what kind of thing it deprecates
The schema of a reference must be olm.package, olm.channel or olm.bundle.
Add or mend reference.schema.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     eachDeprecation(checkReferenceSchema),
	},
	{
		ID: "deprecation/duplicate-reference", Severity: Error, Gates: GateOPM,
		Doc: `something is deprecated twice
opm refuses two entries with the same reference, even if their messages agree.
Keep one.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     checkDuplicateReference,
	},
	{
		ID: "deprecation/dangling-reference", Severity: Error, Gates: GateOPM,
		Doc: `a deprecation names a bundle or channel that the package does not have
When a bundle or a channel is taken out of a catalog its deprecation must go with it.
Mend the name, or take the entry out.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     eachDeprecation(checkDanglingReference),
	},
	{
		ID: "deprecation/package-reference-name", Severity: Error, Gates: GateOPM,
		Doc: `the deprecation of a package has a name
A reference with the schema olm.package means the package that the object belongs to. opm refuses a name in it, even the
right one.
Take the name out.`,
		Reference: "operator-registry alpha/declcfg ConvertToModel",
		Check:     eachDeprecation(checkPackageReference),
	},
	{
		ID: "deprecation/empty-message", Severity: Error, Gates: GateOPM,
		Doc: `a deprecation has no message
The message is what users read in their console, and all they get: opm refuses an empty one.
Say since when, why, and what to use instead.`,
		Reference: "operator-registry alpha/model Deprecation.Validate",
		Check:     eachDeprecation(checkDeprecationMessage),
	},
	{
		ID: "deprecation/head", Severity: Warning, Gates: GateAdvice,
		Doc: `new users get something deprecated
Who installs without choosing gets the head of the default channel. If that bundle or that channel is deprecated, while the
package is not, every new user starts on a version that they are told to leave.
Set defaultChannel to a channel that is not deprecated, add a newer bundle, or deprecate the package if it is at its end.`,
		Reference: "OLM Subscription conditions BundleDeprecated, ChannelDeprecated",
		Check:     checkDeprecatedHead,
	},
	{
		ID: "deprecation/no-way-out", Severity: Warning, Gates: GateAdvice,
		Doc: `every upgrade from a deprecated bundle is deprecated too
Users of a deprecated bundle are told to move on, but each automatic upgrade up to the head of their channel leads to another
deprecated one. Where the channel or the package is deprecated as a whole that is meant, and not reported.
Add a bundle that is not deprecated, or deprecate the channel with a message that names another one.`,
		Reference: "OLM Subscription condition BundleDeprecated",
		Check:     checkOnlyDeprecatedUpgrades,
	},
	{
		ID: "deprecation/channel-no-way-out", Severity: Warning, Gates: GateAdvice,
		Doc: `nothing in a deprecated channel can move to a living one
Users of a deprecated channel are told to switch. In each channel that is not deprecated their newest version is neither
known nor replaced, skipped or in a skipRange: after the switch OLM v0 offers them nothing for ever.
Let the entry that should take them over skip the head of the deprecated channel or cover it with a skipRange.`,
		Reference: "OLM resolver getSubscriptionVariables",
		Check:     checkDeprecatedChannel,
	},
	{
		ID: "deprecation/stuck-v1", Severity: Warning, Gates: GateOLMv1,
		Doc: `OLM v1 stays where every upgrade is deprecated
OLM v1 prefers any bundle that is not deprecated to any that is, and the installed one competes. Where all successors of a
living bundle are deprecated it never upgrades, even if something living comes after them.
Let the living bundle further up skip the one that stays behind, or deprecate that as well.`,
		Reference: "operator-controller compare.ByDeprecationFunc",
		Check:     checkStuckByDeprecation,
	},
	{
		ID: "deprecation/lower-preferred", Severity: Info, Gates: GateOLMv1,
		Doc: `OLM v1 installs an older version, since the newer ones are deprecated
Without a wish for a version or channel OLM v1 takes the highest version that is not deprecated. If everything newer is
deprecated, but the package is not, new users of OLM v1 get the old one and those of OLM v0 the head.
Deprecate what is older as well, or say in the message why the newer ones were withdrawn.`,
		Reference: "operator-controller resolve.CatalogResolver",
		Check:     checkLowerPreferred,
	},
	{
		ID: "deprecation/legacy-property", Severity: Warning, Gates: GateOLMv0,
		Doc: `a bundle has the property olm.deprecated, which forbids to install it
This property comes from SQLite indexes. OLM v0 never installs a bundle that has it, neither anew nor as an upgrade; users
get no message, only an older version or a resolution that fails. It is not what olm.deprecations does.
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
			Fix:     "mend the name, or take the object out",
		}
		if near := nearestPackage(p.Catalog, name); near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Else take the object out", near)
		}
		if name == "" {
			f.Message, f.Fix = "an olm.deprecations object does not say for which package", "add package"
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
		f.Message = fmt.Sprintf("the deprecation of %q does not say whether that is a bundle or a channel", d.Name.Value)
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
				Fix:     "keep one entry, with the message that is meant",
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
		Fix:     "take the entry out, or mend the name",
	}
	if near, ok := spelling.NearestVersioned(d.Name.Value, known); ok {
		f.Fix = fmt.Sprintf("did you mean %q? Else take the entry out", near)
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
		Message: fmt.Sprintf("the deprecation of the package names %q; opm wants no name there", d.Name.Value),
		Fix:     "take the name out of the reference",
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
			Message: fmt.Sprintf("%s is deprecated without a message: users would not learn what to do", whatIsDeprecated(d)),
			Fix:     "add message: why, since when, and what to use instead",
		})
	}
}
