package catalogs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// RepositoryConfig is what the config.yaml of a catalog repository says to its pipeline.
type RepositoryConfig struct {
	Organization Text
	Registries   []Text // that the images of bundles begin with one of; any if there are none
}

// repositoryConfigName is the file of a RepositoryConfig, in the root of the repository.
const repositoryConfigName = "config.yaml"

func setRepository(cats []*Catalog, r *RepositoryConfig) {
	for _, c := range cats {
		c.Repository = r
	}
}

// repositoryAbove returns the configuration of the catalog repository that a folder on disk is in, which begins at the nearest folder with
// operators/ and a config.yaml, and is not searched for above a git repository. A link is not read: a catalog from an untrusted source
// could link to any file of the host.
func repositoryAbove(dir string) *RepositoryConfig {
	dir, err := filepath.Abs(dir)
	for err == nil {
		name := filepath.Join(dir, repositoryConfigName)
		if info, statErr := os.Lstat(name); statErr == nil && info.Mode().IsRegular() {
			if r := repositoryIn(onDisk(dir, nil)); r != nil {
				return r
			}
		}
		if _, gitErr := os.Lstat(filepath.Join(dir, gitFolder)); gitErr == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// repositoryIn returns the configuration of a catalog repository, by its root; nil if it is none (operator-pipelines: Repo.probe).
func repositoryIn(s *source) *RepositoryConfig {
	if !isDir(s.fsys, "operators") || !isFile(s.fsys, repositoryConfigName) {
		return nil
	}
	found := &RepositoryConfig{}
	for d, root := range (&fileReader{in: s}).documents(repositoryConfigName) {
		found.Organization = d.textAt(root, "organization")
		for _, n := range items(root, "allowed_bundle_registries") {
			if n.Kind == tree.String {
				found.Registries = append(found.Registries, Text{Value: n.Text, Pos: d.pos(n.Place)})
			}
		}
	}
	return found
}

// pipelineFile is a file by which a repository configures its pipeline.
type pipelineFile struct {
	kind    ProblemKind
	decoder *decoder
	root    *tree.Node // nil if it cannot be read
	found   []Problem
}

// readPipelineFile reads such a file. It is nil if there is none.
func readPipelineFile(s *source, kind ProblemKind, name string) *pipelineFile {
	if !isFile(s.fsys, name) {
		return nil
	}
	f, r := &pipelineFile{kind: kind}, &fileReader{in: s}
	for d, root := range r.documents(name) {
		if root.Kind == tree.Null { // comments before the first ---
			continue
		}
		if f.root != nil {
			f.add(pipelineconfig.Fault{Place: root.Place, Cause: []string{"second-document"}, Message: "a second document: the pipelines accept only one in a file", Fix: "keep one of them"})
			break
		}
		f.decoder, f.root = d, root
	}
	for _, p := range r.problems {
		f.root = nil
		f.found = append(f.found, Problem{Kind: kind, Pos: p.Pos, Message: "the pipelines cannot read it: " + p.Message, Fix: cmp.Or(p.Fix, "write valid YAML"),
			Cause: append([]string{"unreadable", path.Base(path.Dir(name))}, p.Cause...)})
	}
	if f.decoder == nil && len(f.found) == 0 && kind == CIConfig {
		f.found = append(f.found, Problem{Kind: kind, Pos: Pos{File: s.display(name), Line: 1, Col: 1}, Fix: "remove the file, or write its keys", Cause: []string{"empty"},
			Message: "it is empty: the pipelines require keys and values"})
	}
	return f
}

func (f *pipelineFile) add(faults ...pipelineconfig.Fault) {
	file := f.decoder.file
	for _, fault := range faults {
		if file.source.restricted(file.name) {
			fault.Fix = "" // it may quote the text
		}
		f.found = append(f.found, Problem{Kind: f.kind, Pos: f.decoder.pos(fault.Place), Message: file.message("%s", fault.Message), Fix: fault.Fix,
			Field: fault.Field, Cause: fault.Cause, Accepted: fault.Accepted, Published: fault.Published})
	}
}

// pipelineProblems returns the mistakes in what configures the pipeline of a repository: its config.yaml, the ci.yaml of its operators,
// and the release-config.yaml of its bundles.
func (l *layout) pipelineProblems(ctx context.Context) []Problem {
	var found []Problem
	s := l.source
	if l.at == "." {
		if f := readPipelineFile(s, PipelineConfig, repositoryConfigName); f != nil {
			if f.root != nil {
				f.add(pipelineconfig.CheckRepository(f.root)...)
			}
			found = append(found, f.found...)
		}
	}
	certified := len(l.bundles) > 0 // or it is not known
	if r := repositoryIn(s); r != nil {
		certified = r.Organization.Value != pipelineconfig.Community
	}
	of := map[string][]string{} // by operator
	for _, dir := range l.bundles {
		of[path.Dir(dir)] = append(of[path.Dir(dir)], dir)
	}
	for _, dir := range l.operators {
		if isFile(s.fsys, path.Join(dir, "ci.yaml")) {
			of[dir] = of[dir][:len(of[dir]):len(of[dir])]
		}
	}
	for _, operator := range readFolders(ctx, slices.Sorted(maps.Keys(of)), nil, func(dir string) (*[]Problem, int64) {
		all := slices.DeleteFunc(l.operatorProblems(dir, of[dir]), func(p Problem) bool {
			return p.Kind == NoCertProject && !certified
		})
		for i := range all {
			if dir != "." || l.at != "" {
				all[i].Package = l.nameOf(dir)
			}
		}
		return &all, 0
	}) {
		found = append(found, *operator...)
	}
	return found
}

// operatorProblems are the pipelineProblems of an operator.
func (l *layout) operatorProblems(dir string, bundles []string) []Problem {
	var found []Problem
	s := l.source
	ci := readPipelineFile(s, CIConfig, path.Join(dir, "ci.yaml"))
	var config *tree.Node
	if ci != nil {
		if ci.root != nil {
			ci.add(pipelineconfig.CheckCI(ci.root)...)
			config = pipelineconfig.MeantCI(ci.root)
			ci.root = config
		}
		found = append(ci.found, l.mappingProblems(dir, ci, bundles)...)
	}
	if ci == nil {
		found = append(found, Problem{Kind: NoCertProject, Pos: Pos{File: s.display(dir)}, Message: "no ci.yaml, and so no cert_project_id"})
	} else if id := pipelineconfig.CertProject(config); config != nil && id == "" {
		found = append(found, Problem{Kind: NoCertProject, Pos: ci.decoder.pos(config.Place), Message: "no cert_project_id in ci.yaml"})
	}
	if len(bundles) > 0 && (ci == nil || config != nil && !pipelineconfig.UsesTemplates(config)) {
		at := Pos{File: s.display(dir)}
		if ci != nil {
			at = ci.decoder.pos(config.Place)
		}
		if config == nil || config.Get("updateGraph") == nil {
			found = append(found, Problem{Kind: NoUpdateGraph, Pos: at, Message: "no updateGraph in ci.yaml: its bundles upgrade by replaces-mode"})
		}
		found = append(found, Problem{Kind: WithoutTemplates, Pos: at, Message: "the operator does not use file-based catalogs: ci.yaml does not enable fbc"})
	}
	if ci != nil && config == nil {
		return append(found, l.releaseProblems(dir, bundles, nil)...)
	}
	channels := channelsOfTemplates(s, dir)
	return append(found, l.releaseProblems(dir, bundles, func(release *tree.Node, bundle string) []pipelineconfig.Fault {
		faults := pipelineconfig.CheckRelease(release, config, func(name string) bool { return isFile(s.fsys, path.Join(dir, templateFolder, name)) })
		if bundle == "" {
			return faults
		}
		name := csvName(s, bundle)
		second := pipelineconfig.CheckReleaseEntries(release, name, channels)
		if len(second) > 0 && l.isReleased(dir, name) {
			for i := range second {
				second[i].Published = true // its entry may have been changed since
			}
		}
		return append(faults, second...)
	})...)
}

// channelsOfTemplates returns a function that returns the channels with a name of a basic template of an operator.
func channelsOfTemplates(s *source, operator string) func(template, channel string) []tree.Node {
	read := map[string][]tree.Node{}
	return func(name, channel string) []tree.Node {
		file := path.Join(operator, templateFolder, name)
		if _, known := read[file]; !known && fs.ValidPath(file) {
			read[file] = nil
			if _, root := readTemplate(context.Background(), s.only(file), file, Options{}); root != nil {
				if t, _ := template.Read(root); t.Schema == template.Basic {
					read[file] = t.Entries
				}
			}
		}
		var found []tree.Node
		for _, n := range read[file] {
			if n.Str("schema") == SchemaChannel && n.Str("name") == channel {
				found = append(found, n)
			}
		}
		return found
	}
}

// isReleased reports whether a catalog in catalogs/ mentions a bundle of an operator.
func (l *layout) isReleased(operator, bundle string) bool {
	return slices.ContainsFunc(l.versions, func(version string) bool {
		dir := path.Join("catalogs", version, l.nameOf(operator))
		entries, _ := fs.ReadDir(l.root.fsys, dir)
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			name := path.Join(dir, e.Name())
			text, err := readAll(l.root.file(name))
			return !e.IsDir() && err == nil && bytes.Contains(text, []byte(bundle))
		})
	})
}

