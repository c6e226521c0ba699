package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// PlanFormats returns the formats of the plan of a cluster.
func PlanFormats() []text.Format[*plan.Plan] {
	return []text.Format[*plan.Plan]{
		{Name: "text", Write: PlanText},
		{Name: "json", Write: text.Unstyled(clusterPlanJSON)},
		{Name: "markdown", Write: text.Unstyled(planMarkdown)},
	}
}

// PlanText writes the steps by OpenShift version, and what blocks.
func PlanText(w io.Writer, p *plan.Plan, style text.Style) error {
	t := text.NewWriter(w, style)
	t.Wrapped("", "  ", text.Styled(wording.PlanHeading(p), text.Heading))
	for _, line := range wording.PlanNotes(p) {
		t.Wrapped("  ", "  ", text.Styled(line, text.Warning))
	}
	blockersText(t, p)
	if len(p.Blockers) > 0 && len(p.Steps) > 0 {
		t.Line("")
		t.Wrapped("", "  ", text.Styled(fmt.Sprintf("steps to OpenShift %s", p.Reached), text.Heading))
	}
	at := plan.Minor(0)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Minor != at {
			at = s.Minor
			t.Line("")
			t.Wrapped("", "  ", text.Styled("OpenShift "+at.String(), text.Heading))
		}
		t.Wrapped(fmt.Sprintf("  %d. ", i+1), "     ", text.Plain(wording.PlanStep(s)))
		for _, said := range wording.PlanUpgrades(s) {
			t.Wrapped("       ", "         ", text.Plain(said))
		}
	}
	for i := range p.Warnings {
		if i == 0 {
			t.Line("")
			t.Wrapped("", "  ", text.Styled("warnings", text.Heading))
		}
		t.Wrapped("  - ", "    ", text.Styled(wording.PlanWarning(&p.Warnings[i]), text.Warning))
	}
	return t.Flush()
}

// blockersText writes what blocks, and what to do first.
func blockersText(t *text.Writer, p *plan.Plan) {
	for i := range p.Blockers {
		b := &p.Blockers[i]
		if i == 0 || b.OfOpenShift() != p.Blockers[i-1].OfOpenShift() {
			t.Line("")
			t.Wrapped("", "  ", text.Styled(wording.Blocks(b), text.Heading))
		}
		said := wording.Blocker(b)
		t.Wrapped("  - ", "    ", text.Styled(said.What, text.Error))
		t.Wrapped("    ", "    ", text.Plain("first: "+said.First))
		if gain := wording.BlockerGain(b, p); gain != "" {
			t.Wrapped("    ", "    ", text.Styled(gain, text.Faint))
		}
	}
}

// planMarkdown writes a runbook to tick off.
func planMarkdown(w io.Writer, p *plan.Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", text.Markdown(wording.PlanHeading(p)))
	for i, line := range wording.PlanNotes(p) {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- %s\n", text.Markdown(line))
	}
	for i := range p.Blockers {
		said := wording.Blocker(&p.Blockers[i])
		if i == 0 || p.Blockers[i].OfOpenShift() != p.Blockers[i-1].OfOpenShift() {
			fmt.Fprintf(&b, "\n## %s\n\n", wording.Blocks(&p.Blockers[i]))
		}
		fmt.Fprintf(&b, "- %s. First: %s", text.Markdown(said.What), text.Markdown(said.First))
		if gain := wording.BlockerGain(&p.Blockers[i], p); gain != "" {
			fmt.Fprintf(&b, " (%s)", text.Markdown(gain))
		}
		b.WriteByte('\n')
	}
	at := plan.Minor(0)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Minor != at {
			at = s.Minor
			fmt.Fprintf(&b, "\n## OpenShift %s\n\n", at)
		}
		fmt.Fprintf(&b, "- [ ] %d\\. %s\n", i+1, text.Markdown(wording.PlanStep(s)))
		for _, said := range wording.PlanUpgrades(s) {
			fmt.Fprintf(&b, "  - [ ] %s\n", text.Markdown(said))
		}
	}
	for i := range p.Warnings {
		if i == 0 {
			b.WriteString("\n## Warnings\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", text.Markdown(wording.PlanWarning(&p.Warnings[i])))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
