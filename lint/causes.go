package lint

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// maxTakenBack bounds how many changes of a package are taken back in turn. In a package with more, findings stay where their rules report
// them, but for those of which a template is the cause.
const maxTakenBack = 32

// atCauses moves findings to the changes that cause them: each change of a package since the base is taken back on a copy, which is linted
// again. What is gone then is one finding, if it is at least a warning, mostly at the change, and with the first fix to restore what was.
func (o *Options) atCauses(ctx context.Context, cats []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	known := map[string]*trials{}
	for _, c := range cats {
		i := slices.IndexFunc(o.Base, func(p compare.Pair) bool { return p.Now == c })
		if i < 0 || c.Template != nil && c.Template.IsGenerated() {
			continue
		}
		for _, now := range c.Packages {
			x := &causeSearch{ctx: ctx, options: o, pair: &o.Base[i], now: now, base: basePackage(&o.Base[i], now.Name.Value)}
			var err error
			if all, err = x.explain(all, known); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// basePackage returns a package as the base has it, or else the base's catalog for another OpenShift version.
func basePackage(pair *compare.Pair, name string) *catalogs.Package {
	for _, c := range append([]*catalogs.Catalog{pair.Base}, pair.Elsewhere...) {
		if c != nil && c.Package(name) != nil {
			return c.Package(name)
		}
	}
	return nil
}

// causeSearch searches the causes of the findings in a package.
type causeSearch struct {
	ctx       context.Context
	options   *Options
	pair      *compare.Pair
	now, base *catalogs.Package
	needed    map[string]bool
}

// trials have the faults of a package as it is, and without each change: nil if a change cannot be taken back without harm.
type trials struct {
	now     faultCounts
	without []faultCounts
}

// concerns reports whether a finding can be caused by the changes that are taken back.
func (x *causeSearch) concerns(f *Finding) bool {
	return f.Catalog == x.pair.Now.Name && f.Package == x.now.Name.Value && f.Suppressed == "" && f.part <= Deprecations && !f.Unchecked.AlwaysReported()
}

// explain moves the findings in the package to their causes.
func (x *causeSearch) explain(all []Finding, known map[string]*trials) ([]Finding, error) {
	x.needed = map[string]bool{}
	serious := false
	var drifts []*Finding
	for i := range all {
		f := &all[i]
		switch {
		case x.concerns(f):
			x.needed[f.Rule] = true
			serious = serious || f.Severity >= Warning
		case f.Catalog == x.pair.Now.Name && f.Package == x.now.Name.Value && f.Suppressed == "" && f.Drifted != nil:
			drifts = append(drifts, f)
		}
	}
	changes := x.changes()
	if !serious || len(changes)+len(drifts) == 0 {
		return all, nil
	}
	tried, err := x.tryOnce(changes, known)
	if err != nil {
		return nil, err
	}
	made, err := x.remade(drifts)
	if err != nil {
		return nil, err
	}
	folded, taken := map[*Finding]bool{}, map[*Finding]bool{}
	groups := x.byCauses(all, changes, tried, made, drifts)
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		groups[key].addUpgrades(x, all, taken)
		groups[key].fold(x, folded)
	}
	kept := make([]Finding, 0, len(all))
	for i := range all {
		if !folded[&all[i]] {
			kept = append(kept, all[i])
		}
	}
	return kept, nil
}

// byCauses groups findings by the changes without which they are gone; those that are gone from what is made of templates again by drifts.
func (x *causeSearch) byCauses(all []Finding, changes []*graph.SingleChange, tried *trials, made faultCounts, drifts []*Finding) map[string]*caused {
	drifted := &caused{drifts: drifts}
	groups := map[string]*caused{"": drifted}
	for i := range all {
		f := &all[i]
		if !x.concerns(f) {
			continue
		}
		causes := tried.findCauses(f)
		if len(causes) == 0 {
			if made != nil && len((&trials{now: tried.now, without: []faultCounts{made}}).findCauses(f)) > 0 {
				drifted.findings = append(drifted.findings, f)
			}
			continue
		}
		key := fmt.Sprint(causes)
		if groups[key] == nil {
			groups[key] = &caused{}
			for _, n := range causes {
				groups[key].by = append(groups[key].by, changes[n])
			}
		}
		groups[key].findings = append(groups[key].findings, f)
	}
	return groups
}

// changes returns the changes to take back: none if there are too many.
func (x *causeSearch) changes() []*graph.SingleChange {
	if x.base == nil || !x.base.IsDefined() {
		return nil
	}
	changes := graph.SingleChanges(x.base, x.now)
	if !x.pair.Now.Editable() { // what registry add removes is no change of the author's
		changes = slices.DeleteFunc(changes, func(c *graph.SingleChange) bool {
			return c.Part == graph.EntryPart && x.now.Bundle(c.Name) != nil || c.Part == graph.NewReplaces && x.otherHead(c)
		})
	}
	if len(changes) > maxTakenBack {
		return nil
	}
	return changes
}

// otherHead reports whether the head that a new bundle should replace is not the head in the catalog of another OpenShift version that gets
// the bundle: it has one replaces for all of them.
func (x *causeSearch) otherHead(c *graph.SingleChange) bool {
	return slices.ContainsFunc(x.options.Base, func(p compare.Pair) bool {
		if p.Base == nil || p.Now.Form != x.pair.Now.Form || p.Now.OpenShift == "" {
			return false
		}
		now, base := p.Now.Package(x.now.Name.Value), p.Base.Package(x.now.Name.Value)
		return now != nil && base != nil && now.Bundle(c.Name) != nil && slices.ContainsFunc(c.Channels, func(name string) bool {
			ch := base.Channel(name)
			if ch == nil {
				return false
			}
			g := graph.New(base, ch)
			head, ok := g.Head()
			return ok && g.Name(head) != c.Was[0]
		})
	})
}

// remade returns the faults of the package once its template has made it again; nil if that is not why it drifts.
func (x *causeSearch) remade(drifts []*Finding) (faultCounts, error) {
	if len(drifts) == 0 {
		return nil, nil
	}
	for _, p := range drifts[0].Drifted.Template.Packages {
		if p.Name.Value == x.now.Name.Value {
			counts, _, err := x.faults(p)
			return counts, err
		}
	}
	return nil, nil
}

// tryOnce takes the changes back in turn, unless that is known of a package that another catalog has alike.
func (x *causeSearch) tryOnce(changes []*graph.SingleChange, known map[string]*trials) (t *trials, err error) {
	u := unit{catalog: x.pair.Now, pkg: x.now, base: x.pair.Base}
	if u.base != nil {
		u.basePkg = u.base.Package(x.now.Name.Value)
	}
	like, shared := u.samePackage(x.options.catalogConfig(x.pair.Now.Name))
	shared = shared && u.basePkg == x.base
	key := fmt.Sprint(like, x.needed)
	if shared && known[key] != nil {
		return known[key], nil
	}
	t = &trials{}
	if t.now, _, err = x.faults(x.now); err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return t, nil
	}
	was, _, err := x.faults(x.base)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		var without faultCounts
		p, replaced := c.TakeBack(x.now), append(slices.Clone(c.Is), c.Name)
		if !graph.Harms(x.now, p, replaced...) || !graph.Harms(x.base, p, replaced...) {
			var serious faultCounts
			if without, serious, err = x.faults(p); err != nil {
				return nil, err
			}
			for print := range serious {
				if t.now[print] == 0 && was[print] == 0 {
					without = nil
					break
				}
			}
		}
		t.without = append(t.without, without)
	}
	known[key] = t
	return t, nil
}

