package render

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
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
		chromedp.UserDataDir(profile(t)), chromedp.WSURLReadTimeout(time.Minute))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Run(browser); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chromedp.Cancel(browser) }) // which waits for it to end
	return browser
}

// profile returns an empty folder that is gone in the end. What the browser has started may write there a little longer
// than the browser lives, which t.TempDir would not bear.
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

// want waits until an expression holds; while it throws it does not.
func (p *tab) want(expression string) {
	p.t.Helper()
	var holds bool
	for range 60 {
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

// ids returns an expression for the nodes of the picture that have a class.
func ids(class string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#stage .node.%s")].map(n => n.id).sort().join(" ")`, class)
}

// TestPage looks at pages of small catalogs as their readers do. In harbour, channel 2 is stable: its entries are 1.0.0,
// 1.1.0, 1.4.0, 2.0.0, which is skipped, and 2.0.1.
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
		{"click", harbour, "#p=harbour", testClick},
		{"stuck", stuck, "", testStuck},
		{"hover", harbour, "#p=harbour", testHover},
		{"keyboard", harbour, "#p=harbour", testKeyboard},
		{"zoom", harbour, "#p=harbour", testZoom},
		{"path", harbour, "#p=harbour&c=stable", testPath},
		{"two clicks", harbour, "#p=harbour", testTwoClicks},
		{"deep link", harbour, "#p=harbour&c=stable&from=harbour.v1.0.0&to=harbour.v2.0.1&olm=v1", testDeepLink},
		{"unknown names", harbour, "#p=nobody&b=%ZZ%00", testUnknown},
		{"dark", harbour, "#p=harbour", testDark},
		{"phone", harbour, "#p=harbour", testPhone},
		{"print", harbour, "#p=harbour&b=harbour.v1.4.0", testPrint},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newTab(t, browser, test.file, test.hash)) })
	}
}

func testSearch(p *tab) {
	p.want(listed + ` === "buoy harbour"`)
	p.press("/")
	p.want(`document.activeElement.id === "search"`)
	for _, search := range [][2]string{{"BUO", "buoy"}, {"harbour.v0.8", "harbour"}, {"1.4.0", "harbour"}, {"harbour 2.0.1", "harbour"}, {"nothing", ""}} {
		p.typed("#search", search[0])
		p.want(listed + " === " + quote(search[1]))
	}
	p.want(`document.querySelector("#shown").textContent.includes("No package")`)
	p.press(kb.Escape)
	p.want(listed + ` === "buoy harbour"`)
	p.typed("#search", "v0.8.0")
	p.click("#packages .found a")
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v0.8.0"`)
}

func testFilter(p *tab) {
	p.want(`document.querySelector("[data-filter=errors] .count").textContent === "1"`)
	p.click("[data-filter=errors]")
	p.want(listed + ` === "harbour"`)
	p.want(`document.querySelector("[data-filter=errors]").ariaPressed === "true"`)
	p.click("[data-filter=stuck]")
	p.want(listed + ` === ""`)
	p.click("[data-filter=stuck]")
	p.click("[data-filter=errors]")
	p.want(listed + ` === "buoy harbour"`)
}

func testClick(p *tab) {
	p.click("#e2-2")
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v1.4.0"`)
	facts := get[string](p, `document.querySelector("#facts").innerText`)
	for _, want := range []string{"Version 1.4.0", "1 upgrade to 2.0.1, the head", "1.4.0 leaks memory", ">=1.1.0 <1.4.0", "harbour.v1.1.0",
		"harbour/catalog.yaml:13", "package buoy >=0.2.0", "graph/stranded", "Cure:", "registry.example/harbour@sha256:"} {
		if !strings.Contains(facts, want) {
			p.t.Errorf("the facts do not say %q:\n%s", want, facts)
		}
	}
	p.want(ids("selected") + ` === "e2-2"`)
	p.press(kb.Escape)
	p.want(`document.querySelector("#facts h3").textContent === "harbour"`)
	p.want(ids("selected") + ` === ""`)
}

func testStuck(p *tab) {
	p.want(`document.querySelector("#stage .node.stuck")`)
	p.click("#stage .node.stuck")
	p.want(`document.querySelector("#facts .why").innerText.includes("stuck at")`)
}

