package pipelineconfig

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// RepositoryConfigName is the file of a RepositoryConfig, in the root of the repository.
const RepositoryConfigName = "config.yaml"

// maxSize is the largest size in bytes of a file of a pipeline; real ones have a few thousand.
const maxSize = 64 << 10

// tooLarge returns the size of a file of a pipeline that is not read for it, else 0.
func tooLarge(s *source.Source, name string) int64 {
	if info, err := fs.Stat(s.Fsys, name); err == nil && info.Size() > maxSize {
		return info.Size()
	}
	return 0
}

// RepositoryIn returns the configuration of a catalog repository, by its root; nil if it is none (operator-pipelines: Repo.probe).
func RepositoryIn(s *source.Source) *catalogs.RepositoryConfig {
	if !source.IsDir(s.Fsys, "operators") || !source.IsFile(s.Fsys, RepositoryConfigName) {
		return nil
	}
	found := &catalogs.RepositoryConfig{}
	if tooLarge(s, RepositoryConfigName) > 0 {
		return found
	}
	for d, root := range (&form.FileReader{In: s}).Documents(RepositoryConfigName) {
		found.Organization = d.Text(root, "organization")
		for _, n := range form.Items(root, "allowed_bundle_registries") {
			if n.Kind == tree.String {
				found.Registries = append(found.Registries, catalogs.Text{Value: n.Text, Pos: d.Pos(n.Place)})
			}
		}
	}
	return found
}

// PipelineFile is a file by which a repository configures its pipeline.
type PipelineFile struct {
	Kind    catalogs.ProblemKind
	Decoder *form.Decoder
	Root    *tree.Node // nil if it cannot be read
	Found   []catalogs.Problem
}

// ReadPipelineFile reads such a file. It is nil if there is none.
func ReadPipelineFile(s *source.Source, kind catalogs.ProblemKind, name string) *PipelineFile {
	if !source.IsFile(s.Fsys, name) {
		return nil
	}
	f, r := &PipelineFile{Kind: kind}, &form.FileReader{In: s}
	if size := tooLarge(s, name); size > 0 && kind != catalogs.CatalogMapping {
		f.Found = append(f.Found, catalogs.Problem{Kind: kind, Pos: catalogs.Pos{File: s.Display(name), Line: 1, Col: 1}, Cause: []string{"too-large", path.Base(path.Dir(name))},
			Message: fmt.Sprintf("it has %d bytes, but olmgraph reads at most %d, so it is not checked", size, maxSize), Fix: "shorten it"})
		return f
	}
	for d, root := range r.Documents(name) {
		if root.Kind == tree.Null { // comments before the first ---
			continue
		}
		if f.Root != nil {
			f.Add(Fault{Place: root.Place, Cause: []string{"second-document"}, Message: "a second document: the pipelines accept only one in a file", Fix: "keep one of them"})
			break
		}
		f.Decoder, f.Root = d, root
	}
	for _, p := range r.Problems {
		f.Root = nil
		f.Found = append(f.Found, catalogs.Problem{Kind: kind, Pos: p.Pos, Message: "the pipelines cannot read it: " + p.Message, Fix: cmp.Or(p.Fix, "write valid YAML"),
			Cause: append([]string{"unreadable", path.Base(path.Dir(name))}, p.Cause...)})
	}
	if f.Decoder == nil && len(f.Found) == 0 && kind == catalogs.CIConfig {
		f.Found = append(f.Found, catalogs.Problem{Kind: kind, Pos: catalogs.Pos{File: s.Display(name), Line: 1, Col: 1}, Fix: "remove the file, or write its keys", Cause: []string{"empty"},
			Message: "it is empty: the pipelines require keys and values"})
	}
	return f
}

func (f *PipelineFile) Add(faults ...Fault) {
	file := f.Decoder.File
	for _, fault := range faults {
		if file.Source.IsRestricted(file.Name) {
			fault.Fix = "" // it may quote the text
		}
		f.Found = append(f.Found, catalogs.Problem{Kind: f.Kind, Pos: f.Decoder.Pos(fault.Place), Message: file.Message("%s", fault.Message), Fix: fault.Fix,
			Field: fault.Field, Cause: fault.Cause, Accepted: fault.Accepted, Published: fault.Published})
	}
}

// TemplateFolder is the folder of an operator that its templates are in (operator-pipelines: fbc/render_catalogs.sh).
const TemplateFolder = "catalog-templates"

// updateGraph modes of a ci.yaml.
const (
	SemverMode    = "semver-mode"
	SkipPatchMode = "semver-skippatch-mode"
	// TemplateMode is the mode of a package whose channels are in templates of file-based catalogs, and not in the bundles.
	TemplateMode = "fbc"
)

// Publishing is how the ci.yaml of an operator says that its bundles are published.
type Publishing struct {
	Mode string // updateGraph, or templateMode; "" if there is none
	// Versions are the OpenShift versions of the catalogs that templates are mapped to; nil if that is not what selects them.
	Versions []string
}

// ReadPublishing returns what the ci.yaml in the folder of an operator says.
func ReadPublishing(s *source.Source, dir string) Publishing {
	var p Publishing
	name := path.Join(dir, "ci.yaml")
	if !source.IsFile(s.Fsys, name) || tooLarge(s, name) > 0 {
		return p
	}
	r := &form.FileReader{In: s}
	for _, raw := range r.Documents(name) {
		root := MeantCI(raw)
		if mode := root.Str("updateGraph"); mode != "" {
			p.Mode = mode
		}
		if UsesTemplates(root) {
			p.Mode = TemplateMode
		}
		for _, m := range Mappings(root) {
			for _, catalog := range m.Catalogs {
				if version := catalogs.OpenShiftVersion(catalog.Value); version != "" {
					p.Versions = append(p.Versions, version)
				}
			}
		}
	}
	if len(r.Problems) > 0 && p.Mode == "" && source.IsDir(s.Fsys, path.Join(dir, TemplateFolder)) {
		p.Mode = TemplateMode // it cannot be read: that is told
		text, _ := source.ReadAll(s.File(name))
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !strings.ContainsRune("v.0123456789", r) }) {
			if version := catalogs.OpenShiftVersion(word); version != "" {
				p.Versions = append(p.Versions, version)
			}
		}
	}
	return p
}
