package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/render/wording"
)

// planLine is the number of characters in a line of a plan.
const planLine = 34

// Plan returns the diagram of a plan: a lane for OpenShift and for each operator, and a column for each OpenShift version. It has at most some
// lanes: those of operators that are blocked first, then those with steps. A note says how many are left out.
func Plan(p *plan.Plan, most int) *Diagram {
	b := &planBuilder{Diagram: &Diagram{Kind: planKind(), Title: wording.PlanHeading(p)}, plan: p}
	b.addLanes()
	left := b.leaveOut(most)
	notes := wording.PlanNotes(p)
	if left > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, those without steps first: olmgraph plan shows all steps as text.", phrase.CountOf(left, "operator is", "operators are")))
	}
	for _, note := range notes {
		b.Notes = append(b.Notes, wrapText(note, 110)...)
	}
	for m := p.From; m <= p.To; m++ {
		title := "OpenShift " + m.String()
		if m > p.Reached {
			title += ", not reached"
		} else if slices.Contains(p.Unknown, m) {
			title += ", not all catalogs given"
		}
		b.Groups = append(b.Groups, Group{ID: fmt.Sprintf("c%d", m-p.From), Title: title})
		if m > p.Reached {
			b.Groups[m-p.From].Marks = Unordered
		}
	}
	b.platform()
	for i, l := range b.lanes {
		b.draw(l, i+1)
	}
	return b.Diagram
}

// planBuilder builds the diagram of a plan.
type planBuilder struct {
	*Diagram
	plan  *plan.Plan
	lanes []*lane
}

// lane is an operator in its namespace.
type lane struct {
	namespace, pkg string
	version        string // at the beginning
	channel        string
	installed      bool // at the beginning
	events         []laneEvent
	blockers       []*plan.Blocker
}

// laneEvent is what a step does to an operator.
type laneEvent struct {
	number     int // of the step, from 1
	step       *plan.Step
	upgrades   []plan.Upgrade // none for a switch
	dependency bool
}

// addLanes adds the lanes, by namespace and package.
func (b *planBuilder) addLanes() {
	for i := range b.plan.Operators {
		o := &b.plan.Operators[i]
		l := b.lane(o.Namespace, o.Package)
		l.version, l.channel, l.installed = o.Version, o.Channel, o.Name != ""
	}
	for i := range b.plan.Steps {
		s := &b.plan.Steps[i]
		if s.Package != "" {
			l := b.lane(s.Namespace, s.Package)
			l.events = append(l.events, laneEvent{number: i + 1, step: s})
		}
		for _, u := range s.Upgrades {
			l := b.lane(s.Namespace, u.Package)
			if last := len(l.events) - 1; last >= 0 && l.events[last].number == i+1 {
				l.events[last].upgrades = append(l.events[last].upgrades, u)
				continue
			}
			l.events = append(l.events, laneEvent{number: i + 1, step: s, upgrades: []plan.Upgrade{u}, dependency: u.Dependency})
		}
	}
	for i := range b.plan.Blockers {
		blocker := &b.plan.Blockers[i]
		l := b.lane(blocker.Namespace, blocker.Package)
		l.blockers = append(l.blockers, blocker)
	}
	slices.SortStableFunc(b.lanes, func(x, y *lane) int {
		return strings.Compare(x.namespace+"\x00"+x.pkg, y.namespace+"\x00"+y.pkg)
	})
}

func (b *planBuilder) lane(namespace, pkg string) *lane {
	i := slices.IndexFunc(b.lanes, func(l *lane) bool { return l.namespace == namespace && l.pkg == pkg })
	if i < 0 {
		i = len(b.lanes)
		b.lanes = append(b.lanes, &lane{namespace: namespace, pkg: pkg})
	}
	return b.lanes[i]
}

// leaveOut leaves out lanes until there are at most some, and returns the number of those left out.
func (b *planBuilder) leaveOut(most int) int {
	all := len(b.lanes)
	kept := slices.Clone(b.lanes)
	slices.SortStableFunc(kept, func(x, y *lane) int { return x.rank() - y.rank() })
	kept = kept[:min(most, all)]
	b.lanes = slices.DeleteFunc(b.lanes, func(l *lane) bool { return !slices.Contains(kept, l) })
	return all - len(kept)
}