// csvName returns the name of the ClusterServiceVersion of a bundle, "" if there is none.
func csvName(s *source, bundle string) string {
	dir := path.Join(bundle, "manifests")
	entries, _ := fs.ReadDir(s.fsys, dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if text, err := readAll(s.file(name)); e.IsDir() || err != nil || !bytes.Contains(text, []byte("ClusterServiceVersion")) {
			continue
		}
		for _, root := range (&fileReader{in: s}).documents(name) {
			if root.Str("kind") == "ClusterServiceVersion" && root.At("metadata", "name") != nil {
				return root.At("metadata", "name").Text
			}
		}
	}
	return ""
}

// releaseProblems are the problems of the release-config.yaml of bundles: of each alone, and those that check returns if it is not nil, which is
// called with the bundle if that is the newest; and what each makes of its templates.
func (l *layout) releaseProblems(operator string, bundles []string, check func(release *tree.Node, newest string) []pipelineconfig.Fault) []Problem {
	var found []Problem
	s := l.source
	newest := ""
	if len(bundles) > 0 {
		newest = slices.MaxFunc(bundles, compareFolderVersions)
	}
	for _, bundle := range bundles {
		release := readPipelineFile(s, ReleaseConfig, path.Join(bundle, "release-config.yaml"))
		if release == nil {
			continue
		}
		if release.root != nil {
			release.add(pipelineconfig.CheckReleaseSchema(release.root)...)
		}
		if release.root != nil && check != nil {
			alone := len(release.found)
			of := ""
			if bundle == newest && alone == 0 {
				of = bundle
			}
			release.add(check(release.root, of)...)
			release.found = slices.CompactFunc(release.found, func(a, b Problem) bool { return a.Pos.Line == b.Pos.Line })
			alone = min(alone, len(release.found))
			if !slices.ContainsFunc(release.found, func(p Problem) bool { return !p.Accepted }) {
				release.found = append(release.found, l.releases(operator, bundle, release)...)
			}
			for i := alone; i < len(release.found); i++ {
				release.found[i].Published = release.found[i].Published || bundle != newest
			}
		}
		found = append(found, release.found...)
	}
	return found
}

