package catalogs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/fbcwriter"
	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// A template is what a catalog is made of: opm renders it, and takes its bundles from their images. Here they are taken from catalogs in which
// the same images were published, and from bundle folders.

// Template is what a catalog was made of here, as opm makes it.
type Template struct {
	Schema string
	Pos    Pos
	// OPM is the version of opm whose expansion of a template of schema olm.semver it is. Assumed says that it is that of the pipelines, since
	// none was asked for. Pinned is the version that the Makefile PinnedBy names, zero if there is none: make catalogs uses it; it is OPM if the
	// template is not that of an operator in a catalog repository.
	OPM, Pinned template.OPM
	PinnedBy    Pos
	Assumed     bool
	// Images is how many the template names, and Unknown are those of them that are in no catalog. Versions of bundles that are not known are
	// those in the names of entries.
	Images  int
	Unknown []Text
	// Rejected says that opm rejects the template: why is among the problems of the catalog.
	Rejected bool

	// before yields the catalog before each of the substitutions of a template of schema olm.template.substitutes.
	before    iter.Seq[*Catalog]
	entries   []tree.Node // of a template of another schema than olm.semver
	bundles   []*Bundle   // those of the images, as often as opm renders them
	expansion *template.Expansion
	icon      *tree.Node // of the published package of a template of schema olm.semver
	target    string     // the OpenShift version whose catalog it is; "" if it is not known

	// semver is the template of schema olm.semver, known its bundles if all of them are known, and made the package that was made of it.
	semver *template.SemverTemplate
	known  map[string]template.Bundle
	made   *Package
	at     func(tree.Place) Pos
}

// Version returns the version of opm, and why it is taken if none was asked for.
func (t *Template) Version() string {
	if t.Assumed {
		return t.OPM.String() + ", which the pipelines use today"
	}
	return t.OPM.String()
}

// Generated reports whether versions make the channels: their entries are at the images of their bundles, and cannot be edited.
func (t *Template) Generated() bool { return t.Schema == template.Semver }

// RejectsTemplate reports whether opm rejects a template because of a problem.
func (p *Problem) RejectsTemplate() bool {
	switch p.Kind {
	case TemplateFault:
		return !p.Accepted
	case ParseProblem, SchemaMissing, FieldType, Coercion, DuplicateKey:
		return true
	}
	return false
}

// FileBased returns the file-based catalog that opm renders a template into; nil if the catalog is no template, opm rejects it, or a bundle is
// not known. The bundles are read when it is written. An error means that they cannot be read, or not as opm renders them.
func (c *Catalog) FileBased() (*fbcwriter.Catalog, error) {
	t := c.Template
	if t == nil || t.Rejected || len(t.Unknown) > 0 {
		return nil, nil
	}
	out := &fbcwriter.Catalog{}
	if t.expansion != nil {
		if err := t.addGenerated(out); err != nil {
			return nil, err
		}
	}
	for i := range t.entries {
		n := &t.entries[i]
		if ch := c.channelAt(n.Place); ch != nil && t.Schema == template.Substitutes && len(ch.Entries) > 0 {
			out.AddChannel(ch.Package.Value, ch.Name.Value, ch.written(), n.Get("properties"))
		} else if t.Schema != template.Basic || fbcwriter.Schema(n) != SchemaBundle {
			out.Add(n)
		}
	}
	for _, b := range t.bundles {
		out.AddBundle(b.Package.Value, b.Name.Value, func() (tree.Node, error) { return b.written(t.target) })
	}
	return out, nil
}

// addGenerated adds what opm generates from a template of schema olm.semver.
func (t *Template) addGenerated(out *fbcwriter.Catalog) error {
	description, icon, err := t.describe()
	if err != nil {
		return err
	}
	out.AddPackage(t.expansion.Package, t.expansion.DefaultChannel, description, icon)
	for i := range t.expansion.Channels {
		var entries []fbcwriter.Entry
		for _, e := range t.expansion.Channels[i].Entries {
			entries = append(entries, fbcwriter.Entry{Name: e.Name, Replaces: e.Replaces, Skips: e.Skips})
		}
		out.AddChannel(t.expansion.Package, t.expansion.Channels[i].Name, entries, nil)
	}
	return nil
}

// describe returns the description and the icon of the generated package. Those of a bundle without its CSV are in its olm.csv.metadata, and
// in the published package.
func (t *Template) describe() (description string, icon *tree.Node, err error) {
	channel := slices.IndexFunc(t.expansion.Channels, func(c template.Channel) bool { return c.Name == t.expansion.DefaultChannel })
	if channel < 0 || !t.OPM.DescribesPackage() {
		return "", nil, nil
	}
	entries := t.expansion.Channels[channel].Entries
	head := slices.IndexFunc(t.bundles, func(b *Bundle) bool { return b.Name.Value == entries[len(entries)-1].Name })
	root, err := t.bundles[head].written("")
	if err != nil {
		return "", nil, err
	}
	description, icon = fbcwriter.Description(&root)
	if objects, _ := fbcwriter.Holds(&root); !objects {
		icon = t.icon
	}
	return description, icon, nil
}