func testHover(p *tab) {
	p.hover("#e2-1")
	p.want(ids("hot") + ` === "e2-1"`)
	p.want(ids("near-in") + ` === "e2-0"`)
	p.want(ids("near-out") + ` === "e2-2 e2-4"`)
	p.want(`document.querySelector("#e2-3").classList.contains("fade")`)
	p.want(`document.querySelectorAll("#stage .edge.near-in").length === 1 && document.querySelectorAll("#stage .edge.near-out").length === 2`)
	p.hover("#package-name")
	p.want(`!document.querySelector("#stage :is(.hot, .near-in, .near-out, .fade)")`)
}

func testKeyboard(p *tab) {
	focused := func(id string) { p.t.Helper(); p.want(`document.activeElement.id === ` + quote(id)) }
	p.do(chromedp.Evaluate(`document.querySelector("#stage").focus()`, nil))
	p.press(kb.Tab)
	focused("e2-4") // the head of the default channel
	p.want(ids("hot") + ` === "e2-4"`)
	for _, id := range []string{"e2-3", "e2-2", "e2-1", "e2-0"} {
		p.press(kb.ArrowLeft)
		focused(id)
	}
	p.press(kb.ArrowRight)
	focused("e2-1")
	p.press(kb.ArrowUp)
	p.want(`/^e1-/.test(document.activeElement.id)`)
	p.press(kb.ArrowDown)
	p.want(`/^e2-/.test(document.activeElement.id)`)
	p.do(chromedp.Evaluate(`document.querySelector("#e2-1").focus()`, nil))
	p.press(kb.Enter)
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v1.1.0"`)
	focused("e2-1")
	p.press(kb.Escape)
	p.want(`location.hash === "#p=harbour"`)
	p.press("/")
	focused("search")
}

func testZoom(p *tab) {
	width := `document.querySelector("#stage svg").getBoundingClientRect().width`
	before := get[float64](p, width)
	p.press("+")
	if after := get[float64](p, width); after < before*1.2 {
		p.t.Errorf("%g wide before, %g after", before, after)
	}
	p.press("-")
	p.want(fmt.Sprintf("Math.abs(%s - %g) < 1", width, before))
	x, y := p.place("#e2-2")
	p.do(input.DispatchMouseEvent(input.MouseWheel, x, y).WithDeltaX(0).WithDeltaY(-300).WithModifiers(input.ModifierCtrl))
	p.want(fmt.Sprintf("%s > %g", width, before*1.5))
	if now, _ := p.place("#e2-2"); max(now-x, x-now) > 3 {
		p.t.Errorf("what is under the pointer moves from %g to %g", x, now)
	}
	left := get[float64](p, `document.querySelector("#stage").scrollLeft`)
	p.do(chromedp.MouseEvent(input.MousePressed, x, y+150, chromedp.ButtonLeft), chromedp.MouseEvent(input.MouseMoved, x-60, y+150, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseReleased, x-60, y+150, chromedp.ButtonLeft))
	p.want(fmt.Sprintf(`document.querySelector("#stage").scrollLeft > %g`, left))
	p.press("0")
	p.want(fmt.Sprintf(`%s <= document.querySelector("#stage").clientWidth`, width))
}

func testPath(p *tab) {
	choose := func(id, value string) {
		p.do(chromedp.SetValue("#"+id, value, chromedp.ByID),
			chromedp.Evaluate(`document.querySelector("#`+id+`").dispatchEvent(new Event("change", {bubbles: true}))`, nil))
		p.want(`document.querySelector("#` + id + `").value === ` + quote(value) + ` && decodeURIComponent(location.hash).includes(` + quote(value) + `)`)
	}
	p.click("#tab-path")
	choose("path-from", "harbour.v1.0.0")
	choose("path-to", "harbour.v2.0.1")
	verdict := `document.querySelector("#path-result .verdict").textContent`
	p.want(verdict + ` === "1.0.0 to 2.0.1, the head: 3 upgrades, which happen by themselves"`)
	p.want(`document.querySelector("#path-result .steps").innerText.includes('skipRange ">=1.4.0 <2.0.1"')`)
	p.want(`document.querySelector("#path-result .steps").innerText.includes("passes over minor versions 1.2 to 1.3")`)
	p.want(ids("way") + ` === "e2-0 e2-1 e2-2 e2-4"`)
	p.click("input[value=v1]")
	p.want(verdict + ` === "1.0.0 to 2.0.1, the head: 3 upgrades"`)
	p.click("#path-swap")
	p.want(verdict + `.startsWith("There is no way")`)
	p.want(`document.querySelector("#path-result .why").innerText.includes("is older than")`)
	p.click("#path-clear")
	p.want(`location.hash === "#p=harbour&c=stable"`)
	p.want(`!document.querySelector("#stage .way")`)
}

