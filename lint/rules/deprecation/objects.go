package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

func checkDeprecationPackage(p *lint.Pass) {
	if p.Package.Defined() || p.Catalog.MayBeUnread(p.Package.Name.Value) {
		return
	}
	name := p.Package.Name.Value
	for _, d := range p.Package.Deprecations {
		f := lint.Finding{
			Pos:     catalogs.KnownPos(d.Package.Pos, d.Pos),
			Message: fmt.Sprintf("deprecations for package %q, which no olm.package object defines", name),
			Fix:     "correct the name, or remove the object",
		}
		if near := versions.NearestPackage(p.Catalog, name); near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the object", near)
		}
		if name == "" {
			f.Message, f.Fix = "an olm.deprecations object names no package", "add package"
		}
		p.Report(f)
	}
}

func checkDeprecationObjects(p *lint.Pass) {
	if len(p.Package.Deprecations) < 2 {
		return
	}
	first := p.Package.Deprecations[0]
	for _, d := range p.Package.Deprecations[1:] {
		p.Report(lint.Finding{
			Pos:     catalogs.KnownPos(d.Package.Pos, d.Pos),
			Message: fmt.Sprintf("package %q has a second olm.deprecations object, and opm does not merge them", p.Package.Name.Value),
			Fix:     "move its entries into the first one",
			Related: []lint.Related{{Pos: catalogs.KnownPos(first.Package.Pos, first.Pos), Message: "the first one"}},
		})
	}
}

func checkReferenceSchema(p *lint.Pass, d *catalogs.Deprecation) {
	schemas := []string{catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle}
	f := lint.Finding{Cause: causeOf(d), Pos: catalogs.KnownPos(d.Schema.Pos, d.Pos), Fix: "write " + words.OneOf(schemas)}
	if versions.HasTypeProblem(p.Catalog, d.Schema.Pos) {
		return
	}
	switch d.Schema.Value {
	case catalogs.SchemaPackage, catalogs.SchemaChannel, catalogs.SchemaBundle:
		return
	case "":
		f.Message = fmt.Sprintf("the deprecation of %q has no schema for a bundle or a channel", d.Name.Value)
		f.Fix = "add reference.schema: " + words.OneOf(schemas)
	default:
		f.Message = fmt.Sprintf("a deprecation of schema %q: only packages, channels and bundles can be deprecated",
			d.Schema.Value)
		if near, ok := spelling.Nearest(d.Schema.Value, schemas); ok {
			f.Fix = fmt.Sprintf("did you mean %q?", near)
		}
	}
	p.Report(f)
}

func checkDuplicateReference(p *lint.Pass) {
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
			p.Report(lint.Finding{
				Subject: deprecationSubject(d),
				Cause:   causeOf(d),
				Pos:     catalogs.KnownPos(d.Name.Pos, d.Schema.Pos, d.Pos),
				Message: fmt.Sprintf("%s is deprecated a second time, which opm rejects", describeDeprecated(d)),
				Fix:     "keep one entry, with the intended message",
				Related: []lint.Related{{Pos: catalogs.KnownPos(other.Name.Pos, other.Schema.Pos, other.Pos), Message: "first deprecated here"}},
			})
		}
	}
}

func checkDanglingReference(p *lint.Pass, d *catalogs.Deprecation) {
	if versions.HasTypeProblem(p.Catalog, d.Name.Pos) || p.Catalog.MayBeUnread(d.Name.Value) {
		return
	}
	var known []string
	switch name := d.Name.Value; d.Schema.Value {
	case catalogs.SchemaBundle:
		if p.Package.Bundle(name) != nil {
			return
		}
		known = p.Package.BundleNames()
	case catalogs.SchemaChannel:
		if p.Package.Channel(name) != nil {
			return
		}
		known = p.Package.ChannelNames()
	default:
		return
	}
	f := lint.Finding{
		Subject: deprecationSubject(d),
		Cause:   causeOf(d),
		Pos:     catalogs.KnownPos(d.Name.Pos, d.Pos),
		Message: fmt.Sprintf("%s is deprecated, but package %q has none of that name", describeDeprecated(d), p.Package.Name.Value),
		Fix:     "remove the entry, or correct the name",
	}
	if near, ok := spelling.NearestVersioned(d.Name.Value, known); ok {
		f.Fix = fmt.Sprintf("did you mean %q? Otherwise remove the entry", near)
	}
	p.Report(f)
}

func checkPackageReference(p *lint.Pass, d *catalogs.Deprecation) {
	if d.Schema.Value != catalogs.SchemaPackage || d.Name.Value == "" {
		return
	}
	f := lint.Finding{
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

func checkDeprecationMessage(p *lint.Pass, d *catalogs.Deprecation) {
	if d.Message.Value == "" && !versions.HasTypeProblem(p.Catalog, d.Message.Pos) {
		p.Report(lint.Finding{
			Subject: deprecationSubject(d),
			Cause:   causeOf(d),
			Pos:     catalogs.KnownPos(d.Message.Pos, d.Pos),
			Message: fmt.Sprintf("%s is deprecated without a message: users are not told what to do", describeDeprecated(d)),
			Fix:     "add message: why, since when, and what to use instead",
		})
	}
}