// channelAt returns the channel at a place of the template, or nil.
func (c *Catalog) channelAt(at tree.Place) *Channel {
	for _, p := range c.Packages {
		for _, ch := range p.Channels {
			if ch.Pos.Line == at.Line && ch.Pos.Col == at.Col {
				return ch
			}
		}
	}
	return nil
}

// written returns the entries as opm writes them.
func (c *Channel) written() []fbcwriter.Entry {
	var all []fbcwriter.Entry
	for i := range c.Entries {
		e := &c.Entries[i]
		one := fbcwriter.Entry{Name: e.Name.Value, Replaces: e.Replaces.Value, SkipRange: e.SkipRange.Value}
		for _, skip := range e.Skips {
			one.Skips = append(one.Skips, skip.Value)
		}
		all = append(all, one)
	}
	return all
}

// written returns the bundle as opm renders it for a catalog of an OpenShift version.
func (b *Bundle) written(target string) (root tree.Node, err error) {
	if root, err = b.rendered(); err != nil || target == "" {
		return root, err
	}
	objects, metadata := fbcwriter.Holds(&root)
	switch {
	case withMetadata(target) && objects:
		root = fbcwriter.WithMetadata(root)
	case !withMetadata(target) && metadata && !objects && withMetadata(b.publishedFor()):
		err = fmt.Errorf("%s: known with olm.csv.metadata only, and opm renders olm.bundle.object for OpenShift %s: give --catalog, a catalog for a version below %s", b.Image.Value, target, firstWithMetadata)
	}
	return root, err
}

// publishedFor returns the OpenShift version of the catalog in which the bundle was published, "" if it is not known.
func (b *Bundle) publishedFor() string {
	for part := range strings.SplitSeq(path.Join(b.document.file.source.prefix, b.document.file.path), "/") {
		if v := openShiftVersion(part); v != "" {
			return v
		}
	}
	return ""
}

// rendered returns the bundle as it was published, or as opm renders its image.
func (b *Bundle) rendered() (root tree.Node, err error) {
	if b.document.file == nil {
		return b.ofManifests()
	}
	err = b.document.again(func(text []byte) error {
		var syntax *tree.Error
		root, syntax = b.document.parse(text)
		if syntax != nil {
			return fmt.Errorf("%s has changed since it was read: %w", b.document.file.name, syntax)
		}
		return nil
	})
	return root, err
}

// ofManifests returns the bundle as opm renders it of its manifests.
func (b *Bundle) ofManifests() (tree.Node, error) {
	manifests, err := new(Manifests).Of(b)
	if err == nil && (b.Folder == nil || len(manifests) == 0) {
		err = fmt.Errorf("%s: only its name is known: give --catalog, a catalog in which it was published", b.Image.Value)
	}
	if err != nil {
		return tree.Node{}, err
	}
	made := fbcwriter.Bundle{Name: b.Name.Value, Package: b.Package.Value, Image: b.Image.Value}
	for _, p := range b.derived {
		made.Properties = append(made.Properties, fbcwriter.Property{Type: p.Type, Value: p.Value})
	}
	for _, m := range manifests {
		made.Manifests = append(made.Manifests, m.Object.JSON())
	}
	return made.Rendered()
}

// Expand returns the package that opm of a version makes of a template of schema olm.semver after a change, which may be nil. It returns nil if
// opm rejects that, and if the template was not expanded: bundles are not known.
func (t *Template) Expand(v template.OPM, change func(*template.SemverTemplate)) *Package {
	p, _ := t.expandWith(v, t.known, change)
	return p
}

// With returns the package that opm makes of a template of schema olm.semver after an image is listed in further streams: candidate, fast and
// stable. The image may be new: then it has the bundle. An error says why opm rejects that; the package is nil if the template was not
// expanded.
func (t *Template) With(image string, b template.Bundle, streams []string) (*Package, error) {
	known := maps.Clone(t.known)
	if _, has := known[image]; !has && known != nil {
		known[image] = b
	}
	p, err := t.expandWith(t.OPM, known, func(s *template.SemverTemplate) { s.List(image, streams) })
	if p == nil || p.Bundle(b.Name) != nil {
		return p, err
	}
	added := &Bundle{Name: Text{Value: b.Name}, Package: p.Name, PackageName: p.Name, Image: Text{Value: image}, Version: Text{Value: b.Version}, Guessed: true}
	added.setVersion(added.Version)
	p = p.With(p.Channels, append(slices.Clone(p.Bundles), added))
	for _, c := range p.Channels {
		for i := range c.Entries {
			c.Entries[i].Bundle = p.Bundle(c.Entries[i].Name.Value)
		}
	}
	return p, nil
}