// rank is how important a lane is: 0 is the most important.
func (l *lane) rank() int {
	switch {
	case len(l.blockers) > 0:
		return 0
	case len(l.events) > 0:
		return 1
	}
	return 2
}

// name is the package of a lane, with its namespace if there are others.
func (b *planBuilder) name(l *lane) string {
	same := !slices.ContainsFunc(b.lanes, func(other *lane) bool { return other.namespace != l.namespace })
	switch {
	case l.pkg == "":
		return "namespace " + l.namespace
	case same:
		return l.pkg
	}
	return l.namespace + "/" + l.pkg
}

// platform adds the lane of OpenShift.
func (b *planBuilder) platform() {
	last := &Node{ID: nodeID(0, 0, 0), Name: "OpenShift", Marks: Operator}
	b.Nodes = append(b.Nodes, last)
	for i := range b.Groups {
		m := b.plan.From + plan.Minor(i)
		n := &Node{Name: "start", Marks: Platform, Facts: []string{b.Groups[i].Title}}
		kind := Manual
		switch {
		case i == 0:
			kind = Unchanged
		case m > b.plan.Reached:
			n.Name, n.Marks, kind = "not reached", Conflicting, BlockedUpgrade
		}
		workers := false
		for j := range b.plan.Steps {
			s := &b.plan.Steps[j]
			if s.Minor != m || s.Namespace != "" {
				continue
			}
			n.Facts = append(n.Facts, fmt.Sprintf("%d. %s", j+1, wording.PlanStep(s)))
			switch s.Kind {
			case plan.UpgradeOpenShift:
				n.Name = fmt.Sprintf("%d: update to %s", j+1, m)
			case plan.ChangeCatalogs:
				n.Lines = append(n.Lines, fmt.Sprintf("%d: catalogs of %s", j+1, m))
			case plan.PauseWorkers:
				n.Lines = append(n.Lines, fmt.Sprintf("%d: pause the workers", j+1))
			case plan.UpgradeWorkers:
				workers = true
				n.Lines = append(n.Lines, fmt.Sprintf("%d: workers from %s to %s", j+1, s.From, s.To))
			}
		}
		if i > 0 && m <= b.plan.Reached && !workers {
			n.Lines = append(n.Lines, "workers are not updated")
		}
		b.place(i, 0, 0, 1+len(b.lanes), n)
		b.Edges = append(b.Edges, &Edge{From: last.ID, To: n.ID, Kind: kind})
		last = n
	}
}

// drawn is the part of a lane that is drawn already.
type drawn struct {
	*planBuilder
	*lane
	row     int
	last    *Node
	version string
	exists  bool // the operator is installed
}

// draw adds a lane: its name, and in each column the versions that it passes there.
func (b *planBuilder) draw(l *lane, row int) {
	d := &drawn{planBuilder: b, lane: l, row: row, version: l.version, exists: l.installed}
	d.last = &Node{ID: nodeID(0, row, 0), Name: b.name(l), Marks: Operator, Facts: []string{fmt.Sprintf("package %s in namespace %q", l.pkg, l.namespace)}}
	b.Nodes = append(b.Nodes, d.last)
	for i := range b.Groups {
		d.column(i)
	}
}

