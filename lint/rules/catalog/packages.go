package catalog

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

func checkPackageName(p *lint.Pass) {
	if name := p.Package.Name; p.Package.IsDefined() && !words.DNSLabel.MatchString(name.Value) {
		f := lint.Finding{Pos: name.Pos, Message: fmt.Sprintf("opm rejects the package name %q", name.Value),
			Fix: "use at most 63 lower-case letters, digits and hyphens, no dot, in every object that names the package"}
		if name.Value == "" {
			f.Pos, f.Message, f.Fix = p.Package.Pos, "a package without a name", "add its name, as the other objects name it"
		}
		p.Report(f)
	}
}

func checkDuplicates(p *lint.Pass) {
	report := func(of lint.Subject, at, first catalogs.Pos, message, fix string) {
		p.Report(lint.Finding{Subject: of, Pos: at, Message: message, Fix: fix, Related: []lint.Related{{Pos: first, Message: "the first one"}}})
	}
	for _, at := range p.Package.Duplicates {
		report(lint.Subject{}, at, p.Package.Pos, fmt.Sprintf("package %q is defined a second time", p.Package.Name.Value), "keep one of the two olm.package objects")
	}
	for _, c := range p.Package.Channels {
		name := c.Name.Value
		if first := p.Package.Channel(name); first != c {
			report(lint.Subject{Channel: name}, c.Name.Pos, first.Name.Pos, fmt.Sprintf("channel %q is defined a second time: opm does not merge them", name),
				"move the entries of both into one olm.channel object")
		}
		first := map[string]*catalogs.Entry{}
		for i := range c.Entries {
			e := &c.Entries[i]
			if other := first[e.Name.Value]; other != nil {
				report(lint.Subject{Channel: name, Bundle: e.Name.Value}, e.Pos, other.Pos, fmt.Sprintf("channel %q lists %q a second time", name, e.Name.Value),
					"move replaces, skips and skipRange of both into one entry")
				continue
			}
			first[e.Name.Value] = e
		}
	}
	for _, b := range p.Package.Bundles {
		if first := p.Package.Bundle(b.Name.Value); first != b {
			report(lint.Subject{Bundle: b.Name.Value}, b.Name.Pos, first.Name.Pos, fmt.Sprintf("bundle %q is defined a second time", b.Name.Value),
				"keep one of the two; a rebuilt bundle needs a new version and name")
		}
	}
}

func checkDefaultChannel(p *lint.Pass) {
	pkg := p.Package
	name := pkg.DefaultChannel
	if !pkg.IsDefined() || len(pkg.Channels) == 0 || pkg.Channel(name.Value) != nil && name.Value != "" || p.Catalog.MayBeUnread(name.Value) {
		return
	}
	channels := pkg.ChannelNames()
	f := lint.Finding{Cause: []string{name.Value}, Pos: pkg.Pos, Message: "no default channel is set: opm requires one even if there is only one channel",
		Fix: "set defaultChannel to " + words.QuoteOr(channels)}
	if name.Value != "" {
		f.Pos = name.Pos
		f.Message = fmt.Sprintf("the default channel %q does not exist: a Subscription without a channel gets nothing", name.Value)
		f.Fix = fmt.Sprintf("set defaultChannel to %s, or add the channel", words.QuoteOr(channels))
		if near, ok := words.NearestWord(name.Value, channels); ok {
			f.Message = fmt.Sprintf("the default channel %q does not exist: did you mean %q?", name.Value, near)
			f.Suggest(name, near)
		}
	}
	p.Report(f)
}

func checkNoChannels(p *lint.Pass) {
	if p.Package.IsDefined() && p.Package.Name.Value != "" && len(p.Package.Channels) == 0 && !p.Catalog.MayBeUnread(p.Package.Name.Value) {
		p.Report(lint.Finding{
			Pos:     p.Package.Pos,
			Message: fmt.Sprintf("package %q has no channel: it cannot be installed", p.Package.Name.Value),
			Fix:     fmt.Sprintf("add an olm.channel object with package: %s, or remove the package", p.Package.Name.Value),
		})
	}
}

