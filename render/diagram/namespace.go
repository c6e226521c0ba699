package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/wording"
)

// Namespace returns the diagram of the operators of a namespace in the end and their dependencies or, if OLM cannot resolve the
// namespace, of the conflict.
func Namespace(o *resolve.ResolveReport) *Diagram {
	w := &namespaceBuilder{builder: newBuilder(dependencyKind(), "n"), ResolveReport: o, last: o.Trace.Last}
	w.Title = fmt.Sprintf("namespace %q: %s", w.last.Name, w.outcome())
	w.whatIf()
	w.operators()
	w.requirements()
	w.waiting()
	w.approvals()
	switch {
	case o.Trace.End == resolve.Unresolvable, o.Trace.End == resolve.Undecided:
		w.conflict(o.Trace.Steps[len(o.Trace.Steps)-1])
	default:
		w.blocked()
		w.unplanned()
	}
	if len(w.Nodes) == 0 {
		w.Notes = append(w.Notes, "Nothing is installed in it.")
	}
	w.gather()
	return w.Diagram
}

// gather makes one node of the operators with the same marks that no edge joins to another.
func (w *namespaceBuilder) gather() {
	alone, inside := map[Mark]*Node{}, map[Mark][]string{}
	w.Nodes = slices.DeleteFunc(w.Nodes, func(n *Node) bool {
		if n.Marks&(Subscription|Candidate|Conflicting|Missing) != 0 || slices.ContainsFunc(w.Edges, func(e *Edge) bool { return e.From == n.ID || e.To == n.ID }) {
			return false
		}
		inside[n.Marks] = append(inside[n.Marks], strings.Join(append([]string{n.Name}, n.Lines...), ", "))
		first := alone[n.Marks]
		if first == nil {
			alone[n.Marks] = n
			return false
		}
		first.Name, first.Lines = phrase.Count(len(inside[n.Marks]), "operator"), inside[n.Marks]
		first.Facts = append(first.Facts, n.Facts...)
		return true
	})
	if len(w.Edges) == 0 && len(w.last.Operators()) > 1 {
		w.Notes = append(w.Notes, "No operator in it requires another one.")
	}
}

type namespaceBuilder struct {
	*builder
	*resolve.ResolveReport
	last resolve.Namespace
}

// outcome says in a few words what happens.
func (w *namespaceBuilder) outcome() string {
	c := w.Trace
	steps := len(c.Steps)
	switch {
	case c.End == resolve.Undecided:
		return wording.Undecided
	case c.End == resolve.Unresolvable && steps == 1 && wording.Condition(c.Steps[0]) == "":
		return "OLM does not resolve it, and changes nothing in it"
	case c.End == resolve.Unresolvable && steps == 1:
		return "OLM cannot resolve it, and changes nothing in it"
	case c.End == resolve.Unresolvable:
		return fmt.Sprintf("after %s OLM can no longer resolve it", phrase.Count(steps-1, "step"))
	case c.End == resolve.Loop:
		return "the same steps repeat endlessly"
	case c.End == resolve.Limit:
		return fmt.Sprintf("more than %s", phrase.Count(steps, "step"))
	case steps == 0:
		return "no upgrades"
	}
	return fmt.Sprintf("no more upgrades after %s", phrase.Count(steps, "step"))
}

func (w *namespaceBuilder) whatIf() {
	if w.WhatIf != "" {
		w.Notes = append(w.Notes, w.WhatIf)
	}
	for _, l := range w.Unmet {
		w.Notes = append(w.Notes, fmt.Sprintf("breaks: %s, which requires %s", l.Name, l.Requirement))
	}
}

// origins returns, for each operator in the end, what was installed in its place before; "" if nothing was.
func (w *namespaceBuilder) origins() map[string]string {
	from := map[string]string{}
	for i := range w.Before.Installed {
		from[w.Before.Installed[i].Name] = w.Before.Installed[i].Name
	}
	for _, step := range w.Trace.Steps {
		for i := range step.Installs {
			in := &step.Installs[i]
			if _, there := from[in.Name]; there {
				continue
			}
			if in.Wait != nil {
				from[in.Name] = in.Name // it has not replaced anything yet
				continue
			}
			from[in.Name] = from[in.Replaces]
			delete(from, in.Replaces)
		}
	}
	return from
}

func (w *namespaceBuilder) operators() {
	origins := w.origins()
	for _, o := range w.last.Operators() {
		n := w.node(csvKey(o.Name), o.Name)
		n.Facts = []string{o.Name, "version " + o.Version}
		if o.Package != "" {
			n.Facts = append(n.Facts, "package "+o.Package)
		}
		if !strings.HasSuffix(o.Name, o.Version) {
			n.Lines = append(n.Lines, o.Version)
		}
		switch was := origins[o.Name]; was {
		case o.Name:
		case "":
			n.mark(New, "new")
		default:
			n.mark(Upgraded, "upgraded from "+w.versionOf(was))
		}
		w.owners(n, o.Name)
	}
}

func csvKey(name string) string { return "csv " + name }

// mark adds a mark and a line to a node.
func (n *Node) mark(m Mark, line string) {
	n.Marks |= m
	n.Lines, n.Facts = appendNew(n.Lines, line), appendNew(n.Facts, line)
}

