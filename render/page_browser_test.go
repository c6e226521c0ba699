package render

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/olmgraph/olmgraph/graph"
)

// newBrowser starts a browser that asks nobody anything. Without one the test is skipped, unless OLMGRAPH_BROWSER is
// "required".
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		if os.Getenv("OLMGRAPH_BROWSER") == "required" {
			t.Fatal("there is no chromium, and OLMGRAPH_BROWSER says that one is required")
		}
		t.Skip("there is no chromium to look at the page with")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(time.Minute))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Run(browser); err != nil {
		t.Fatal(err)
	}
	return browser
}

// tab is a page in a browser. What goes wrong in it, and what it asks of the network, ends up in faults.
type tab struct {
	t      *testing.T
	ctx    context.Context
	mu     sync.Mutex
	faults []string
}

// newTab opens a file, offline. The test fails if anything has gone wrong in the page by its end.
func newTab(t *testing.T, browser context.Context, file, hash string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, timeout := context.WithTimeout(ctx, 30*time.Second)
	t.Cleanup(timeout)
	p := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, p.listen)
	p.do(network.Enable(), log.Enable(), runtime.Enable(),
		network.EmulateNetworkConditions(true, 0, 0, 0), chromedp.EmulateViewport(1280, 800),
		chromedp.Navigate("file://"+file+hash))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fault := range p.faults {
			t.Error(fault)
		}
	})
	return p
}

func (p *tab) listen(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		fault = fmt.Sprintf("console: %s %s", e.Type, e.Args[0].Value)
	case *log.EventEntryAdded:
		fault = fmt.Sprintf("log: %s %s", e.Entry.Level, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "data:") {
			fault = "request: " + url
		}
	}
	if fault != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults = append(p.faults, fault)
	}
}

func (p *tab) do(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// get evaluates an expression.
func get[T any](p *tab, expression string) T {
	p.t.Helper()
	var value T
	p.do(chromedp.Evaluate(expression, &value))
	return value
}

// want waits until an expression holds.
func (p *tab) want(expression string) {
	p.t.Helper()
	var holds bool
	for range 60 {
		if p.do(chromedp.Evaluate("Boolean("+expression+")", &holds)); holds {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.t.Fatalf("it does not come to %s", expression)
}

func (p *tab) press(keys string) { p.t.Helper(); p.do(chromedp.KeyEvent(keys)) }

// place returns the middle of an element on the screen.
func (p *tab) place(selector string) (x, y float64) {
	p.t.Helper()
	at := get[[]float64](p, fmt.Sprintf(`(() => { const r = document.querySelector(%s).getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2] })()`, quote(selector)))
	return at[0], at[1]
}

func (p *tab) hover(selector string) {
	p.t.Helper()
	x, y := p.place(selector)
	p.do(chromedp.MouseEvent(input.MouseMoved, x, y))
}

func (p *tab) click(selector string, options ...chromedp.MouseOption) {
	p.t.Helper()
	x, y := p.place(selector)
	p.do(chromedp.MouseClickXY(x, y, options...))
}

// typed writes into a field.
func (p *tab) typed(selector, text string) {
	p.t.Helper()
	p.do(chromedp.Evaluate(fmt.Sprintf(`{ const e = document.querySelector(%s); e.focus(); e.select() }`, quote(selector)), nil))
	if text == "" {
		p.press(kb.Delete)
		return
	}
	p.press(text)
}

// hash goes to another place within the page, as a link would.
func (p *tab) hash(hash string) {
	p.t.Helper()
	p.do(chromedp.Evaluate("location.hash = "+quote(hash), nil))
	p.do(chromedp.Evaluate("new Promise(requestAnimationFrame)", nil, awaiting))
}

func awaiting(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

const listed = `[...document.querySelectorAll("#packages > li")].map(li => li.dataset.package).join(" ")`

func TestPage(t *testing.T) {
	browser := newBrowser(t)
	harbour := pageFile(t, pageOf(t, "../testdata/catalogs/harbour"))
	stuck := pageFile(t, pageOf(t, "../testdata/catalogs/stuck"))
	for _, test := range []struct {
		name string
		file string
		hash string
		run  func(p *tab)
	}{
		{"search", harbour, "", testSearch},
		{"filter", harbour, "", testFilter},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newTab(t, browser, test.file, test.hash)) })
	}
	_ = stuck
	_ = graph.V0
}

func testSearch(p *tab) {
	p.want(listed + ` === "buoy harbour"`)
	p.typed("#search", "buo")
	p.want(listed + ` === "buoy"`)
}

func testFilter(p *tab) { p.want("true") }