// templateFolder is the folder of an operator that its templates are in (operator-pipelines: fbc/render_catalogs.sh).
const templateFolder = "catalog-templates"

// mappingProblems are the mistakes in what a ci.yaml says which template makes which catalog.
func (l *layout) mappingProblems(operator string, ci *pipelineFile, bundles []string) []Problem {
	if ci.root == nil || !pipelineconfig.UsesTemplates(ci.root) {
		return nil
	}
	f := &pipelineFile{kind: CatalogMapping, decoder: ci.decoder}
	var templates []pipelineconfig.Template
	var problems []Problem
	mapped, missing := map[string]bool{}, []string(nil)
	for _, m := range pipelineconfig.Mappings(ci.root) {
		mapped[m.Template.Value] = true
		if name := path.Join(operator, templateFolder, m.Template.Value); !isFile(l.fsys, name) {
			missing = append(missing, m.Template.Value)
		}
	}
	for _, t := range l.templates {
		if t.operator != operator {
			continue
		}
		name := path.Base(t.name)
		if path.Base(path.Dir(t.name)) == templateFolder {
			templates = append(templates, pipelineconfig.Template{Name: name, Schema: t.schema.Value})
		}
		if _, misspelt := spelling.NearestVersioned(name, missing); !mapped[name] && !misspelt {
			problems = append(problems, Problem{Kind: UnmappedTemplate, Pos: t.schema.Pos, Cause: []string{name}, Fix: "map it to its catalogs in ci.yaml, or remove it",
				Message: "no catalog is made of this template: it is not in catalog_mapping of ci.yaml"})
		}
	}
	entries, _ := fs.ReadDir(l.fsys, path.Join(operator, templateFolder))
	for _, e := range entries {
		if !slices.ContainsFunc(templates, func(t pipelineconfig.Template) bool { return t.Name == e.Name() }) {
			one := pipelineconfig.Template{Name: e.Name()}
			if unread := readPipelineFile(l.source, CatalogMapping, path.Join(operator, templateFolder, e.Name())); unread != nil && unread.root == nil && mapped[e.Name()] {
				one.Created, f.found = true, append(f.found, unread.found...) // why it cannot be read is told
			}
			templates = append(templates, one)
		}
	}
	for _, name := range l.released(bundles) {
		if !slices.ContainsFunc(templates, func(t pipelineconfig.Template) bool { return t.Name == name }) {
			templates = append(templates, pipelineconfig.Template{Name: name, Created: true})
		}
	}
	var published []string
	for _, version := range l.versions {
		if name := path.Join("catalogs", version, l.nameOf(operator)); isDir(l.root.fsys, name) && hasContent(l.root.fsys, name) {
			published = append(published, version)
		}
	}
	f.add(pipelineconfig.CheckMappings(ci.root, templates, published)...)
	return append(f.found, problems...)
}

// released returns the templates that the release-config.yaml of bundles name.
func (l *layout) released(bundles []string) []string {
	var names []string
	for _, bundle := range bundles {
		f := readPipelineFile(l.source, ReleaseConfig, path.Join(bundle, "release-config.yaml"))
		if f == nil || f.root == nil {
			continue
		}
		for _, item := range items(f.root, "catalog_templates") {
			names = append(names, item.Str("template_name"))
		}
	}
	return names
}