// faults lints the package as it might be, with the rules that are needed, and counts the faults, and those that are no infos.
func (x *causeSearch) faults(p *catalogs.Package) (counts, serious faultCounts, err error) {
	c := x.pair.Now.WithPackage(p)
	o := x.options.nestedOptions()
	o.needed, o.Progress, o.same = x.needed, nil, nil
	o.Packages, o.ForgetCatalogs = []string{p.Name.Value}, false
	o.Base = []compare.Pair{{Now: c, Base: x.pair.Base, Changed: o.Packages}}
	l := NewLinter(o)
	found, err := l.options.runRulesOn(x.ctx, []*catalogs.Catalog{c})
	counts, serious = faultCounts{}, faultCounts{}
	for i := range found {
		counts.add(&found[i])
		if found[i].Severity >= Warning {
			serious.add(&found[i])
		}
	}
	return counts, serious, err
}

// findCauses returns the change without which a finding is gone, or else the first ones without which each of its faults is.
func (t *trials) findCauses(f *Finding) []int {
	prints := f.fingerprints()
	var some []int
	left := slices.Clone(prints)
	for n, without := range t.without {
		gone := func(print string) bool { return without != nil && without[print] < t.now[print] }
		if without != nil && !slices.ContainsFunc(prints, func(print string) bool { return !gone(print) }) {
			return []int{n}
		}
		if slices.ContainsFunc(left, gone) {
			some = append(some, n)
			left = slices.DeleteFunc(left, gone)
		}
	}
	if len(left) > 0 {
		return nil
	}
	return some
}

