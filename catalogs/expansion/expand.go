// Package expansion makes the catalogs of templates, as opm does. opm takes the bundles from their images; here they are taken from catalogs
// in which the same images were published, and from bundle folders.
package expansion

import (
	"bytes"
	"context"
	"hash/maphash"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/fbc"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// OpenTemplate reads the template in a file; nil if there is none. Only the first document counts (opm: alpha/template).
func OpenTemplate(ctx context.Context, s *source.Source, name string, o form.Options) (*catalogs.Catalog, error) {
	x, root := ReadTemplate(ctx, s, name, o)
	if root == nil {
		return nil, nil
	}
	x.Home = FindHome(s, name, o)
	form.NoteIgnores(x.Decoder.File, x.Decoder.Chunk)
	c, err := x.Expand(root)
	if root := x.Home.Source; root != nil {
		mapped := sync.OnceValue(func() []catalogs.Mapped { return ReadMappings(root, x.Home.Operator) })
		o.Package = ""
		c.Templates = &catalogs.Templates{Root: root, Template: x.Home.Template, Mapped: mapped, Expand: NewExpandFunc(root, o)}
	}
	return c, err
}

// NewExpandFunc returns what makes the catalogs of templates in a repository, with bundles of published packages first.
func NewExpandFunc(root *source.Source, o form.Options) func(ctx context.Context, file string, published []*catalogs.Package) (*catalogs.Catalog, error) {
	return func(ctx context.Context, file string, published []*catalogs.Package) (*catalogs.Catalog, error) {
		with := o
		with.Sources = append([]*catalogs.Catalog{{Packages: published}}, o.Sources...)
		return OpenTemplate(ctx, root.WithSingle(file), file, with)
	}
}

// ReadTemplate parses the template in a file, which is nil if there is none.
func ReadTemplate(ctx context.Context, s *source.Source, name string, o form.Options) (*expander, *tree.Node) {
	f := s.File(name)
	text, err := source.ReadAll(f)
	if err != nil || !mentionsTemplate(text) && path.Base(path.Dir(name)) != pipelineconfig.TemplateFolder {
		return nil, nil // load reports that it cannot be read
	}
	s.AsIntended = o.AsIntended
	s.Valid.Seed = maphash.MakeSeed()
	o.OpenShift = strings.TrimPrefix(strings.TrimPrefix(o.OpenShift, "v"), "all")
	x := &expander{ctx: ctx, Decoder: fbc.NewObjectDecoder(form.NewTextDecoder(f, text), ""), options: o, Text: text, bundles: map[string]*catalogs.Bundle{}, readers: map[*source.Source]*source.Source{}}
	var root *tree.Node
	for n, doc := range x.Decoder.Documents() {
		if root == nil && n.Kind == tree.Null {
			continue
		}
		if root == nil {
			if root = n; !isTemplateRoot(root) {
				return nil, nil
			}
			continue
		}
		x.Fault(template.Fault{Place: doc.At, Cause: []string{"second-document"}, Accepted: true, Message: "a second document: opm reads only the first one of a template, and ignores this one",
			Fix: "write one template to a file"})
		break
	}
	x.ignored = len(x.Decoder.Problems)
	return x, root
}

// OpenTemplates reads the templates in a folder, if all files of catalogs in it are templates: each is a catalog, by the name of its file.
func OpenTemplates(ctx context.Context, s *source.Source, o form.Options) ([]*catalogs.Catalog, error) {
	entries, _ := fs.ReadDir(s.Fsys, ".")
	var all []*catalogs.Catalog
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") || catalogs.CatalogExt(name) == "" {
			continue
		}
		c, err := OpenTemplate(ctx, s.WithSingle(name), name, o)
		if c == nil || err != nil {
			return nil, err
		}
		c.Name = strings.TrimSuffix(name, catalogs.CatalogExt(name))
		all = append(all, c)
	}
	return all, nil
}

func mentionsTemplate(text []byte) bool {
	return bytes.Contains(text, []byte("olm.template.")) || bytes.Contains(text, []byte(template.Semver))
}

