package catalogs

import (
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
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
			if r := repositoryIn(onDisk(dir, Options{})); r != nil {
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
	for d, root := range (&fileReader{source: s}).documents(repositoryConfigName) {
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
	f, r := &pipelineFile{kind: kind}, &fileReader{source: s}
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
			Field: fault.Field, Cause: fault.Cause, Accepted: fault.Accepted})
	}
}

// pipelineProblems returns the mistakes in what configures the pipeline of a repository: its config.yaml, the ci.yaml of its operators,
// and the release-config.yaml of its bundles.
func pipelineProblems(s *source, bundles []string) []Problem {
	var found []Problem
	root := "."
	if isDir(s.fsys, "operators") {
		root = "operators"
		if f := readPipelineFile(s, PipelineConfig, repositoryConfigName); f != nil {
			if f.root != nil {
				f.add(pipelineconfig.CheckRepository(f.root)...)
			}
			found = append(found, f.found...)
		}
	}
	certified := len(bundles) > 0 // or it is not known
	if r := repositoryIn(s); r != nil {
		certified = r.Organization.Value != pipelineconfig.Community
	}
	of := map[string][]string{} // by operator
	for _, dir := range bundles {
		of[path.Dir(dir)] = append(of[path.Dir(dir)], dir)
	}
	for _, dir := range foldersIn(s.fsys, root) {
		if isFile(s.fsys, path.Join(dir, "ci.yaml")) {
			of[dir] = of[dir][:len(of[dir]):len(of[dir])]
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(of)) {
		operator := slices.DeleteFunc(operatorProblems(s, dir, of[dir]), func(p Problem) bool {
			return p.Kind == NoCertProject && !certified
		})
		for i := range operator {
			if dir != "." {
				operator[i].Package = path.Base(dir) // by the convention of these repositories
			}
		}
		found = append(found, operator...)
	}
	return found
}

// operatorProblems are the pipelineProblems of an operator.
func operatorProblems(s *source, dir string, bundles []string) []Problem {
	var found []Problem
	ci := readPipelineFile(s, CIConfig, path.Join(dir, "ci.yaml"))
	var config *tree.Node
	if ci != nil {
		if config = ci.root; config != nil {
			ci.add(pipelineconfig.CheckCI(config)...)
		}
		found = ci.found
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
		return append(found, releaseProblems(s, bundles, nil)...)
	}
	return append(found, releaseProblems(s, bundles, func(release *tree.Node) []pipelineconfig.Fault {
		return pipelineconfig.CheckRelease(release, config)
	})...)
}

// releaseProblems are the problems of the release-config.yaml of bundles: of each alone, and those that check returns if it is not nil.
func releaseProblems(s *source, bundles []string, check func(*tree.Node) []pipelineconfig.Fault) []Problem {
	var found []Problem
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
			release.add(check(release.root)...)
			for i := alone; i < len(release.found); i++ {
				release.found[i].Published = bundle != newest
			}
		}
		found = append(found, release.found...)
	}
	return found
}

// updateGraph modes of a ci.yaml.
const (
	semverMode    = "semver-mode"
	skipPatchMode = "semver-skippatch-mode"
	// templateMode is the mode of a package whose channels are in templates of file-based catalogs, and not in the bundles.
	templateMode = "fbc"
)

// updateMode returns the updateGraph mode in the ci.yaml of a package's folder, "" if there is none.
func updateMode(s *source, dir string) string {
	mode := ""
	if name := path.Join(dir, "ci.yaml"); isFile(s.fsys, name) {
		for d, root := range (&fileReader{source: s}).documents(name) {
			if t := d.textAt(root, "updateGraph"); t.Value != "" {
				mode = t.Value
			}
			if d.textAt(root, "fbc", "enabled").Value == "true" {
				mode = templateMode
			}
		}
	}
	return mode
}