// templatesOf are the templates of the repository that a catalog is in.
type templatesOf struct {
	root     *source // of the repository; nil if the catalog is in none
	options  Options
	template *templateHome // that the catalog is made of; nil if it is not
	version  string        // the name of the catalog in catalogs/; "" if it is not there
	shared   *madeCatalogs
}

// Found reports whether there is a repository.
func (t *templatesOf) Found() bool { return t.root != nil }

// repositoryOf returns the templates of the repository that a catalog is in; nil if it is in none.
func repositoryOf(c *Catalog) *templatesOf {
	if c == nil {
		return nil
	}
	switch t := c.templates.(type) {
	case *templatesOf:
		return t
	case *templateHome:
		return &templatesOf{root: t.source, options: t.options, template: t}
	}
	return nil
}

// madeCatalogs are what templates make, read once for all catalogs of a repository.
type madeCatalogs struct {
	mutex     sync.Mutex
	operators []mappedOperator
	listed    bool
	templates map[string]*Catalog // by the path of the file
}

// mappedOperator is an operator whose ci.yaml maps templates to catalogs.
type mappedOperator struct {
	dir      string
	ci       string // in positions
	mappings []pipelineconfig.Mapping
}

// setTemplates sets the templates of the repository that catalogs are in. Those of a repository whose catalogs are not among them stand for these.
func setTemplates(s *source, all []*Catalog, o Options) {
	root, at := s.repository(o)
	if root == nil {
		return
	}
	shared := &madeCatalogs{templates: map[string]*Catalog{}}
	for i, c := range all {
		t := &templatesOf{root: root, options: o, shared: shared}
		name := path.Join(at, c.Name)
		switch {
		case c.templates != nil:
		case c.Form == FileBased && path.Dir(name) == "catalogs" && isDir(root.fsys, name):
			t.version = path.Base(name)
			c.templates = t
		case i == 0 && c.Form == Repository && at == "operators":
			c.templates = t
		}
	}
}

// Made is a part of a catalog that is made of a template, as ci.yaml says: the folder of an operator.
type Made struct {
	Template  *Catalog   // of which it is made. Of the bundles there are names, versions and images only.
	Name      string     // of the template's file
	Operator  string     // the name of its folder
	Catalog   string     // the name of the catalog, as v4.18
	Mapped    Pos        // where ci.yaml maps it
	Folder    Pos        // in the catalog
	Published []*Package // in this folder
}

// Made returns the parts of a catalog that are made of templates; of a template, those of the catalogs that are made of it. With a base only those
// that differ from it, or their templates. Parts that cannot be read whole, and templates that opm rejects, are left out.
func (c *Catalog) Made(ctx context.Context, base *Catalog) []Made {
	t := repositoryOf(c)
	if t == nil || t.root == nil {
		return nil
	}
	var all []Made
	for _, op := range t.operators() {
		for _, m := range op.mappings {
			for _, version := range m.Catalogs {
				made := Made{Name: m.Template.Value, Operator: path.Base(op.dir), Catalog: version.Value, Mapped: Pos{op.ci, version.Line, version.Col}}
				if ctx.Err() == nil && t.concerns(&made) && !t.same(ctx, base, &op, &made) && c.make(ctx, &made) {
					all = append(all, made)
				}
			}
		}
	}
	return all
}

// Unlinted returns an empty catalog of the same repository: a base from which all differs but the templates.
func (c *Catalog) Unlinted() *Catalog { return &Catalog{templates: c.templates} }

// concerns reports whether a part is one of the catalog, or of one that is made of it.
func (t *templatesOf) concerns(m *Made) bool {
	switch {
	case openShiftVersion(m.Catalog) == "", path.Base(m.Catalog) != m.Catalog, path.Base(m.Name) != m.Name, !isDir(t.root.fsys, path.Join("catalogs", m.Catalog)):
		return false // it may lead anywhere
	case t.template != nil:
		return t.template.template == m.Name
	}
	return t.version == "" || t.version == m.Catalog
}

// operators returns the operators of the repository whose ci.yaml maps templates; of a template its own.
func (t *templatesOf) operators() []mappedOperator {
	if t.template != nil && t.shared == nil {
		t.shared = &madeCatalogs{templates: map[string]*Catalog{}}
	}
	t.shared.mutex.Lock()
	defer t.shared.mutex.Unlock()
	if t.shared.listed {
		return t.shared.operators
	}
	t.shared.listed = true
	dirs := foldersIn(t.root.fsys, "operators")
	if t.template != nil {
		dirs = []string{t.template.operator}
	}
	for _, dir := range dirs {
		name := path.Join(dir, "ci.yaml")
		if f := readPipelineFile(t.root, CIConfig, name); f != nil && f.root != nil {
			if mappings := pipelineconfig.Mappings(pipelineconfig.MeantCI(f.root)); len(mappings) > 0 {
				t.shared.operators = append(t.shared.operators, mappedOperator{dir, t.root.display(name), mappings})
			}
		}
	}
	return t.shared.operators
}

