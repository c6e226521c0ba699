package page

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
)

// newBrowser starts a browser without network access. Without a browser the test is skipped, unless OLMGRAPH_BROWSER is
// "required".
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	program := browserProgram()
	switch {
	case program != "":
	case os.Getenv("OLMGRAPH_BROWSER") == "required":
		t.Fatal("there is no chromium, and OLMGRAPH_BROWSER says that one is required")
	default:
		t.Skip("there is no chromium to look at the page with")
	}
	for try := 1; ; try++ {
		browser, err := startBrowser(t, program)
		switch {
		case err == nil:
			return browser
		case try == 3: // a busy machine may need several
			t.Fatal(err)
		}
		t.Log(err)
	}
}

// TestBrowser looks at pages in one browser, as starting one takes longer than most looks.
func TestBrowser(t *testing.T) {
	browser := newBrowser(t)
	for _, test := range []struct {
		name string
		run  func(t *testing.T, browser context.Context)
	}{
		{"change", testPageChange},
		{"change packages", testPageChangePackages},
		{"folded", testPageFolded},
		{"version switch", testPageVersionSwitch},
		{"page", testPage},
		{"picture", testPagePicture},
		{"empty", testPageEmpty},
		{"versions", testPageVersions},
		{"alone", testPageAlone},
		{"untrusted requirements", testPageUntrustedRequirements},
		{"untrusted", testPageUntrusted},
		{"plan page", testPlanPage},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, browser) })
	}
}

func browserProgram() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

func startBrowser(t *testing.T, program string) (context.Context, error) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(profile(t)), chromedp.WSURLReadTimeout(time.Minute))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Run(browser); err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = chromedp.Cancel(browser) }) // which waits for it to end
	return browser, nil
}

// profile returns an empty folder that is removed at the end. Unlike t.TempDir it tolerates that processes of the browser still
// write there.
func profile(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "olmgraph-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 40 {
			if err = os.RemoveAll(folder); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Log(err)
	})
	return folder
}

// tab is a page in a browser. Errors and network requests of the page are recorded in faults.
type tab struct {
	t      *testing.T
	ctx    context.Context
	mu     sync.Mutex
	faults []string
}

// newTab opens a file offline. The test fails if the page has errors by its end.
func newTab(t *testing.T, browser context.Context, file, hash string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, timeout := context.WithTimeout(ctx, time.Minute)
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

// patience is how often want looks.
const patience = 400

// want waits until an expression is true. An exception counts as false.
func (p *tab) want(expression string) {
	p.t.Helper()
	var holds bool
	for range patience {
		if p.do(chromedp.Evaluate("(() => { try { return Boolean("+expression+") } catch { return false } })()", &holds)); holds {
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
	at := get[[]float64](p, fmt.Sprintf(`(() => { const e = document.querySelector(%s); e.scrollIntoViewIfNeeded(); const r = e.getBoundingClientRect();
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

// hash changes the hash of the address, as a link does.
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

func chromedpBack() chromedp.Action { return chromedp.Evaluate("history.back()", nil) }

func chromedpFocus(selector string) chromedp.Action {
	return chromedp.Evaluate("document.querySelector("+quote(selector)+").focus()", nil)
}
