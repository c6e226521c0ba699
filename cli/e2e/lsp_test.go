package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/creachadair/jrpc2/channel"
	"github.com/rogpeppe/go-internal/testscript"
)

// speakToEditor is "dialogue FILE": it starts olmgraph lsp as a process and does what the lines of a file say, as an editor does. What the
// server answers is on standard output. TEXT is a text of FILE, after which the cursor is.
//
//	open FILE
//	change FILE OLD => NEW     type NEW instead of OLD
//	save FILE, close FILE
//	shows FILE RULE            wait until a finding of a rule is shown
//	hides FILE RULE            wait until none is
//	findings FILE              print what is shown
//	hover FILE TEXT, definition FILE TEXT, complete FILE TEXT, references FILE TEXT
//	actions FILE TEXT          print the titles
//	fix FILE TEXT => TITLE     apply the action with a title that begins so, and print the lines that change
//	raw METHOD PARAMETERS      WORK in them is the URI of the folder
func speakToEditor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: dialogue FILE")
	}
	e := newEditor(ts)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			e.do(line)
		}
	}
	e.end()
}

// editor is a client of the language server. It handles the messages of the server in their order, while it waits for something.
type editor struct {
	ts      *testscript.TestScript
	out     io.Writer
	channel channel.Channel
	process *exec.Cmd
	work    string // the URI of the folder
	texts   map[string]string
	version int
	calls   int
	shown   map[string][]shownFinding // by URI
}

type shownFinding struct {
	Range struct {
		Start, End struct{ Line, Character int }
	}
	Severity int
	Code     string
	Message  string
}

func newEditor(ts *testscript.TestScript) *editor {
	program := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, "olmgraph")); err == nil {
			program = found
			break
		}
	}
	e := &editor{ts: ts, out: ts.Stdout(), process: exec.Command(program, "lsp"), texts: map[string]string{}, shown: map[string][]shownFinding{}}
	work := filepath.ToSlash(ts.MkAbs("."))
	if !strings.HasPrefix(work, "/") {
		work = "/" + work
	}
	e.work = "file://" + work
	e.process.Env = append(os.Environ(), "HOME="+ts.MkAbs("."))
	in, err := e.process.StdinPipe()
	ts.Check(err)
	out, err := e.process.StdoutPipe()
	ts.Check(err)
	e.process.Stderr = ts.Stderr()
	ts.Check(e.process.Start())
	e.channel = channel.LSP(out, in)
	late := time.AfterFunc(2*time.Minute, func() { _ = e.process.Process.Kill() })
	ts.Defer(func() {
		late.Stop()
		_ = e.process.Process.Kill() // nothing happens to one that has ended
	})
	e.call("initialize", map[string]any{"rootUri": e.work, "capabilities": map[string]any{}})
	e.notify("initialized", map[string]any{})
	return e
}

// message is what the server sends.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// read returns the next message of the server, after it has noted the findings in it.
func (e *editor) read() *message {
	text, err := e.channel.Recv()
	e.ts.Check(err)
	m := &message{}
	e.ts.Check(json.Unmarshal(text, m))
	switch m.Method {
	case "window/logMessage":
		e.print(string(m.Params))
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string
			Diagnostics []shownFinding
		}
		e.ts.Check(json.Unmarshal(m.Params, &p))
		e.shown[p.URI] = p.Diagnostics
	}
	return m
}

func (e *editor) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	e.ts.Check(err)
	e.ts.Check(e.channel.Send(text))
}

func (e *editor) call(method string, params any) json.RawMessage {
	e.calls++
	e.send(map[string]any{"id": e.calls, "method": method, "params": params})
	for {
		switch m := e.read(); {
		case m.ID != e.calls:
		case m.Error != nil:
			return json.RawMessage(fmt.Sprintf("error %d: %s", m.Error.Code, m.Error.Message))
		default:
			return m.Result
		}
	}
}

func (e *editor) notify(method string, params any) {
	e.send(map[string]any{"method": method, "params": params})
}

func (e *editor) end() {
	e.call("shutdown", nil)
	e.notify("exit", nil)
	e.ts.Check(e.process.Wait())
}

func (e *editor) uri(file string) string { return e.work + "/" + file }

// print prints a line, without the name of the folder.
func (e *editor) print(line string) {
	if line == "" {
		return
	}
	fmt.Fprintln(e.out, strings.ReplaceAll(line, e.work, "WORK"))
}