// file returns the path of the template in the repository.
func (m *Made) file() string { return path.Join("operators", m.Operator, templateFolder, m.Name) }

// same reports whether all of which a part is made is the same in the repository of a base.
func (t *templatesOf) same(ctx context.Context, base *Catalog, op *mappedOperator, m *Made) bool {
	of := repositoryOf(base)
	if of == nil || of.root == nil || of.root == t.root {
		return false
	}
	now, before := t.root, of.root
	for _, name := range []string{m.file(), path.Join(op.dir, "ci.yaml"), path.Join(op.dir, "Makefile")} {
		x, read := now.blobID(ctx, name)
		y, readToo := before.blobID(ctx, name)
		if read != readToo || read && x != y {
			return false
		}
	}
	folder := path.Join("catalogs", m.Catalog, m.Operator)
	if !isDir(now.fsys, folder) && !isDir(before.fsys, folder) {
		return true
	}
	return now.sameFolder(ctx, before, folder)
}

// make reads what a template makes, and what is published instead. It reports whether both can be read.
func (c *Catalog) make(ctx context.Context, m *Made) bool {
	t := repositoryOf(c)
	file := m.file()
	if !fs.ValidPath(file) || !isFile(t.root.fsys, file) || t.root.restricted(t.root.display(file)) {
		return false
	}
	published := c.publishedIn(ctx, m)
	if published == nil {
		return false
	}
	m.Published = published.Packages
	if t.template != nil {
		m.Template = c
	} else {
		m.Template = t.expand(ctx, file, published)
	}
	return m.Template != nil && !slices.ContainsFunc(m.Template.Problems, func(p Problem) bool { return p.Kind == ParseProblem || p.Kind == TemplateFault && !p.Accepted })
}

// Expansions returns what a template that differs from a base makes, with its bundles as they are published, and what it made there: of a new
// template, what is published, or nil if nothing is. They are nil if one of them is not known.
func (c *Catalog) Expansions(ctx context.Context, base *Catalog, m *Made) (now, before *Catalog) {
	of := repositoryOf(base)
	if of == nil || of.root == nil {
		return nil, nil
	}
	was, had := of.root.blobID(ctx, m.file())
	is, has := repositoryOf(c).root.blobID(ctx, m.file())
	if !has || had && was == is {
		return nil, nil
	}
	if had {
		before = base.expandAlone(ctx, m)
	} else {
		before = base.publishedIn(ctx, &Made{Operator: m.Operator, Catalog: m.Catalog})
	}
	if before != nil && len(before.Packages) == 0 {
		before = nil
	}
	if now = c.expandAlone(ctx, m); now == nil || had && before == nil {
		return nil, nil
	}
	return now, before
}

// expandAlone returns what a template makes, with all of its bundles; nil if that is not known.
func (c *Catalog) expandAlone(ctx context.Context, m *Made) *Catalog {
	of := repositoryOf(c)
	o := of.options
	o.Sources, o.Deferred, o.Package = append([]*Catalog{{Packages: m.Published}}, o.Sources...), false, ""
	made, err := openTemplate(ctx, of.root.only(m.file()), m.file(), o)
	if err != nil || made == nil || made.Template.Rejected || made.Template.Generated() && len(made.Template.Unknown) > 0 {
		return nil
	}
	return made
}

// publishedIn reads the folder of an operator in a catalog; nil if it cannot be read whole.
func (c *Catalog) publishedIn(ctx context.Context, m *Made) *Catalog {
	t := repositoryOf(c)
	at := path.Join("catalogs", m.Catalog, m.Operator)
	m.Folder = Pos{File: t.root.display(at)}
	found := &Catalog{}
	switch {
	case t.version != "" && c.Stats.Unread == 0:
		inFolder := func(p Pos) bool { return strings.HasPrefix(p.File, m.Folder.File+"/") }
		if slices.ContainsFunc(c.Problems, func(p Problem) bool { return p.LosesData() && inFolder(p.Pos) }) {
			return nil
		}
		for _, p := range c.Packages {
			if inFolder(p.pos()) {
				found.Packages = append(found.Packages, p)
			}
		}
	case isDir(t.root.fsys, at):
		s := &source{fsys: t.root.fsys, prefix: t.root.prefix, noSlash: t.root.noSlash, onDisk: t.root.onDisk, root: t.root.root, readError: t.root.readError}
		var paths []string
		_ = fs.WalkDir(s.fsys, at, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && catalogExt(name) != "" {
				paths = append(paths, name)
			}
			return nil
		})
		var err error
		if found, err = load(ctx, s, paths, nil, Options{}); err != nil || slices.ContainsFunc(found.Problems, func(p Problem) bool { return p.LosesData() }) {
			return nil
		}
	}
	return found
}

