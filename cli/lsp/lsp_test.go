package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creachadair/jrpc2/channel"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

// client speaks to a server in this process over pipes, and handles its messages in their order.
type client struct {
	t       testing.TB
	in      io.WriteCloser
	answers chan []byte // closed with the connection
	done    chan error
	calls   int
	shown   map[string][]diagnostic
	logged  []string
}

type answer struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func options() Options {
	return Options{Rules: rules.All(), Pause: 50 * time.Millisecond, Config: func(string) (*lint.Config, error) { return &lint.Config{OLM: lint.OLMNames()[0]}, nil }}
}

func serve(t testing.TB, o Options) *client {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, in: toServer, answers: make(chan []byte, 10_000), done: make(chan error, 1), shown: map[string][]diagnostic{}}
	go func() {
		err := Serve(t.Context(), in, out, o)
		out.Close()
		in.Close()
		c.done <- err
	}()
	go func() {
		defer close(c.answers)
		from := channel.LSP(fromServer, toServer)
		for {
			text, err := from.Recv()
			if err != nil {
				return
			}
			c.answers <- slices.Clone(text)
		}
	}()
	return c
}

// started returns a client after initialize.
func started(t testing.TB, o Options) *client {
	c := serve(t, o)
	c.call("initialize", map[string]any{"capabilities": map[string]any{}})
	return c
}

func (c *client) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text))
}

func (c *client) write(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) read() *answer {
	c.t.Helper()
	var text []byte
	select {
	case text = <-c.answers:
	case <-time.After(time.Minute):
	}
	if text == nil {
		c.t.Fatalf("the server says nothing more; shown is %v, logged %q", c.shown, c.logged)
	}
	m := &answer{}
	if err := json.Unmarshal(text, m); err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
	switch m.Method {
	case "window/logMessage":
		c.logged = append(c.logged, string(m.Params))
	case "textDocument/publishDiagnostics":
		var p diagnosticsParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.t.Fatal(err)
		}
		c.shown[p.URI] = p.Diagnostics
	}
	return m
}

func (c *client) call(method string, params any) *answer {
	c.t.Helper()
	c.calls++
	c.send(map[string]any{"id": c.calls, "method": method, "params": params})
	for {
		if m := c.read(); m.ID == c.calls {
			return m
		}
	}
}

func (c *client) notify(method string, params any) {
	c.send(map[string]any{"method": method, "params": params})
}

func (c *client) open(name, text string) {
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": fileURI(name), "version": 1, "text": text}})
}

func (c *client) change(name string, r textRange, text string) {
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": fileURI(name), "version": 2},
		"contentChanges": []any{map[string]any{"range": r, "text": text}}})
}

// waitFor reads messages until a file has a finding of a rule, or none.
func (c *client) waitFor(name, rule string, want bool) {
	c.t.Helper()
	for c.shows(name, rule) != want {
		c.read()
	}
}

func (c *client) shows(name, rule string) bool { return c.finding(name, rule).Code != "" }

// finding returns the first finding of a rule that is shown, the zero value if none is.
func (c *client) finding(name, rule string) diagnostic {
	for _, d := range c.shown[fileURI(name)] {
		if d.Code == rule {
			return d
		}
	}
	return diagnostic{}
}

func (c *client) end() {
	c.t.Helper()
	c.call("shutdown", nil)
	c.notify("exit", nil)
	if err := <-c.done; err != nil {
		c.t.Error(err)
	}
}

const twoHeads = `schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
  - name: foo.v1.0.0
  - name: foo.v1.1.0
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: quay.io/foo/foo:v1.0.0
properties:
  - type: olm.package
    value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: quay.io/foo/foo:v1.1.0
properties:
  - type: olm.package
    value: {packageName: foo, version: 1.1.0}
`

func writeFile(t testing.TB, name, text string) string {
	name = filepath.Join(t.TempDir(), "foo", name)
	catalogtest.Write(t, name, text)
	return filepath.ToSlash(name)
}

// TestUnsavedText checks that the text in the editor counts, until the file is closed.
func TestUnsavedText(t *testing.T) {
	name := writeFile(t, "catalog.yaml", twoHeads)
	c := started(t, options())
	c.open(name, twoHeads)
	c.waitFor(name, "graph/multiple-heads", true)
	at := position{Line: 9, Character: 20}
	c.change(name, textRange{at, at}, "\n    replaces: foo.v1.0.0")
	c.waitFor(name, "graph/multiple-heads", false)
	c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": fileURI(name)}})
	for c.shown[fileURI(name)] == nil || len(c.shown[fileURI(name)]) > 0 {
		c.read()
	}
	c.end()
}