// isTemplateRoot reports whether a document is a template: it has the schema of one, under a key of any case, or one that only looks like it.
func isTemplateRoot(root *tree.Node) bool {
	return slices.ContainsFunc(root.Fields, func(f tree.Field) bool {
		return strings.EqualFold(f.Key, "schema") && f.Value.Kind == tree.String && template.IsLikeSchema(f.Value.Text)
	})
}

// expander makes the catalog of a template.
type expander struct {
	ctx      context.Context
	Decoder  *fbc.ObjectDecoder
	Text     []byte
	options  form.Options
	Home     *TemplateHome
	template catalogs.Template
	before   *objectsBefore // nil if there are no substitutions
	faulty   bool           // opm rejects the template
	unnamed  bool           // a bundle has neither image nor name
	ignored  int            // the first problems are of text that opm does not read
	images   []catalogs.Text
	bundles  map[string]*catalogs.Bundle // by image, those that are known
	readers  map[*source.Source]*source.Source
}

func (x *expander) Fault(faults ...template.Fault) {
	for _, one := range faults {
		x.faulty = x.faulty || !one.Accepted
		p := x.Decoder.Problem(catalogs.TemplateFault, one.Place, "%s", one.Message)
		p.Field, p.Fix, p.Cause, p.Accepted = one.Field, one.Fix, one.Cause, one.Accepted
	}
}

func (x *expander) Expand(root *tree.Node) (*catalogs.Catalog, error) {
	read, faults := template.Read(root)
	x.Fault(faults...)
	x.template = catalogs.Template{Schema: read.Schema, Pos: x.Decoder.Pos(read.Place)}
	if x.template.OPM = x.options.OPM; x.template.OPM == (template.OPM{}) {
		x.template.Pinned, x.template.PinnedBy = x.Home.pinnedOPM()
		if x.template.Assumed = x.Home.Operator != "" || !x.template.PinnedBy.IsKnown(); x.template.Assumed {
			x.template.OPM = template.Pipelines()
		} else {
			x.template.OPM = x.template.Pinned
		}
	}
	if read.Channels != nil {
		x.semver(read.Channels)
	} else {
		x.entries(read)
	}
	d := x.Decoder
	x.template.Images, x.template.Entries, x.template.Target = len(x.images), read.Entries, x.Home.target(x.options.OpenShift)
	x.template.Rejected = x.faulty || slices.ContainsFunc(d.Problems[x.ignored:], func(p catalogs.Problem) bool { return p.RejectsTemplate() })
	c := fbc.Assemble(d.File, d.Result(), catalogs.Stats{Files: 1, Bytes: int64(len(x.Text))})
	c.Form, c.Template = catalogs.TemplateForm, &x.template
	if len(x.template.Unknown) > 0 || x.unnamed {
		guessVersions(c)
	}
	if x.template.Known != nil && len(c.Packages) == 1 {
		x.template.Made, x.template.At = c.Packages[0], d.Pos
	}
	filter := form.PackageFilter(x.options.Package)
	c.Packages = slices.DeleteFunc(c.Packages, func(p *catalogs.Package) bool { return !filter.Matches(p.Name.Value) })
	return c, x.ctx.Err()
}

// entries decodes the entries of a template, in which a bundle is an image, and makes the substitutions.
func (x *expander) entries(t *template.File) {
	d := x.Decoder
	for i := range t.Entries {
		d.DecodeDocument(&t.Entries[i], nil, source.Document{File: d.File, Json: d.Chunk.JSON})
	}
	sum := maphash.Bytes(fbc.SumSeed, x.Text)
	for pkg := range d.Sums {
		d.Sum(pkg, sum)
	}
	listed := d.Bundles
	d.Bundles = nil
	for _, b := range listed {
		switch {
		case t.Schema == template.Basic && isImage(b):
			x.images = append(x.images, b.Image)
			continue
		case t.Schema == template.Basic && b.Image.Value == "" && len(b.Properties) == 0:
			x.unnamed = true // template.Read says so
			continue
		}
		d.Bundles = append(d.Bundles, b)
	}
	bundles := x.images
	for _, sub := range t.Substitutions {
		x.images = append(x.images, x.CatalogText(sub.Name))
	}
	x.resolve()
	for _, image := range bundles {
		x.add(image)
	}
	x.Fault(template.CheckSubstitutions(t.Substitutions, x.knownBundles(), ofTemplate(x.Decoder.Bundles))...)
	if len(t.Substitutions) > 0 && !d.AsIntended() {
		x.before = &objectsBefore{file: d.File, objects: d.Result().Clone()}
		x.template.Before = x.before.catalogs
	}
	for i := range t.Substitutions {
		x.substitute(&t.Substitutions[i])
	}
}