func testTwoClicks(p *tab) {
	p.click("#e2-1", shifted)
	p.want(`document.querySelector("#path-from").value === "harbour.v1.1.0"`)
	p.click("#e2-4", shifted)
	p.want(`document.querySelector("#path-result .verdict").textContent.startsWith("1.1.0 to 2.0.1, the head: 2 upgrades")`)
}

func shifted(p *input.DispatchMouseEventParams) *input.DispatchMouseEventParams {
	return p.WithModifiers(input.ModifierShift)
}

func testDeepLink(p *tab) {
	p.want(`document.querySelector("#path-result .verdict").textContent === "1.0.0 to 2.0.1, the head: 3 upgrades"`)
	p.want(`document.querySelector("#path").hidden === false && document.querySelector("input[value=v1]").checked`)
	p.hash("p=harbour&b=harbour.v0.8.0")
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v0.8.0"`)
	p.want(`document.title.startsWith("harbour.v0.8.0")`)
	p.hash("p=buoy")
	p.want(`document.querySelector("#package-name").textContent === "buoy"`)
	p.do(chromedp.Evaluate("history.back()", nil))
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v0.8.0"`)
	p.do(chromedp.Evaluate("history.back()", nil))
	p.want(`document.querySelector("#path-result .verdict").textContent === "1.0.0 to 2.0.1, the head: 3 upgrades"`)
	p.do(chromedp.Evaluate("history.forward()", nil))
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v0.8.0"`)
}

func testUnknown(p *tab) {
	message := `document.querySelector("#message").textContent`
	p.want(message + `.includes("no package “nobody”")`)
	p.hash("p=harbour&b=%ZZ&c=none&from=x&to=y&olm=v2")
	for _, word := range []string{"channel “none”", "bundle “%ZZ”", "bundle “x”", "bundle “y”", "OLM “v2”"} {
		p.want(message + ".includes(" + quote(word) + ")")
	}
	p.want(`document.querySelector("#facts h3").textContent === "harbour"`)
	p.hash("p=harbour&from=harbour.v0.8.0&to=harbour.v2.0.1")
	p.want(`document.querySelector("#message").hidden`)
	p.want(`document.querySelector("#path-result .verdict").textContent.includes("has no entry")`)
}

func testDark(p *tab) {
	ground := `getComputedStyle(document.body).backgroundColor`
	box := `getComputedStyle(document.querySelector("#e2-0 rect")).fill`
	prefer := func(scheme string) {
		p.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
	}
	prefer("light")
	p.want(ground + ` === "rgb(255, 255, 255)" && ` + box + ` === "rgb(255, 255, 255)"`)
	prefer("dark")
	p.want(ground + ` === "rgb(20, 24, 29)" && ` + box + ` === "rgb(32, 38, 45)"`)
	p.want(`document.querySelector("#theme").ariaPressed === "true"`)
	p.click("#theme")
	p.want(ground + ` === "rgb(255, 255, 255)" && ` + box + ` === "rgb(255, 255, 255)"`)
	prefer("light")
	p.click("#theme")
	p.want(ground + ` === "rgb(20, 24, 29)" && ` + box + ` === "rgb(32, 38, 45)"`)
	p.hash("p=buoy")
	p.want(`getComputedStyle(document.querySelector("#stage rect:last-of-type")).stroke === "rgb(153, 153, 153)"`)
	p.do(emulation.SetEmulatedMedia().WithMedia("print"))
	p.want(ground + ` === "rgb(255, 255, 255)"`)
}

func testPhone(p *tab) {
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	p.want(`document.documentElement.scrollWidth <= 390`)
	drawer := `document.querySelector("#drawer").getBoundingClientRect()`
	p.want(drawer + `.right <= 0`)
	p.click("#drawer-button")
	p.want(drawer + `.left === 0 && document.activeElement.id === "search"`)
	p.click("[data-package=buoy] .package-link")
	p.want(drawer + `.right <= 0 && document.querySelector("#package-name").textContent === "buoy"`)
	p.hash("")
	p.want(`document.querySelector("#overview table") && document.documentElement.scrollWidth <= 390`)
}

