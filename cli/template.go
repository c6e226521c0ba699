package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/fbcwriter"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

const templateHelp = `examples:
  olmgraph template operators/etcd/catalog-templates/v4.18.yaml
  olmgraph template t.yaml -o catalogs/v4.18/etcd/catalog.yaml
  olmgraph template t.yaml --ocp 4.14          as in the catalog for OpenShift 4.14
  olmgraph template t.yaml --catalog docker://registry.example.com/catalog:v1
  olmgraph template t.yaml --bundles operators/etcd
  olmgraph template t.yaml --opm v1.46 -o json

The output is that of opm alpha render-template, but images are pulled only with --pull missing. Bundles are taken
from catalogs in which their images were published, or from bundle folders. These are catalogs/ and operators/ of
the template's repository, or what --catalog and --bundles say. The folder of an image NAME:VERSION is NAME/VERSION.

From OpenShift 4.17 on the pipelines have opm write olm.csv.metadata instead of olm.bundle.object. Without --ocp the version is the
newest one that ci.yaml makes of the template.

exit status: 0; 1 opm rejects the template; 2 misuse; 3 a bundle is not known, or the template could not be opened.`

// templateFormats lists the formats of an expanded template. The pipelines write YAML.
func templateFormats() formatList { return formatList{names: []string{"yaml", "json"}} }

const templateName = "template"

func templateCommand() command {
	return command{
		name:     templateName,
		usage:    "print the catalog that opm makes of a template",
		args:     "[flags] TEMPLATE",
		help:     templateHelp,
		formats:  templateFormats(),
		answer:   runTemplate,
		synonyms: map[string]string{"render-template": "", "render-template basic": "", "render-template semver": "", "render-template substitutes": "", "semver": "", "render-template composite": "", "expand": ""},
	}
}

func runTemplate(c *cli.Context, o *opener, to outputs) error {
	ref := c.Args().First()
	switch {
	case c.NArg() != 1:
		return suggestCommand(misusef("template takes one template"), o.command.arrange(c.Context, o.given)...)
	case c.String("ocp") == "all":
		return misusef("--ocp all: a template is expanded for one version: give it")
	}
	opened, err := o.open(c.Context, ref, o.options)
	cats := repo.Catalogs(opened)
	switch {
	case err != nil:
		return err
	case len(cats) > 1 && cats[0].Template != nil:
		return misusef("%s has several templates: give one of %s", ref, strings.Join(templateFiles(cats), ", "))
	case len(cats) != 1 || cats[0].Template == nil:
		err := fmt.Errorf("%s is not a template: its first document must have the schema olm.template.basic, olm.semver or olm.template.substitutes", ref)
		return suggestTemplate(err, ref)
	}
	if err := o.checkExpands(c.Context, cats[0]); err != nil {
		return err
	}
	if err := o.checkValid(c.Context, cats[0]); err != nil {
		return err
	}
	made, err := expansion.FileBased(cats[0])
	if err != nil {
		return err
	}
	return to.each(func(out output) error { return o.writeFBC(out, made) })
}

func isTemplate(name string) bool { return disk.IsFile(name) && templateHead.Match(head(name, 1<<20)) }

var templateHead = regexp.MustCompile(`(?im)^[ {]*"?schema"?: *"?olm\.(template\.|semver)`)

// suggestTemplate adds to an error the command for the last template in a folder.
func suggestTemplate(err error, dir string) error {
	found := templatesIn(dir)
	if len(found) == 0 {
		return err
	}
	slices.SortFunc(found, catalogs.CompareVersionNames)
	last := found[len(found)-1]
	return suggestInstead(fmt.Errorf("%w; there are %s", err, words.JoinSome(found, 3)), dir, last)
}

// templatesIn returns the templates in a folder, and in those in it.
func templatesIn(dir string) []string {
	return slices.DeleteFunc(slices.Concat(glob(dir, "*.yaml"), glob(dir, "*/*.yaml")), func(name string) bool { return !isTemplate(name) })
}

// inTemplates returns the error that the channels of a package are in templates, if they are, with the folder that has them.
func (o *opener) inTemplates(ref string, p *catalogs.Package) error {
	dir := operatorFolder(ref, p)
	if dir == "" {
		return nil
	}
	now := []string{dir}
	if o.command.name == crdsName { // whose manifests no template has
		now = []string{"--bundles", dir, dir}
	}
	return suggestInstead(misusef("the channels of package %q are in its templates", p.Name.Value), ref, now...)
}