// objectsBefore are the objects of a template before its substitutions, and the substitutions that change them.
type objectsBefore struct {
	file          *source.File
	objects       fbc.Objects
	substitutions []substitution
}

type substitution struct {
	bundle *catalogs.Bundle
	base   catalogs.Text
}

// catalogs yields the catalog before each of the substitutions.
func (b *objectsBefore) catalogs(yield func(*catalogs.Catalog) bool) {
	now := b.objects.Clone()
	for _, s := range b.substitutions {
		all := now.Clone()
		c := fbc.Assemble(b.file, &all, catalogs.Stats{})
		c.Form = catalogs.TemplateForm
		if !yield(c) {
			return
		}
		substitute(&now, s)
	}
}

// knownBundles returns the bundles of images that are known, by image.
func (x *expander) knownBundles() map[string]template.Bundle {
	known := map[string]template.Bundle{}
	for image, b := range x.bundles {
		known[image] = templateBundle(b)
	}
	return known
}

// ofTemplate returns what the expansion of a template needs of bundles, by name.
func ofTemplate(bundles []*catalogs.Bundle) map[string]template.Bundle {
	byName := map[string]template.Bundle{}
	for _, b := range bundles {
		byName[b.Name.Value] = templateBundle(b)
	}
	return byName
}

func templateBundle(b *catalogs.Bundle) template.Bundle {
	return template.Bundle{Name: b.Name.Value, Package: b.Package.Value, Version: b.Version.Value, Release: b.Release.Value}
}

// substitute puts the bundle of an image, if it is known, in the place of a bundle in all channels.
func (x *expander) substitute(sub *template.Substitution) {
	d := x.Decoder
	image := x.CatalogText(sub.Name)
	published := x.bundles[image.Value]
	if published == nil || x.faulty {
		return
	}
	s := substitution{bundle: x.copyBundle(published, image), base: x.CatalogText(sub.Base)}
	if before := x.before; before != nil {
		before.substitutions = append(before.substitutions, s)
	}
	x.template.Bundles = append(x.template.Bundles, s.bundle)
	substitute(&d.Objects, s)
}

// substitute puts a bundle in the place of another one in all channels (opm: substitutes processSubstitution).
func substitute(o *fbc.Objects, s substitution) {
	o.Bundles = append(o.Bundles, s.bundle)
	for _, c := range o.Channels {
		Substitute(c, s.bundle.Name, s.base)
	}
}

// Substitute adds entries for a bundle that get the edges of those of a base, and lead on from what the base led on to.
func Substitute(c *catalogs.Channel, name, base catalogs.Text) {
	at := func(t catalogs.Text) catalogs.Text { return catalogs.Text{Value: t.Value, Pos: name.Pos} }
	known := len(c.Entries)
	for i := known - 1; i >= 0; i-- {
		e := &c.Entries[i]
		if e.Name.Value != base.Value {
			continue
		}
		added := catalogs.Entry{Name: name, Replaces: e.Replaces, Skips: append(slices.Clone(e.Skips), at(base)), SkipRange: e.SkipRange, Pos: name.Pos}
		e.Replaces, e.Skips, e.SkipRange = catalogs.Text{}, nil, catalogs.Text{}
		c.Entries = append(c.Entries, added)
	}
	for i := range c.Entries[:known] {
		e := &c.Entries[i]
		is := func(t catalogs.Text) bool { return t.Value == base.Value }
		switch {
		case e.Replaces.Value == base.Value:
			e.Replaces = at(name)
			e.Skips = append(slices.Clone(e.Skips), at(base))
		case slices.ContainsFunc(e.Skips, is):
			e.Skips = slices.DeleteFunc(append(slices.Clone(e.Skips), at(name)), is)
		}
	}
}