func checkUnknownPackage(p *lint.Pass) {
	name := p.Package.Name.Value
	reportMisspelt(p, catalogs.UnknownPackage, "write %s, or add an olm.package object")
	if p.Package.IsDefined() || p.Catalog.MayBeUnread(name) {
		return
	}
	near := versions.NearestPackage(p.Catalog, name)
	report := func(pkg catalogs.Text, pos catalogs.Pos, subject lint.Subject, what string) {
		f := lint.Finding{Subject: subject, Pos: pkg.Pos,
			Message: fmt.Sprintf("%s belongs to package %q, which no olm.package object defines", what, name),
			Fix:     "correct the name, or add the olm.package object"}
		if near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Otherwise add the olm.package object", near)
			f.Suggest(pkg, near)
		}
		if name == "" {
			f.Pos, f.Message, f.Fix = pos, what+" does not name its package", "add package"
		}
		p.Report(f)
	}
	for _, c := range p.Package.Channels {
		report(c.Package, c.Pos, lint.Subject{Channel: c.Name.Value}, fmt.Sprintf("channel %q", c.Name.Value))
	}
	for _, b := range p.Package.Bundles {
		report(b.Package, b.Pos, lint.Subject{Bundle: b.Name.Value}, fmt.Sprintf("bundle %q", b.Name.Value))
	}
}

// checkNoPackage reports what was not checked, since it is not a catalog or is generated from a template. What cannot be read is
// already reported.
func checkNoPackage(p *lint.Pass) {
	lint.EachProblem(catalogs.UnreadFolder, "")(p)
	found, none := p.Catalog.NoPackage()
	if unknown, fix := p.Catalog.UnknownBundles(); none && unknown != "" && p.Catalog.Template.IsGenerated() {
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

// checkTemplate reports templates in the folder of a catalog, which opm reads with it.
func checkTemplate(p *lint.Pass) {
	if _, none := p.Catalog.NoPackage(); none {
		return // reported by catalog/no-package
	}
	for _, f := range p.Catalog.Foreign {
		if f.Template {
			p.Report(lint.Finding{Pos: f.Pos, Fix: f.Fix + "; and keep the template outside the catalog's folder, or list it in .indexignore",
				Message: fmt.Sprintf("%s in the folder of a catalog: opm validate accepts it as an object of an unknown schema, and nothing of it is in the catalog", f.What)})
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

// checkLostDocuments leaves out SQLite indexes, of which opm leaves out what has no effect. With a base it is an error where opm dropped nothing of the
// file: a change that lets opm drop what it read takes that back.
func checkLostDocuments(p *lint.Pass) {
	lint.EachProblemAs("insert a line --- before it, or remove it", func(problem *catalogs.Problem, f *lint.Finding) bool {
		if p.BaseCatalog != nil && !hasLost(p.BaseCatalog, p.Catalog.SourcePath(problem.Pos.File)) {
			f.Severity = lint.Error
		}
		return problem.Kind == catalogs.LostDocument && p.Catalog.Form != catalogs.SQLite
	})(p)
}

// hasLost reports whether opm drops a part of a file of a catalog, by its path.
func hasLost(c *catalogs.Catalog, path string) bool {
	return slices.ContainsFunc(c.Problems, func(problem catalogs.Problem) bool {
		return problem.Kind == catalogs.LostDocument && c.SourcePath(problem.Pos.File) == path
	})
}

func checkCustomSchemas(p *lint.Pass) {
	for _, o := range p.Catalog.Others {
		bad := o.Schema
		if words.CacheName.MatchString(o.Schema.Value) {
			bad = o.Package
			if bad.Value == "" || words.CacheName.MatchString(bad.Value) {
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
