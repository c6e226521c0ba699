package deprecation

import (
	"fmt"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// checkInvalid reports what opm rejects in the olm.deprecations of a package.
func checkInvalid(p *lint.Pass) {
	name := p.Package.Name.Value
	for i, object := range p.Package.Deprecations {
		f := lint.Finding{Pos: catalogs.KnownPos(object.Package.Pos, object.Pos)}
		if !p.Package.Defined() && !p.Catalog.MayBeUnread(name) {
			f.Message, f.Fix = fmt.Sprintf("deprecations for package %q, which no olm.package object defines", name), "correct the name, or remove the object"
			if near := versions.NearestPackage(p.Catalog, name); near != "" {
				f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the object", near)
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
	report := func(at catalogs.Pos, part, fix, message string, related ...lint.Related) {
		p.Report(lint.Finding{Subject: deprecationSubject(d), Cause: []string{part, d.Schema.Value, d.Name.Value},
			Pos: catalogs.KnownPos(at, d.Pos), Message: message, Fix: fix, Related: related})
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
		if fix := danglingFix(p, d, names); fix != "" {
			report(d.Name.Pos, "dangling", fix, fmt.Sprintf("%s is deprecated, but package %q has none of that name", describeDeprecated(d), p.Package.Name.Value))
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

// danglingFix returns the fix of the deprecation of a channel or a bundle that the package does not have; "" if it has it.
func danglingFix(p *lint.Pass, d *catalogs.Deprecation, names func() []string) string {
	name := d.Name.Value
	has := p.Package.Bundle(name) != nil
	if d.Schema.Value == catalogs.SchemaChannel {
		has = p.Package.Channel(name) != nil
	}
	if has || versions.HasTypeProblem(p.Catalog, d.Name.Pos) || p.Catalog.MayBeUnread(name) {
		return ""
	}
	if near, ok := spelling.NearestVersioned(name, names()); ok {
		return fmt.Sprintf("did you mean %q? Otherwise remove the entry", near)
	}
	return "remove the entry, or correct the name"
}

// schemaFault says what is wrong with a schema that cannot be deprecated, and the fix.
func schemaFault(d *catalogs.Deprecation) (message, fix string) {
	schemas := []string{catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle}
	if d.Schema.Value == "" {
		return fmt.Sprintf("the deprecation of %q has no schema for a bundle or a channel", d.Name.Value), "add reference.schema: " + words.OneOf(schemas)
	}
	message, fix = fmt.Sprintf("a deprecation of schema %q: only packages, channels and bundles can be deprecated", d.Schema.Value), "write "+words.OneOf(schemas)
	if near, ok := spelling.Nearest(d.Schema.Value, schemas); ok {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	return message, fix
}