// OtherOPM returns the newest version of opm that makes of the template, whose channels are generated, what is published, and whether there is one.
func (m *Made) OtherOPM() (template.OPM, bool) {
	t := m.Template.Template
	if t.semver == nil || len(m.Published) != 1 {
		return template.OPM{}, false
	}
	for _, v := range slices.Backward(template.Changes()) {
		if made, _ := t.semver.Expand(t.known, v); made != nil && !v.SameExpansion(t.OPM) && isExpansion(m.Published[0], made) {
			return v, true
		}
	}
	return template.OPM{}, false
}

// isExpansion reports whether a package has the channels of an expansion, and no others.
func isExpansion(p *Package, made *template.Expansion) bool {
	if p.Name.Value != made.Package || p.DefaultChannel.Value != made.DefaultChannel || len(p.Channels) != len(made.Channels) {
		return false
	}
	for i := range made.Channels {
		c := p.Channel(made.Channels[i].Name)
		if c == nil || len(c.Entries) != len(made.Channels[i].Entries) {
			return false
		}
		for _, want := range made.Channels[i].Entries {
			same := func(e Entry) bool {
				var skips []string
				for _, skip := range e.Skips {
					skips = append(skips, skip.Value)
				}
				slices.Sort(skips)
				return e.Name.Value == want.Name && e.Replaces.Value == want.Replaces && e.SkipRange.Value == "" && slices.Equal(skips, slices.Sorted(slices.Values(want.Skips)))
			}
			if !slices.ContainsFunc(c.Entries, same) {
				return false
			}
		}
	}
	return true
}

// madeFile is the file of an operator in a catalog that is made of a template (operator-pipelines: fbc/render_catalogs.sh).
const madeFile = "catalog.yaml"

// Remade returns the file that is made of a template, its text, and the text that opm makes. The error says why it cannot be made, or must not be
// written: it is not there yet, the folder has other files, it is not on disk or a link leads out of the repository.
func (c *Catalog) Remade(ctx context.Context, m *Made) (file string, was, made []byte, err error) {
	t := repositoryOf(c)
	at := path.Join("catalogs", m.Catalog, m.Operator, madeFile)
	file = t.root.display(at)
	entries, _ := fs.ReadDir(t.root.fsys, path.Dir(at))
	switch {
	case !t.root.onDisk:
		return file, nil, nil, errors.New("it is not in a local file")
	case t.root.restricted(file):
		return file, nil, nil, errors.New("a link leads out of the repository to it")
	case len(entries) != 1 || entries[0].Name() != madeFile:
		return file, nil, nil, fmt.Errorf("its folder has other files than %s", madeFile)
	}
	if was, err = fs.ReadFile(t.root.fsys, at); err != nil {
		return file, nil, nil, err
	}
	o := t.options
	o.OpenShift, o.Deferred, o.Package = openShiftVersion(m.Catalog), false, ""
	published := (&Catalog{templates: &templatesOf{root: t.root}}).publishedIn(ctx, m)
	if published != nil {
		o.Sources = append([]*Catalog{published}, o.Sources...)
	}
	again, err := openTemplate(ctx, t.root.only(m.file()), m.file(), o)
	if err != nil || again == nil {
		return file, nil, nil, cmp.Or(err, errors.New("the template cannot be read"))
	}
	if lost := again.lacksOther(published); lost != nil {
		return file, nil, nil, fmt.Errorf("its object of schema %q is not in the template", lost.Schema.Value)
	}
	out, err := again.FileBased()
	if err != nil || out == nil {
		return file, nil, nil, cmp.Or(err, errors.New("not all of its bundles are known"))
	}
	var text bytes.Buffer
	err = out.WriteYAML(&text)
	return file, was, text.Bytes(), err
}

