package diagram

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// planOf is a plan of some operators from 4.14 to 4.16 that reaches 4.15: each is switched and upgraded, and the first one blocks.
func planOf(operators int, name string) *plan.Plan {
	p := &plan.Plan{From: 14, To: 16, Reached: 15, Exact: true, Unknown: []plan.Minor{15}}
	p.Steps = []plan.Step{{Kind: plan.PauseWorkers, Minor: 14}, {Kind: plan.UpgradeOpenShift, Minor: 15, From: "4.14", To: "4.15"}}
	for i := range operators {
		pkg := fmt.Sprintf("%s%d", name, i)
		p.Operators = append(p.Operators, plan.Operator{Namespace: name, Package: pkg, Channel: name, Name: pkg + ".v1.0.0", Version: "1.0.0"})
		p.Steps = append(p.Steps, plan.Step{Kind: plan.SwitchChannel, Minor: 15, Namespace: name, Package: pkg, From: name, To: name + "2"},
			plan.Step{Kind: plan.UpgradeOperators, Minor: 15, Namespace: name, Approve: true, Upgrades: []plan.Upgrade{
				{Package: pkg, From: pkg + ".v1.0.0", To: pkg + ".v1.1.0", FromVersion: "1.0.0", ToVersion: "1.1.0"},
				{Package: pkg, From: pkg + ".v1.1.0", To: pkg + ".v2.0.0", FromVersion: "1.1.0", ToVersion: "2.0.0"}}})
	}
	p.Blockers = []plan.Blocker{{Kind: plan.MaxOpenShift, Minor: 16, Namespace: name, Package: name + "0", Operator: name + "0.v2.0.0", Limit: "4.15"}}
	return p
}

// TestPlanLanes looks at the lanes of a plan: every cell has the versions of its column, numbered as the steps are.
func TestPlanLanes(t *testing.T) {
	p := planOf(2, "quay")
	d := Plan(p, 9)
	var said []string
	for _, g := range d.Groups {
		said = append(said, g.Title)
		for rank, cells := range g.cells {
			for row, n := range cells {
				if n != nil {
					said = append(said, fmt.Sprintf("%d/%d %s %q", row, rank, n.Name, n.Lines))
				}
			}
		}
	}
	want := []string{
		"OpenShift 4.14", `0/0 start ["1: pause the workers"]`, `1/0 1.0.0 ["channel quay"]`, `2/0 1.0.0 ["channel quay"]`,
		"OpenShift 4.15, not all catalogs given", `0/0 2: update to 4.15 ["workers are not updated"]`,
		`1/0 2.0.0 ["3: switch to channel quay2" "4: approve, 2 upgrades"]`, `2/0 2.0.0 ["5: switch to channel quay2" "6: approve, 2 upgrades"]`,
		"OpenShift 4.16, not reached", `0/0 not reached []`, `1/0 allows OpenShift 4.15 at most []`,
	}
	if got := strings.Join(said, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	kinds := map[EdgeKind]int{}
	for _, e := range d.Edges {
		kinds[e.Kind]++
	}
	if kinds[Manual] != 3 || kinds[BlockedUpgrade] != 2 || kinds[Unchanged] != 3 {
		t.Errorf("edges %v", kinds)
	}
}

// TestPlanIsReduced leaves out the operators that matter least, and says so.
func TestPlanIsReduced(t *testing.T) {
	p := planOf(30, "quay")
	p.Operators = append(p.Operators, plan.Operator{Namespace: "quay", Package: "idle", Name: "idle.v1.0.0", Version: "1.0.0"})
	for most, left := range map[int]string{31: "", 30: "1 operator is left out", 1: "30 operators are left out"} {
		d := Plan(p, most)
		if len(d.Nodes) != most+1 || !strings.Contains(strings.Join(d.Notes, " "), left) || (left == "") == strings.Contains(strings.Join(d.Notes, " "), "left out") {
			t.Errorf("%d: %d lanes, %q", most, len(d.Nodes), d.Notes)
		}
		if names := fmt.Sprint(d.Nodes[1].Name, d.Nodes[len(d.Nodes)-1].Name); most < 31 && strings.Contains(names, "idle") {
			t.Errorf("%d: %s", most, names)
		}
	}
}

// TestPlanIsInert writes names that try to leave their quotes.
func TestPlanIsInert(t *testing.T) {
	for _, name := range []string{`a"]; click x "javascript:1`, "a\nend\ndirection LR", "<script>alert(1)</script>", "a-->b", "\u202etxt", `\\" URL="x`} {
		p := planOf(2, name)
		mermaid := Mermaid(Plan(p, 9))
		var dot bytes.Buffer
		if err := DOT(&dot, Plan(p, 9)); err != nil {
			t.Fatal(err)
		}
		plain := Mermaid(Plan(planOf(2, "quay"), 9))
		if strings.Count(mermaid, "\n") > strings.Count(plain, "\n")+8 || strings.Contains(mermaid, "<script") || strings.Contains(mermaid, "\n direction") ||
			strings.Contains(mermaid, `"]; click`) || strings.ContainsRune(mermaid, '\u202e') || strings.Contains(mermaid, "a-->b") {
			t.Errorf("%q: %s", name, mermaid)
		}
		if strings.Contains(dot.String(), "<script") || strings.ContainsRune(dot.String(), '\u202e') || strings.Contains(dot.String(), ` URL="x`) {
			t.Errorf("%q: %s", name, dot.String())
		}
	}
}

// TestPlanRows checks that OpenShift is at the top of the picture, the lanes are below it in the order of the plan, and each is in one row.
func TestPlanRows(t *testing.T) {
	svg := dependencyPicture(t, graphviz.NewPool(), Plan(planOf(3, "quay"), 9))
	last := math.Inf(-1)
	for row := range 4 {
		at := map[float64]bool{}
		for _, m := range regexp.MustCompile(fmt.Sprintf(`<g id="p\d+-%d-0"[^>]*>(?s:.*?)<(?:text|path|polygon)[^>]* y="(-?[\d.]+)"`, row)).FindAllSubmatch(svg, -1) {
			y, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			at[y] = true
			if y <= last {
				t.Errorf("lane %d is not below the one before: %v, %v", row, y, last)
			}
		}
		if len(at) == 0 {
			t.Fatalf("no lane %d in\n%s", row, svg)
		}
		for y := range at {
			last = max(last, y)
		}
	}
}
