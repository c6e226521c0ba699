package page

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/rendertest"
)

const listed = `[...document.querySelectorAll("#packages > li")].map(li => li.dataset.package).sort().join(" ")`

// ids returns an expression for the nodes of the picture that have a class.
func ids(class string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#stage .node.%s")].map(n => n.id).sort().join(" ")`, class)
}

// testPage uses pages of small catalogs as readers do. In harbour, channel 2 is stable, with the entries 1.0.0, 1.1.0, 1.4.0,
// 2.0.0, which is skipped, and 2.0.1.
func testPage(t *testing.T, browser context.Context) {
	harbour := pageFile(t, newPage(t, "../../testdata/catalogs/harbour"))
	stuck := pageFile(t, newPage(t, "../../testdata/catalogs/stuck"))
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
		{"deep link", harbour, "#p=harbour&c=stable&b=harbour.v1.0.0", testDeepLink},
		{"unknown names", harbour, "#p=nobody&b=%ZZ%00", testUnknown},
		{"requirements", harbour, "#p=harbour", testRequirements},
		{"enter", harbour, "", testEnter},
		{"filters", harbour, "", testFilters},
		{"findings", harbour, "", testFindings},
		{"commands", harbour, "#p=harbour&c=stable&b=harbour.v1.0.0", testCommands},
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
	for _, search := range [][2]string{{"BUO", "buoy"}, {"harbour.v0.8", "harbour"}, {"1.4.0", "harbour"}, {"harbour 2.0.1", "harbour"}, {"nowhere", ""}} {
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
	p.want(`!document.querySelector("[data-filter=stuck]")`)
	p.click("[data-filter=errors]")
	p.click("[data-filter=olmV1]")
	p.want(listed + ` === "harbour"`)
	p.want(`document.querySelector("#packages .mark-olmV1").textContent === "OLM v1: blocked"`)
	p.click("[data-filter=olmV1]")
	p.want(listed + ` === "buoy harbour"`)
}

// testEnter opens what is searched: a package, a bundle or a channel of that name, or else the first that is found.
func testEnter(p *tab) {
	for _, search := range [][2]string{{"harbour", "#p=harbour"}, {"harbour.v0.8.0", "#p=harbour&b=harbour.v0.8.0"}, {"bridge", "#p=harbour&c=bridge"},
		{"graph/stranded", "#p=harbour&c=stable&b="}, {"harb", "#p=harbour"}, {"leaks", "#p=harbour"}, {"v0.8", "#p=harbour&b=harbour.v0.8.0"}} {
		p.typed("#search", search[0])
		p.press(kb.Enter)
		p.want(`decodeURIComponent(location.hash).startsWith(` + quote(search[1]) + `)`)
	}
	p.typed("#search", "nowhere")
	before := get[string](p, "location.hash")
	p.press(kb.Enter)
	p.want("location.hash === " + quote(before))
}

// testFilters filters all that is shown: the list, counts and findings.
func testFilters(p *tab) {
	totals := `document.querySelector("#totals").innerText`
	p.want(listed + ` === "buoy harbour" && ` + totals + `.includes("6 warnings")`)
	p.click("[data-filter=errors]")
	p.want(listed + ` === "harbour" && ` + totals + `.includes("1 of 2 packages") && ` + totals + `.includes("1 error") && !` + totals + `.includes("warning")`)
	p.want(`!document.querySelector("#packages .mark-warnings") && document.querySelector("[data-filter=errors]").ariaPressed === "true"`)
	p.want(`location.hash === "#severity=error" && document.activeElement.dataset.filter === "errors"`)
	p.want(`document.querySelectorAll("#packages .finding").length === 1 && document.querySelector("#commands .command code").textContent.includes("--min-severity error")`)
	p.click("#packages .package-link")
	p.want(`location.hash === "#p=harbour&severity=error" && document.querySelectorAll("#facts .finding").length === 1 && document.querySelector("#facts").innerText.includes("The filters hide")`)
	p.click("#filter-clear")
	p.want(`location.hash === "#p=harbour" && document.querySelectorAll("#facts .finding").length > 1 && ` + listed + ` === "buoy harbour"`)
	p.hash("rule=catalog/no-csv&gate=advice")
	p.want(`document.querySelector("#filter-rule").value === "catalog/no-csv" && document.querySelector("#filter-gate").value === "advice"`)
	p.do(chromedp.Evaluate("history.back()", nil))
}

// testFindings reads the list: the worst package first, with its findings.
func testFindings(p *tab) {
	p.want(`document.querySelector("#packages > li").dataset.package === "harbour"`)
	p.want(`document.querySelector("#packages > li .finding").innerText.includes("graph/stranded")`)
	p.want(`document.querySelectorAll("#packages > li:nth-child(2) .finding").length === 0`)
	p.click("#packages > li:nth-child(2) summary")
	p.want(`document.querySelectorAll("#packages > li:nth-child(2) .finding").length > 0`)
	p.click(`#packages > li .finding a[href*="p=harbour"]`)
	p.want(`document.querySelector("#package-name").textContent === "harbour"`)
}

// testCommands reads the commands that give the same answers, and copies one.
func testCommands(p *tab) {
	line := `document.querySelector("#facts .command code").textContent`
	p.want(line + ` === "olmgraph path --channel stable --olm v0 'the catalog' harbour harbour.v1.0.0"`)
	p.do(browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeClipboardReadWrite, browser.PermissionTypeClipboardSanitizedWrite}))
	p.click("#facts .command .button")
	p.want(`document.querySelector("#facts .command [role=status]").textContent === "Copied."`)
	var copied string
	p.do(chromedp.Evaluate("navigator.clipboard.readText()", &copied, awaiting))
	if want := get[string](p, line); copied != want {
		p.t.Errorf("%q is copied, want %q", copied, want)
	}
	p.hash("p=harbour&c=stable")
	p.want(`document.querySelector("#facts .command code").textContent === "olmgraph render -o graph.svg 'the catalog' harbour/stable"`)
	p.hash("rule=graph/stranded&gate=olmv0")
	p.want(`document.querySelector("#commands .command code").textContent === "olmgraph lint --min-severity info --only graph/stranded --gate olmv0 'the catalog'"`)
}

