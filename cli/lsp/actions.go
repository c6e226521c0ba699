package lsp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
)

// The kinds of actions.
const (
	kindQuickFix = "quickfix"
	kindFixAll   = "source.fixAll"
)

// maxActions is how many findings of a range get actions.
const maxActions = 20

// codeActions answers textDocument/codeAction: the fix of each finding in the range, a comment that suppresses it, and all fixes of the package.
func (s *server) codeActions(ctx context.Context, p *actionParams) (any, error) {
	actions := []codeAction{}
	d, in, _ := s.inProject(p.TextDocument.URI)
	if d == nil {
		return actions, nil
	}
	in.refresh()
	asked := func(kind string) bool {
		return len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only, func(only string) bool { return only == kind || strings.HasPrefix(kind, only+".") })
	}
	if asked(kindQuickFix) {
		actions = append(actions, in.quickFixes(d, p.Range)...)
	}
	if slices.ContainsFunc(p.Context.Only, func(only string) bool { return only == "source" || only == kindFixAll }) {
		all, err := in.fixAll(ctx, d)
		if err != nil {
			return nil, err
		}
		actions = append(actions, all...)
	}
	return actions, nil
}

// quickFixes returns the actions for the findings in a range of a document.
func (p *project) quickFixes(d *document, in textRange) []codeAction {
	s := p.server
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var fixes, comments []codeAction
	texts := s.indexes()
	for i := range p.findings {
		f := &p.findings[i].Finding
		if f.Pos.File != d.path || len(comments)+len(fixes) >= maxActions {
			continue
		}
		shown := s.diagnostic(f, texts)
		if before(shown.Range.End, in.Start) || before(in.End, shown.Range.Start) {
			continue
		}
		if edit := p.fixEdit(f, texts); edit != nil {
			title := "fix: " + words.Text(f.Fix)
			fixes = append(fixes, codeAction{Title: title, Kind: kindQuickFix, Diagnostics: []diagnostic{shown}, Preferred: true, Edit: edit})
		}
		if edit := s.suppression(d, f); edit != nil {
			comments = append(comments, codeAction{Title: "ignore " + f.Rule + " here, with a comment", Kind: kindQuickFix, Diagnostics: []diagnostic{shown}, Edit: edit})
		}
	}
	return append(fixes, comments...)
}

// fixEdit returns the fix of a finding, nil if it has none or it cannot be applied.
func (p *project) fixEdit(f *lint.Finding, texts func(string) *index) *workspaceEdit {
	at := slices.IndexFunc(p.views, func(v view) bool { return v.catalog.Name == f.Catalog && v.pkg.Name.Value == f.Package })
	if len(f.Edits) == 0 || at < 0 {
		return nil
	}
	c := p.views[at].catalog
	for _, e := range f.Edits {
		if c.Source.IsRestricted(e.Pos.File) || repo.TemplateFor(c, e.Pos.File) != "" {
			return nil
		}
	}
	revised, err := applyEdits(f.Edits, texts)
	if err != nil {
		return nil
	}
	if e := p.server.editsTo(revised, texts); len(e.Changes) > 0 {
		return e
	}
	return nil
}

// applyEdits returns the texts of files after edits, or why one of these cannot be applied.
func applyEdits(edits []edit.Edit, texts func(string) *index) (map[string][]byte, error) {
	byFile, revised := map[string][]edit.Edit{}, map[string][]byte{}
	for _, e := range edits {
		byFile[e.Pos.File] = append(byFile[e.Pos.File], e)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		x := texts(file)
		if x == nil {
			return nil, fmt.Errorf("%s cannot be read", file)
		}
		text, rejected := edit.ApplyEdits(x.text, byFile[file])
		if err := cmp.Or(rejected...); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		revised[file] = text
	}
	return revised, nil
}

// editsTo returns the edits that give files other texts.
func (s *server) editsTo(revised map[string][]byte, texts func(string) *index) *workspaceEdit {
	e := &workspaceEdit{map[string][]textEdit{}}
	for file, text := range revised {
		if x := texts(file); x != nil && !bytes.Equal(x.text, text) {
			e.Changes[s.uri(file)] = []textEdit{x.editTo(text)}
		}
	}
	return e
}

// suppression returns the edit that adds a comment above a finding, nil where that is not possible. JSON has no comments.
func (s *server) suppression(d *document, f *lint.Finding) *workspaceEdit {
	if f.Unchecked.AlwaysReported() || f.Pos.Line == 0 || isJSON(d.index.text) {
		return nil
	}
	off := d.index.posOffset(f.Pos)
	begin := bytes.LastIndexByte(d.index.text[:off], '\n') + 1
	line := d.index.text[begin:]
	indent := string(line[:len(line)-len(bytes.TrimLeft(line, " "))])
	end := "\n"
	if i := bytes.IndexByte(line, '\n'); i > 0 && line[i-1] == '\r' {
		end = "\r\n"
	}
	comment := indent + "# olmgraph:ignore " + f.Rule + " TODO: say why" + end
	return &workspaceEdit{map[string][]textEdit{d.uri: {{d.index.span(begin, begin), comment}}}}
}

// fixAll returns the action that applies the fixes of the packages in a document, as lint --fix does.
func (p *project) fixAll(ctx context.Context, d *document) ([]codeAction, error) {
	p.pass.Lock()
	defer p.pass.Unlock()
	s := p.server
	s.mutex.Lock()
	texts, all := p.texts(), s.indexes()
	var packages []string
	for _, v := range p.views {
		if slices.Contains(packageFiles(v.pkg), d.path) && !slices.Contains(packages, v.pkg.Name.Value) {
			packages = append(packages, v.pkg.Name.Value)
		}
	}
	s.mutex.Unlock()
	if len(packages) == 0 {
		return nil, nil
	}
	with, err := p.lintOptions(false)
	if err != nil {
		return nil, err
	}
	with.Packages = packages
	reopen := func(revised map[string][]byte) ([]*catalogs.Catalog, error) {
		overlay := maps.Clone(texts)
		maps.Copy(overlay, revised)
		return p.open(ctx, "", overlay)
	}
	cats, err := reopen(nil)
	if err != nil {
		return nil, err
	}
	fixed, err := lint.ApplyFixes(ctx, cats, with, reopen)
	if err != nil || len(fixed.Files) == 0 {
		return nil, err
	}
	revised := map[string][]byte{}
	for _, f := range fixed.Files {
		revised[f.Name] = f.New
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	edit := s.editsTo(revised, all)
	if len(p.log) > 0 || len(edit.Changes) == 0 { // it was changed meanwhile
		return nil, nil
	}
	return []codeAction{{Title: fmt.Sprintf("fix all of %s", words.Text(strings.Join(packages, ", "))), Kind: kindFixAll, Edit: edit}}, nil
}

func before(a, b position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
