package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/lint"
)

// project is what lint takes for some of the open files. Its fields are guarded by the mutex of the server.
type project struct {
	server *server
	ref    string
	ctx    context.Context
	end    context.CancelFunc
	wake   chan struct{}      // something changed
	saved  chan struct{}      // everything is to be checked now
	pass   sync.Mutex         // held by the one check that runs
	cancel context.CancelFunc // of the check of everything that runs; nil if there is none

	dirty    map[string]bool // packages that changed since they were read
	all      bool            // it is not known which did
	log      []change        // since the texts were taken for the check that runs
	views    []view
	read     bool // everything was read without a syntax error
	findings []found
	failure  string                  // why it could not be opened, which was logged
	shown    map[string][]diagnostic // that were published, by file
}

// view is a package as it was read last.
type view struct {
	catalog *catalogs.Catalog
	pkg     *catalogs.Package
}

// found is a finding, and whether its rule runs after each keystroke.
type found struct {
	lint.Finding
	quick bool
}

// maxDocument is how large an open text may be to be checked, in bytes: larger catalogs are not written by hand, and checking one after each
// keystroke takes seconds and gigabytes.
const maxDocument = 20 << 20

// attach finds the project of a document, or begins it. If the document is too large to be checked, it says so, once.
func (s *server) attach(d *document) {
	ref := s.lintRef(d.path, d.index.text)
	if ref == "" {
		return
	}
	if len(d.index.text) > maxDocument {
		_ = s.rpc.Notify(s.ctx, "textDocument/publishDiagnostics", diagnosticsParams{URI: d.uri, Version: d.version, Diagnostics: []diagnostic{
			{Severity: 3, Source: "olmgraph", Message: fmt.Sprintf("not checked in the editor: it has more than %d MiB; olmgraph lint checks it", maxDocument>>20)}}})
		return
	}
	p := s.projects[ref]
	if p == nil {
		p = &project{server: s, ref: ref, wake: make(chan struct{}, 1), saved: make(chan struct{}, 1), dirty: map[string]bool{}, shown: map[string][]diagnostic{}}
		p.ctx, p.end = context.WithCancel(s.ctx)
		s.projects[ref] = p
		s.running.Go(p.run)
	}
	d.project = p
	p.shown[d.path] = nil // or that it was too large
	p.reread()
}

// signal sends on a channel of one element, unless it is full.
func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// noteChange notes a change of a text, and the packages that it is in; nil if they are not known.
func (p *project) noteChange(c change, packages []string) {
	p.log = append(p.log, c)
	for i := range p.findings {
		p.findings[i].move(c)
	}
	for _, pkg := range packages {
		p.dirty[pkg] = true
	}
	p.all = p.all || len(packages) == 0 || p.isTemplate()
	p.stopFull()
	signal(p.wake)
}

func (p *project) isTemplate() bool {
	return filepath.Ext(p.ref) != "" && p.server.documents[p.ref] != nil
}

// reread notes that files may have changed.
func (p *project) reread() {
	p.all = true
	p.stopFull()
	signal(p.wake)
}

func (p *project) save() {
	signal(p.saved)
	signal(p.wake)
}

func (p *project) stopFull() {
	if p.cancel != nil {
		p.cancel()
	}
}

// settle is how long a check waits for the keystrokes that follow at once.
const settle = 20 * time.Millisecond

// run checks the project whenever it has changed, until it ends.
func (p *project) run() {
	for first := true; ; first = false {
		select {
		case <-p.ctx.Done():
			return
		case <-p.wake:
		}
		wait(p.ctx, settle)
		p.refresh()
		pause := p.server.options.Pause
		if first {
			pause = 0
		}
		select {
		case <-p.ctx.Done():
			return
		case <-p.wake:
			if !isSignalled(p.saved) {
				signal(p.wake)
				continue
			}
		case <-p.saved:
		case <-time.After(pause):
		}
		p.refresh()
		p.checkAll()
	}
}