func testClick(p *tab) {
	p.click("#e2-2")
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v1.4.0"`)
	facts := get[string](p, `document.querySelector("#facts").innerText`)
	for _, want := range []string{"Version 1.4.0", "1 upgrade to 2.0.1, the head", "1.4.0 leaks memory", ">=1.1.0 <1.4.0", "harbour.v1.1.0",
		"harbour/catalog.yaml:13", "package buoy >=0.2.0", "graph/stranded", "Fix: remove \"harbour.v2.0.0\"", "registry.example/harbour@sha256:"} {
		if !strings.Contains(facts, want) {
			p.t.Errorf("the facts do not say %q:\n%s", want, facts)
		}
	}
	p.want(ids("selected") + ` === "e2-2"`)
	p.click("#e2-0")
	p.want(`document.querySelector("#facts dd").innerText.startsWith("3 upgrades to 2.0.1, the head") && document.querySelectorAll("#facts dd:first-of-type .steps li").length === 3`)
	p.want(`document.querySelector("#facts .steps").innerText.includes('skipRange ">=1.4.0 <2.0.1"') && document.querySelector("#facts .steps").innerText.includes("skips minor versions 1.2 to 1.3")`)
	p.press(kb.Escape)
	p.want(`document.querySelector("#facts h3").textContent === "harbour"`)
	p.want(ids("selected") + ` === ""`)
	facts = get[string](p, `document.querySelector("#facts").innerText`)
	for _, want := range []string{"operator-controller v1.11: harbour.v2.0.1 is blocked.", "requires any of (API Tide.v1.sea.example", "harbour/catalog.yaml:143"} {
		if !strings.Contains(facts, want) {
			p.t.Errorf("the facts of the package do not say %q:\n%s", want, facts)
		}
	}
}

