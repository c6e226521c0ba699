package diagram

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/wording"
)

// conflict draws why OLM cannot resolve a namespace.
func (w *namespaceBuilder) conflict(r *resolve.Resolution) {
	if c := wording.Condition(r); c != "" {
		w.Notes = append(w.Notes, c+":")
	}
	for i := range r.Faults {
		w.Notes = append(w.Notes, wording.Fault(&r.Faults[i]))
		w.faultNode(&r.Faults[i])
	}
	if len(r.Conflict) == 0 {
		return
	}
	w.Notes = append(w.Notes, wording.Standstill(w.ResolveReport)...)
	w.Notes = append(w.Notes, "These constraints conflict. Without any one of them, the others can be met:")
	for _, text := range wording.Reasons(r.Conflict) {
		w.Notes = append(w.Notes, "- "+text)
	}
	c := &conflictBuilder{namespaceBuilder: w, members: map[*Node][]string{}}
	for i := range r.Conflict {
		c.reason(&r.Conflict[i])
	}
	c.name()
}

// faultNode draws a fault that prevents OLM from resolving the namespace.
func (w *namespaceBuilder) faultNode(f *resolve.Fault) {
	o := &f.Operator
	what := map[resolve.FaultKind]string{
		resolve.MissingCatalog:     "CatalogSource " + o.Source.Name,
		resolve.UnseenCatalog:      "CatalogSource " + o.Source.Name,
		resolve.EndedPlan:          "InstallPlan " + o.Name,
		resolve.MissingPackage:     "package " + o.Package,
		resolve.MissingChannel:     fmt.Sprintf("channel %q of package %s", o.Channel, o.Package),
		resolve.MissingStartingCSV: "startingCSV " + o.Name,
	}[f.Kind]
	if what != "" {
		sub := w.subscriptionNode(f.Subscription)
		w.has(sub, f.Subscription)
		w.addEdge(sub, w.missing(what, missingReason(f.Kind)...), Conflicting, "wants", wording.Fault(f))
		return
	}
	if f.Kind == resolve.InvalidGroups {
		return // only in the notes
	}
	name := o.Name
	switch {
	case f.Kind == resolve.UnreachableCatalog:
		name = "CatalogSource " + o.Source.Name
	case name == "":
		name = fmt.Sprintf("package %s, channel %q", o.Package, o.Channel)
	}
	w.node(csvKey(name), name).mark(Conflicting, f.Err.Error())
}

// missingReason says in a few words why what a subscription refers to is not available, unless it is missing.
func missingReason(k resolve.FaultKind) []string {
	switch k {
	case resolve.UnseenCatalog:
		return []string{"not considered"}
	case resolve.EndedPlan:
		return []string{"never runs"}
	}
	return nil
}

// has draws what a subscription has installed.
func (w *namespaceBuilder) has(sub *Node, name string) {
	for i := range w.last.Subscriptions {
		s := &w.last.Subscriptions[i]
		if n := w.nodes[csvKey(s.InstalledCSV)]; s.Name == name && n != nil {
			w.addEdge(sub, n, HasInstalled, "has", fmt.Sprintf("subscription %q has %s installed", name, n.Name))
		}
	}
}

// subscriptionNode returns the node of a subscription. Only subscriptions in a conflict are drawn.
func (w *namespaceBuilder) subscriptionNode(name string) *Node {
	n := w.node("subscription "+name, name)
	if n.Marks == 0 {
		n.mark(Subscription, "subscription")
	}
	return n
}

// conflictBuilder draws the constraints of a conflict. Candidates share one node for each package.
type conflictBuilder struct {
	*namespaceBuilder
	members map[*Node][]string // bundles that a node represents
}

func (c *conflictBuilder) nodesOf(operators ...resolve.Operator) []*Node {
	var all []*Node
	for _, o := range operators {
		n := c.nodes[csvKey(o.Name)]
		if n == nil {
			n = c.node("candidates "+o.Package, "package "+o.Package)
			n.Marks |= Candidate
			c.members[n] = appendNew(c.members[n], o.Name)
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// name sets the names of candidate nodes.
func (c *conflictBuilder) name() {
	for _, n := range c.Nodes {
		names := c.members[n]
		switch {
		case len(names) == 0:
			continue
		case len(names) == 1:
			n.Name = names[0]
		default:
			n.Lines = append(n.Lines, names[:min(len(names), maxEdgeLines)]...)
			if more := len(names) - maxEdgeLines; more > 0 {
				n.Lines = append(n.Lines, fmt.Sprintf("and %d more", more))
			}
		}
		n.Facts = append([]string{phrase.And(names)}, n.Facts...)
	}
}

func (c *conflictBuilder) reason(r *resolve.Reason) {
	fact := wording.Reason(r)
	targets := c.nodesOf(r.Operators...)
	switch r.Kind {
	case resolve.Wanted:
		c.lead(c.subscriptionNode(r.Subscription), targets, "can only have", fact)
	case resolve.Requires:
		c.requires(c.nodesOf(r.Subject)[0], targets, r, fact)
	case resolve.Replacement:
		c.lead(c.nodesOf(r.Subject)[0], targets, "replaces", fact)
	case resolve.OnlyPackage:
		c.exclude(targets, "only one operator of package "+r.Package, fact)
	case resolve.OnlyAPI:
		c.exclude(targets, "only one operator for "+r.API.String(), fact)
	case resolve.NotOwned, resolve.Prohibited:
		said := "stays: no subscription owns it"
		if r.Kind == resolve.Prohibited {
			said = "olm.deprecated: never installed"
		}
		n := c.nodesOf(r.Subject)[0]
		n.Lines = slices.DeleteFunc(n.Lines, func(line string) bool { return line == "no subscription owns it" })
		n.mark(Conflicting, said)
	}
}

func (c *conflictBuilder) requires(from *Node, targets []*Node, r *resolve.Reason, fact string) {
	if len(targets) == 0 {
		c.addEdge(from, c.missing(r.Requirement.String()), Conflicting, "", fact)
		return
	}
	c.lead(from, targets, requirementLine(r.Requirement), fact)
}

// lead draws edges from a node to others.
func (c *conflictBuilder) lead(from *Node, targets []*Node, line, fact string) {
	for _, to := range targets {
		if to != from {
			c.addEdge(from, to, Conflicting, line, fact)
		}
	}
}

// exclude joins nodes that exclude each other.
func (c *conflictBuilder) exclude(nodes []*Node, line, fact string) {
	for i := 1; i < len(nodes); i++ {
		from, to := nodes[i-1], nodes[i]
		if c.between(to, from) != nil {
			from, to = to, from
		}
		c.addEdge(from, to, Conflicting|MutuallyExclusive, line, fact)
	}
}