// operatorFolder returns the folder of an operator whose channels its templates make, if the catalog of ref has its bundles alone; "" otherwise.
func operatorFolder(ref string, p *catalogs.Package) string {
	if len(p.Channels) > 0 || len(p.Bundles) == 0 || strings.ContainsAny(p.Name.Value, `/\`) {
		return ""
	}
	dirs := []string{filepath.Join(ref, p.Name.Value), filepath.Join(ref, "operators", p.Name.Value)}
	i := slices.IndexFunc(dirs, func(dir string) bool { return len(templatesIn(dir)) > 0 })
	if i < 0 {
		return ""
	}
	return dirs[i]
}

func templateFiles(cats []*catalogs.Catalog) []string {
	return words.Map(cats, func(c *catalogs.Catalog) string { return c.Template.Pos.File })
}

// checkExpands reports what opm loses of a template. It returns an error if there is no catalog of it: opm rejects it, or a bundle is not known.
func (o *opener) checkExpands(ctx context.Context, c *catalogs.Catalog) error {
	var rejections []string
	for i := range c.Problems {
		problem := &c.Problems[i]
		if problem.Kind == catalogs.TemplateFault || c.Template.Rejected && problem.RejectsTemplate() {
			rejections = append(rejections, fmt.Sprintf("%s: %s%s", problem.Pos, problem.Message, words.Prefix("; ", problem.Fix)))
		}
	}
	o.logFirst(maxRejections, rejections)
	unknown := c.Template.Unknown
	const most = 3 // all have one way out
	o.logFirst(most, words.Map(unknown, func(image catalogs.Text) string {
		if c.Source.IsRestricted(image.Pos.File) {
			image.Value = "…"
		}
		return fmt.Sprintf("%s: no bundle is known for image %s", image.Pos, image.Value)
	}))
	switch {
	case c.Template.Rejected:
		return status(statusFindings)
	case len(unknown) > 0:
		return suggestCommand(fmt.Errorf("%d of %d images are not known: give --catalog, a catalog in which they were published, or --bundles, their folders, or --pull missing", len(unknown), c.Template.Images),
			append(slices.Clone(o.given), "--catalog", "CATALOG")...)
	}
	return nil
}

// maxRejections is the number of reasons that are listed why a template is rejected.
const maxRejections = 50

// maxValidated is the number of bundles in all catalogs that are validated for a template, one for each substitution: some seconds.
const maxValidated = 200_000

// checkValid reports why a catalog that opm requires to be valid for the template is not, the first of them.
func (l *logger) checkValid(ctx context.Context, c *catalogs.Catalog) error {
	validated := 0
	for one := range c.MustBeValid() {
		for _, pkg := range one.Packages {
			validated += len(pkg.Bundles)
		}
		if validated > maxValidated {
			return fmt.Errorf("%s: the catalogs after each substitution have more than %d bundles together: olmgraph does not validate them", c.Template.Pos.File, maxValidated)
		}
		findings, err := lint.Run(ctx, []*catalogs.Catalog{one}, lint.Options{Rules: rules.All(), Gates: lint.GateOPM, MinSeverity: lint.Error})
		if err != nil {
			return err
		}
		findings = slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.Unchecked == lint.NoPackage }) // an empty catalog is valid
		l.logFirst(maxRejections, words.Map(findings, func(f lint.Finding) string { return fmt.Sprintf("%s: opm rejects the template: %s", f.Pos, f.Message) }))
		if len(findings) > 0 {
			return status(statusFindings)
		}
	}
	return nil
}

// writeFBC writes a file-based catalog. In a file it is byte for byte what opm writes.
func (s streams) writeFBC(out output, made *fbcwriter.Catalog) error {
	exact := out.path != "" || isRegular(s.rawStdout())
	write := map[bool]map[string]func(io.Writer) error{
		true:  {"yaml": made.WriteYAML, "json": made.WriteJSON},
		false: {"yaml": made.WriteInertYAML, "json": made.WriteInertJSON},
	}[exact][out.format]
	var written bytes.Buffer // nothing is written if a bundle cannot be read
	if err := write(&written); err != nil {
		return err
	}
	if out.path != "" {
		return s.writeFile(out.path, written.Bytes())
	}
	_, err := s.rawStdout().Write(written.Bytes())
	return err
}

// isRegular reports whether a stream is a file on disk.
func isRegular(stream any) bool {
	f := streamFile(stream)
	if f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}
