package catalog

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
)

// checkNoPackage reports what was not checked, since it is not a catalog or is generated from a template. What cannot be read is
// already reported.
func checkNoPackage(p *lint.Pass) {
	lint.EachProblem(catalogs.UnreadFolder, "")(p)
	found, none := p.Catalog.NoPackage()
	if unknown, fix := p.Catalog.UnknownBundles(); none && unknown != "" && p.Catalog.Template.Generated() {
		p.Report(lint.Finding{Pos: found.Pos, Message: "nothing was checked: " + unknown, Fix: fix})
		return
	}
	if !none || found.Unread || withoutAnnotation(p.Catalog) {
		return
	}
	if wrong, right := fbc.MisspeltFolder(p.Catalog); wrong != "" {
		p.Report(lint.Finding{Pos: found.Pos, Message: fmt.Sprintf("nothing was checked: a bundle has the folders manifests/ and metadata/, and this one has %s/: did you mean %s/?",
			wrong, right), Fix: fmt.Sprintf("rename the folder %s to %s", wrong, right)})
		return
	}
	p.Report(lint.Finding{Pos: found.Pos, Message: "nothing was checked: " + found.Message(), Fix: found.Fix})
}

// withoutAnnotation reports whether a bundle does not name its package, which manifest/annotations reports.
func withoutAnnotation(c *catalogs.Catalog) bool {
	return c.Form == catalogs.BundleFolder && slices.ContainsFunc(c.Problems, func(problem catalogs.Problem) bool {
		return problem.Kind == catalogs.ManifestAnnotations && problem.Package == ""
	})
}

// checkForm reports what the form of the catalog does not contain, and so was not checked.
func checkForm(p *lint.Pass) {
	if pos, silent := p.Catalog.FormLimitation(); silent != "" && p.Catalog.Template == nil {
		p.Report(lint.Finding{Pos: pos, Message: silent, Fix: "give the catalog itself, as docker://IMAGE"})
	}
}

// checkTemplate reports templates that were not checked, in catalogs that were.
func checkTemplate(p *lint.Pass) {
	if _, none := p.Catalog.NoPackage(); none {
		return // reported by catalog/no-package
	}
	for _, f := range p.Catalog.Foreign {
		if f.Template {
			p.Report(lint.Finding{Pos: f.Pos, Fix: f.Fix + "; and keep the template outside the catalog's folder, or list it in .indexignore",
				Message: fmt.Sprintf("%s, which was not checked: opm validate accepts it as an object of an unknown schema, and nothing of it is in the catalog", f.What)})
		}
	}
}

func checkSchemaMissing(p *lint.Pass) {
	misspelt, _ := fbc.MisspeltFolder(p.Catalog) // reported by catalog/no-package
	lint.EachProblemAs("add schema: olm.package, olm.channel, olm.bundle or olm.deprecations, or remove the document", func(problem *catalogs.Problem, _ *lint.Finding) bool {
		return problem.Kind == catalogs.SchemaMissing && !(problem.Foreign && misspelt != "")
	})(p)
}

// unknownSchemaAs completes the finding about a schema. It is a warning if the schema is like none that opm reads.
func unknownSchemaAs(problem *catalogs.Problem, f *lint.Finding) bool {
	if problem.Like == "" {
		f.Severity, f.Gates, f.Bundle, f.Cause, f.Fix = lint.Warning, lint.GateAdvice, "", problem.Cause, problem.Fix
	}
	return problem.Kind == catalogs.UnknownSchema
}

// checkLostDocuments leaves out SQLite indexes, of which opm leaves out what has no effect.
func checkLostDocuments(p *lint.Pass) {
	if p.Catalog.Form != catalogs.SQLite {
		lint.EachProblem(catalogs.LostDocument, "insert a line --- before it, or remove it")(p)
	}
}

func checkCustomSchemas(p *lint.Pass) {
	for _, o := range p.Catalog.Others {
		bad := o.Schema
		if names.CacheName.MatchString(o.Schema.Value) {
			bad = o.Package
			if bad.Value == "" || names.CacheName.MatchString(bad.Value) {
				continue
			}
		}
		p.Report(lint.Finding{
			Subject: lint.Subject{Package: o.Package.Value},
			Cause:   []string{o.Schema.Value, bad.Value},
			Pos:     bad.Pos,
			Message: fmt.Sprintf("opm serve cannot store objects under the name %q: the catalog's pod does not start", bad.Value),
			Fix:     "use letters, digits, dots, underscores and hyphens only, a letter or digit first",
		})
	}
}

// fieldTypeAs completes the finding about a value of the wrong type.
func fieldTypeAs(problem *catalogs.Problem, f *lint.Finding) bool {
	switch {
	case problem.Fix != "":
	case problem.Field == catalogs.TypePackage+".version":
		f.Fix = "write the full version in quotes"
	case problem.Kind == catalogs.Coercion:
		f.Fix = "quote the value"
	}
	return problem.Kind == catalogs.FieldType || problem.Kind == catalogs.Coercion
}