// do does what a line says.
func (e *editor) do(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	file, rest, _ := strings.Cut(rest, " ")
	text, other, _ := strings.Cut(rest, " => ")
	document := map[string]any{"uri": e.uri(file)}
	at := map[string]any{"textDocument": document}
	if text != "" && slices.Contains([]string{"hover", "definition", "complete", "references"}, verb) {
		at["position"] = e.position(file, e.find(file, text)+len(text))
	}
	if !slices.Contains([]string{"open", "change", "save", "close"}, verb) {
		e.print("> " + line)
	}
	switch verb {
	case "open":
		e.texts[file] = e.ts.ReadFile(file)
		e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(file), "languageId": "yaml", "version": e.next(), "text": e.texts[file]}})
	case "change":
		from := e.find(file, text)
		e.change(file, e.span(file, from, from+len(text)), strings.ReplaceAll(other, `\n`, "\n"))
		e.texts[file] = e.texts[file][:from] + strings.ReplaceAll(other, `\n`, "\n") + e.texts[file][from+len(text):]
	case "save":
		e.notify("textDocument/didSave", at)
	case "close":
		e.notify("textDocument/didClose", at)
	case "shows", "hides":
		e.await(file, text, verb == "shows")
	case "findings":
		e.call("textDocument/codeAction", e.actionParams(file, 0, 0))
		e.printFindings(file)
	case "hover":
		var h struct{ Contents struct{ Value string } }
		e.print(e.decode(e.call("textDocument/hover", at), &h))
		e.print(h.Contents.Value)
	case "definition", "references":
		e.print(string(e.call("textDocument/"+verb, at)))
	case "complete":
		var items []struct{ Label, Detail string }
		e.print(e.decode(e.call("textDocument/completion", at), &items))
		for _, i := range items {
			e.print(i.Label + ": " + i.Detail)
		}
	case "actions", "fix":
		e.action(file, text, other)
	case "raw":
		e.print(string(e.call(file, json.RawMessage(strings.ReplaceAll(rest, "WORK", e.work)))))
	default:
		e.ts.Fatalf("no %q", verb)
	}
}

// decode decodes an answer. It returns what it cannot decode.
func (e *editor) decode(answer json.RawMessage, into any) string {
	if err := json.Unmarshal(answer, into); err != nil || string(answer) == "null" {
		return string(answer)
	}
	return ""
}

func (e *editor) next() int {
	e.version++
	return e.version
}

func (e *editor) find(file, text string) int {
	i := strings.Index(e.texts[file], text)
	if i < 0 {
		e.ts.Fatalf("%s has no %q", file, text)
	}
	return i
}

func (e *editor) change(file string, span map[string]any, text string) {
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri(file), "version": e.next()},
		"contentChanges": []any{map[string]any{"range": span, "text": text}}})
}

func (e *editor) position(file string, off int) map[string]any {
	before := e.texts[file][:off]
	return map[string]any{"line": strings.Count(before, "\n"), "character": len(utf16.Encode([]rune(before[strings.LastIndex(before, "\n")+1:])))}
}

func (e *editor) span(file string, from, to int) map[string]any {
	return map[string]any{"start": e.position(file, from), "end": e.position(file, to)}
}

// await waits until a rule has findings, or none.
func (e *editor) await(file, rule string, want bool) {
	for slices.ContainsFunc(e.shown[e.uri(file)], func(f shownFinding) bool { return f.Code == rule }) != want {
		e.read()
	}
}

func (e *editor) printFindings(file string) {
	for _, f := range e.shown[e.uri(file)] {
		e.print(fmt.Sprintf("%d:%d-%d:%d %d %s %s", f.Range.Start.Line, f.Range.Start.Character, f.Range.End.Line, f.Range.End.Character, f.Severity, f.Code,
			strings.ReplaceAll(f.Message, "\n", "; ")))
	}
}

func (e *editor) actionParams(file string, from, to int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": e.uri(file)}, "range": e.span(file, from, to), "context": map[string]any{"diagnostics": []any{}}}
}

// action prints the actions at a text, or what the one with a title changes.
func (e *editor) action(file, text, title string) {
	var all []struct {
		Title string
		Edit  json.RawMessage
	}
	at := e.find(file, text) + len(text)
	params := e.actionParams(file, at, at)
	if strings.HasPrefix(title, "fix all") {
		params["context"] = map[string]any{"diagnostics": []any{}, "only": []string{"source.fixAll"}}
	}
	e.print(e.decode(e.call("textDocument/codeAction", params), &all))
	for _, a := range all {
		switch {
		case title == "":
			e.print(a.Title)
		case strings.HasPrefix(a.Title, title):
			e.printEdit(a.Edit)
			return
		}
	}
}

// printEdit prints the edits of files.
func (e *editor) printEdit(answer json.RawMessage) {
	var edit struct {
		Changes map[string][]json.RawMessage
	}
	if text := e.decode(answer, &edit); text != "" {
		e.print(text)
	}
	var files []string
	for uri := range edit.Changes {
		files = append(files, uri)
	}
	slices.Sort(files)
	for _, uri := range files {
		for _, one := range edit.Changes[uri] {
			e.print(uri + " " + string(one))
		}
	}
}
