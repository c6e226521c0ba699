// Package lsp is a language server for catalogs and templates: findings while typing with their fixes, hover, definitions, references
// and completion.
//
// A project is what lint would take for a file: the folder or the file of a catalog. After a keystroke only the package that it is in is read
// again, and checked by the rules that do not read manifests; when typing pauses everything is.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
)

// Options are what a server checks catalogs with.
type Options struct {
	Rules   []lint.Rule
	Config  func(ref string) (*lint.Config, error) // returns the configuration of a catalog
	Version string                                 // of the server
	Today   func() string                          // returns the day by which suppressions expire
	Pause   time.Duration                          // without a keystroke, after which everything is checked; 1 second if it is 0
}

// errNoShutdown says that the client ended the connection without asking for it.
var errNoShutdown = errors.New("the editor ended the connection without shutdown")

// Serve answers the requests of one client until it sends exit, the input ends or the context is done. Its error is nil if the client asked
// for shutdown before, or the context is done.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &server{options: o, ctx: ctx, documents: map[string]*document{}, projects: map[string]*project{}}
	s.options.Rules = s.guardRules(o.Rules)
	framed, to := io.Pipe()
	var broken error
	go func() {
		broken = forward(to, in)
		to.CloseWithError(broken)
	}()
	s.rpc = jrpc2.NewServer(handler.Map(s.handlers()), &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true, Concurrency: 4})
	s.rpc.Start(channel.LSP(framed, output{out, framed}))
	stop := context.AfterFunc(ctx, s.rpc.Stop)
	status := s.rpc.WaitStatus()
	done := ctx.Err() != nil
	stop()
	cancel()
	s.running.Wait()
	switch {
	case s.down || done:
		return nil
	case status.Err != nil && !errors.Is(status.Err, io.EOF):
		return fmt.Errorf("the connection to the editor: %w", status.Err)
	}
	return errNoShutdown
}

// server is the state of one connection.
type server struct {
	options Options
	rpc     *jrpc2.Server
	ctx     context.Context // ends with the connection
	running sync.WaitGroup  // the goroutines of projects

	mutex       sync.Mutex // guards what follows, documents and projects
	initialized bool
	down        bool // shutdown was asked for
	inBytes     bool // characters of positions are bytes
	folders     []string
	documents   map[string]*document // that are open, by path
	projects    map[string]*project  // by reference
	failed      map[string]bool      // rules that panicked, which were logged
}

// document is an open file.
type document struct {
	path    string
	uri     string // as the client writes it
	version *int
	index   *index
	project *project // nil if it is no part of a catalog
}

// handlers returns the handlers of the methods.
func (s *server) handlers() map[string]jrpc2.Handler {
	none := func(context.Context, *jrpc2.Request) (any, error) { return nil, nil }
	return map[string]jrpc2.Handler{
		"initialized":                         none,
		"initialize":                          handle(s, s.initialize),
		"shutdown":                            handle(s, s.shutdown),
		"exit":                                handle(s, s.exit),
		"$/cancelRequest":                     handle(s, s.cancelRequest),
		"textDocument/didOpen":                handle(s, s.didOpen),
		"textDocument/didChange":              handle(s, s.didChange),
		"textDocument/didSave":                handle(s, s.didSave),
		"textDocument/didClose":               handle(s, s.didClose),
		"workspace/didChangeWatchedFiles":     handle(s, s.didChangeWatchedFiles),
		"workspace/didChangeWorkspaceFolders": handle(s, s.didChangeFolders),
		"textDocument/codeAction":             handle(s, s.codeActions),
		"textDocument/hover":                  handle(s, s.hover),
		"textDocument/definition":             handle(s, s.definition),
		"textDocument/references":             handle(s, s.references),
		"textDocument/completion":             handle(s, s.complete),
	}
}

// errNotInitialized is the answer to requests before initialize (LSP: initialize).
var errNotInitialized = &jrpc2.Error{Code: -32002, Message: "the first request must be initialize"}

// handle returns a handler that decodes the parameters. A panic becomes an error of the request.
func handle[P, R any](s *server, do func(context.Context, *P) (R, error)) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (result any, err error) {
		method := req.Method()
		defer func() {
			if v := recover(); v != nil {
				s.log("%s failed: %v", method, v)
				err = &jrpc2.Error{Code: jrpc2.InternalError, Message: "olmgraph failed: " + words.Text(fmt.Sprint(v))}
			}
		}()
		s.mutex.Lock()
		known, down := s.initialized, s.down
		s.mutex.Unlock()
		switch {
		case method == "exit" || method == "initialize" && !known:
		case !known:
			return nil, errNotInitialized
		case down, method == "initialize":
			return nil, &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: "no " + method + " is possible now"}
		}
		params := new(P)
		if req.HasParams() {
			if err := req.UnmarshalParams(params); err != nil {
				return nil, err
			}
		}
		return do(ctx, params)
	}
}

// log shows a message in the log of the editor.
func (s *server) log(format string, args ...any) {
	message := map[string]any{"type": 1, "message": words.Text("olmgraph: " + fmt.Sprintf(format, args...))}
	_ = s.rpc.Notify(s.ctx, "window/logMessage", message) // a client that is gone reads no log
}

func (s *server) initialize(_ context.Context, p *initializeParams) (any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.initialized = true
	encoding := "utf-16"
	if slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8") {
		s.inBytes, encoding = true, "utf-8"
	}
	if len(p.Folders) == 0 && p.RootURI != "" {
		p.Folders = []folder{{p.RootURI}}
	}
	s.addFolders(p.Folders)
	type object = map[string]any
	return object{
		"serverInfo": object{"name": "olmgraph", "version": s.options.Version},
		"capabilities": object{
			"positionEncoding":   encoding,
			"textDocumentSync":   object{"openClose": true, "change": 2, "save": object{"includeText": false}},
			"codeActionProvider": object{"codeActionKinds": []string{kindQuickFix, kindFixAll}},
			"hoverProvider":      true,
			"definitionProvider": true,
			"referencesProvider": true,
			"completionProvider": object{"triggerCharacters": []string{" ", "\"", "."}},
			"workspace":          object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
		},
	}, nil
}