func isSignalled(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// runProtected calls a check. A panic ends the check only.
func (p *project) runProtected(check func()) {
	defer func() {
		if v := recover(); v != nil {
			p.server.log("the check of %s failed: %v", p.ref, v)
		}
	}()
	check()
}

// refresh reads the packages that changed, and runs the quick rules on them.
func (p *project) refresh() {
	p.pass.Lock()
	defer p.pass.Unlock()
	s := p.server
	s.mutex.Lock()
	packages, all := slices.Sorted(maps.Keys(p.dirty)), p.all || len(p.dirty) > 3 || p.views == nil
	p.dirty, p.all = map[string]bool{}, false
	texts := p.texts()
	s.mutex.Unlock()
	switch {
	case all:
		p.runProtected(func() { p.check(p.ctx, "", true, texts) })
	default:
		for _, pkg := range packages {
			p.runProtected(func() { p.check(p.ctx, pkg, true, texts) })
		}
	}
}

// checkAll reads everything and runs all rules, unless something changes meanwhile.
func (p *project) checkAll() {
	p.pass.Lock()
	defer p.pass.Unlock()
	s := p.server
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	s.mutex.Lock()
	stale := p.all || len(p.dirty) > 0
	p.cancel = cancel
	texts := p.texts()
	s.mutex.Unlock()
	if !stale {
		p.runProtected(func() { p.check(ctx, "", false, texts) })
	}
	s.mutex.Lock()
	p.cancel = nil
	s.mutex.Unlock()
}

// texts returns the open texts of the project by file, and begins a log of their changes.
func (p *project) texts() map[string][]byte {
	p.log = nil
	texts := map[string][]byte{}
	for name, d := range p.server.documents {
		if name == p.ref || strings.HasPrefix(name, p.ref+"/") {
			texts[name] = d.index.text
		}
	}
	return texts
}

// open reads the catalogs of the project, of which only one package if one is given.
func (p *project) open(ctx context.Context, pkg string, texts map[string][]byte) ([]*catalogs.Catalog, error) {
	return open.Open(ctx, filepath.FromSlash(p.ref), open.Options{AsIntended: true, EachVersion: true, Package: pkg, Overlay: texts})
}

// check reads the catalogs, or only one package of them, runs all rules or only the quick ones, and publishes what they find.
func (p *project) check(ctx context.Context, pkg string, quick bool, texts map[string][]byte) {
	cats, err := p.open(ctx, pkg, texts)
	var findings []lint.Finding
	if err == nil {
		var o lint.Options
		if o, err = p.lintOptions(quick); err == nil {
			findings, err = lint.Run(ctx, cats, o)
		}
	}
	s := p.server
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		if p.findings, p.views, p.read = nil, nil, false; err.Error() != p.failure {
			s.log("%s: %v", p.ref, err)
		}
		p.failure = err.Error()
		p.publish()
		return
	}
	p.failure = ""
	r := result{pkg: pkg, quick: quick, catalogs: cats}
	for i := range findings {
		if findings[i].Suppressed == "" {
			r.findings = append(r.findings, found{findings[i], quick || isQuick(findings[i].Rule, s.options.Rules)})
		}
	}
	p.applyResult(&r, texts)
	p.publish()
}

// lintOptions returns the options of a check.
func (p *project) lintOptions(quick bool) (lint.Options, error) {
	o := lint.Options{Rules: p.server.options.Rules, AllRules: p.server.options.Rules}
	if p.server.options.Today != nil {
		o.Today = p.server.options.Today()
	}
	if quick {
		o.Rules = slices.DeleteFunc(slices.Clone(o.Rules), func(r lint.Rule) bool { return !isQuickRule(&r) })
	}
	config, err := p.server.options.Config(filepath.FromSlash(p.ref))
	if err != nil {
		return o, fmt.Errorf("the configuration: %w", err)
	}
	o.Config = config
	return o, nil
}

// isQuickRule reports whether a rule runs after each keystroke.
func isQuickRule(r *lint.Rule) bool { return !r.ReadsManifests() && !r.Expands }

func isQuick(rule string, all []lint.Rule) bool {
	i := slices.IndexFunc(all, func(r lint.Rule) bool { return r.ID == rule })
	return i < 0 || isQuickRule(&all[i])
}