func testPrint(p *tab) {
	p.do(emulation.SetEmulatedMedia().WithMedia("print"))
	shown := func(selector string) string {
		return fmt.Sprintf("document.querySelector(%s).checkVisibility()", quote(selector))
	}
	for _, gone := range []string{"#drawer", "#theme", ".zoom", "#path-form", ".tabs", "#keys"} {
		p.want("!" + shown(gone))
	}
	p.want(shown("#stage svg") + " && " + shown("#facts"))
	p.want(`document.querySelector("#stage svg").getBoundingClientRect().width <= document.querySelector("#stage").clientWidth`)
	p.want(`document.querySelector("#facts").innerText.includes("1.4.0 leaks memory")`)
}

// TestPagePicture opens a page with a picture as it is drawn for people.
func TestPagePicture(t *testing.T) {
	browser := newBrowser(t)
	page := pageOf(t, "../testdata/catalogs/harbour")
	at := slices.IndexFunc(page.Packages, func(p PagePackage) bool { return p.Atlas.Package.Name.Value == "harbour" })
	shown := &page.Packages[at]
	var err error
	if shown.SVG, err = os.ReadFile("../testdata/pictures/harbour.svg"); err != nil {
		t.Fatal(err)
	}
	page.OLM = graph.V1
	p := newTab(t, browser, pageFile(t, page), "#p=harbour")
	for c, g := range shown.Atlas.Graphs {
		for _, i := range g.Entries() {
			p.want(fmt.Sprintf(`document.querySelector("#stage #e%d-%d.node[role=button]")`, c, i))
		}
	}
	p.want(`document.querySelector("input[value=v1]").checked`)
	p.hover("#e2-0")
	p.want(ids("near-out") + ` === "e2-1"`) // by itself OLM v1 does not go on to what is deprecated
	fill := `getComputedStyle(document.querySelector("#e2-0 path")).fill`
	light := get[string](p, fill)
	p.click("#theme")
	p.want(fill + ` !== ` + quote(light))
	p.hash("p=harbour&c=stable&from=harbour.v1.0.0&to=harbour.v2.0.1&olm=v0")
	p.want(ids("way") + ` === "e2-0 e2-1 e2-2 e2-4"`)
	p.want(`document.querySelectorAll("#stage .edge.way").length === 3 && !document.querySelector("#stage .added")`)
}

// TestPageEmpty opens a page of packages of which little is known, and nothing is drawn.
func TestPageEmpty(t *testing.T) {
	browser := newBrowser(t)
	text := func(s string) catalogs.Text { return catalogs.Text{Value: s} }
	page := &Page{Title: "little"}
	for _, channels := range [][]*catalogs.Channel{nil, {{Name: text("none")}}, {{Name: text(""), Entries: []catalogs.Entry{{Name: text("")}, {Name: text("")}}}}} {
		p := &catalogs.Package{Name: text(fmt.Sprintf("p%d", len(page.Packages))), Channels: channels}
		page.Packages = append(page.Packages, PagePackage{Atlas: graph.AtlasOf(p)})
	}
	p := newTab(t, browser, pageFile(t, page), "")
	p.want(`document.querySelectorAll("#overview tbody tr").length === 3`)
	for _, hash := range []string{"p=p0", "p=p0&b=x&from=&to=", "p=p1&c=none", "p=p2&c=", "p=p2&b=&from=&to=&olm=v1"} {
		p.hash(hash)
		p.want(`document.querySelector("#stage").textContent.includes("no picture")`)
	}
	p.want(`document.querySelector("#path-result .verdict").textContent.startsWith("Nothing to do")`)
}

// TestPageStrangers opens a page in which every name is a stranger's: each must stay text.
func TestPageStrangers(t *testing.T) {
	browser := newBrowser(t)
	const evil = `</script></template></style><img src=x onerror=alert(1)>`
	const other = "<!--<script>\u2028\u202e'\"`${alert(1)}&lt;"
	path := strangersPath(evil, other, evil+other)
	pos := path.Atlas.Package.Channels[0].Entries[0].Name.Pos
	finding := lint.Finding{Rule: evil, Severity: lint.Error, Subject: lint.Subject{Package: evil + other, Bundle: evil}, Pos: pos, Message: evil, Cure: other}
	page := &Page{Title: evil, Packages: []PagePackage{{Atlas: path.Atlas, SVG: sketch(path.Atlas)}}, Findings: []lint.Finding{finding}}
	p := newTab(t, browser, pageFile(t, page), "")
	p.want(`document.querySelector("#package-name").textContent.startsWith(` + quote(evil) + `)`)
	p.click("#e0-0")
	p.want(`document.querySelector("#facts h3").textContent === ` + quote(evil))
	p.click("#e0-0", shifted)
	p.click("#e0-1", shifted)
	p.want(`document.querySelector("#path-result .verdict").textContent.includes("1 upgrade")`)
	p.want(`!document.querySelector("img") && document.scripts.length === 2`)
	p.want(`document.title.includes(` + quote(evil) + `)`)
	p.want(`!document.body.innerText.includes("\u202e")`)
}

