package page

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/plan"
)

// hostile is a name that tries to be markup, and a script.
const hostile = `<img src=x onerror="document.title='owned'"></li><script>document.title='owned'</script>`

func planPage(t *testing.T, name string) string {
	t.Helper()
	p := &plan.Plan{From: 14, To: 16, Reached: 15, Exact: true,
		Steps: []plan.Step{{Kind: plan.UpgradeOpenShift, Minor: 15, From: "4.14", To: "4.15"},
			{Kind: plan.UpgradeOperators, Minor: 15, Namespace: name, Approve: true, Upgrades: []plan.Upgrade{{Package: name, From: graph.InstalledBundle{Name: "a", Version: "1.0.0"}, To: graph.InstalledBundle{Name: "b", Version: "2.0.0"}}}}},
		Blockers: []plan.Blocker{{Kind: plan.MaxOpenShift, Minor: 16, Namespace: name, Package: name, Operator: name, Limit: "4.15"}},
		Warnings: []plan.Warning{plan.NewWarning(15, name, name, graph.InstalledBundle{Version: "2.0.0"})}}
	var b bytes.Buffer
	if err := PlanHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "plan.html")
	catalogtest.Write(t, file, b.String())
	return file
}

// testPlanPage ticks steps of a plan off, and looks at the page in the dark and on paper.
func testPlanPage(t *testing.T, browser context.Context) {
	file := planPage(t, "quay")
	p := newTab(t, browser, file, "")
	p.want(`document.querySelectorAll("input[data-step]").length === 2`)
	p.want(`document.querySelectorAll(".plan-steps code")[1].textContent === "oc adm upgrade channel stable-4.15"`)
	p.want(`document.querySelector(".blockers").textContent.includes("allows OpenShift 4.15 at most")`)
	p.click(`input[data-step="2"]`)
	p.want(`document.querySelector("#done").textContent === "1 of 2 done" && document.querySelector("#bar").value === 1`)
	kept := `document.querySelector('input[data-step="2"]').checked && !document.querySelector('input[data-step="1"]').checked`
	for n := 0; n == 0 || n < 50 && !get[bool](p, kept); n++ { // what is stored reaches another process of the browser later
		p.do(chromedp.Sleep(100*time.Millisecond), chromedp.Reload())
	}
	p.want(kept)
	p.click("#clear")
	p.want(`document.querySelector("#done").textContent === "0 of 2 done"`)
	light := get[string](p, "getComputedStyle(document.body).backgroundColor")
	p.click("#theme")
	p.want("getComputedStyle(document.body).backgroundColor !== " + quote(light))
	p.click("#theme")
	p.do(emulation.SetEmulatedMedia().WithMedia("print"))
	p.want(`getComputedStyle(document.querySelector("#theme")).display === "none" && document.querySelector(".plan-steps").offsetHeight > 0`)
	p.want("document.documentElement.scrollWidth <= innerWidth")
	testHostilePlan(t, browser)
}

// testHostilePlan opens a page of hostile names: newTab fails for any request, and for what the policy blocks.
func testHostilePlan(t *testing.T, browser context.Context) {
	t.Helper()
	file := planPage(t, hostile)
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "<img") || strings.Count(string(text), "<script") != 1 {
		t.Fatalf("markup of a name is in the page: %v", err)
	}
	p := newTab(t, browser, file, "")
	p.want(`document.querySelector("#done").textContent === "0 of 2 done"`)
	p.want(`document.querySelectorAll("img").length === 0 && document.scripts.length === 1`)
}