// caused are findings that are gone without some changes.
type caused struct {
	by       []*graph.SingleChange
	drifts   []*Finding // instead of by: that the catalog is not what its template makes
	findings []*Finding
}

// fold makes the worst of the findings one about all of them, at the change.
func (g *caused) fold(x *causeSearch, folded map[*Finding]bool) {
	slices.SortStableFunc(g.findings, func(a, b *Finding) int { return b.rank() - a.rank() })
	if len(g.findings) == 0 || g.findings[0].Severity < Warning {
		return
	}
	f := g.findings[0]
	g.addOthers(f, folded)
	if len(g.drifts) > 0 {
		g.atDrift(f)
		return
	}
	if !slices.ContainsFunc(g.by, func(c *graph.SingleChange) bool { return !f.reports(c) }) {
		return
	}
	var texts, fixes []string
	for _, c := range g.by {
		fixes = append(fixes, describeRestore(c))
		if !contains(f.Changes, changedParts(c)) {
			texts = append(texts, describe(c, x.now))
		}
		if !slices.ContainsFunc(f.Related, func(r Related) bool { return r.Pos == c.BasePos }) {
			f.Related = append(slices.Clip(f.Related), Related{Pos: c.BasePos, Message: "as it was"})
		}
	}
	if pos := g.by[0].Pos(f.Channel); pos.IsKnown() && pos != f.Pos {
		f.Related = append([]Related{{Pos: f.Pos, Message: "what it affects"}}, f.Related...)
		f.Pos, f.Field = pos, Field{}
	}
	if len(texts) > 0 {
		f.Message = strings.Join(texts, ", and ") + ": " + f.Message
	}
	first := strings.Join(fixes, "; and ")
	switch {
	case f.Restores:
		first = f.Fix
	case f.Skipper != "" && !(g.by[0].Part == graph.SkipsPart && g.by[0].Name == f.Skipper): // which is not what restoring does
		first += "; or " + f.Fix
	}
	f.Fix, f.Edits, f.Suggested = first, nil, nil
}

// addOthers makes the other findings details of the worst one.
func (g *caused) addOthers(f *Finding, folded map[*Finding]bool) {
	for _, other := range slices.Concat(g.findings[1:], g.drifts) {
		f.Details = append(slices.Clip(f.Details), Related{Pos: other.Pos, Message: other.Message})
		folded[other] = true
	}
	for _, c := range g.by {
		f.changed = append(f.changed, changedParts(c)...)
	}
}

// addUpgrades adds the findings about the contents of bundles that are about an upgrade which a changed edge has made, and that no other group has.
func (g *caused) addUpgrades(x *causeSearch, all []Finding, taken map[*Finding]bool) {
	for i := range all {
		f := &all[i]
		if !taken[f] && f.Catalog == x.pair.Now.Name && f.Package == x.now.Name.Value && f.Suppressed == "" && f.part == Contents &&
			slices.ContainsFunc(g.by, func(c *graph.SingleChange) bool {
				return (c.Part == graph.ReplacesPart || c.Part == graph.NewReplaces) && len(c.Is) > 0 && f.Bundle == c.Name && f.From == c.Is[0]
			}) {
			g.findings = append(g.findings, f)
			taken[f] = true
		}
	}
}

// atDrift moves a finding to where the catalog is not what its template makes.
func (g *caused) atDrift(f *Finding) {
	made := g.drifts[0].Drifted
	maker, with := "its template "+made.Name+" makes", ""
	if t := made.Template.Template; t.IsGenerated() { // the version of opm decides what it makes
		maker, with = fmt.Sprintf("opm %s makes of its template %s", t.OPM, made.Name), " with opm "+t.OPM.String()
	}
	f.Message = fmt.Sprintf("unlike what %s, %s", maker, f.Message)
	f.Fix, f.Edits = "run make catalogs in operators/"+made.Operator+with, nil
	for _, d := range g.drifts {
		if i := slices.IndexFunc(d.Related, func(r Related) bool { return r.Pos.File == f.Pos.File }); i >= 0 && d.Related[i].Pos != f.Pos {
			f.Related = append([]Related{{Pos: f.Pos, Message: "what it affects"}}, f.Related...)
			f.Pos, f.Field = d.Related[i].Pos, Field{}
			return
		}
	}
}