// TestPagePaths asks the page for the path between any two entries of every channel, and holds its answers against those
// of graph.Ask.
func TestPagePaths(t *testing.T) {
	browser := newBrowser(t)
	for _, ref := range []string{"../testdata/catalogs/harbour", "../testdata/catalogs/stuck", tangle(t)} {
		page := pageOf(t, ref)
		p := newTab(t, browser, pageFile(t, page), "")
		for _, shown := range page.Packages {
			p.hash("p=" + shown.Atlas.Package.Name.Value)
			for _, g := range shown.Atlas.Graphs {
				comparePaths(p, shown.Atlas, g)
			}
		}
	}
}

// pageStep is an upgrade as the page tells it.
type pageStep struct {
	From, To, Kind, Value, File string
	Line                        int
	Automatic                   bool
}

func comparePaths(p *tab, a *graph.Atlas, g *graph.Graph) {
	var names []string
	for _, i := range g.Entries() {
		names = append(names, g.Name(i))
	}
	list, _ := json.Marshal(names)
	answers := get[map[string]*[]pageStep](p, fmt.Sprintf(`(() => {
		const names = %s, answers = {};
		for (const olm of ["v0", "v1"]) for (const from of names) for (const to of names)
			answers[olm + " " + from + " " + to] = olmgraph.way(%s, from, to, olm) ?? null;
		return answers;
	})()`, list, quote(g.Channel.Name.Value)))
	if want := 2 * len(names) * len(names); len(answers) != want {
		p.t.Errorf("%d answers, not %d", len(answers), want)
	}
	for _, olm := range []graph.Resolver{graph.V0, graph.V1} {
		for _, from := range names {
			for _, to := range names {
				answer := a.Ask(graph.Question{Channel: g, From: from, To: to, OLM: olm, Limit: 1})
				question := olm.String() + " " + from + " " + to
				if diff := cmp.Diff(askedSteps(answer), answers[question]); diff != "" {
					p.t.Errorf("%s in %s: %s", question, g.Channel.Name.Value, diff)
				}
			}
		}
	}
}

// askedSteps returns the only way of an answer, or nil.
func askedSteps(answer *graph.Answer) *[]pageStep {
	if len(answer.Ways) == 0 {
		return nil
	}
	steps := []pageStep{}
	for _, s := range answer.Ways[0] {
		where := s.Edge.Where
		steps = append(steps, pageStep{From: s.From, To: s.To, Kind: s.Edge.Kind.String(), Value: where.Value, File: where.Pos.File,
			Line: where.Pos.Line, Automatic: s.Automatic})
	}
	return &steps
}

// tangle writes a catalog of a package whose channels have edges at random, skipRanges among them, the same ones each time.
func tangle(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	versions := []string{"1.0.0", "1.1.0", "1.1.0+2", "1.2.0", "2", "2.0.0", "2.1.0-rc.1", "2.1.0"}
	name := func(i int) string { return fmt.Sprintf("t.v%d", i) }
	var b strings.Builder
	b.WriteString("schema: olm.package\nname: t\ndefaultChannel: c0\n")
	for c := range 12 {
		fmt.Fprintf(&b, "---\nschema: olm.channel\npackage: t\nname: c%d\nentries:\n", c)
		for i := range versions {
			fmt.Fprintf(&b, "- name: %s\n", name(i))
			if i > 0 {
				fmt.Fprintf(&b, "  replaces: %s\n", name(max(0, i-1-random.IntN(2))))
			}
			if random.IntN(3) == 0 {
				fmt.Fprintf(&b, "  skips: [%s, %s]\n", name(random.IntN(len(versions))), name(random.IntN(len(versions))))
			}
			if random.IntN(3) == 0 {
				fmt.Fprintf(&b, "  skipRange: '>=1.%d.0 <2.%d.0'\n", random.IntN(3), random.IntN(2))
			}
		}
	}
	for i, v := range versions {
		fmt.Fprintf(&b, "---\nschema: olm.bundle\npackage: t\nname: %s\nimage: i\nproperties:\n"+
			"- {type: olm.package, value: {packageName: t, version: '%s'}}\n", name(i), v)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "catalog.yaml"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}