// TestHalfTyped checks that a syntax error in the middle of typing is the only change, and that it goes away.
func TestHalfTyped(t *testing.T) {
	name := writeFile(t, "catalog.yaml", twoHeads)
	c := started(t, options())
	c.open(name, twoHeads)
	c.waitFor(name, "graph/multiple-heads", true)
	c.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": fileURI(name)}})
	was := len(c.shown[fileURI(name)])
	at := position{Line: 8, Character: 10}
	c.change(name, textRange{at, at}, "\"")
	c.waitFor(name, "catalog/parse", true)
	if !c.shows(name, "graph/multiple-heads") || len(c.shown[fileURI(name)]) != was+1 {
		t.Errorf("with a quote %v is shown", c.shown[fileURI(name)])
	}
	c.change(name, textRange{position{}, position{}}, "# one\n# two\n")
	heads := c.finding(name, "graph/multiple-heads")
	for ; heads.Range.Start.Line != 10; heads = c.finding(name, "graph/multiple-heads") {
		c.read()
	}
	if other := heads.Related[1]; other.Location.Range.Start.Line != 10 { // a detail
		t.Errorf("below two more lines the other head is shown at %+v", other)
	}
	c.change(name, textRange{position{}, position{Line: 2}}, "")
	c.change(name, textRange{at, position{Line: 8, Character: 11}}, "")
	c.waitFor(name, "catalog/parse", false)
	if !c.shows(name, "graph/multiple-heads") {
		t.Errorf("without the quote %v is shown", c.shown[fileURI(name)])
	}
	c.end()
}

// TestHostileMessages checks that the server survives what no editor sends.
func TestHostileMessages(t *testing.T) {
	name := writeFile(t, "catalog.yaml", twoHeads)
	c := serve(t, options())
	if m := c.call("textDocument/hover", map[string]any{}); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("before initialize: %+v", m)
	}
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": fileURI(name), "text": "x"}})
	c.call("initialize", map[string]any{"capabilities": map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-8"}}}})
	if m := c.call("no/such", nil); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("an unknown method: %+v", m)
	}
	c.notify("$/whatever", []any{})
	c.notify("no/such", nil)
	c.write("Content-Length: 5\r\n\r\n{nope")
	c.write("Content-Length: 2\r\n\r\n[]")
	c.notify("textDocument/didOpen", "text")
	if m := c.call("textDocument/hover", []any{1}); m.Error == nil {
		t.Errorf("parameters of a wrong type: %+v", m)
	}
	for _, uri := range []string{"", ":", "untitled:x", "http://example.com/x.yaml", "file://host/x.yaml", "file:///%00", "file:///no/such/catalog.yaml", "file:///../../x.yaml", "file:///proc/self/fd/0"} {
		c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "text": twoHeads}})
		c.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": 8, "character": 12}})
		c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	}
	c.open(name, twoHeads)
	for _, at := range []position{{0, 0}, {1 << 31, 1 << 31}, {3, 1 << 31}, {1 << 31, 0}} {
		params := map[string]any{"textDocument": map[string]any{"uri": fileURI(name)}, "position": at, "newName": "x", "range": textRange{at, position{}}}
		for _, method := range []string{"hover", "definition", "references", "completion", "codeAction"} {
			c.call("textDocument/"+method, params)
		}
		c.change(name, textRange{at, position{}}, "#")
	}
	if m := c.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": fileURI(name)}, "position": map[string]any{"line": -1, "character": "x"}}); m.Error == nil {
		t.Errorf("a position that is none: %+v", m)
	}
	c.open(name, twoHeads)
	c.waitFor(name, "graph/multiple-heads", true)
	c.end()
}

// TestHostileHeaders checks that a message that is too large, or without a size, ends the connection before anything is allocated for it.
func TestHostileHeaders(t *testing.T) {
	for _, header := range []string{"Content-Length: 9223372036854775807\r\n\r\n", "Content-Length: 300000000\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: x\r\n\r\n", "X: y\r\n\r\n",
		strings.Repeat("x", 1<<16)} {
		c := serve(t, options())
		go func() { _, _ = io.WriteString(c.in, header) }() // the server stops reading
		if err := <-c.done; err == nil || errors.Is(err, errNoShutdown) {
			t.Errorf("%.40q: %v", header, err)
		}
	}
}

// TestPanicOfARule checks that the other rules go on.
func TestPanicOfARule(t *testing.T) {
	o := options()
	for i := range o.Rules {
		if o.Rules[i].ID == "graph/stuck" {
			o.Rules[i].Check = func(*lint.Pass) { panic("a fault\n\x1b[31m") }
		}
	}
	name := writeFile(t, "catalog.yaml", twoHeads)
	c := started(t, o)
	c.open(name, twoHeads)
	c.waitFor(name, "graph/multiple-heads", true)
	for len(c.logged) == 0 {
		c.read()
	}
	if want := "the rule graph/stuck failed"; len(c.logged) != 1 || !strings.Contains(c.logged[0], want) || strings.Contains(c.logged[0], "u001b") {
		t.Errorf("%q is logged", c.logged)
	}
	c.end()
}

