package lint

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// checkDeadlock reports packages that wait for each other, where the first of them is judged.
func checkDeadlock(p *Pass) {
	m := p.dependencyIndex()
	all, err := m.Deadlocks(p.indexes.ctx)
	if err != nil {
		return // Run says why
	}
	for i := range all {
		if hard := all[i].TooHard; len(hard) > 0 && m.catalogs[hard[0].Catalog()] == p.Catalog {
			p.Report(m.limitExceeded(hard))
		}
		if len(all[i].Waiting) == 0 {
			continue
		}
		if first, ok := m.BundleOf(all[i].Waiting[0].Rejected[0].Operator); ok && m.catalogs[first.Catalog()] == p.Catalog {
			p.Report(deadlock(m, &all[i]))
		}
	}
}

// limitExceeded says that nobody looked at the end whether packages wait for each other.
func (m *dependencyIndex) limitExceeded(all []resolve.IndexedBundle) Finding {
	var names []string
	for _, o := range all {
		names = append(names, o.Package())
	}
	f := Finding{Severity: Warning, Subject: Subject{Package: names[0]}, Cause: names, Pos: m.posOfBundle(all[0]),
		Fix: "let their bundles require less of each other, or state each requirement once"}
	f.Message = fmt.Sprintf("whether OLM v0 upgrades %s together was not determined: their requirements of each other exceed the limit of olmgraph",
		allOf(names))
	return f
}

func deadlock(m *dependencyIndex, d *resolve.Deadlock) Finding {
	var names, whys []string
	f := Finding{Fix: "publish a version of one of them that works with the current versions of the others, or skip the versions in between"}
	for i, c := range d.Waiting {
		names = append(names, c.Chosen.Name)
		f.withCauses(c.Subscription)
		next := c.Rejected[0]
		pos, why := m.why(&next)
		whys = append(whys, why)
		if i == 0 {
			f.Subject, f.Pos = Subject{Package: c.Subscription, Bundle: next.Name}, pos
		} else {
			f.Related = append(f.Related, Related{Pos: pos, Message: "the other one"})
		}
	}
	f.Message = fmt.Sprintf("where %s are installed, OLM v0 never upgrades any of them: %s%s",
		allOf(names), strings.Join(whys, "; "), andMore(d.More, "combination of versions"))
	return f
}

// why says what keeps OLM from an upgrade, and where that stands.
func (m *dependencyIndex) why(next *resolve.Rejection) (catalogs.Pos, string) {
	for _, r := range next.Because {
		if r.Kind == resolve.Requires && r.Subject.Name == next.Name {
			return r.Requirement.Pos, fmt.Sprintf("%q requires %s", next.Name, r.Requirement)
		}
	}
	for _, r := range next.Because {
		if r.Kind == resolve.Requires && r.Subject.IsInstalled() {
			return m.posOf(next), fmt.Sprintf("%q does not meet %s, which %q requires", next.Name, r.Requirement, r.Subject.Name)
		}
	}
	return m.posOf(next), fmt.Sprintf("%q conflicts with the others", next.Name)
}

func (m *dependencyIndex) posOf(next *resolve.Rejection) catalogs.Pos {
	o, _ := m.BundleOf(next.Operator)
	return m.posOfBundle(o)
}