// result is what a check of a project found.
type result struct {
	pkg      string // the only one that was read; "": all were
	quick    bool   // only the quick rules ran
	catalogs []*catalogs.Catalog
	findings []found
	broken   map[string]bool // files with a syntax error
}

// applyResult replaces what a check found anew. What is known of a package stays as it was if a file of it has a syntax error now, as in the
// middle of typing: then only that is new.
func (p *project) applyResult(r *result, texts map[string][]byte) {
	r.broken = map[string]bool{}
	for i := range r.findings {
		f := &r.findings[i]
		for _, c := range p.log {
			f.move(c)
		}
		if f.Unchecked == lint.Unread {
			r.broken[f.Pos.File] = true
		}
	}
	stays := p.unreadable(r)
	isNew := func(f *found) bool {
		if f.Unchecked == lint.Unread {
			return r.pkg == "" || texts[f.Pos.File] != nil
		}
		return r.covers(f) && !stays[f.Package]
	}
	p.findings = slices.DeleteFunc(p.findings, func(f found) bool { return isNew(&f) })
	for i := range r.findings {
		if isNew(&r.findings[i]) {
			p.findings = append(p.findings, r.findings[i])
		}
	}
	p.takeViews(r, stays)
	p.read = p.read || r.pkg == "" && len(r.broken) == 0
}

// unreadable returns the packages that were read before and have objects in files with syntax errors, and "" if there are such files: what is
// known of the catalog as a whole.
func (p *project) unreadable(r *result) map[string]bool {
	stays := map[string]bool{}
	if !p.read || len(r.broken) == 0 {
		return stays
	}
	stays[""] = true
	for _, v := range p.views {
		if slices.ContainsFunc(packageFiles(v.pkg), func(file string) bool { return r.broken[file] }) {
			stays[v.pkg.Name.Value] = true
		}
	}
	return stays
}

// packageFiles returns the files of the objects of a package.
func packageFiles(pkg *catalogs.Package) []string {
	files := []string{pkg.Pos.File}
	for _, c := range pkg.Channels {
		files = append(files, c.Pos.File)
	}
	for _, b := range pkg.Bundles {
		files = append(files, b.Pos.File)
	}
	return files
}

// covers reports whether a check looked for findings like f.
func (r *result) covers(f *found) bool {
	return (r.pkg == "" || f.Package == r.pkg) && (f.quick || !r.quick)
}

func (p *project) takeViews(r *result, stays map[string]bool) {
	p.views = slices.DeleteFunc(slices.Clone(p.views), func(v view) bool {
		name := v.pkg.Name.Value
		return (r.pkg == "" || name == r.pkg) && !stays[name]
	})
	if p.views == nil {
		p.views = []view{}
	}
	for _, c := range r.catalogs {
		for _, pkg := range c.Packages {
			if name := pkg.Name.Value; (r.pkg == "" || name == r.pkg) && !stays[name] {
				p.views = append(p.views, view{c, pkg})
			}
		}
	}
}

// move moves the positions of a finding by a change.
func (f *found) move(c change) {
	f.Pos = c.movePos(f.Pos)
	f.Related = movedAll(c, f.Related, func(r *lint.Related) *catalogs.Pos { return &r.Pos })
	f.Details = movedAll(c, f.Details, func(r *lint.Related) *catalogs.Pos { return &r.Pos })
	f.Also = movedAll(c, f.Also, func(o *lint.Occurrence) *catalogs.Pos { return &o.Pos })
	f.Edits = movedAll(c, f.Edits, func(e *edit.Edit) *catalogs.Pos { return &e.Pos })
}

// movedAll returns a copy of what has positions, which are moved by a change.
func movedAll[T any](c change, all []T, pos func(*T) *catalogs.Pos) []T {
	all = slices.Clone(all)
	for i := range all {
		at := pos(&all[i])
		*at = c.movePos(*at)
	}
	return all
}

// viewsNow returns the packages of the project as their texts are now.
func (p *project) viewsNow() []view {
	p.refresh()
	p.server.mutex.Lock()
	defer p.server.mutex.Unlock()
	return p.views
}
