package plan

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// atGoal reports whether a node is where the search ends, and notes what is missing.
func (s *search) atGoal(n *node) bool {
	if n.minor != s.goal.minor {
		return false
	}
	if s.goal.reach || s.goal.best {
		return true
	}
	if !s.w.hasCatalogs(n.minor, n.parts) {
		s.obstacle(Blocker{Kind: UnknownCatalog, Minor: n.minor, Namespace: s.w.base.Name})
		return false
	}
	good, next := true, s.w.next
	if !s.w.relaxed && allPending(n.parts) {
		next = s.w.installApproved
	}
	for _, p := range n.parts {
		if o := next(p, n.minor); !o.ok {
			s.block(s.w.faults(p, o.resolution, n.minor))
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
			sub := &p.Subscriptions[i]
			if s.w.atHead(p, sub, n.minor, &s.goal) {
				continue
			}
			if good = false; s.w.began[sub.Name] == subscriptionTarget(sub) { // where it is switched to is nothing that the cluster has
				s.obstacle(Blocker{Kind: NoUpgrade, Minor: n.minor, Namespace: s.w.base.Name, Package: sub.Package, Operator: sub.InstalledCSV,
					Channel: sub.Channel, Source: sub.Source, Limit: s.w.head(sub, n.minor), part: p})
			}
		}
	}
	return good
}

// atHead reports whether the operator of a subscription is as new as it has to be: at a head of its channel; or newer than all of them, as an
// operator can be that an earlier catalog had, if the subscription is as it was. That of a dependency need not be the newest.
func (w *world) atHead(in *part, sub *resolve.Subscription, m Minor, g *goal) bool {
	if g.any || g.free[sub.Package] || w.isMade(sub) {
		return true
	}
	p := w.content.pkg(sub.Source, m, sub.Package)
	if p == nil {
		return false
	}
	i := slices.IndexFunc(in.Installed, func(o resolve.InstalledOperator) bool { return o.Name == sub.InstalledCSV })
	return slices.Contains(p.heads(sub.Channel), sub.InstalledCSV) || i >= 0 && w.began[sub.Name] == subscriptionTarget(sub) && p.newerThanHeads(sub.Channel, &in.Installed[i])
}

// rate returns what counts of the state at the end.
func (w *world) rate(n *node, g *goal) (c cost) {
	if !w.resolves(n.parts, n.minor) {
		c[frozen] = w.countOwn(n.parts)
	}
	for _, p := range n.parts {
		for i := range p.Subscriptions {
			sub := &p.Subscriptions[i]
			if w.isMade(sub) {
				continue
			}
			if !w.atHead(p, sub, n.minor, g) {
				c[short]++
			}
			in := find.Pointer(p.Installed, func(o resolve.InstalledOperator) bool { return o.Name == sub.InstalledCSV })
			if first, had := w.versions[sub.Name]; had && in != nil && in.Version.LT(first) {
				c[lowered]++
			}
			if g.best && !g.any {
				c[missed] += w.content.countNewer(sub.Package, in)
			}
		}
	}
	return c
}

// resolves reports whether OLM finds a solution for all parts of which the catalogs are known.
func (w *world) resolves(parts []*part, m Minor) bool {
	return !slices.ContainsFunc(parts, func(p *part) bool { return w.hasCatalogs(m, []*part{p}) && !w.resolvable(p, m) })
}

// countOwn returns how many subscriptions are not made by OLM.
func (w *world) countOwn(parts []*part) (n int) {
	for _, p := range parts {
		for i := range p.Subscriptions {
			if !w.isMade(&p.Subscriptions[i]) {
				n++
			}
		}
	}
	return n
}

// countBehind returns how many heads, of all channels of packages with subscriptions, are newer than what is installed.
func (w *world) countBehind(n *node) int {
	newer := 0
	for _, p := range n.parts {
		for i := range p.Subscriptions {
			sub := &p.Subscriptions[i]
			at := slices.IndexFunc(p.Installed, func(o resolve.InstalledOperator) bool { return o.Name == sub.InstalledCSV })
			if at < 0 || w.isMade(sub) {
				continue
			}
			for _, t := range append(w.targets(sub, n.minor), subscriptionTarget(sub)) {
				for _, v := range w.content.pkg(t.source, n.minor, sub.Package).headVersions(t.channel) {
					if v.GT(p.Installed[at].Version) {
						newer++
					}
				}
			}
		}
	}
	return newer
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

// faults returns why OLM does not resolve a part. There is no Resolution after an error.
func (w *world) faults(p *part, r *resolve.Resolution, m Minor) (all []Blocker) {
	if r == nil {
		return nil
	}
	for i := range r.Faults {
		f := &r.Faults[i]
		ofChannel := f.Kind == resolve.MissingChannel || f.Kind == resolve.UnorderedChannel
		if began, ok := w.began[f.Subscription]; ok && ofChannel && began.channel != f.Operator.Channel {
			continue // it was switched to that
		}
		b := Blocker{Kind: unsatisfiable, Minor: m, Namespace: w.base.Name, Package: f.Operator.Package, Operator: f.Operator.Name, Channel: f.Operator.Channel,
			Source: f.Operator.Source, Message: f.Err.Error(), part: p}
		switch f.Kind {
		case resolve.InvalidGroups:
			b.Kind = InvalidGroups
		case resolve.EndedPlan:
			b.Kind, b.Limit = Hanging, "InstallPlan"
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
			all = append(all, Blocker{Kind: unsatisfiable, Minor: m, Namespace: w.base.Name, Package: sub.Package, Operator: sub.InstalledCSV,
				Channel: sub.Channel, Source: sub.Source, part: p})
		}
	}
	return all
}

// countUnsupported returns how many operators are of a version that lifecycle metadata does not list for the minor version.
func (w *world) countUnsupported(n *node) int {
	return len(w.warnings(n.minor, n.parts))
}

func (w *world) warnings(m Minor, parts []*part) []Warning {
	var all []Warning
	for _, p := range parts {
		for i := range p.Subscriptions {
			sub := &p.Subscriptions[i]
			k := w.content.catalog(sub.Source, m)
			if k == nil {
				continue
			}
			for j := range p.Installed {
				if in := &p.Installed[j]; in.Name == sub.InstalledCSV && IsUnsupported(k.Lifecycles.Find(sub.Package, in.Version), m) {
					all = append(all, NewWarning(m, w.base.Name, sub.Package, graph.InstalledBundle{Name: in.Name, Version: in.Version.String()}))
				}
			}
		}
	}
	return all
}