// column adds the nodes of a lane in a column.
func (d *drawn) column(i int) {
	m := d.plan.From + plan.Minor(i)
	rank := 0
	add := func(n *Node, kind EdgeKind) {
		d.place(i, d.row, rank, 1+len(d.lanes), n)
		if d.exists || kind != BlockedUpgrade {
			d.Edges = append(d.Edges, &Edge{From: d.last.ID, To: n.ID, Kind: kind, Facts: n.Facts})
		}
		d.last = n
		rank++
	}
	if n := d.first(); i == 0 && n != nil {
		add(n, Unchanged)
	}
	var lines, facts []string
	for j := range d.events {
		e := &d.events[j]
		if e.step.Minor != m {
			continue
		}
		facts = append(facts, fmt.Sprintf("%d. %s", e.number, wording.PlanStep(e.step)))
		if e.upgrades == nil {
			lines = append(lines, wrapText(fmt.Sprintf("%d: %s", e.number, switchedTo(e.step)), planLine)...)
			continue
		}
		n, kind := d.upgraded(e, lines, facts)
		add(n, kind)
		lines, facts = nil, nil
	}
	switch {
	case lines != nil:
		n := d.unchanged()
		n.Lines, n.Facts, n.Marks = lines, facts, Switched
		add(n, Unchanged)
	case rank == 0 && d.exists && m <= d.plan.Reached:
		add(d.unchanged(), Unchanged)
	}
	if n := d.blocker(m); n != nil {
		add(n, BlockedUpgrade)
	}
}

// first returns the node of what is installed at the beginning; nil if nothing is, and no subscription asks for it.
func (d *drawn) first() *Node {
	switch {
	case d.exists && d.channel != "":
		n := d.unchanged()
		n.Lines = wrapText("channel "+d.channel, planLine)
		return n
	case d.exists:
		return d.unchanged()
	case d.pkg != "" && d.hasSubscription():
		return &Node{Name: "not installed", Marks: Candidate}
	}
	return nil
}

func (d *drawn) hasSubscription() bool {
	return slices.ContainsFunc(d.plan.Operators, func(o plan.Operator) bool { return o.Namespace == d.namespace && o.Package == d.pkg })
}

func (d *drawn) unchanged() *Node {
	return &Node{Name: d.version, Facts: []string{fmt.Sprintf("%s %s", d.pkg, d.version)}}
}

func switchedTo(s *plan.Step) string {
	switch {
	case s.Kind == plan.SwitchChannel:
		return "switch to channel " + s.To
	case s.Channel != "":
		return fmt.Sprintf("change to catalog %s, channel %s", s.To, s.Channel)
	}
	return "change to catalog " + s.To
}

// upgraded returns the node of what an operator is upgraded to. lines and facts are those of switches before it.
func (d *drawn) upgraded(e *laneEvent, lines, facts []string) (*Node, EdgeKind) {
	last := &e.upgrades[len(e.upgrades)-1]
	n := &Node{Name: last.ToVersion, Marks: Passed, Lines: lines, Facts: facts}
	if lines != nil {
		n.Marks = Switched
	}
	said, kind := "automatic", NextReplaces
	if e.step.Approve {
		said, kind = "approve", Manual
	}
	said = fmt.Sprintf("%d: %s", e.number, said)
	if len(e.upgrades) > 1 {
		said += fmt.Sprintf(", %d upgrades", len(e.upgrades))
	}
	n.Lines = append(n.Lines, said)
	for i := range e.upgrades {
		u := &e.upgrades[i]
		switch {
		case u.From == "" && u.Dependency:
			n.Marks = New
			n.Facts = append(n.Facts, u.To+" is installed as a dependency")
		case u.From == "":
			n.Facts = append(n.Facts, u.To+" is installed")
		default:
			n.Facts = append(n.Facts, u.From+" to "+u.To)
		}
	}
	d.version, d.exists = last.ToVersion, true
	return n, kind
}

// blocker returns the node of what blocks an operator at a version of OpenShift; nil if nothing does.
func (d *drawn) blocker(m plan.Minor) *Node {
	n := &Node{Marks: Conflicting}
	for _, b := range d.blockers {
		if b.Minor != m {
			continue
		}
		lines := wrapText(wording.ShortBlocker(b), planLine)
		if n.Name == "" {
			n.Name, lines = lines[0], lines[1:]
		}
		n.Lines = append(n.Lines, lines...)
		said := wording.Blocker(b)
		n.Facts = append(n.Facts, said.What, "first: "+said.First)
	}
	if n.Name == "" {
		return nil
	}
	return n
}