// lacksOther returns the first object of a published catalog whose schema is not one of OLM's that a template does not make; nil if there is none.
func (c *Catalog) lacksOther(published *Catalog) *Other {
	if published == nil {
		return nil
	}
	rest := slices.Clone(c.Others)
	for i := range published.Others {
		one := &published.Others[i]
		at := slices.IndexFunc(rest, func(o Other) bool {
			return o.Schema.Value == one.Schema.Value && o.Package.Value == one.Package.Value && o.Name.Value == one.Name.Value
		})
		if at < 0 {
			return one
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return nil
}

// MadeOf returns the template that a file of the catalog is made of, "" if it is of none. Both names are as in positions.
func (c *Catalog) MadeOf(file string) string {
	t := repositoryOf(c)
	if t == nil || t.version == "" {
		return ""
	}
	for _, op := range t.operators() {
		for _, m := range op.mappings {
			made := &Made{Name: m.Template.Value, Operator: path.Base(op.dir)}
			maps := slices.ContainsFunc(m.Catalogs, func(name pipelineconfig.Value) bool { return name.Value == t.version })
			if maps && file == t.root.display(path.Join("catalogs", t.version, made.Operator, madeFile)) && isFile(t.root.fsys, made.file()) {
				return t.root.display(made.file())
			}
		}
	}
	return ""
}

// InRepository reports whether templates of a repository may make parts of the catalog, or it is one of these.
func (c *Catalog) InRepository() bool { return c.templates != nil && c.templates.Found() }

// pos returns the position of the package, or else of the first of its objects.
func (p *Package) pos() Pos {
	switch {
	case p.Pos.Known():
		return p.Pos
	case len(p.Channels) > 0:
		return p.Channels[0].Pos
	case len(p.Bundles) > 0:
		return p.Bundles[0].Pos
	}
	return p.Name.Pos
}

// expand returns what a template makes, with its bundles as they are published; nil if it cannot be read.
func (t *templatesOf) expand(ctx context.Context, file string, published *Catalog) *Catalog {
	t.shared.mutex.Lock()
	defer t.shared.mutex.Unlock()
	if c, known := t.shared.templates[file]; known {
		return c
	}
	o := t.options
	o.Sources, o.Deferred = append([]*Catalog{published}, o.Sources...), false
	c, err := openTemplate(ctx, t.root.only(file), file, o)
	if err != nil {
		return nil
	}
	if c != nil {
		for b := range c.allBundles() { // it is kept
			b.Properties, b.RelatedImages, b.derived, b.Folder, b.embedded, b.document = nil, nil, nil, nil, nil, document{}
		}
	}
	t.shared.templates[file] = c
	return c
}

// updateGraph modes of a ci.yaml.
const (
	semverMode    = "semver-mode"
	skipPatchMode = "semver-skippatch-mode"
	// templateMode is the mode of a package whose channels are in templates of file-based catalogs, and not in the bundles.
	templateMode = "fbc"
)

// publishing is how the ci.yaml of an operator says that its bundles are published.
type publishing struct {
	mode string // updateGraph, or templateMode; "" if there is none
	// versions are the OpenShift versions of the catalogs that templates are mapped to; nil if that is not what selects them.
	versions []string
}

// publishingOf returns what the ci.yaml in the folder of an operator says.
func publishingOf(s *source, dir string) publishing {
	var p publishing
	name := path.Join(dir, "ci.yaml")
	if !isFile(s.fsys, name) {
		return p
	}
	r := &fileReader{in: s}
	for _, raw := range r.documents(name) {
		root := pipelineconfig.MeantCI(raw)
		if mode := root.Str("updateGraph"); mode != "" {
			p.mode = mode
		}
		if pipelineconfig.UsesTemplates(root) {
			p.mode = templateMode
		}
		for _, m := range pipelineconfig.Mappings(root) {
			for _, catalog := range m.Catalogs {
				if version := openShiftVersion(catalog.Value); version != "" {
					p.versions = append(p.versions, version)
				}
			}
		}
	}
	if len(r.problems) > 0 && p.mode == "" && isDir(s.fsys, path.Join(dir, templateFolder)) {
		p.mode = templateMode // it cannot be read: that is told
		text, _ := readAll(s.file(name))
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !strings.ContainsRune("v.0123456789", r) }) {
			if version := openShiftVersion(word); version != "" {
				p.versions = append(p.versions, version)
			}
		}
	}
	return p
}

// Release is what the release of a bundle adds to a template, by an item of catalog_templates in its release-config.yaml.
type Release struct {
	Template, Bundle string // the names of the template and of the bundle, which Make sets
	Replaces         Text
	Channels, Skips  []Text
	SkipRange        Text
	Misspelt         Text // a key that the pipelines ignore, as it was probably meant

	item   *tree.Node
	expand func(ctx context.Context, r *Release) (before, after *Catalog)
}

// Make returns the catalog of the template, and what it is after the release; nil if that is not known: there is no template yet, or it has the
// bundle already.
func (r *Release) Make(ctx context.Context) (before, after *Catalog) { return r.expand(ctx, r) }

// communityImages is where the pipeline of the community catalog pushes the images of bundles, as NAME:VERSION (operator-pipelines: copy-image).
const communityImages = "quay.io/community-operator-pipeline-prod"