func testStuck(p *tab) {
	p.want(`document.querySelector("#says").innerText.includes("versions are stuck") && document.querySelector("#stage .node.stuck[tabindex='0']")`)
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

// testRequirements follows dependencies: from a package to its provider, and to a bundle.
func testRequirements(p *tab) {
	p.want(`[...document.querySelectorAll("#facts .need")].some(n => n.innerText === "package buoy >=0.2.0 (older versions only)\nprovided by buoy")`)
	p.click(`#facts .need a[href="#p=buoy"]`)
	p.want(`document.querySelector("#facts h3").textContent === "buoy"`)
	p.want(`document.querySelectorAll("#facts .need a[href='#p=harbour']").length === 3`)
	p.hash("p=harbour&c=stable&b=harbour.v1.4.0")
	p.want(`[...document.querySelectorAll("#facts .need")].some(n => n.innerText === "API Buoy.v1.sea.example\nprovided by buoy")`)
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

func testDeepLink(p *tab) {
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v1.0.0"`)
	p.hash("p=harbour&b=harbour.v0.8.0")
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v0.8.0"`)
	p.want(`document.title.startsWith("harbour.v0.8.0")`)
	p.hash("p=buoy")
	p.want(`document.querySelector("#package-name").textContent === "buoy"`)
	p.do(chromedp.Evaluate("history.back()", nil))
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v0.8.0"`)
	p.do(chromedp.Evaluate("history.back()", nil))
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v1.0.0"`)
	p.do(chromedp.Evaluate("history.forward()", nil))
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v0.8.0"`)
}

func testUnknown(p *tab) {
	message := `document.querySelector("#message").textContent`
	p.want(message + `.includes("no package “nobody”")`)
	p.hash("p=harbour&b=%ZZ&c=none")
	for _, word := range []string{"channel “none”", "bundle “%ZZ”"} {
		p.want(message + ".includes(" + quote(word) + ")")
	}
	p.want(`document.querySelector("#facts h3").textContent === "harbour"`)
	p.hash("p=harbour&b=harbour.v0.8.0")
	p.want(`document.querySelector("#message").hidden`)
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
	p.want(ground + ` === "rgb(13, 17, 23)" && ` + box + ` === "rgb(32, 38, 45)"`)
	p.want(`document.querySelector("#theme").ariaPressed === "true"`)
	p.click("#theme")
	p.want(ground + ` === "rgb(255, 255, 255)" && ` + box + ` === "rgb(255, 255, 255)"`)
	prefer("light")
	p.click("#theme")
	p.want(ground + ` === "rgb(13, 17, 23)" && ` + box + ` === "rgb(32, 38, 45)"`)
	p.hash("p=buoy")
	p.want(`getComputedStyle(document.querySelector("#stage rect:last-of-type")).stroke === "rgb(153, 153, 153)"`)
	p.do(emulation.SetEmulatedMedia().WithMedia("print"))
	p.want(ground + ` === "rgb(255, 255, 255)"`)
}

func testPhone(p *tab) {
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	p.want(`document.documentElement.scrollWidth <= 390`)
	drawer := `document.querySelector("#drawer").checkVisibility()`
	p.want("!" + drawer)
	p.click("#views a")
	p.want(drawer + ` && document.documentElement.scrollWidth <= 390`)
	p.click("[data-package=buoy] .package-link")
	p.want("!" + drawer + ` && document.querySelector("#package-name").textContent === "buoy"`)
	width := `document.querySelector("#stage svg").getBoundingClientRect().width`
	before := get[float64](p, width)
	x, y := p.place("#stage")
	touch := func(kind input.TouchType, apart float64, fingers int) {
		points := []*input.TouchPoint{{X: x - apart, Y: y}, {X: x + apart, Y: y}}[:fingers]
		p.do(input.DispatchTouchEvent(kind, points))
	}
	touch(input.TouchStart, 30, 2)
	touch(input.TouchMove, 60, 2)
	touch(input.TouchEnd, 0, 0)
	p.want(fmt.Sprintf("%s > %g", width, before*1.8))
	p.hash("")
	p.want(`document.querySelector("#packages li").checkVisibility() && document.documentElement.scrollWidth <= 390`)
}

func testPrint(p *tab) {
	p.do(emulation.SetEmulatedMedia().WithMedia("print"))
	shown := func(selector string) string {
		return fmt.Sprintf("document.querySelector(%s).checkVisibility()", quote(selector))
	}
	for _, gone := range []string{"#drawer", "#theme", ".zoom", "#keys"} {
		p.want("!" + shown(gone))
	}
	p.want(shown("#stage svg") + " && " + shown("#facts"))
	p.want(`document.querySelector("#stage svg").getBoundingClientRect().width <= document.querySelector("#stage").clientWidth`)
	p.want(`document.querySelector("#facts").innerText.includes("1.4.0 leaks memory")`)
}

// testPagePicture opens a page with a picture as it is drawn for people.
func testPagePicture(t *testing.T, browser context.Context) {
	page := newPage(t, "../../testdata/catalogs/harbour")
	at := slices.IndexFunc(page.Packages, func(p Package) bool { return p.PackageGraph.Package.Name.Value == "harbour" })
	shown := &page.Packages[at]
	var err error
	if shown.SVG, err = os.ReadFile("../../testdata/pictures/harbour.svg"); err != nil {
		t.Fatal(err)
	}
	page.OLM = graph.V1
	p := newTab(t, browser, pageFile(t, page), "#p=harbour")
	for c, g := range shown.PackageGraph.Graphs {
		for _, i := range g.Entries() {
			p.want(fmt.Sprintf(`document.querySelector("#stage #e%d-%d.node[role=button]")`, c, i))
		}
	}
	p.hover("#e2-0")
	p.want(ids("near-out") + ` === "e2-1"`) // OLM v1 does not upgrade automatically to a deprecated bundle
	fill := `getComputedStyle(document.querySelector("#e2-0 path")).fill`
	light := get[string](p, fill)
	p.click("#theme")
	p.want(fill + ` !== ` + quote(light))
	p.hash("p=harbour&c=stable&b=harbour.v1.0.0")
	p.want(`document.querySelectorAll("#stage .edge.near-out").length === 1 && !document.querySelector("#stage .overlay")`)
}

// testPageEmpty opens a page of packages of which little is known, and nothing is drawn.
func testPageEmpty(t *testing.T, browser context.Context) {
	text := func(s string) catalogs.Text { return catalogs.Text{Value: s} }
	page := &Page{Title: "little"}
	for _, channels := range [][]*catalogs.Channel{nil, {{Name: text("none")}}, {{Name: text(""), Entries: []catalogs.Entry{{Name: text("")}, {Name: text("")}}}}} {
		p := &catalogs.Package{Name: text(fmt.Sprintf("p%d", len(page.Packages))), Channels: channels}
		page.Packages = append(page.Packages, Package{PackageGraph: graph.NewPackageGraph(p)})
	}
	p := newTab(t, browser, pageFile(t, page), "")
	p.want(`document.querySelectorAll("#packages > li").length === 3`)
	for _, hash := range []string{"p=p0", "p=p0&b=x", "p=p1&c=none", "p=p2&c=", "p=p2&b="} {
		p.hash(hash)
		p.want(`document.querySelector("#stage").textContent.includes("no picture")`)
	}
}

// testPageVersions opens the picture of a package at several OpenShift versions, and the page of a package that only older ones have.
func testPageVersions(t *testing.T, browser context.Context) {
	page := newPage(t, "../../testdata/catalogs/harbour")
	page.Command = Command{Catalog: "catalogs", Newest: "4.20", Versions: []string{"--ocp", "4.18..4.20"}}
	lanes := []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><style></style><g class="node" id="p1-0-0"><text>1.3.0</text></g></svg>`)
	page.Packages[1].VersionsSVG = lanes
	old := &catalogs.Package{Name: catalogs.Text{Value: "raft"}}
	page.Packages = append(page.Packages, Package{PackageGraph: graph.NewPackageGraph(old), VersionsSVG: lanes})
	p := newTab(t, browser, pageFile(t, page), "")
	p.hash("p=harbour&graph=versions&c=stable&b=harbour.v1.1.0")
	p.want(`document.querySelector("#stage .node").id === "p1-0-0" && !document.querySelector("#stage .fade")`)
	p.click(`#graphs [data-graph="after"]`)
	p.want(`document.querySelector("#stage .node.hot")`)
	p.want(`document.querySelector("#facts .command").textContent.includes("--ocp 4.20")`)
	p.hash("p=raft")
	p.want(`document.querySelector("#stage .node").id === "p1-0-0" && document.querySelector("#facts .command code").textContent === "olmgraph render -o graph.svg --ocp 4.18..4.20 catalogs raft"`)
	p.hash("")
	p.want(`document.querySelector("#packages").textContent.includes("not in 4.20")`)
}

// testPageAlone opens the page of one package: it says what is around it, and has only links to what it shows.
func testPageAlone(t *testing.T, browser context.Context) {
	page := newPage(t, "../../testdata/catalogs/harbour")
	page.Packages = page.Packages[:1]
	page.Command.Packages = []string{"buoy"}
	p := newTab(t, browser, pageFile(t, page), "")
	p.want(`document.querySelector("#facts h3").textContent === "buoy"`)
	p.want(`document.querySelector("#facts .need").innerText.startsWith("harbour: package buoy")`)
	p.want(`!document.querySelector(".need a")`)
	p.want(`document.querySelectorAll("#facts .finding").length === 1`)
}

// testPageUntrustedRequirements opens a page with hostile names in dependencies.
func testPageUntrustedRequirements(t *testing.T, browser context.Context) {
	const evil = `</script></template><img src=x onerror=alert(1)>&p=x#`
	const other = "<!--<script>\u2028\u202e'\"`${alert(1)}&lt;"
	dir := t.TempDir()
	text := ""
	for _, pkg := range []string{evil, other} {
		name, bundle := quote(pkg), quote(pkg+".v1")
		text += fmt.Sprintf("---\n{schema: olm.package, name: %s, defaultChannel: c}\n---\n{schema: olm.channel, package: %s, name: c, entries: [{name: %s}]}\n"+
			"---\n{schema: olm.bundle, package: %s, name: %s, properties: [{type: olm.package, value: {packageName: %s, version: 1.0.0}}, "+
			"{type: olm.package.required, value: {packageName: %s, versionRange: '>0.0.0'}}, {type: olm.gvk.required, value: {group: %s, version: v1, kind: K}}]}\n",
			name, name, bundle, name, bundle, name, quote(evil), name)
	}
	catalogtest.Write(t, dir+"/c.yaml", text)
	p := newTab(t, browser, pageFile(t, newPage(t, dir)), "#p="+url.QueryEscape(other))
	p.want(`document.querySelector("#facts .need")`)
	p.want(`!document.querySelector("img") && document.scripts.length === 2`)
	p.want(`!document.body.innerText.includes("\u202e")`)
	p.hash("p=" + url.QueryEscape(evil))
	p.want(`document.querySelector("#facts h3").textContent === ` + quote(evil))
	p.want(`[...document.querySelectorAll("#facts .need")].some(n => n.innerText.includes("the package itself"))`)
	p.want(`[...document.querySelectorAll("#facts .need")].some(n => n.innerText.includes("not provided by this catalog"))`)
}

// testPageUntrusted opens a page with hostile names: all must remain text.
func testPageUntrusted(t *testing.T, browser context.Context) {
	const evil = `</script></template></style><img src=x onerror=alert(1)>`
	const other = "<!--<script>\u2028\u202e'\"`${alert(1)}&lt;"
	untrusted := rendertest.UntrustedPackage(evil, other, evil+other)
	pos := untrusted.Package.Channels[0].Entries[0].Name.Pos
	finding := lint.Finding{Rule: evil, Severity: lint.Error, Subject: lint.Subject{Package: evil + other, Bundle: evil}, Pos: pos, Message: evil, Fix: other}
	page := &Page{Title: evil, Packages: []Package{{PackageGraph: untrusted, SVG: draw(untrusted)}}, Findings: []lint.Finding{finding}}
	p := newTab(t, browser, pageFile(t, page), "")
	p.want(`document.querySelector("#package-name").textContent.startsWith(` + quote(evil) + `)`)
	p.click("#e0-0")
	p.want(`document.querySelector("#facts h3").textContent === ` + quote(evil))
	p.want(`document.querySelector("#facts .steps li")`)
	p.want(`!document.querySelector("img") && document.scripts.length === 2`)
	p.want(`document.title.includes(` + quote(evil) + `)`)
	p.want(`!document.body.innerText.includes("\u202e")`)
}
