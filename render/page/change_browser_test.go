package page

import (
	"context"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram"
)

// newChangePage makes a page of the change from one catalog to another, with sketches.
func newChangePage(t *testing.T, base, now string) *Page {
	t.Helper()
	pairs := []compare.Pair{{Now: openOne(t, now), Base: openOne(t, base)}}
	if err := pairs[0].Read(context.Background()); err != nil {
		t.Fatal(err)
	}
	d := render.Differences{Pairs: pairs, ByPair: [][]graph.Difference{nil}}
	page := &Page{Title: "new", Catalog: pairs[0].Now, Roots: []string{now, base},
		Command: Command{Catalog: now, Base: base}}
	for _, name := range pairs[0].Changed {
		more, err := graph.Diff(pairs[0].Base.Package(name), pairs[0].Now.Package(name))
		if err != nil {
			t.Fatal(err)
		}
		d.ByPair[0] = append(d.ByPair[0], more...)
		page.Packages = append(page.Packages, changedPackage(t, pairs[0], name))
	}
	page.Change = &Change{Gone: newFindings(t, compare.Pair{Now: pairs[0].Base, Base: pairs[0].Now, Changed: pairs[0].Changed})}
	page.Findings = newFindings(t, pairs[0])
	page.Change.Headline, page.Change.Told = d.Summarize()
	return page
}

func openOne(t *testing.T, ref string) *catalogs.Catalog {
	t.Helper()
	return opentest.Open(t, ref)[0]
}

func newFindings(t *testing.T, pair compare.Pair) []lint.Finding {
	t.Helper()
	found, err := lint.Run(context.Background(), []*catalogs.Catalog{pair.Now}, lint.Options{Rules: rules.All(), Base: []compare.Pair{pair}, OnlyNew: true})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// changedPackage sketches a package after a change and before. The IDs of the picture of both are those of the diagram.
func changedPackage(t *testing.T, pair compare.Pair, name string) Package {
	p := Package{PackageGraph: graph.NewPackageGraph(&catalogs.Package{Name: catalogs.Text{Value: name}}), Removed: true}
	if was := pair.Base.Package(name); was != nil {
		p.Before = &State{PackageGraph: graph.NewPackageGraph(was)}
		p.Before.SVG = draw(p.Before.PackageGraph)
	}
	if now := pair.Now.Package(name); now != nil {
		p.PackageGraph, p.Removed = graph.NewPackageGraph(now), false
		p.SVG = draw(p.PackageGraph)
	}
	if !p.Removed && p.Before != nil {
		both, err := render.ChangeDiagram(pair, name, "old", diagram.UpgradeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.ChangeSVG = sketch(both)
	}
	return p
}

// testPageChange uses the page of a change of one package as a reviewer does. Package tide loses tide.v1.1.0 and channel beta.
func testPageChange(t *testing.T, browser context.Context) {
	file := pageFile(t, newChangePage(t, "../../testdata/catalogs/change/old", "../../testdata/catalogs/change/new"))
	for _, test := range []struct {
		name string
		hash string
		run  func(p *tab)
	}{
		{"overview", "", testChange},
		{"graphs", "#p=tide", testChangeGraphs},
		{"findings", "", testChangeFindings},
		{"deep link", "#p=tide&graph=before&c=beta&b=tide.v1.2.0", testChangeLink},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newTab(t, browser, file, test.hash)) })
	}
}

// testChange reads above the picture who loses upgrades, with a phone, on which the stranded version is in sight.
func testChange(p *tab) {
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	p.want(`document.querySelector("#says").innerText.startsWith("Users on 1.1.0 are stranded.") && document.querySelector("#says").innerText.includes("stranded and removed: 1.1.0 was upgraded to 1.2.0, and now cannot be upgraded")`)
	p.hash("p=tide&graph=after")
	p.hash("p=tide")
	p.want(`(place => place.top > 0 && place.bottom < innerHeight && place.left >= 0 && place.right <= innerWidth)(document.querySelector("#stage .node.removed").getBoundingClientRect())`)
	p.click(`#says a[href$="b=tide.v1.1.0"]`)
	p.want(`document.querySelector("#facts h3").textContent === "tide.v1.1.0" && location.hash.includes("graph=before")`)
	p.do(chromedpBack())
	p.want(`document.querySelector("#facts h3").textContent === "tide"`)
}

// testChangeGraphs looks at a package in the picture of the change, before and after it.
func testChangeGraphs(p *tab) {
	p.want(`document.querySelector("#facts").innerText.includes("stranded and removed: 1.1.0") && document.querySelector("[data-graph=change]").ariaPressed === "true"`)
	p.want(`document.querySelector("#stage .node.removed")`)
	p.want(`document.querySelectorAll("#stage .node.added").length === 2`)
	p.hover("#re1-1")
	p.want(ids("hot") + ` === "re1-1"`)
	p.want(ids("near-out") + ` === "e1-1"`) // before, it upgraded to tide.v1.2.0
	p.click("#re1-1")
	p.want(`document.querySelector("#facts h3").textContent === "tide.v1.1.0" && document.querySelector("[data-graph=before]").ariaPressed === "true"`)
	p.want(`document.querySelector("#facts").innerText.includes("1 upgrade to 1.2.0, the head")`)
	p.click("[data-graph=after]")
	p.want(`document.querySelector("#facts h3").textContent === "tide" && !document.querySelector("#stage .node.removed")`)
	p.click("#e1-0")
	p.want(`document.querySelector("#facts").innerText.includes("1 upgrade to 1.2.1, the head")`)
	p.click("[data-graph=before]")
	p.want(`document.querySelector("#facts h3").textContent === "tide.v1.0.0" && document.querySelector("#facts").innerText.includes("2 upgrades to 1.2.0, the head")`)
}

