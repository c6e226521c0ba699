package lsp

import (
	"cmp"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/report"
)

// maxPerFile is the number of findings of a file that are published.
const maxPerFile = 2000

// maxRelated is the number of other places of a finding that are published.
const maxRelated = 10

// publish sends the diagnostics of the files in which they changed.
func (p *project) publish() {
	byFile := map[string][]*found{}
	for i := range p.findings {
		if f := &p.findings[i]; f.Pos.IsKnown() && p.isFile(f.Pos.File) {
			byFile[f.Pos.File] = append(byFile[f.Pos.File], f)
		}
	}
	for name := range p.shown {
		if byFile[name] == nil {
			byFile[name] = []*found{}
		}
	}
	texts := p.server.indexes()
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		now := make([]diagnostic, 0, len(byFile[name]))
		for _, f := range byFile[name][:min(len(byFile[name]), maxPerFile)] {
			now = append(now, p.server.diagnostic(&f.Finding, texts))
		}
		slices.SortStableFunc(now, compareDiagnostics)
		if was, shown := p.shown[name]; !shown && len(now) == 0 || shown && reflect.DeepEqual(was, now) {
			continue
		}
		p.send(name, now)
		if p.shown[name] = now; len(now) == 0 {
			delete(p.shown, name)
		}
	}
}

// isFile reports whether a position of the project names a file: it can name a folder, too.
func (p *project) isFile(name string) bool {
	return p.server.documents[name] != nil || disk.IsFile(filepath.FromSlash(name))
}

// send publishes the diagnostics of a file. A client that is gone needs none.
func (p *project) send(name string, all []diagnostic) {
	params := diagnosticsParams{URI: p.server.uri(name), Diagnostics: all}
	if d := p.server.documents[name]; d != nil {
		params.Version = d.version
	}
	_ = p.server.rpc.Notify(p.server.ctx, "textDocument/publishDiagnostics", params)
}

// clear removes the diagnostics of a project that ends.
func (p *project) clear() {
	for _, name := range slices.Sorted(maps.Keys(p.shown)) {
		p.send(name, []diagnostic{})
	}
}

// maxShown is how many bytes a file on disk may have for findings to be shown at their columns; in a larger one they are at their lines.
const maxShown = 64 << 20

// indexes returns a function that returns the text of a file: as it is in the editor, or on disk, where it is read once; nil if it cannot
// be read, or has more than maxShown bytes.
func (s *server) indexes() func(name string) *index {
	known := map[string]*index{}
	return func(name string) *index {
		if d := s.documents[name]; d != nil {
			return d.index
		}
		x, ok := known[name]
		if !ok {
			if text, err := disk.Read(filepath.FromSlash(name), maxShown); err == nil && len(text) > 0 {
				x = newIndex(text, s.inBytes)
			}
			known[name] = x
		}
		return x
	}
}

// valueRange returns the range of the value at a position.
func valueRange(x *index, p catalogs.Pos) textRange {
	if x == nil {
		line := uint32(max(p.Line-1, 0))
		return textRange{position{Line: line}, position{Line: line}}
	}
	from := x.posOffset(p)
	return x.span(from, x.valueEnd(from))
}

// diagnostic returns a finding as the editor shows it.
func (s *server) diagnostic(f *lint.Finding, texts func(string) *index) diagnostic {
	d := diagnostic{Range: valueRange(texts(f.Pos.File), f.Pos), Code: f.Rule, Source: "olmgraph", About: &codeAbout{report.RulesPage},
		Severity: map[lint.Severity]int{lint.Error: 1, lint.Warning: 2}[f.Severity], Message: words.Text(f.Message)}
	d.Severity = cmp.Or(d.Severity, 3)
	if f.Fix != "" {
		d.Message += "\nfix: " + words.Text(f.Fix)
	}
	related := slices.Concat(f.Related, f.Details)
	for _, also := range f.Also {
		related = append(related, lint.Related{Pos: also.Pos, Message: "also in " + cmp.Or(also.Channel, also.Bundle, also.Catalog)})
	}
	for _, r := range related {
		if len(d.Related) < maxRelated && r.Pos.Line > 0 {
			d.Related = append(d.Related, relatedPlace{location{s.uri(r.Pos.File), valueRange(texts(r.Pos.File), r.Pos)}, words.Text(r.Message)})
		}
	}
	return d
}

func compareDiagnostics(a, b diagnostic) int {
	return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character),
		cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
}
