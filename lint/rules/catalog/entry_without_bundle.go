package catalog

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
)

var entryWithoutBundle = lint.Rule{
	ID: "catalog/entry-without-bundle", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a channel entry has no bundle
An entry must name an olm.bundle object of its package: without it there is nothing to install. opm's own message often names a
missing property or image instead.
Add the bundle, correct the name, or remove the entry (a later entry can still replace or skip its name).`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkEntryWithoutBundle,
}

func checkEntryWithoutBundle(p *lint.Pass) {
	if !p.Package.Defined() {
		return // reported by catalog/unknown-package
	}
	misspelt(p, catalogs.UnknownName, "write %s")
	unused := unlisted(p.Package)
	for _, c := range p.Package.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			f := lint.Finding{Subject: lint.Subject{Channel: c.Name.Value, Bundle: e.Name.Value}, Pos: e.Pos}
			switch {
			case e.Name.Value == "":
				f.Message = fmt.Sprintf("an entry of channel %q without a name", c.Name.Value)
				f.Fix = "add the name of a bundle"
			case e.Bundle == nil && (p.Catalog.MayBeUnread(e.Name.Value) || isInUndefined(p.Catalog, e.Name.Value)):
				continue
			case e.Bundle == nil:
				f.Message = fmt.Sprintf("channel %q offers %q, but no olm.bundle object of package %q has that name",
					c.Name.Value, e.Name.Value, p.Package.Name.Value)
				f.Fix = "add the bundle, or remove the entry"
				if near, ok := spelling.Nearest(e.Name.Value, unused); ok {
					f.Fix = fmt.Sprintf("did you mean %q, which is in no channel?", near)
				}
			default:
				continue
			}
			p.Report(f)
		}
	}
}

// isInUndefined reports whether a bundle of that name belongs to a package that is not defined: catalog/unknown-package reports it.
func isInUndefined(c *catalogs.Catalog, bundle string) bool {
	return slices.ContainsFunc(c.Packages, func(p *catalogs.Package) bool { return !p.Defined() && p.Bundle(bundle) != nil })
}

// misspelt reports the names in a package that were read as what was probably meant. The fix has that name.
func misspelt(p *lint.Pass, kind catalogs.ProblemKind, fix string) {
	for _, problem := range p.Catalog.Problems {
		if problem.Kind == kind && problem.Package == p.Package.Name.Value {
			p.Report(lint.Finding{Subject: lint.Subject{Channel: problem.Channel, Bundle: problem.Bundle}, Pos: problem.Pos,
				Message: problem.Message, Fix: fmt.Sprintf(fix, problem.Like)})
		}
	}
}