func (s *server) addFolders(added []folder) {
	for _, f := range added {
		if dir, ok := uriPath(f.URI); ok {
			s.folders = append(s.folders, dir)
		}
	}
}

func (s *server) didChangeFolders(_ context.Context, p *foldersParams) (any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, f := range p.Event.Removed {
		if dir, ok := uriPath(f.URI); ok {
			s.folders = slices.DeleteFunc(s.folders, func(have string) bool { return have == dir })
		}
	}
	s.addFolders(p.Event.Added)
	return nil, nil
}

func (s *server) shutdown(context.Context, *struct{}) (any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.down = true
	return nil, nil
}

func (s *server) exit(context.Context, *struct{}) (any, error) {
	go s.rpc.Stop() // it waits for this handler
	return nil, nil
}

func (s *server) cancelRequest(_ context.Context, p *cancelParams) (any, error) {
	if id, err := json.Marshal(p.ID); err == nil {
		s.rpc.CancelRequest(string(id))
	}
	return nil, nil
}

func (s *server) didOpen(_ context.Context, p *documentParams) (any, error) {
	name, ok := uriPath(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.documents[name] != nil {
		s.close(name)
	}
	d := &document{path: name, uri: p.TextDocument.URI, version: p.TextDocument.Version, index: newIndex([]byte(p.TextDocument.Text), s.inBytes)}
	s.documents[name] = d
	s.attach(d)
	return nil, nil
}

func (s *server) didChange(_ context.Context, p *changeParams) (any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	d := s.document(p.TextDocument.URI)
	if d == nil {
		return nil, nil
	}
	d.version = p.TextDocument.Version
	for _, c := range p.Changes {
		from, to := 0, len(d.index.text)
		if c.Range != nil {
			from, to = d.index.offset(c.Range.Start), d.index.offset(c.Range.End)
		}
		d.replace(from, max(from, to), c.Text)
	}
	if d.project != nil && len(d.index.text) > maxDocument {
		s.leave(d)
	}
	if d.project == nil {
		s.attach(d)
	}
	return nil, nil
}

// replace changes the text of a document, and notes what has to be checked again.
func (d *document) replace(from, to int, with string) {
	before := d.index
	after, c := before.replace(from, to, with)
	d.index = after
	if d.project != nil {
		c.file = d.path
		packages, ok := packagesAround(before.text, from, to)
		now, okNow := packagesAround(after.text, from, from+len(with))
		if !ok || !okNow {
			d.project.noteChange(c, nil)
		} else {
			d.project.noteChange(c, append(packages, now...))
		}
	}
}

// document returns an open document, or nil.
func (s *server) document(uri string) *document {
	name, _ := uriPath(uri)
	return s.documents[name]
}

// inProject returns an open document that is part of a catalog, and its project and text as they are now; nil if there is none.
func (s *server) inProject(uri string) (*document, *project, *index) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if d := s.document(uri); d != nil && d.project != nil {
		return d, d.project, d.index
	}
	return nil, nil, nil
}

func (s *server) didSave(_ context.Context, p *documentParams) (any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if d := s.document(p.TextDocument.URI); d != nil && d.project != nil {
		d.project.save()
	}
	return nil, nil
}

func (s *server) didClose(_ context.Context, p *documentParams) (any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if d := s.document(p.TextDocument.URI); d != nil {
		s.close(d.path)
	}
	return nil, nil
}

func (s *server) close(name string) {
	d := s.documents[name]
	delete(s.documents, name)
	if len(d.index.text) > maxDocument {
		_ = s.rpc.Notify(s.ctx, "textDocument/publishDiagnostics", diagnosticsParams{URI: d.uri, Diagnostics: []diagnostic{}})
	}
	if d.project != nil {
		s.leave(d)
	}
}

// leave takes a document out of its project, which ends with its last one.
func (s *server) leave(d *document) {
	p := d.project
	d.project = nil
	for _, other := range s.documents {
		if other.project == p {
			p.reread() // from disk
			return
		}
	}
	p.end()
	p.clear()
	delete(s.projects, p.ref)
}

func (s *server) didChangeWatchedFiles(_ context.Context, p *watchedParams) (any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, f := range p.Changes {
		name, ok := uriPath(f.URI)
		for _, project := range s.projects {
			if ok && (path.Base(name) == lint.ConfigName || name == project.ref || strings.HasPrefix(name, project.ref+"/")) {
				project.reread()
			}
		}
	}
	return nil, nil
}

// guardRules returns rules of which a panic ends only the rule.
func (s *server) guardRules(all []lint.Rule) []lint.Rule {
	all = slices.Clone(all)
	s.failed = map[string]bool{}
	for i := range all {
		check, id := all[i].Check, all[i].ID
		if check == nil {
			continue
		}
		all[i].Check = func(p *lint.Pass) {
			defer func() {
				if v := recover(); v != nil {
					s.ruleFailed(id, v)
				}
			}()
			check(p)
		}
	}
	return all
}

// ruleFailed logs that a rule panicked, once.
func (s *server) ruleFailed(rule string, v any) {
	s.mutex.Lock()
	known := s.failed[rule]
	s.failed[rule] = true
	s.mutex.Unlock()
	if !known {
		s.log("the rule %s failed and reports nothing: %v", rule, v)
	}
}