// treePlace is the place of a position, in its file.
func treePlace(p catalogs.Pos) tree.Place { return tree.Place{Line: p.Line, Col: p.Col} }

func (x *expander) CatalogText(t template.Text) catalogs.Text {
	return catalogs.Text{Value: t.Value, Pos: x.Decoder.Pos(t.Place)}
}

// isImage reports whether an olm.bundle object is one of a basic template (opm: isBundleTemplate), or would be one without its package, for
// which opm rejects the template.
func isImage(b *catalogs.Bundle) bool {
	return b.Image.Value != "" && len(b.Properties)+len(b.RelatedImages) == 0
}

// add adds the bundle of an image to the catalog, if it is known.
func (x *expander) add(image catalogs.Text) {
	if b := x.bundles[image.Value]; b != nil {
		bundle := x.copyBundle(b, image)
		x.Decoder.Bundles, x.template.Bundles = append(x.Decoder.Bundles, bundle), append(x.template.Bundles, bundle)
	}
}

// copyBundle returns a published bundle at the place of its image. What its manifests are is read in its own catalog, or in its bundle folder.
func (x *expander) copyBundle(b *catalogs.Bundle, image catalogs.Text) *catalogs.Bundle {
	c, at := *b, func(t catalogs.Text) catalogs.Text { return catalogs.Text{Value: t.Value, Pos: image.Pos} }
	c.Name, c.Package, c.Image, c.Pos = at(b.Name), at(b.Package), image, image.Pos
	c.Version, c.Release, c.PackageName = at(b.Version), at(b.Release), at(b.PackageName)
	c.RelatedImages, c.Properties = slices.Clone(b.RelatedImages), slices.Clone(b.Properties)
	for i := range c.RelatedImages {
		r := &c.RelatedImages[i]
		r.Name, r.Image = at(r.Name), at(r.Image)
	}
	for i := range c.Properties {
		p := &c.Properties[i]
		p.Type, p.Pos = at(p.Type), image.Pos
	}
	if f := b.Document.File; f != nil {
		c.Document.File = &source.File{Source: x.reader(f.Source), Path: f.Path, Name: x.Decoder.File.Name, At: treePlace(image.Pos)}
	}
	return &c
}

// reader returns a source of the same texts for positions in the template, which are not outside of it.
func (x *expander) reader(s *source.Source) *source.Source {
	if x.readers[s] == nil {
		x.readers[s] = &source.Source{Fsys: s.Fsys, Prefix: s.Prefix, NoSlash: s.NoSlash, Database: s.Database, ReadError: s.ReadError}
		x.readers[s].Valid.Seed = maphash.MakeSeed()
	}
	return x.readers[s]
}

// resolve finds the bundles of the images, each image once.
func (x *expander) resolve() {
	missing := map[string]bool{}
	for _, image := range x.images {
		missing[image.Value] = true
	}
	x.template.Images = len(missing)
	found := func(image string, b *catalogs.Bundle) {
		if missing[image] && b != nil {
			x.bundles[image] = b
			delete(missing, image)
		}
	}
	for _, c := range x.options.Sources {
		x.Home.noteIcons(c)
		for b := range c.AllBundles() {
			if b.Image.Value != "" {
				found(b.Image.Value, b)
			}
		}
	}
	for image := range missing {
		found(image, folderByTag(image, x.options.Sources))
	}
	x.Home.find(x.ctx, missing, x.options, found)
	if x.options.ImageBundle != nil {
		wanted := slices.Collect(maps.Keys(missing))
		bundles := make([]*catalogs.Bundle, len(wanted))
		parallel.EachOn(image.PulledAtOnce, len(wanted), func(i int) { bundles[i] = x.options.ImageBundle(wanted[i]) })
		for i, image := range wanted {
			found(image, bundles[i])
		}
	}
	listed := map[string]bool{}
	for _, image := range x.images {
		if missing[image.Value] && !listed[image.Value] {
			listed[image.Value] = true
			x.template.Unknown = append(x.template.Unknown, image)
		}
	}
}