// expandWith is Expand with bundles by image. The error says why opm rejects the template.
func (t *Template) expandWith(v template.OPM, known map[string]template.Bundle, change func(*template.SemverTemplate)) (*Package, error) {
	if t.made == nil {
		return nil, nil
	}
	changed := *t.semver
	changed.Streams = slices.Clone(changed.Streams)
	for i := range changed.Streams {
		changed.Streams[i].Images = slices.Clone(changed.Streams[i].Images)
	}
	if change != nil {
		change(&changed)
	}
	made, faults := changed.Expand(known, v)
	if made == nil {
		return nil, errors.New(faults[0].Message)
	}
	p := *t.made
	p.DefaultChannel.Value, p.Channels, p.channels = made.DefaultChannel, generatedChannels(made, t.at), nil
	for _, c := range p.Channels {
		for i := range c.Entries {
			c.Entries[i].Bundle = p.Bundle(c.Entries[i].Name.Value)
		}
	}
	return &p, nil
}

// openTemplate reads the template in a file; nil if there is none. Only the first document counts (opm: alpha/template).
func openTemplate(ctx context.Context, s *source, name string, o Options) (*Catalog, error) {
	x, root := readTemplate(ctx, s, name, o)
	if root == nil {
		return nil, nil
	}
	x.home = homeOf(s, name, o)
	noteIgnores(x.decoder.file, x.decoder.chunk)
	c, err := x.expand(root)
	x.home.options, c.templates = o, x.home
	return c, err
}

// readTemplate parses the template in a file, which is nil if there is none.
func readTemplate(ctx context.Context, s *source, name string, o Options) (*expander, *tree.Node) {
	f := s.file(name)
	text, err := readAll(f)
	if err != nil || !mentionsTemplate(text) && path.Base(path.Dir(name)) != templateFolder {
		return nil, nil // load reports that it cannot be read
	}
	s.asIntended = o.AsIntended
	s.valid.seed = maphash.MakeSeed()
	o.OpenShift = strings.TrimPrefix(strings.TrimPrefix(o.OpenShift, "v"), "all")
	x := &expander{ctx: ctx, decoder: newObjectDecoder(decoderOf(f, text), ""), options: o, text: text, bundles: map[string]*Bundle{}, readers: map[*source]*source{}}
	var root *tree.Node
	for n, doc := range x.decoder.documents() {
		if root == nil && n.Kind == tree.Null {
			continue
		}
		if root == nil {
			if root = n; !isTemplateRoot(root) {
				return nil, nil
			}
			continue
		}
		x.fault(template.Fault{Place: doc.at, Cause: []string{"second-document"}, Accepted: true, Message: "a second document: opm reads only the first one of a template, and ignores this one",
			Fix: "write one template to a file"})
		break
	}
	x.ignored = len(x.decoder.problems)
	return x, root
}

// openTemplates reads the templates in a folder, if all files of catalogs in it are templates: each is a catalog, by the name of its file.
func openTemplates(ctx context.Context, s *source, o Options) ([]*Catalog, error) {
	entries, _ := fs.ReadDir(s.fsys, ".")
	var all []*Catalog
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") || catalogExt(name) == "" {
			continue
		}
		c, err := openTemplate(ctx, s.only(name), name, o)
		if c == nil || err != nil {
			return nil, err
		}
		c.Name = strings.TrimSuffix(name, catalogExt(name))
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
	decoder  *objectDecoder
	text     []byte
	options  Options
	home     *templateHome
	template Template
	before   *objectsBefore // nil if there are no substitutions
	faulty   bool           // opm rejects the template
	ignored  int            // the first problems are of text that opm does not read
	images   []Text
	bundles  map[string]*Bundle // by image, those that are known
	readers  map[*source]*source
}

func (x *expander) fault(faults ...template.Fault) {
	for _, one := range faults {
		x.faulty = x.faulty || !one.Accepted
		p := x.decoder.problem(TemplateFault, one.Place, "%s", one.Message)
		p.Field, p.Fix, p.Cause, p.Accepted = one.Field, one.Fix, one.Cause, one.Accepted
	}
}

