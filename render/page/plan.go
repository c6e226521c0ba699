package page

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// planData is the data of the template plan.html. All its strings have passed text.Safe.
type planData struct {
	Title    string
	Policy   template.HTML // a meta element
	Style    template.CSS
	Script   template.JS
	Key      string // of the steps: the browser stores under it which are done
	Reached  string
	Notes    []string
	Blockers []planBlocker
	Columns  []planColumn
	Warnings []string
	Steps    int
}

type planBlocker struct{ What, First, Gain string }

// planColumn is what is done at a version of OpenShift.
type planColumn struct {
	OpenShift string
	Steps     []planStep
}

type planStep struct {
	Number   int
	What     string
	Upgrades []string
	Freezes  []string
	Commands []planCommand
}

type planCommand struct{ Purpose, Text string }

// PlanHTML writes a page of a plan without external resources: what blocks, and the steps to tick off, with their commands.
func PlanHTML(w io.Writer, p *plan.Plan) error {
	t, err := template.ParseFS(pageFiles, "plan.html")
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	style, err := pageStyle("plan.css")
	if err != nil {
		return err
	}
	script, err := joinScripts([]string{"theme.js", "plan.js"})
	if err != nil {
		return err
	}
	d := &planData{Title: text.Safe(wording.PlanHeading(p)), Policy: policy(script), Style: style, Script: template.JS(script),
		Reached: p.Reached.String(), Notes: safeTexts(wording.PlanNotes(p)), Steps: len(p.Steps)}
	d.addBlockers(p)
	d.addSteps(p)
	return t.Execute(w, d)
}

func (d *planData) addBlockers(p *plan.Plan) {
	for i := range p.Blockers {
		b := &p.Blockers[i]
		said := wording.Blocker(b)
		d.Blockers = append(d.Blockers, planBlocker{text.Safe(said.What), text.Safe(said.First), text.Safe(wording.BlockerGain(b, p))})
	}
	for i := range p.Warnings {
		d.Warnings = append(d.Warnings, text.Safe(p.Warnings[i].Message))
	}
}

func (d *planData) addSteps(p *plan.Plan) {
	key := sha256.New()
	for i := range p.Steps {
		s := &p.Steps[i]
		if i == 0 || s.Minor != p.Steps[i-1].Minor {
			d.Columns = append(d.Columns, planColumn{OpenShift: s.Minor.String()})
		}
		column := &d.Columns[len(d.Columns)-1]
		one := planStep{Number: i + 1, What: text.Safe(wording.PlanStep(s)), Upgrades: safeTexts(wording.PlanUpgrades(s)), Freezes: safeTexts(wording.StepFreezes(s))}
		for _, c := range wording.StepCommands(s).All() {
			one.Commands = append(one.Commands, planCommand{c.Purpose, text.Safe(c.Text)})
		}
		column.Steps = append(column.Steps, one)
		fmt.Fprintf(key, "%q %q\n", one.What, one.Upgrades)
	}
	d.Key = "olmgraph-plan-" + hex.EncodeToString(key.Sum(nil)[:12])
}

func safeTexts(all []string) []string {
	return words.Map(all, text.Safe)
}
