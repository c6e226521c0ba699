package plan

import (
	"slices"

	"github.com/olmgraph/olmgraph/graph/resolve"
)

// atGoal reports whether a node is where the search ends, and notes what is missing.
func (s *search) atGoal(n *node) bool {
	if n.minor != s.goal.minor {
		return false
	}
	if s.goal.reach {
		return true
	}
	if !s.w.knows(n.minor, n.parts) {
		s.obstacle(Blocker{Kind: UnknownCatalog, Minor: n.minor, Namespace: s.w.base.Name})
		return false
	}
	good, next := true, s.w.next
	if !s.w.relaxed && allPending(n.parts) {
		next = s.w.approved
	}
	for _, p := range n.parts {
		if o := next(p, n.minor); !o.ok {
			s.unresolvable(p, o.resolution, n.minor)
			good = false
		} else if o.moves {
			good = false // it is to be approved, or others keep OLM from it
		}
	}
	if !good {
		return false
	}
	for _, p := range n.parts {
		for i := range p.Subscriptions {
			if sub := &p.Subscriptions[i]; !s.w.atHead(p, sub, n.minor, &s.goal) {
				s.obstacle(Blocker{Kind: NoUpgrade, Minor: n.minor, Namespace: s.w.base.Name, Package: sub.Package, Operator: sub.InstalledCSV,
					Channel: sub.Channel, Source: sub.Source, Limit: s.w.head(sub, n.minor)})
				good = false
			}
		}
	}
	return good
}

// atHead reports whether the operator of a subscription is as new as it has to be: at a head of its channel, or newer than all of them,
// as an operator can be that an earlier catalog had. That of a dependency need not be the newest.
func (w *world) atHead(in *part, sub *resolve.Subscription, m Minor, g *goal) bool {
	if g.any || g.free[sub.Package] || w.isMade(sub) {
		return true
	}
	p := w.content.pkg(sub.Source, m, sub.Package)
	if p == nil {
		return false
	}
	i := slices.IndexFunc(in.Installed, func(o resolve.InstalledOperator) bool { return o.Name == sub.InstalledCSV })
	return slices.Contains(p.heads(sub.Channel), sub.InstalledCSV) || i >= 0 && p.newerThanHeads(sub.Channel, &in.Installed[i])
}

// head returns the head of the channel of a subscription, "" if there is none or several.
func (w *world) head(sub *resolve.Subscription, m Minor) string {
	p := w.content.pkg(sub.Source, m, sub.Package)
	if p == nil {
		return ""
	}
	heads := p.heads(sub.Channel)
	if len(heads) != 1 {
		return ""
	}
	return heads[0]
}

// isMade reports whether OLM has made a subscription for a dependency (OLM: resolver NewSubscriptionStepResource).
func (w *world) isMade(sub *resolve.Subscription) bool { return w.made[sub.Name] || !w.own[sub.Name] }

// unresolvable notes why OLM does not resolve a part.
func (s *search) unresolvable(p *part, r *resolve.Resolution, m Minor) {
	if r == nil {
		return
	}
	for _, b := range s.w.faults(p, r, m) {
		s.obstacle(b)
	}
}

// faults returns why OLM does not resolve a part.
func (w *world) faults(p *part, r *resolve.Resolution, m Minor) []Blocker {
	var all []Blocker
	for i := range r.Faults {
		f := &r.Faults[i]
		b := Blocker{Kind: Unsatisfiable, Minor: m, Namespace: w.base.Name, Package: f.Operator.Package, Operator: f.Operator.Name, Channel: f.Operator.Channel,
			Source: f.Operator.Source, Message: f.Err.Error()}
		switch f.Kind {
		case resolve.InvalidGroups:
			b.Kind = InvalidGroups
		case resolve.MissingCatalog, resolve.UnseenCatalog, resolve.UnreachableCatalog:
			b.Kind, b.Limit = MissingInCatalog, "catalog"
		case resolve.MissingPackage:
			b.Kind, b.Limit = MissingInCatalog, "package"
		case resolve.MissingChannel:
			b.Kind, b.Limit = MissingInCatalog, "channel"
		case resolve.MissingStartingCSV:
			b.Kind, b.Limit = MissingInCatalog, "startingCSV"
		}
		all = append(all, b)
	}
	if len(r.Conflict) > 0 {
		for i := range p.Subscriptions {
			sub := &p.Subscriptions[i]
			all = append(all, Blocker{Kind: Unsatisfiable, Minor: m, Namespace: w.base.Name, Package: sub.Package, Operator: sub.InstalledCSV,
				Channel: sub.Channel, Source: sub.Source})
		}
	}
	return all
}

// unsupported returns how many operators are of a version that lifecycle metadata does not list for the minor version.
func (w *world) unsupported(n *node) int {
	return len(w.warnings(n.minor, n.parts))
}

func (w *world) warnings(m Minor, parts []*part) []Warning {
	var all []Warning
	for _, p := range parts {
		for i := range p.Subscriptions {
			sub := &p.Subscriptions[i]
			k := w.content.at(sub.Source, m)
			if k == nil || k.Lifecycles == nil {
				continue
			}
			for j := range p.Installed {
				if in := &p.Installed[j]; in.Name == sub.InstalledCSV && k.Lifecycles.unsupported(sub.Package, in.Version, m) {
					all = append(all, Warning{Namespace: w.base.Name, Package: sub.Package, Operator: in.Name, Version: in.Version.String(), Minor: m})
				}
			}
		}
	}
	return all
}