func (x *expander) expand(root *tree.Node) (*Catalog, error) {
	read, faults := template.Read(root)
	x.fault(faults...)
	x.template = Template{Schema: read.Schema, Pos: x.decoder.pos(read.Place)}
	if x.template.OPM = x.options.OPM; x.template.OPM == (template.OPM{}) {
		x.template.Pinned, x.template.PinnedBy = x.home.pinned()
		if x.template.Assumed = x.home.operator != "" || !x.template.PinnedBy.Known(); x.template.Assumed {
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
	d := x.decoder
	x.template.Images, x.template.entries, x.template.target = len(x.images), read.Entries, x.home.target(x.options.OpenShift)
	x.template.Rejected = x.faulty || slices.ContainsFunc(d.problems[x.ignored:], func(p Problem) bool { return p.RejectsTemplate() })
	d.problems = slices.DeleteFunc(d.problems, func(p Problem) bool { return p.Kind == CaseFoldedField }) // opm writes it in the right case
	c := assemble(d.file, d.read(), Stats{Files: 1, Bytes: int64(len(x.text))})
	c.Form, c.Template = TemplateForm, &x.template
	if len(x.template.Unknown) > 0 {
		c.guessVersions()
	}
	if x.template.known != nil && len(c.Packages) == 1 {
		x.template.made, x.template.at = c.Packages[0], d.pos
	}
	filter := packageFilter(x.options.Package)
	c.Packages = slices.DeleteFunc(c.Packages, func(p *Package) bool { return !filter.wants(p.Name.Value) })
	return c, x.ctx.Err()
}

// entries decodes the entries of a template, in which a bundle is an image, and makes the substitutions.
func (x *expander) entries(t *template.File) {
	d := x.decoder
	for i := range t.Entries {
		d.object(&t.Entries[i], nil, document{file: d.file, json: d.chunk.JSON})
	}
	sum := maphash.Bytes(sumSeed, x.text)
	for pkg := range d.sums {
		d.sum(pkg, sum)
	}
	listed := d.bundles
	d.bundles = nil
	for _, b := range listed {
		if t.Schema == template.Basic && b.isImage() {
			x.images = append(x.images, b.Image)
			continue
		}
		d.bundles = append(d.bundles, b)
	}
	bundles := x.images
	for _, sub := range t.Substitutions {
		x.images = append(x.images, x.textOf(sub.Name))
	}
	x.resolve()
	for _, image := range bundles {
		x.add(image)
	}
	x.fault(template.CheckSubstitutions(t.Substitutions, x.known(), ofTemplate(x.decoder.bundles))...)
	if len(t.Substitutions) > 0 && !d.asIntended() {
		x.before = &objectsBefore{file: d.file, objects: d.read().copied()}
		x.template.before = x.before.catalogs
	}
	for i := range t.Substitutions {
		x.substitute(&t.Substitutions[i])
	}
}

// objectsBefore are the objects of a template before its substitutions, and the substitutions that change them.
type objectsBefore struct {
	file          *file
	objects       objects
	substitutions []substitution
}

type substitution struct {
	bundle *Bundle
	base   Text
}

// copied returns the objects with packages and channels of their own.
func (o *objects) copied() objects {
	all := *o
	all.packages, all.channels, all.bundles = nil, nil, slices.Clip(o.bundles)
	for _, p := range o.packages {
		one := *p
		all.packages = append(all.packages, &one)
	}
	for _, c := range o.channels {
		one := *c
		one.Entries = slices.Clone(c.Entries)
		all.channels = append(all.channels, &one)
	}
	return all
}

// catalogs yields the catalog before each of the substitutions.
func (b *objectsBefore) catalogs(yield func(*Catalog) bool) {
	now := b.objects.copied()
	for _, s := range b.substitutions {
		all := now.copied()
		c := assemble(b.file, &all, Stats{})
		c.Form = TemplateForm
		if !yield(c) {
			return
		}
		now.substitute(s)
	}
}

// MustBeValid yields the catalogs that opm requires to be valid to make the catalog of a template, in its order: those before and after each
// substitution (opm: alpha/template/substitutes Render). It requires none of templates of other schemas.
func (c *Catalog) MustBeValid() iter.Seq[*Catalog] {
	return func(yield func(*Catalog) bool) {
		if c.Template == nil || c.Template.Schema != template.Substitutes {
			return
		}
		done := false
		if before := c.Template.before; before != nil {
			before(func(one *Catalog) bool {
				done = !yield(one)
				return !done
			})
		}
		if !done {
			yield(c)
		}
	}
}

// known returns the bundles of images that are known, by image.
func (x *expander) known() map[string]template.Bundle {
	known := map[string]template.Bundle{}
	for image, b := range x.bundles {
		known[image] = b.ofTemplate()
	}
	return known
}

// ofTemplate returns what the expansion of a template needs of bundles, by name.
func ofTemplate(bundles []*Bundle) map[string]template.Bundle {
	byName := map[string]template.Bundle{}
	for _, b := range bundles {
		byName[b.Name.Value] = b.ofTemplate()
	}
	return byName
}

func (b *Bundle) ofTemplate() template.Bundle {
	return template.Bundle{Name: b.Name.Value, Package: b.Package.Value, Version: b.Version.Value, Release: b.Release.Value}
}

// substitute puts the bundle of an image, if it is known, in the place of a bundle in all channels.
func (x *expander) substitute(sub *template.Substitution) {
	d := x.decoder
	image := x.textOf(sub.Name)
	published := x.bundles[image.Value]
	if published == nil || x.faulty {
		return
	}
	s := substitution{bundle: x.copyOf(published, image), base: x.textOf(sub.Base)}
	if before := x.before; before != nil {
		before.substitutions = append(before.substitutions, s)
	}
	x.template.bundles = append(x.template.bundles, s.bundle)
	d.substitute(s)
}

// substitute puts a bundle in the place of another one in all channels (opm: substitutes processSubstitution).
func (o *objects) substitute(s substitution) {
	o.bundles = append(o.bundles, s.bundle)
	for _, c := range o.channels {
		c.substitute(s.bundle.Name, s.base)
	}
}

// substitute adds entries for a bundle that get the edges of those of a base, and lead on from what the base led on to.
func (c *Channel) substitute(name, base Text) {
	at := func(t Text) Text { return Text{Value: t.Value, Pos: name.Pos} }
	known := len(c.Entries)
	for i := known - 1; i >= 0; i-- {
		e := &c.Entries[i]
		if e.Name.Value != base.Value {
			continue
		}
		added := Entry{Name: name, Replaces: e.Replaces, Skips: append(slices.Clone(e.Skips), at(base)), SkipRange: e.SkipRange, Pos: name.Pos}
		e.Replaces, e.Skips, e.SkipRange = Text{}, nil, Text{}
		c.Entries = append(c.Entries, added)
	}
	for i := range c.Entries[:known] {
		e := &c.Entries[i]
		is := func(t Text) bool { return t.Value == base.Value }
		switch {
		case e.Replaces.Value == base.Value:
			e.Replaces = at(name)
			e.Skips = append(slices.Clone(e.Skips), at(base))
		case slices.ContainsFunc(e.Skips, is):
			e.Skips = slices.DeleteFunc(append(slices.Clone(e.Skips), at(name)), is)
		}
	}
}

// placeOf is the place of a position, in its file.
func placeOf(p Pos) tree.Place { return tree.Place{Line: p.Line, Col: p.Col} }

func (x *expander) textOf(t template.Text) Text {
	return Text{Value: t.Value, Pos: x.decoder.pos(t.Place)}
}

// isImage reports whether an olm.bundle object is one of a basic template (opm: isBundleTemplate), or would be one without its package, for
// which opm rejects the template.
func (b *Bundle) isImage() bool {
	return b.Image.Value != "" && len(b.Properties)+len(b.RelatedImages) == 0
}

// add adds the bundle of an image to the catalog, if it is known.
func (x *expander) add(image Text) {
	if b := x.bundles[image.Value]; b != nil {
		bundle := x.copyOf(b, image)
		x.decoder.bundles, x.template.bundles = append(x.decoder.bundles, bundle), append(x.template.bundles, bundle)
	}
}

// copyOf returns a published bundle at the place of its image. What its manifests are is read in its own catalog, or in its bundle folder.
func (x *expander) copyOf(b *Bundle, image Text) *Bundle {
	c, at := *b, func(t Text) Text { return Text{Value: t.Value, Pos: image.Pos} }
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
	if f := b.document.file; f != nil {
		c.document.file = &file{source: x.reader(f.source), path: f.path, name: x.decoder.file.name, embedding: &embeddedText{key: placeOf(image.Pos)}}
	}
	return &c
}

// reader returns a source of the same texts for positions in the template, which are not outside of it.
func (x *expander) reader(s *source) *source {
	if x.readers[s] == nil {
		x.readers[s] = &source{fsys: s.fsys, prefix: s.prefix, noSlash: s.noSlash, database: s.database, readError: s.readError}
		x.readers[s].valid.seed = maphash.MakeSeed()
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
	found := func(image string, b *Bundle) {
		if missing[image] {
			x.bundles[image] = b
			delete(missing, image)
		}
	}
	for _, c := range x.options.Sources {
		x.home.noteIcons(c)
		for b := range c.allBundles() {
			if b.Image.Value != "" {
				found(b.Image.Value, b)
			}
		}
	}
	for image := range missing {
		if b := folderOf(image, x.options.Sources); b != nil {
			found(image, b)
		}
	}
	x.home.find(x.ctx, missing, x.options, found)
	listed := map[string]bool{}
	for _, image := range x.images {
		if missing[image.Value] && !listed[image.Value] {
			listed[image.Value] = true
			x.template.Unknown = append(x.template.Unknown, image)
		}
	}
}

// allBundles yields the bundles of all packages.
func (c *Catalog) allBundles() iter.Seq[*Bundle] {
	return func(yield func(*Bundle) bool) {
		for _, p := range c.Packages {
			for _, b := range p.Bundles {
				if !yield(b) {
					return
				}
			}
		}
	}
}

// folderOf returns the bundle whose folder an image was made of, by its tag: of NAME:VERSION it is NAME/VERSION, as the pipelines of Red Hat
// name images (operator-pipelines: task copy-image), or else the only one of that version, with or without a v.
func folderOf(image string, from []*Catalog) *Bundle {
	name, tag, tagged := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
	if !tagged || strings.Contains(name, "@") {
		return nil
	}
	var ofVersion []*Bundle
	for _, c := range from {
		for b := range c.allBundles() {
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
				x.images = append(x.images, x.textOf(image))
			}
		}
	}
	x.resolve()
	if len(x.template.Unknown) > 0 || x.faulty {
		return
	}
	x.template.semver, x.template.known = t, x.known()
	made, faults := t.Expand(x.template.known, x.template.OPM)
	x.fault(faults...)
	if x.template.expansion = made; made == nil {
		return
	}
	x.template.icon = x.home.icons[made.Package].node()
	d := x.decoder
	added := map[string]bool{}
	for _, image := range x.images {
		if !added[image.Value] {
			added[image.Value] = true
			x.add(image)
		}
	}
	d.pkg = made.Package
	d.channels = generatedChannels(made, d.pos)
	pos := x.template.Pos
	d.packages = append(d.packages, &Package{Name: Text{Value: made.Package, Pos: pos}, DefaultChannel: Text{Value: made.DefaultChannel, Pos: pos}, Pos: pos})
	d.sum(made.Package, maphash.Bytes(sumSeed, x.text))
}

// generatedChannels returns the channels that opm generates, with each entry and its edges at the image of its bundle.
func generatedChannels(made *template.Expansion, pos func(tree.Place) Pos) []*Channel {
	at := func(value string, place tree.Place) Text { return Text{Value: value, Pos: pos(place)} }
	var all []*Channel
	for i := range made.Channels {
		ch := &made.Channels[i]
		c := &Channel{Name: at(ch.Name, ch.Place), Package: Text{Value: made.Package, Pos: pos(ch.Place)}, Pos: pos(ch.Place)}
		for _, e := range ch.Entries {
			entry := Entry{Name: at(e.Name, e.Image.Place), Pos: pos(e.Image.Place)}
			if e.Replaces != "" {
				entry.Replaces = at(e.Replaces, e.Image.Place)
			}
			for _, skip := range e.Skips {
				entry.Skips = append(entry.Skips, at(skip, e.Image.Place))
			}
			c.Entries = append(c.Entries, entry)
		}
		all = append(all, c)
	}
	return all
}

// guessVersions gives entries without a bundle one with the version in their names, as NAME.v1.2.3.
func (c *Catalog) guessVersions() {
	for _, p := range c.Packages {
		guessed := map[string]*Bundle{}
		for _, ch := range p.Channels {
			for i := range ch.Entries {
				e := &ch.Entries[i]
				if e.Bundle != nil || e.Name.Value == "" {
					continue
				}
				if guessed[e.Name.Value] == nil {
					guessed[e.Name.Value] = guessBundle(p, e.Name)
					p.Bundles = append(p.Bundles, guessed[e.Name.Value])
					p.bundles[e.Name.Value] = guessed[e.Name.Value]
				}
				e.Bundle = guessed[e.Name.Value]
			}
		}
	}
}

func guessBundle(p *Package, name Text) *Bundle {
	b := &Bundle{Name: name, Package: p.Name, PackageName: p.Name, Pos: name.Pos, Guessed: true}
	for i := 0; i < len(name.Value); i++ {
		if name.Value[i] != '.' && name.Value[i] != '-' {
			continue
		}
		text := strings.TrimPrefix(name.Value[i+1:], "v")
		if _, err := semver.Parse(text); err == nil {
			b.setVersion(Text{Value: text, Pos: name.Pos})
			break
		}
	}
	return b
}

// templateHome is the repository that a template is in.
type templateHome struct {
	options  Options
	source   *source          // of its root; nil if it is not known
	operator string           // the folder of the operator in operators/; "" if the template is elsewhere
	template string           // the name of the template's file
	icons    map[string]*Icon // of published packages
}

// Found reports whether there is a repository.
func (h *templateHome) Found() bool { return h.source != nil }

// noteIcons notes the icons of packages, the first of each.
func (h *templateHome) noteIcons(c *Catalog) {
	for _, p := range c.Packages {
		if h.icons[p.Name.Value] == nil && p.Icon != nil {
			h.icons[p.Name.Value] = p.Icon
		}
	}
}

// node returns the icon as it is in a catalog, or nil.
func (i *Icon) node() *tree.Node {
	if i == nil {
		return nil
	}
	text := func(t Text) tree.Node { return tree.Node{Kind: tree.String, Text: t.Value} }
	return &tree.Node{Kind: tree.Map, Fields: []tree.Field{{Key: "base64data", Value: text(i.Data)}, {Key: "mediatype", Value: text(i.MediaType)}}}
}

// homeOf returns the repository of a template: that in whose operators/ it is, or else the nearest folder with catalogs/.
func homeOf(s *source, name string, o Options) *templateHome {
	h := &templateHome{template: path.Base(name), icons: map[string]*Icon{}}
	for above, below := range foldersAbove(s, name, o) {
		parts := strings.Split(below, "/")
		if len(parts) > 2 && parts[0] == "operators" {
			h.source, h.operator = above, path.Join(parts[0], parts[1])
			return h
		}
		if h.source == nil && isDir(above.fsys, "catalogs") {
			h.source = above
		}
		if _, err := fs.Stat(above.fsys, gitFolder); err == nil {
			break
		}
	}
	return h
}

// maxAbove limits how many folders above that of a template are looked at.
const maxAbove = 6

// foldersAbove yields the folders that a file is in, the nearest first, and the path of the file in each.
func foldersAbove(s *source, name string, o Options) iter.Seq2[*source, string] {
	return func(yield func(*source, string) bool) {
		root, prefix, full := s.fsys, strings.TrimSuffix(s.prefix, s.at), path.Clean(name)
		if s.within != nil {
			root, full = s.within, path.Join(s.at, name)
		}
		shown := s.display(path.Dir(name))
		if s.onDisk {
			abs, err := filepath.Abs(filepath.FromSlash(s.display(name)))
			if err != nil {
				return
			}
			full = strings.TrimPrefix(filepath.ToSlash(abs), "/")
		}
		for dir, n := path.Dir(full), 0; n < maxAbove; dir, n = path.Dir(dir), n+1 {
			above := &source{fsys: root, prefix: s.prefix, noSlash: s.noSlash}
			switch {
			case s.onDisk:
				above = onDisk(path.Join(shown, strings.Repeat("../", n)), o.Overlay)
			case s.within != nil:
				above = &source{fsys: root, prefix: prefix, noSlash: true}
			}
			if sub, err := fs.Sub(root, dir); err == nil && !s.onDisk && dir != "." {
				above = &source{fsys: sub, prefix: above.display(dir)}
			}
			above.readError = s.readError
			if !yield(above, strings.TrimPrefix(full, strings.TrimPrefix(dir+"/", "./"))) || dir == "." {
				return
			}
		}
	}
}

// find finds bundles of images in the catalogs of the repository, those that are made of the template first, and in its bundle folders. It
// calls found with each, which removes the image from those that are missing.
func (h *templateHome) find(ctx context.Context, missing map[string]bool, o Options, found func(image string, b *Bundle)) {
	if h.source == nil {
		return
	}
	for _, dir := range h.published(o.OpenShift) {
		if len(missing) == 0 || ctx.Err() != nil {
			return
		}
		for b := range h.mentioning(ctx, dir, missing, o) {
			found(b.Image.Value, b)
		}
	}
	h.findFolders(ctx, missing, found)
}

// firstWithMetadata is the first OpenShift version in whose catalogs the pipelines have opm write olm.csv.metadata instead of
// olm.bundle.object (operator-pipelines: fbc/render_catalogs.sh).
const firstWithMetadata = "4.17"

// withMetadata reports whether the bundles of catalogs for a version have olm.csv.metadata.
func withMetadata(version string) bool { return minorNumber(version) >= minorNumber(firstWithMetadata) }

// target returns the OpenShift version that a template is expanded for: the one that is asked for, or else the newest one whose catalog is
// made of the template; "" if there is none.
func (h *templateHome) target(asked string) string {
	if asked != "" {
		return asked
	}
	var newest string
	for name := range h.made() {
		if v := openShiftVersion(name); minorNumber(v) > minorNumber(newest) {
			newest = v
		}
	}
	return newest
}

// made returns the names of the catalogs that are made of the template.
func (h *templateHome) made() map[string]bool {
	names := map[string]bool{}
	for _, m := range h.mappings() {
		for _, name := range m.Catalogs {
			if m.Template.Value == h.template {
				names[name.Value] = true
			}
		}
	}
	return names
}

// published returns the folders and files with what was published of the operator: first the catalog for the OpenShift version that is
// asked for, then those that have the same properties of bundles, and of these those that are made of the template; of equal ones the
// newest first.
func (h *templateHome) published(asked string) []string {
	mapped := h.made()
	names, _ := versionCatalogs(h.source)
	slices.Reverse(names)
	rank := func(name string) int {
		v := openShiftVersion(name)
		switch {
		case v == asked:
			return 0
		case asked != "" && withMetadata(v) != withMetadata(asked):
			return 3
		case mapped[name]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for i, name := range names {
		names[i] = path.Join("catalogs", name)
		if h.operator != "" && isDir(h.source.fsys, names[i]) {
			names[i] = path.Join(names[i], path.Base(h.operator))
		}
	}
	return names
}

// mappings returns what the ci.yaml of the operator says which template makes which catalog.
func (h *templateHome) mappings() []pipelineconfig.Mapping {
	if h.source == nil || h.operator == "" {
		return nil
	}
	if f := readPipelineFile(h.source, CIConfig, path.Join(h.operator, "ci.yaml")); f != nil && f.root != nil {
		return pipelineconfig.Mappings(pipelineconfig.MeantCI(f.root))
	}
	return nil
}

// mentioning yields the bundles in those files of a folder, or in that file, that have a missing image in their text.
func (h *templateHome) mentioning(ctx context.Context, at string, missing map[string]bool, o Options) iter.Seq[*Bundle] {
	s := &source{fsys: h.source.fsys, prefix: h.source.prefix, noSlash: h.source.noSlash, readError: h.source.readError}
	images := mention.ImagesOf(maps.Keys(missing))
	var paths []string
	_ = fs.WalkDir(s.fsys, at, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || catalogExt(name) == "" || h.source.restricted(h.source.display(name)) {
			return nil
		}
		text, err := readAll(s.file(name))
		if err == nil && images.In(text) {
			paths = append(paths, name)
		}
		return nil
	})
	none := func(func(*Bundle) bool) {}
	if len(paths) == 0 {
		return none
	}
	c, err := load(ctx, s, paths, nil, Options{Progress: o.Progress})
	if err != nil {
		return none
	}
	h.noteIcons(c)
	return c.allBundles()
}

// findFolders finds the bundles in the folders of the operator that the images of the community's pipeline are made of: of NAME:VERSION in
// operators/NAME/VERSION.
func (h *templateHome) findFolders(ctx context.Context, missing map[string]bool, found func(image string, b *Bundle)) {
	byDir := map[string][]string{}
	for image := range missing {
		name, tag, tagged := strings.Cut(path.Base(image), ":")
		if dir := path.Join("operators", name, tag); tagged && h.operator != "" && fs.ValidPath(dir) && isBundleFolder(h.source.fsys, dir) {
			byDir[dir] = append(byDir[dir], image)
		}
	}
	if len(byDir) == 0 {
		return
	}
	all, err := openBundles(ctx, h.source, BundleFolder, slices.Sorted(maps.Keys(byDir)), nil, Options{})
	if err != nil {
		return
	}
	for _, c := range all {
		for b := range c.allBundles() {
			if f := b.Folder; f != nil {
				for _, image := range byDir[h.source.path(f.Pos.File)] {
					found(image, b)
				}
			}
		}
	}
}

// pinned returns the version of opm that the Makefile of the operator names, and the Makefile; zero if there is none.
func (h *templateHome) pinned() (template.OPM, Pos) {
	if h.source == nil {
		return template.OPM{}, Pos{}
	}
	name := path.Join(cmp.Or(h.operator, "."), "Makefile")
	if text, err := readAll(h.source.file(name)); err == nil {
		if pinned, ok := template.PinnedOPM(text); ok {
			return pinned, Pos{File: h.source.display(name)}
		}
	}
	return template.OPM{}, Pos{}
}

// Rejected returns why opm rejects the template, the first reason; nil if it does not.
func (c *Catalog) Rejected() *Problem {
	i := slices.IndexFunc(c.Problems, func(p Problem) bool { return p.Kind == TemplateFault && !p.Accepted })
	if i < 0 {
		return nil
	}
	return &c.Problems[i]
}

// UnknownBundles says what is not known of the catalog of a template without all of its bundles, and what to give; "" if they are known.
func (c *Catalog) UnknownBundles() (message, fix string) {
	t := c.Template
	if t == nil || len(t.Unknown) == 0 || !t.Generated() && len(c.Packages) == 0 || t.Generated() && c.Rejected() != nil {
		return "", ""
	}
	which := fmt.Sprintf("%d of the %d images are", len(t.Unknown), t.Images)
	switch {
	case t.Images == 1:
		which = "the image is"
	case len(t.Unknown) == 1:
		which = fmt.Sprintf("1 of the %d images is", t.Images)
	case len(t.Unknown) == t.Images:
		which = fmt.Sprintf("the %d images are", t.Images)
	}
	message = which + " in no known catalog or bundle folder: versions are taken from the names of entries, and what bundles contain, such as CSVs and CRDs, was not checked"
	if t.Generated() {
		message = "the channels are made of the versions of bundles, and " + which + " in no known catalog or bundle folder"
	}
	return message, "give a catalog that has them with --catalog, or their folders with --bundles"
}

// emptyTemplate says why a template has no package: opm rejects it, not all of its bundles are known, or opm loses the entries.
func (c *Catalog) emptyTemplate() Foreign {
	if p := c.Rejected(); p != nil {
		return Foreign{What: p.Message, Fix: p.Fix, Pos: p.Pos, Unread: true}
	}
	if message, fix := c.UnknownBundles(); message != "" && c.Template.Generated() {
		return Foreign{What: message, Fix: fix, Pos: c.Template.Unknown[0].Pos, Unread: true}
	}
	for _, p := range c.Problems {
		if p.Kind == TemplateFault {
			return Foreign{Fix: p.Fix, Pos: p.Pos}
		}
		if p.Kind == ParseProblem {
			return Foreign{What: p.Message, Fix: p.Fix, Pos: p.Pos, Unread: true}
		}
	}
	return Foreign{Fix: "write its package, channels and bundles as entries", Pos: c.Template.Pos}
}