// reports reports whether the rule of a finding reports the change itself, which is often intended, and says what to do about it.
func (f *Finding) reports(c *graph.SingleChange) bool {
	return f.ofChanges && contains(f.Changes, changedParts(c))
}

// changedParts returns what a change changes, as the faults of drift name it: PART/NAME.
func changedParts(c *graph.SingleChange) (all []string) {
	part, names := c.Part.String(), []string{c.Name}
	switch c.Part {
	case graph.DefaultChannelPart:
		return []string{"default/default"}
	case graph.EntryName:
		part, names = "entry", slices.Concat(c.Was, c.Is)
	case graph.BundleName:
		part, names = "bundle", slices.Concat(c.Was, c.Is)
	case graph.ChannelPart:
		names = slices.Concat(c.Was, c.Is)
	}
	for _, name := range names {
		all = append(all, part+"/"+name)
	}
	return all
}

// changes reports whether the changes that cause a finding change all in which a template differs from a catalog.
func (f *Finding) changes(faults []string) bool {
	return len(f.changed) > 0 && !slices.ContainsFunc(faults, func(fault string) bool {
		parts := strings.Split(fault, "/") // the kind, the part, and at the end the name
		return !slices.Contains(f.changed, parts[1]+"/"+parts[len(parts)-1])
	})
}

// rank orders findings with one cause: the worst first, of these what rejects the catalog.
func (f *Finding) rank() int {
	rank := 2 * int(f.Severity)
	if f.Gates&GateOPM != 0 {
		rank++
	}
	return rank
}

// contains reports whether all has each of some.
func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
}

// describe says what has changed.
func describe(c *graph.SingleChange, now *catalogs.Package) string {
	was, is := words.QuoteSome(c.Was), words.QuoteSome(c.Is)
	if c.Part == graph.ReplacesPart && is != "" && now.Bundle(c.Is[0]) == nil {
		is += ", which is not in the package,"
	}
	change := func(verb string) string {
		switch {
		case is == "":
			return fmt.Sprintf("%q no longer %s %s", c.Name, verb, was)
		case was == "":
			return fmt.Sprintf("%q now %s %s", c.Name, verb, is)
		}
		return fmt.Sprintf("%q now %s %s instead of %s", c.Name, verb, is, was)
	}
	switch c.Part {
	case graph.DefaultChannelPart:
		return fmt.Sprintf("the default channel is now %s, not %s", is, was)
	case graph.ReplacesPart:
		return change("replaces")
	case graph.SkipsPart:
		return change("skips")
	case graph.SkipRangePart:
		return change("has the skipRange")
	case graph.VersionPart:
		return change("has the version")
	case graph.NewReplaces:
		return fmt.Sprintf("%q is new, and does not replace %s", c.Name, was)
	case graph.ChannelPart:
		if is != "" {
			return fmt.Sprintf("channel %s is now called %s", was, is)
		}
		return fmt.Sprintf("channel %s is removed", was)
	case graph.BundlePart:
		return fmt.Sprintf("the bundle %s is removed", was)
	case graph.EntryName:
		return fmt.Sprintf("the entry %s is now called %s", was, is)
	case graph.BundleName:
		return fmt.Sprintf("the bundle %s is now called %s", was, is)
	}
	if is != "" {
		return fmt.Sprintf("%s is moved from channel %s to %s", was, words.QuoteSome(c.Channels), is)
	}
	return fmt.Sprintf("%s is removed from channel %s", was, words.QuoteSome(c.Channels))
}

// describeRestore says how a change is taken back.
func describeRestore(c *graph.SingleChange) string {
	field := func(key string) string {
		if len(c.Was) == 0 {
			return fmt.Sprintf("remove %s: %s from %q again", key, strings.Join(c.Is, ", "), c.Name)
		}
		return fmt.Sprintf("restore %s: %s of %q", key, strings.Join(c.Was, ", "), c.Name)
	}
	switch c.Part {
	case graph.DefaultChannelPart:
		return fmt.Sprintf("restore %s: %s", c.Part, strings.Join(c.Was, ""))
	case graph.ReplacesPart, graph.SkipsPart, graph.SkipRangePart, graph.VersionPart:
		return field(c.Part.String())
	case graph.NewReplaces:
		return fmt.Sprintf("write replaces: %s, the head before", c.Was[0])
	case graph.ChannelPart:
		return "restore channel " + words.QuoteSome(c.Was)
	case graph.EntryName, graph.BundleName:
		return fmt.Sprintf("restore name: %s", c.Was[0])
	}
	return fmt.Sprintf("restore the %s %s", c.Part, words.QuoteSome(c.Was))
}