// versionOf returns the version of an operator that was installed, or its name if it has none.
func (w *namespaceBuilder) versionOf(name string) string {
	for _, o := range w.Before.Operators() {
		if o.Name == name && o.Version != "0.0.0" {
			return o.Version
		}
	}
	return name
}

func (w *namespaceBuilder) owners(n *Node, name string) {
	owned := false
	for i := range w.last.Subscriptions {
		sub := &w.last.Subscriptions[i]
		if sub.InstalledCSV == name {
			owned = true
			n.Facts = append(n.Facts, fmt.Sprintf("subscription %q, %s of %s", sub.Name, wording.Channel(sub, "any channel"), sub.Source.Name))
		}
	}
	if !owned {
		n.mark(Unowned, "no subscription owns it")
	}
}

// requirements draws the requirements of installed operators, except those that an operator provides itself.
func (w *namespaceBuilder) requirements() {
	for _, t := range w.last.InstalledRequirements() {
		from := w.node(csvKey(t.Name), t.Name)
		if len(t.Met) == 0 {
			fact := fmt.Sprintf("%s requires %s, which no operator in the namespace meets", t.Name, t.Requirement)
			from.Facts = appendNew(from.Facts, fact)
			w.addEdge(from, w.missing(t.Requirement.String()), 0, "", fact)
			continue
		}
		if slices.Contains(t.Met, t.Operator) {
			continue
		}
		var marks Mark
		if len(t.Met) > 1 {
			marks = OneOfSeveral
		}
		for _, met := range t.Met {
			to := w.node(csvKey(met.Name), met.Name)
			fact := fmt.Sprintf("%s requires %s, which %s meets", t.Name, t.Requirement, met.Name)
			w.addEdge(from, to, marks, requirementLine(t.Requirement), fact)
			from.Facts, to.Facts = appendNew(from.Facts, fact), appendNew(to.Facts, fact)
		}
	}
}

// maxBlockedNotes is the number of blocked operators that are explained in notes; tooltips explain all.
const maxBlockedNotes = 5

// waiting marks operators that do not run, and those that run until they are replaced.
func (w *namespaceBuilder) waiting() {
	for _, wait := range w.last.Waiting() {
		said := wording.Wait(&wait)
		w.Notes = append(w.Notes, wait.Name+" "+said)
		if node := w.nodes[csvKey(wait.Name)]; node != nil {
			node.mark(Blocked, "waits")
			node.Facts = append(node.Facts, said)
		}
		if node := w.nodes[csvKey(wait.Replaces)]; node != nil {
			node.mark(0, wording.Until(&w.last, wait.Replaces, wait.Name))
		}
	}
}

// approvals adds notes on steps that wait for approval.
func (w *namespaceBuilder) approvals() {
	for i, step := range w.Trace.Steps {
		if p := step.Plan; p != nil && p.Waits() {
			w.Notes = append(w.Notes, fmt.Sprintf("Step %d is done%s.", i+1, strings.TrimPrefix(wording.Approval(p), ",")))
		}
	}
}

// unplanned adds notes on missing operators for which OLM creates no InstallPlan.
func (w *namespaceBuilder) unplanned() {
	if w.Trace.Final == nil {
		return
	}
	for i := range w.Trace.Final.Unplanned {
		w.Notes = append(w.Notes, w.Trace.Final.Unplanned[i].Name+" is missing, but OLM creates no InstallPlan for it")
	}
}

// blocked marks blocked operators, and the dependencies that block them.
func (w *namespaceBuilder) blocked() {
	n := 0
	for _, s := range w.Unchanged() {
		node := w.nodes[csvKey(s.Name)]
		if node == nil || !s.Blocked() || s.Wait != nil {
			continue
		}
		said, why := w.whyBlocked(&s)
		node.mark(Blocked, said)
		node.Facts = append(node.Facts, why)
		if n++; n <= maxBlockedNotes {
			w.Notes = append(w.Notes, s.Name+" is blocked: "+why)
		}
		if len(s.Rejected) > 0 {
			w.blockers(node, &s.Rejected[0])
		}
	}
	if n > maxBlockedNotes {
		w.Notes = append(w.Notes, fmt.Sprintf("and %d more are blocked; -o text says why", n-maxBlockedNotes))
	}
}

// whyBlocked says which upgrade of an operator is blocked, and why.
func (w *namespaceBuilder) whyBlocked(s *resolve.Unchanged) (said, why string) {
	if len(s.Rejected) > 0 {
		r := &s.Rejected[0]
		version := r.Version
		if version == "" {
			version = r.Name
		}
		return "blocked from " + version, fmt.Sprintf("not %s: %s", r.Name, wording.Rejection(r))
	}
	return "blocked", fmt.Sprintf("it has no upgrade path to %s in %s", phrase.Or(s.Heads), wording.Channel(s.Subscription, "any channel"))
}

// blockers marks the requirements that block an operator.
func (w *namespaceBuilder) blockers(node *Node, rejected *resolve.Rejection) {
	for i := range rejected.Because {
		reason := &rejected.Because[i]
		from := w.nodes[csvKey(reason.Subject.Name)]
		if reason.Kind != resolve.Requires || from == nil {
			continue
		}
		if e := w.between(from, node); e != nil {
			e.Marks |= Blocks
		}
	}
}
