package repo

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

func SetRepository(cats []*Opened, r *catalogs.RepositoryConfig) {
	for _, c := range cats {
		c.Repository = r
	}
}

// RepositoryAbove returns the configuration of the catalog repository that a folder on disk is in, which begins at the nearest folder with
// operators/ and a config.yaml, and is not searched for above a git repository. A link is not read: a catalog from an untrusted source
// could link to any file of the host.
func RepositoryAbove(dir string) *catalogs.RepositoryConfig {
	dir, err := filepath.Abs(dir)
	for err == nil {
		name := filepath.Join(dir, pipelineconfig.RepositoryConfigName)
		if info, statErr := disk.Lstat(name); statErr == nil && info.Mode().IsRegular() {
			if r := pipelineconfig.RepositoryIn(source.OnDisk(dir, nil)); r != nil {
				return r
			}
		}
		if _, gitErr := disk.Lstat(filepath.Join(dir, source.GitFolder)); gitErr == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// pipelineProblems returns the mistakes in what configures the pipeline of a repository: its config.yaml, the ci.yaml of its operators,
// and the release-config.yaml of its bundles.
func (l *layout) pipelineProblems(ctx context.Context) []catalogs.Problem {
	var found []catalogs.Problem
	s := l.Source
	if l.at == "." {
		if f := pipelineconfig.ReadPipelineFile(s, catalogs.PipelineConfig, pipelineconfig.RepositoryConfigName); f != nil {
			if f.Root != nil {
				f.Add(pipelineconfig.CheckRepository(f.Root)...)
			}
			found = append(found, f.Found...)
		}
	}
	certified := len(l.bundles) > 0 // or it is not known
	if r := pipelineconfig.RepositoryIn(s); r != nil {
		certified = r.Organization.Value != pipelineconfig.Community
	}
	of := map[string][]string{} // by operator
	for _, dir := range l.bundles {
		of[path.Dir(dir)] = append(of[path.Dir(dir)], dir)
	}
	for _, dir := range l.operators {
		if source.IsFile(s.Fsys, path.Join(dir, "ci.yaml")) {
			of[dir] = of[dir][:len(of[dir]):len(of[dir])]
		}
	}
	for _, operator := range parallel.ReadFolders(ctx, slices.Sorted(maps.Keys(of)), nil, func(dir string) (*[]catalogs.Problem, int64) {
		all := slices.DeleteFunc(l.operatorProblems(dir, of[dir]), func(p catalogs.Problem) bool {
			return p.Kind == catalogs.NoCertProject && !certified
		})
		for i := range all {
			if dir != "." || l.at != "" {
				all[i].Package = l.packageName(dir)
			}
		}
		return &all, 0
	}) {
		found = append(found, *operator...)
	}
	return found
}

// operatorProblems are the pipelineProblems of an operator.
func (l *layout) operatorProblems(dir string, bundles []string) []catalogs.Problem {
	var found []catalogs.Problem
	s := l.Source
	ci := pipelineconfig.ReadPipelineFile(s, catalogs.CIConfig, path.Join(dir, "ci.yaml"))
	var config *tree.Node
	if ci != nil {
		if ci.Root != nil {
			ci.Add(pipelineconfig.CheckCI(ci.Root)...)
			config = pipelineconfig.MeantCI(ci.Root)
			ci.Root = config
		}
		found = append(ci.Found, l.mappingProblems(dir, ci, bundles)...)
	}
	if ci == nil {
		found = append(found, catalogs.Problem{Kind: catalogs.NoCertProject, Pos: catalogs.Pos{File: s.Display(dir)}, Message: "no ci.yaml, and so no cert_project_id"})
	} else if id := pipelineconfig.CertProject(config); config != nil && id == "" {
		found = append(found, catalogs.Problem{Kind: catalogs.NoCertProject, Pos: ci.Decoder.Pos(config.Place), Message: "no cert_project_id in ci.yaml"})
	}
	if len(bundles) > 0 && (ci == nil || config != nil && !pipelineconfig.UsesTemplates(config)) {
		at := catalogs.Pos{File: s.Display(dir)}
		if ci != nil {
			at = ci.Decoder.Pos(config.Place)
		}
		if config == nil || config.Get("updateGraph") == nil {
			found = append(found, catalogs.Problem{Kind: catalogs.NoUpdateGraph, Pos: at, Message: "no updateGraph in ci.yaml: its bundles upgrade by replaces-mode"})
		}
		found = append(found, catalogs.Problem{Kind: catalogs.WithoutTemplates, Pos: at, Message: "the operator does not use file-based catalogs: ci.yaml does not enable fbc"})
	}
	if ci != nil && config == nil {
		return append(found, l.releaseProblems(dir, bundles, nil)...)
	}
	channels := channelsOfTemplates(s, dir)
	return append(found, l.releaseProblems(dir, bundles, func(release *tree.Node, bundle string) []pipelineconfig.Fault {
		faults := pipelineconfig.CheckRelease(release, config, func(name string) bool {
			return source.IsFile(s.Fsys, path.Join(dir, pipelineconfig.TemplateFolder, name))
		})
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
func channelsOfTemplates(s *source.Source, operator string) func(template, channel string) []tree.Node {
	read := map[string][]tree.Node{}
	return func(name, channel string) []tree.Node {
		file := path.Join(operator, pipelineconfig.TemplateFolder, name)
		if _, known := read[file]; !known && fs.ValidPath(file) {
			read[file] = nil
			if _, root := expansion.ReadTemplate(context.Background(), s.WithSingle(file), file, form.Options{}); root != nil {
				if t, _ := template.Read(root); t.Schema == template.Basic {
					read[file] = t.Entries
				}
			}
		}
		var found []tree.Node
		for _, n := range read[file] {
			if n.Str("schema") == catalogs.SchemaChannel && n.Str("name") == channel {
				found = append(found, n)
			}
		}
		return found
	}
}

// isReleased reports whether a catalog in catalogs/ mentions a bundle of an operator.
func (l *layout) isReleased(operator, bundle string) bool {
	return slices.ContainsFunc(l.Versions, func(version string) bool {
		dir := path.Join("catalogs", version, l.packageName(operator))
		entries, _ := fs.ReadDir(l.root.Fsys, dir)
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			name := path.Join(dir, e.Name())
			text, err := source.ReadAll(l.root.File(name))
			return !e.IsDir() && err == nil && bytes.Contains(text, []byte(bundle))
		})
	})
}

// csvName returns the name of the ClusterServiceVersion of a bundle, "" if there is none.
func csvName(s *source.Source, bundle string) string {
	dir := path.Join(bundle, "manifests")
	entries, _ := fs.ReadDir(s.Fsys, dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if text, err := source.ReadAll(s.File(name)); e.IsDir() || err != nil || !bytes.Contains(text, []byte("ClusterServiceVersion")) {
			continue
		}
		for _, root := range (&form.FileReader{In: s}).Documents(name) {
			if root.Str("kind") == "ClusterServiceVersion" && root.At("metadata", "name") != nil {
				return root.At("metadata", "name").Text
			}
		}
	}
	return ""
}

// releaseProblems are the problems of the release-config.yaml of bundles: of each alone, and those that check returns if it is not nil, which is
// called with the bundle if that is the newest; and what each makes of its templates.
func (l *layout) releaseProblems(operator string, bundles []string, check func(release *tree.Node, newest string) []pipelineconfig.Fault) []catalogs.Problem {
	var found []catalogs.Problem
	s := l.Source
	newest := ""
	if len(bundles) > 0 {
		newest = slices.MaxFunc(bundles, manifests.CompareFolderVersions)
	}
	for _, bundle := range bundles {
		release := pipelineconfig.ReadPipelineFile(s, catalogs.ReleaseConfig, path.Join(bundle, "release-config.yaml"))
		if release == nil {
			continue
		}
		if release.Root != nil {
			release.Add(pipelineconfig.CheckReleaseSchema(release.Root)...)
		}
		if release.Root != nil && check != nil {
			alone := len(release.Found)
			of := ""
			if bundle == newest && alone == 0 {
				of = bundle
			}
			release.Add(check(release.Root, of)...)
			release.Found = slices.CompactFunc(release.Found, func(a, b catalogs.Problem) bool { return a.Pos.Line == b.Pos.Line })
			alone = min(alone, len(release.Found))
			if !slices.ContainsFunc(release.Found, func(p catalogs.Problem) bool { return !p.Accepted }) {
				release.Found = append(release.Found, l.releases(operator, bundle, release)...)
			}
			for i := alone; i < len(release.Found); i++ {
				release.Found[i].Published = release.Found[i].Published || bundle != newest
			}
		}
		found = append(found, release.Found...)
	}
	return found
}

// mappingProblems are the mistakes in what a ci.yaml says which template makes which catalog.
func (l *layout) mappingProblems(operator string, ci *pipelineconfig.PipelineFile, bundles []string) []catalogs.Problem {
	if ci.Root == nil || !pipelineconfig.UsesTemplates(ci.Root) {
		return nil
	}
	f := &pipelineconfig.PipelineFile{Kind: catalogs.CatalogMapping, Decoder: ci.Decoder}
	var templates []pipelineconfig.Template
	var problems []catalogs.Problem
	mapped, missing := map[string]bool{}, []string(nil)
	for _, m := range pipelineconfig.Mappings(ci.Root) {
		mapped[m.Template.Value] = true
		if name := path.Join(operator, pipelineconfig.TemplateFolder, m.Template.Value); !source.IsFile(l.Fsys, name) {
			missing = append(missing, m.Template.Value)
		}
	}
	for _, t := range l.Templates {
		if t.operator != operator {
			continue
		}
		name := path.Base(t.name)
		if path.Base(path.Dir(t.name)) == pipelineconfig.TemplateFolder {
			templates = append(templates, pipelineconfig.Template{Name: name, Schema: t.schema.Value})
		}
		if _, misspelt := words.NearestVersioned(name, missing); !mapped[name] && !misspelt {
			problems = append(problems, catalogs.Problem{Kind: catalogs.UnmappedTemplate, Pos: t.schema.Pos, Cause: []string{name}, Fix: "map it to its catalogs in ci.yaml, or remove it",
				Message: "no catalog is made of this template: it is not in catalog_mapping of ci.yaml"})
		}
	}
	entries, _ := fs.ReadDir(l.Fsys, path.Join(operator, pipelineconfig.TemplateFolder))
	for _, e := range entries {
		if !slices.ContainsFunc(templates, func(t pipelineconfig.Template) bool { return t.Name == e.Name() }) {
			one := pipelineconfig.Template{Name: e.Name()}
			if unread := pipelineconfig.ReadPipelineFile(l.Source, catalogs.CatalogMapping, path.Join(operator, pipelineconfig.TemplateFolder, e.Name())); unread != nil && unread.Root == nil && mapped[e.Name()] {
				one.Created, f.Found = true, append(f.Found, unread.Found...) // why it cannot be read is reported
			}
			templates = append(templates, one)
		}
	}
	for _, name := range l.releaseTemplates(bundles) {
		if !slices.ContainsFunc(templates, func(t pipelineconfig.Template) bool { return t.Name == name }) {
			templates = append(templates, pipelineconfig.Template{Name: name, Created: true})
		}
	}
	var published []string
	for _, version := range l.Versions {
		if name := path.Join("catalogs", version, l.packageName(operator)); source.IsDir(l.root.Fsys, name) && source.HasContent(l.root.Fsys, name) {
			published = append(published, version)
		}
	}
	f.Add(pipelineconfig.CheckMappings(ci.Root, templates, published)...)
	if len(templates) == 0 && len(published) == 0 { // nobody makes its catalogs yet, or any more
		for i := range f.Found {
			if !f.Found[i].Accepted {
				f.Found[i].Kind = catalogs.UnmappedTemplate
			}
		}
	}
	return append(f.Found, problems...)
}

// releaseTemplates returns the templates that the release-config.yaml of bundles name.
func (l *layout) releaseTemplates(bundles []string) []string {
	var names []string
	for _, bundle := range bundles {
		f := pipelineconfig.ReadPipelineFile(l.Source, catalogs.ReleaseConfig, path.Join(bundle, "release-config.yaml"))
		if f == nil || f.Root == nil {
			continue
		}
		for _, item := range form.Items(f.Root, "catalog_templates") {
			names = append(names, item.Str("template_name"))
		}
	}
	return names
}