func testChangeFindings(p *tab) {
	p.want(`document.querySelector("#facts .finding").innerText.startsWith("new: error") && document.querySelector("#facts").innerText.includes("published/bundle-removed")`)
}

func testChangeLink(p *tab) {
	p.want(`document.querySelector("#facts h3").textContent === "tide.v1.2.0" && document.querySelector("#facts .crumb").textContent === "tide / beta"`)
	p.hash("p=tide&graph=never")
	p.want(`document.querySelector("#message").textContent.includes("has no graph “never”")`)
}

// testPageChangePackages opens the page of a change that removes a package and adds one.
func testPageChangePackages(t *testing.T, browser context.Context) {
	page := newChangePage(t, "../../testdata/catalogs/harbour", "../../testdata/catalogs/change/new")
	if !slices.ContainsFunc(page.Change.Gone, func(f lint.Finding) bool { return f.Rule == "graph/stranded" }) {
		t.Fatal("no finding is gone")
	}
	p := newTab(t, browser, pageFile(t, page), "")
	p.want(`document.querySelector("#headline").innerText.startsWith("Users of 2 packages lose upgrades.\n\n2 packages removed") && document.querySelector("[data-package=tide] .mark").textContent === "new"`)
	p.want(`[...document.querySelectorAll("#commands code")].map(c => c.textContent).join() === "olmgraph diff ../../testdata/catalogs/harbour ../../testdata/catalogs/change/new,` +
		`olmgraph lint --new --min-severity info --base ../../testdata/catalogs/harbour ../../testdata/catalogs/change/new"`)
	p.click("[data-filter=lost]")
	p.want(listed + ` === "buoy harbour"`)
	p.hash("p=harbour&c=stable&b=harbour.v1.4.0")
	p.want(`document.querySelector("#facts h3").textContent === "harbour.v1.4.0" && document.querySelector("#graphs").hidden`)
	p.want(`document.querySelector("#facts").innerText.includes("gone: error")`)
	p.hash("p=harbour")
	p.want(`document.querySelector("#facts").innerText.includes("published/package-removed") && document.querySelector("#says").innerText.includes("The package is removed.")`)
	p.hash("p=tide")
	p.want(`document.querySelector("#says").innerText.includes("The package is new.")`)
}

// testPageFolded unfolds versions that one skipRange upgrades to the head: a click or Enter on their node, the button, and what a link to one of them selects.
func testPageFolded(t *testing.T, browser context.Context) {
	p := &catalogs.Package{Name: catalogs.Text{Value: "fan"}, DefaultChannel: catalogs.Text{Value: "c"}, Channels: []*catalogs.Channel{{Name: catalogs.Text{Value: "c"}}}}
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "2.0.0"} {
		b := &catalogs.Bundle{Name: catalogs.Text{Value: "fan.v" + version}, Version: catalogs.Text{Value: version}}
		entry := catalogs.Entry{Name: b.Name, Bundle: b}
		if version == "2.0.0" {
			entry.SkipRange.Value = "<2.0.0"
		}
		p.Bundles, p.Channels[0].Entries = append(p.Bundles, b), append(p.Channels[0].Entries, entry)
	}
	a := graph.NewPackageGraph(p)
	all := diagram.Upgrades(a, diagram.UpgradeOptions{Mode: diagram.All})
	page := &Page{Title: "fan", Packages: []Package{{PackageGraph: a, SVG: sketch(all), FoldedSVG: sketch(diagram.Fold(all))}}}
	file := pageFile(t, page)
	const folded = `document.querySelectorAll("#stage .node").length === 2`
	const unfolded = `document.querySelectorAll("#stage .node").length === 6`
	tab := newTab(t, browser, file, "")
	tab.want(folded + ` && !document.querySelector("#unfold").hidden`)
	tab.click("#stage .node[data-members*=' ']")
	tab.want(unfolded + ` && document.activeElement.id === "e0-0"`)
	tab.click("#unfold")
	tab.want(folded)
	tab.do(chromedpFocus("#stage .node[data-members*=' ']"))
	tab.press("\r")
	tab.want(unfolded)
	tab.click("#unfold")
	tab.want(folded)
	tab.hash("p=fan&c=c&b=fan.v1.2.0")
	tab.want(folded + ` && ` + ids("selected") + ` === "fe0-0"`)
	tab.click("#unfold")
	tab.want(unfolded + ` && ` + ids("selected") + ` === "e0-2"`)
}

// testPageVersionSwitch chooses another OpenShift version, whose catalog lacks a package.
func testPageVersionSwitch(t *testing.T, browser context.Context) {
	page := newPage(t, "../../testdata/catalogs/harbour")
	page.Title, page.Command.Newest, page.Command.All = "catalogs, OpenShift 4.20", "4.20", []string{"4.20", "4.18"}
	for i := range page.Packages {
		if one := &page.Packages[i]; one.PackageGraph.Package.Name.Value == "buoy" {
			one.Others = map[string]*State{"4.18": {PackageGraph: graph.NewPackageGraph(&catalogs.Package{Name: one.PackageGraph.Package.Name})}}
		}
	}
	p := newTab(t, browser, pageFile(t, page), "")
	p.want(`document.querySelector("#versions").value === "4.20" && document.querySelector("#home").textContent === "catalogs"`)
	p.do(chromedp.Evaluate(`document.querySelector("#versions").value = "4.18"; document.querySelector("#versions").dispatchEvent(new Event("change"))`, nil))
	p.want(`document.querySelector("[data-package=buoy] .mark").textContent === "not in 4.18" && location.hash === "#ocp=4.18"`)
	p.click("[data-package=harbour] .package-link")
	p.want(`document.querySelectorAll("#stage .node").length > 3 && document.querySelector("#versions").value === "4.18"`)
}