// folderByTag returns the bundle whose folder an image was made of, by its tag: of NAME:VERSION it is NAME/VERSION, as the pipelines of Red Hat
// name images (operator-pipelines: task copy-image), or else the only one of that version, with or without a v.
func folderByTag(image string, from []*catalogs.Catalog) *catalogs.Bundle {
	name, tag, tagged := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
	if !tagged || strings.Contains(name, "@") {
		return nil
	}
	var ofVersion []*catalogs.Bundle
	for _, c := range from {
		for b := range c.AllBundles() {
			folder := b.Folder
			switch {
			case folder == nil:
			case folder.Name == tag && path.Base(path.Dir(filepath.ToSlash(folder.Pos.File))) == name:
				return b
			case b.Version.Value == strings.TrimPrefix(tag, "v"):
				ofVersion = append(ofVersion, b)
			}
		}
	}
	if len(ofVersion) == 1 {
		return ofVersion[0]
	}
	return nil
}

// semver makes the channels of a template of schema olm.semver, if all of its bundles are known.
func (x *expander) semver(t *template.SemverTemplate) {
	for _, stream := range t.Streams {
		for _, image := range stream.Images {
			if image.Value != "" {
				x.images = append(x.images, x.CatalogText(image))
			}
		}
	}
	x.resolve()
	if len(x.template.Unknown) > 0 || x.faulty {
		return
	}
	x.template.Semver, x.template.Known = t, x.knownBundles()
	made, faults := t.Expand(x.template.Known, x.template.OPM)
	x.Fault(faults...)
	if x.template.Expansion = made; made == nil {
		return
	}
	x.template.Icon = node(x.Home.icons[made.Package])
	d := x.Decoder
	added := map[string]bool{}
	for _, image := range x.images {
		if !added[image.Value] {
			added[image.Value] = true
			x.add(image)
		}
	}
	d.Pkg = made.Package
	d.Channels = generatedChannels(made, d.Pos)
	pos := x.template.Pos
	d.Packages = append(d.Packages, &catalogs.Package{Name: catalogs.Text{Value: made.Package, Pos: pos}, DefaultChannel: catalogs.Text{Value: made.DefaultChannel, Pos: pos}, Pos: pos})
	d.Sum(made.Package, maphash.Bytes(fbc.SumSeed, x.Text))
}

// guessVersions gives entries without a bundle one with the version in their names, as NAME.v1.2.3.
func guessVersions(c *catalogs.Catalog) {
	for _, p := range c.Packages {
		guessed := map[string]*catalogs.Bundle{}
		for _, ch := range p.Channels {
			for i := range ch.Entries {
				e := &ch.Entries[i]
				if e.Bundle != nil || e.Name.Value == "" {
					continue
				}
				if guessed[e.Name.Value] == nil {
					guessed[e.Name.Value] = guessBundle(p, e.Name)
					p.Add(guessed[e.Name.Value])
					c.Stats.Bundles++
				}
				e.Bundle = guessed[e.Name.Value]
			}
		}
	}
}

func guessBundle(p *catalogs.Package, name catalogs.Text) *catalogs.Bundle {
	b := &catalogs.Bundle{Name: name, Package: p.Name, PackageName: p.Name, Pos: name.Pos, Guessed: true}
	for i := 0; i < len(name.Value); i++ {
		if name.Value[i] != '.' && name.Value[i] != '-' {
			continue
		}
		text := strings.TrimPrefix(name.Value[i+1:], "v")
		if _, err := semver.Parse(text); err == nil {
			b.SetVersion(catalogs.Text{Value: text, Pos: name.Pos})
			break
		}
	}
	return b
}
