package render

import (
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// TestPullNext: the folder is one word of the command.
func TestPullNext(t *testing.T) {
	var b strings.Builder
	if err := (&Pull{Out: "my bundles", Stored: 1}).Text(&b, text.Style{Width: 80}); err != nil || !strings.Contains(b.String(), "--bundles 'my bundles'\n") {
		t.Errorf("%s%v", b.String(), err)
	}
}

// TestCommandsAreInert: names that are none, and texts that would end a quotation, make no command.
func TestCommandsAreInert(t *testing.T) {
	for _, test := range []struct {
		namespace, name, channel string
		commands                 int
	}{
		{"sea", "boat", "stable", 1}, {"sea", "boat", "a$(b)`c`", 1}, {"sea", "boat", "a'b", 0},
		{"sea;rm", "boat", "stable", 0}, {"sea", "boat x", "stable", 0}, {"sea", "--all", "stable", 0}, {"sea", strings.Repeat("a", 254), "stable", 0},
		{"sea", "", "stable", 0}, {"sea", "Boat", "stable", 0}, {"sea", "boat", "a\nb", 1},
	} {
		step := plan.Step{Kind: plan.SwitchChannel, Namespace: test.namespace, Subscription: test.name, To: test.channel}
		all := wording.StepCommands(&step).All()
		if len(all) != test.commands {
			t.Errorf("%+v: %+v", test, all)
		}
		for _, c := range all {
			if strings.Contains(c.Text, "\n") || strings.Count(c.Text, "'") != 2 {
				t.Errorf("%q", c.Text)
			}
		}
		d := cluster.Decision{Namespace: test.namespace, About: &cluster.Approval{Plan: &resolve.Plan{Approve: []string{test.name}}}}
		if all := wording.Decision(&d).Commands; test.commands == 0 && test.channel == "stable" && len(all) > 0 {
			t.Errorf("%+v: %+v", test, all)
		}
	}
	for _, namespace := range []string{"sea", "sea;rm"} {
		step := plan.Step{Kind: plan.UpgradeOperators, Approve: true, Namespace: namespace}
		approval := cluster.Decision{Namespace: namespace, About: &cluster.Approval{Plan: &resolve.Plan{Manual: []string{"boat"}}}}
		for _, all := range [][]wording.Command{wording.StepCommands(&step).All(), wording.Decision(&approval).Commands} {
			if len(all) > 0 != (namespace == "sea") {
				t.Errorf("%s: %+v", namespace, all)
			}
		}
	}
}