// releases returns a problem for each item of catalog_templates: what it makes of its template is not known yet.
func (l *layout) releases(operator, bundle string, f *pipelineFile) []Problem {
	var all []Problem
	list, meant := items(f.root, "catalog_templates"), items(pipelineconfig.MeantRelease(f.root), "catalog_templates")
	for i := range list {
		item := &list[i]
		text := func(n *tree.Node) Text {
			if n == nil {
				return Text{}
			}
			return Text{Value: n.Text, Pos: f.decoder.pos(n.Place)}
		}
		texts := func(key string) (all []Text) {
			for _, n := range items(item, key) {
				all = append(all, text(&n))
			}
			return all
		}
		misspelt := Text{}
		for j, key := range meant[i].Fields {
			if key.Key != item.Fields[j].Key {
				misspelt = Text{Value: key.Key, Pos: f.decoder.pos(key.Place)}
			}
		}
		all = append(all, Problem{Kind: ReleaseOutcome, Pos: f.decoder.pos(item.Place), Cause: []string{path.Base(bundle), string(item.AppendJSON(nil))}, Release: &Release{
			Template: item.Str("template_name"), Replaces: text(item.Get("replaces")), SkipRange: text(item.Get("skipRange")), Channels: texts("channels"), Skips: texts("skips"), Misspelt: misspelt, item: item,
			expand: released{l.source, l.options, operator, bundle}.catalogs}})
	}
	return all
}

// Replacing returns the release with another bundle that it replaces.
func (r *Release) Replacing(name string) *Release {
	changed, item := *r, *r.item
	item.Fields = slices.DeleteFunc(slices.Clone(item.Fields), func(f tree.Field) bool { return f.Key == "replaces" })
	item.Fields = append(item.Fields, tree.Field{Key: "replaces", Value: textNode(name)})
	changed.item = &item
	return &changed
}

// released is the bundle of a release.
type released struct {
	source   *source
	options  Options
	operator string // the folder
	folder   string // of the bundle
}

// catalogs is what Release.Make returns (operator-pipelines: add_bundle_to_fbc).
func (b released) catalogs(ctx context.Context, r *Release) (before, after *Catalog) {
	file := path.Join(b.operator, templateFolder, r.Template)
	r.Bundle = csvName(b.source, b.folder)
	if r.Bundle == "" || !isFile(b.source.fsys, file) || b.source.restricted(b.source.display(file)) {
		return nil, nil
	}
	s := b.source.only(file)
	before, err := openTemplate(ctx, s, file, b.options)
	if err != nil || before == nil || before.Template.Rejected || slices.ContainsFunc(before.Packages, func(p *Package) bool { return p.Bundle(r.Bundle) != nil }) {
		return nil, nil
	}
	x, root := readTemplate(ctx, s, file, b.options)
	if root == nil {
		return nil, nil
	}
	x.home = homeOf(s, file, b.options)
	name := path.Base(x.home.operator)
	image := textNode(communityImages + "/" + name + ":" + path.Base(b.folder))
	if before.Template.Generated() {
		r.list(root, image)
	} else {
		r.add(root, name, image)
	}
	if after, err = x.expand(root); err != nil {
		return nil, nil
	}
	return before, after
}

func textNode(text string) tree.Node { return tree.Node{Kind: tree.String, Text: text} }

func mapNode(fields ...tree.Field) tree.Node { return tree.Node{Kind: tree.Map, Fields: fields} }

// add adds the entry to the channels of a basic template, and the image (BasicTemplate.amend).
func (r *Release) add(root *tree.Node, name string, image tree.Node) {
	entries := root.Get("entries")
	if entries == nil {
		return
	}
	entry := mapNode(tree.Field{Key: "name", Value: textNode(r.Bundle)})
	for _, key := range []string{"replaces", "skips", "skipRange"} {
		if n := r.item.Get(key); n != nil {
			entry.Fields = append(entry.Fields, tree.Field{Key: key, Value: *n})
		}
	}
	entry.Place = r.item.Place
	for _, channel := range r.Channels {
		there := false
		for i := range entries.Items {
			if n := &entries.Items[i]; n.Str("schema") == SchemaChannel && n.Str("name") == channel.Value {
				if list := n.Get("entries"); list != nil {
					list.Items, there = append(list.Items, entry), true
				}
			}
		}
		if !there {
			list := tree.Node{Kind: tree.List, Items: []tree.Node{entry}}
			entries.Items = append(entries.Items, mapNode(tree.Field{Key: "schema", Value: textNode(SchemaChannel)}, tree.Field{Key: "name", Value: textNode(channel.Value)},
				tree.Field{Key: "package", Value: textNode(name)}, tree.Field{Key: "entries", Value: list}))
		}
	}
	entries.Items = append(entries.Items, mapNode(tree.Field{Key: "schema", Value: textNode(SchemaBundle)}, tree.Field{Key: "image", Value: image}))
}

// list lists the image in the channels of a template of schema olm.semver, under their keys as they are spelt (SemverTemplate.amend).
func (r *Release) list(root *tree.Node, image tree.Node) {
	for _, channel := range r.Channels {
		one := mapNode(tree.Field{Key: "Image", Value: image})
		if list := root.At(channel.Value, "Bundles"); list != nil {
			list.Items = append(list.Items, one)
		} else {
			bundles := mapNode(tree.Field{Key: "Bundles", Value: tree.Node{Kind: tree.List, Items: []tree.Node{one}}})
			root.Fields = append(root.Fields, tree.Field{Key: channel.Value, Place: root.Place, Value: bundles})
		}
	}
}