// TestStrangeFiles reads nothing of files that links of a checkout lead to and that never end or would take the memory.
func TestStrangeFiles(t *testing.T) {
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse.yaml")
	f, err := os.Create(sparse)
	if err != nil || f.Truncate(20<<30) != nil || f.Close() != nil {
		t.Skip("no sparse files")
	}
	texts := (&server{}).indexes()
	if texts(sparse) != nil {
		t.Error("a file of 20 GiB is read")
	}
	link := filepath.Join(dir, "link.yaml")
	if os.Symlink("/proc/kmsg", link) == nil && texts(link) != nil {
		t.Error("a file without a size is read")
	}
}

// TestLargeDocument tells once that a large document is not checked, and checks it as soon as it is small.
func TestLargeDocument(t *testing.T) {
	name := writeFile(t, "catalog.yaml", twoHeads)
	c := started(t, options())
	large := strings.Repeat("# "+strings.Repeat("x", 1<<20)+"\n", maxDocument>>20)
	c.open(name, twoHeads+large)
	told := func() {
		t.Helper()
		for len(c.shown[fileURI(name)]) == 0 {
			c.read()
		}
		if all := c.shown[fileURI(name)]; len(all) != 1 || !strings.Contains(all[0].Message, "not checked in the editor") {
			t.Errorf("%v", all)
		}
	}
	told()
	begin := position{Line: uint32(strings.Count(twoHeads, "\n"))}
	c.change(name, textRange{begin, position{Line: 1 << 20}}, "")
	c.waitFor(name, "graph/multiple-heads", true)
	c.shown = map[string][]diagnostic{}
	c.change(name, textRange{begin, begin}, large)
	told()
	c.end()
}

// TestNothingIsLeft checks that no goroutine is left after 20 connections, some of which break.
func TestNothingIsLeft(t *testing.T) {
	name := writeFile(t, "catalog.yaml", twoHeads)
	before := runtime.NumGoroutine()
	for i := range 20 {
		c := started(t, options())
		c.open(name, twoHeads)
		if i%2 == 0 {
			c.end()
			continue
		}
		c.in.Close()
		if err := <-c.done; !errors.Is(err, errNoShutdown) {
			t.Errorf("the end of the input: %v", err)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
}

// TestTemplate checks that a template is a project of its own.
func TestTemplate(t *testing.T) {
	text := "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles: [{image: quay.io/foo/foo:v1.0.0}, {image: quay.io/foo/foo:v1.0.0}]\nunknownKey: 1\n"
	name := writeFile(t, "template.yaml", text)
	catalogtest.Write(t, filepath.Join(filepath.Dir(name), "other.yaml"), "not: a catalog\n")
	c := started(t, options())
	c.open(name, text)
	for len(c.shown[fileURI(name)]) == 0 {
		c.read()
	}
	for uri, all := range c.shown {
		for _, d := range all {
			if uri != fileURI(name) || !strings.HasPrefix(d.Code, "template/") && !strings.HasPrefix(d.Code, "catalog/") {
				t.Errorf("%s has %s", uri, d.Code)
			}
		}
	}
	c.end()
}

// TestCloseDuringRequest checks that a document which is closed while a request about it waits is no fault of the request.
func TestCloseDuringRequest(t *testing.T) {
	for _, method := range []string{"textDocument/references", "textDocument/codeAction"} {
		var held atomic.Bool
		hold, o := make(chan struct{}), options()
		config := o.Config
		o.Config = func(ref string) (*lint.Config, error) {
			if held.Load() {
				<-hold
			}
			return config(ref)
		}
		name := writeFile(t, "catalog.yaml", twoHeads)
		c := started(t, o)
		c.open(name, twoHeads)
		c.waitFor(name, "graph/multiple-heads", true)
		held.Store(true)
		c.change(name, textRange{}, "# one\n")
		document := map[string]any{"uri": fileURI(name)}
		at := position{Line: 2, Character: 7}
		c.calls++
		c.send(map[string]any{"id": c.calls, "method": method, "params": map[string]any{"textDocument": document, "position": at, "range": textRange{at, at}}})
		time.Sleep(100 * time.Millisecond) // the request waits for the check
		c.notify("textDocument/didClose", map[string]any{"textDocument": document})
		time.Sleep(100 * time.Millisecond)
		close(hold)
		m := c.read()
		for ; m.ID != c.calls; m = c.read() {
		}
		if m.Error != nil {
			t.Errorf("%s: %s", method, m.Error.Message)
		}
		c.end()
	}
}
