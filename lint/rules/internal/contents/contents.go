// Package contents runs checks on the contents of bundles, and reports problems that several bundles share once.
package contents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// Contents is a bundle whose contents are checked.
type Contents struct {
	*catalogs.Bundle
	Pass   *lint.Pass
	CSV    *csv.CSV // not nil in checks with WithCSV
	Faults []*fault
}

// fault is a problem in the contents of a bundle.
type fault struct {
	manifest      *bundled.Manifest // nil if the fault is at pos
	path          string
	pos           catalogs.Pos
	bundle        *catalogs.Bundle
	messageFormat string // the message without the names
	finding       lint.Finding
}

// Report adds a fault at a path of the ClusterServiceVersion. The message continues a sentence that begins with the name of the
// bundle. The cause is the path, and the name of an object other than the ClusterServiceVersion; use WithCause to add the names
// of list items. It must not contain the bundle or values that change with each release, since the next bundle often has the same
// fault.
func (c *Contents) Report(path, fix, says string, args ...any) *lint.Finding {
	return c.ReportOn(c.CSV.Manifest, path, fix, says, args...)
}

// ReportOn adds a fault at a path of an object of the bundle.
func (c *Contents) ReportOn(m *bundled.Manifest, path, fix, says string, args ...any) *lint.Finding {
	f := &fault{manifest: m, path: path, bundle: c.Bundle, messageFormat: says}
	f.finding = lint.Finding{Subject: lint.Subject{Bundle: c.Name.Value}, Cause: []string{judge.FieldPath(path)}, Message: fmt.Sprintf(says, args...), Fix: fix}
	if m != nil && m.Kind != csv.Kind {
		f.finding.WithCause(m.Kind, m.Name)
	}
	c.Faults = append(c.Faults, f)
	return &f.finding
}

// ReportAt adds a fault at a position outside of the objects.
func (c *Contents) ReportAt(pos catalogs.Pos, fix, says string, args ...any) *lint.Finding {
	finding := c.ReportOn(nil, "", fix, says, args...)
	c.Faults[len(c.Faults)-1].pos = pos
	return finding
}

// Objects returns the objects that could be parsed.
func (c *Contents) Objects() []*bundled.Manifest { return c.Pass.Judge().Objects(c.Bundle) }

// InAllBundles returns a Check that checks all bundles, for problems that affect users of old bundles too. The same fault in
// several bundles is reported for the newest, of those that are submitted if there are any.
func InAllBundles(check func(*Contents)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		CheckBundles(p, submittedFirst(p, NewestFirst(p)), HeadSet(p), "older bundle", check)
	}
}

// InHeads returns a Check that checks the bundles that are submitted, and the heads of the channels: published bundles cannot be changed,
// and the next ones are made from the heads.
func InHeads(check func(*Contents)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		CheckBundles(p, submittedFirst(p, Heads(p)), nil, "older bundle", check)
	}
}

// InNewAndHeads returns a Check as InHeads, which checks all bundles that the base of a package does not have.
func InNewAndHeads(check func(*Contents)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		added := slices.DeleteFunc(slices.Clone(NewestFirst(p)), func(b *catalogs.Bundle) bool { return p.BasePackage == nil || p.IsPublished(b.Name.Value) })
		CheckBundles(p, find.Distinct(slices.Concat(added, submittedFirst(p, Heads(p)))), nil, "older bundle", check)
	}
}

// SubmittedBundles returns the bundles that the base does not have, newest first; none if there is no base.
func SubmittedBundles(p *lint.Pass) []*catalogs.Bundle {
	if p.BaseCatalog == nil {
		return nil
	}
	return lint.SharedValue[known](p).submitted.Get(p.Package, func() []*catalogs.Bundle {
		return slices.DeleteFunc(slices.Clone(NewestFirst(p)), func(b *catalogs.Bundle) bool { return !p.IsSubmitted(b) })
	})
}

// known caches what many rules ask of a package.
type known struct {
	newest, heads, submitted memo.Map[*catalogs.Package, []*catalogs.Bundle]
	isHead                   memo.Map[*catalogs.Package, map[*catalogs.Bundle]bool]
}

// submittedFirst returns the bundles that are submitted and then those of others that are not.
func submittedFirst(p *lint.Pass, others []*catalogs.Bundle) []*catalogs.Bundle {
	return find.Distinct(slices.Concat(SubmittedBundles(p), others))
}

// CheckBundles checks bundles in order. It reports each fault at the first bundle that has it, with the number of others. A fault
// in one of the heads is distinct from the same fault in older bundles.
func CheckBundles(p *lint.Pass, bundles []*catalogs.Bundle, heads map[*catalogs.Bundle]bool, others string, check func(*Contents)) {
	known := map[string]*faultGroup{}
	var reported []*fault
	for _, b := range bundles {
		c := &Contents{Bundle: b, Pass: p, CSV: p.Judge().CSV(b)}
		check(c)
		seen := map[string]bool{}
		for _, f := range c.Faults {
			group := known[faultKey(p, f)]
			switch {
			case seen[f.finding.Message]:
				continue
			case group == nil:
				known[faultKey(p, f)] = &faultGroup{fault: f, first: b, last: b}
				reported = append(reported, f)
			case group.first == b:
				reported = append(reported, f)
			case group.last != b:
				group.last = b
				group.also = append(group.also, AtBundle(b, f.finding.CRD))
			}
			group = known[faultKey(p, f)]
			group.inHead = group.inHead || heads[b]
			seen[f.finding.Message] = true
		}
	}
	for _, f := range reported {
		if group := known[faultKey(p, f)]; group.fault == f {
			f.finding.Also = group.also
		}
		if known[faultKey(p, f)].inHead {
			MarkInHead(&f.finding)
		}
		p.Report(f.locatedFinding(others))
	}
}

// MarkInHead makes a fault of a head distinct from the same fault of older bundles, since new users get the head.
func MarkInHead(f *lint.Finding) {
	var each []string
	for _, fault := range f.AllFaults() {
		each = append(each, fault, "head/"+fault)
	}
	f.Faults = each
}

// AtBundle returns another place of a problem: a bundle, whose own position is quick to find, and optionally a CRD in it.
func AtBundle(b *catalogs.Bundle, crd string) lint.Occurrence {
	return lint.Occurrence{Subject: lint.Subject{Bundle: b.Name.Value, CRD: crd}, Pos: b.Pos}
}

// faultGroup is a fault that several bundles have.
type faultGroup struct {
	fault  *fault // in the first bundle
	first  *catalogs.Bundle
	last   *catalogs.Bundle  // last bundle that was counted
	also   []lint.Occurrence // in the other bundles
	inHead bool              // one of the bundles is a head
}

// faultKey returns the same key for the same faults. For advice the names in the message do not count: it is reported once per
// package.
func faultKey(p *lint.Pass, f *fault) string {
	if severity := cmp.Or(f.finding.Severity, p.Rule.Severity); severity == lint.Info {
		return f.messageFormat
	}
	return f.finding.Message
}

// locatedFinding returns the finding with the name of the bundle and its position, which is slow to find.
func (f *fault) locatedFinding(others string) lint.Finding {
	found := f.finding
	found.Message = fmt.Sprintf("%q %s%s", f.bundle.Name.Value, found.Message, words.AndMore(len(found.Also), others))
	found.Pos = catalogs.KnownPos(f.pos, f.bundle.Pos)
	if f.manifest == nil {
		return found
	}
	return found.At(f.manifest, f.path)
}

// Heads returns the heads of the channels, newest first; for a package without channels the newest bundle.
func Heads(p *lint.Pass) []*catalogs.Bundle {
	return lint.SharedValue[known](p).heads.Get(p.Package, func() []*catalogs.Bundle { return channelHeads(p.Package, NewestFirst(p), p.Graph) })
}

// HeadSet returns the Heads as a set.
func HeadSet(p *lint.Pass) map[*catalogs.Bundle]bool {
	return lint.SharedValue[known](p).isHead.Get(p.Package, func() map[*catalogs.Bundle]bool { return bundleSet(Heads(p)) })
}

func bundleSet(bundles []*catalogs.Bundle) map[*catalogs.Bundle]bool {
	set := map[*catalogs.Bundle]bool{}
	for _, b := range bundles {
		set[b] = true
	}
	return set
}

// NewestFirst returns the bundles of the package, newest version first. Those without a version come last.
func NewestFirst(p *lint.Pass) []*catalogs.Bundle {
	return lint.SharedValue[known](p).newest.Get(p.Package, func() []*catalogs.Bundle { return newestFirst(p.Package) })
}

func newestFirst(p *catalogs.Package) []*catalogs.Bundle {
	sorted := slices.Clone(p.Bundles)
	slices.SortStableFunc(sorted, func(a, b *catalogs.Bundle) int { return versions.CompareKnown(b, a) })
	return sorted
}

// PublishedHeads returns the Heads of the base; none if it does not have the package.
func PublishedHeads(p *lint.Pass) []*catalogs.Bundle {
	if p.BasePackage == nil {
		return nil
	}
	return channelHeads(p.BasePackage, newestFirst(p.BasePackage), p.BaseGraph)
}

// HadBefore reports whether upgrades to the head of a channel of the base do something. Of a channel that the base does not have all heads count.
func HadBefore(p *lint.Pass, channel string, does func(head *catalogs.Bundle) bool) bool {
	heads := PublishedHeads(p)
	if p.BasePackage != nil && p.BasePackage.Channel(channel) != nil {
		c := p.BasePackage.Channel(channel)
		heads = slices.DeleteFunc(heads, func(b *catalogs.Bundle) bool { return !p.BaseGraph(c).IsHead(b.Name.Value) })
	}
	return len(heads) > 0 && !slices.ContainsFunc(heads, func(b *catalogs.Bundle) bool { return !does(b) })
}

func channelHeads(p *catalogs.Package, sorted []*catalogs.Bundle, graphOf func(*catalogs.Channel) *graph.Graph) []*catalogs.Bundle {
	var heads []*catalogs.Bundle
	for _, c := range p.Channels {
		if i, ok := graphOf(c).Head(); ok {
			heads = append(heads, c.Entries[i].Bundle)
		}
	}
	if len(heads) == 0 {
		return sorted[:min(1, len(sorted))]
	}
	isHead := bundleSet(heads)
	return slices.DeleteFunc(slices.Clone(sorted), func(b *catalogs.Bundle) bool { return !isHead[b] })
}

// WithCSV returns a check that is skipped for bundles without a ClusterServiceVersion. It can be partial, from olm.csv.metadata.
func WithCSV(check func(*Contents)) func(*Contents) {
	return func(c *Contents) {
		if c.CSV != nil {
			check(c)
		}
	}
}

// WithReadableCSV returns a check that is skipped for bundles without a complete ClusterServiceVersion.
func WithReadableCSV(check func(*Contents)) func(*Contents) {
	return func(c *Contents) {
		if c.CSV != nil && !c.CSV.Manifest.Partial {
			check(c)
		}
	}
}

// AnnotationPath returns the path of an annotation.
func AnnotationPath(key string) string { return "metadata.annotations[" + key + "]" }

// InFolder returns a check that is skipped for bundles that are not in a bundle folder, with annotations.
func InFolder(check func(*Contents)) func(*Contents) {
	return func(c *Contents) {
		if f := c.Folder; f != nil && f.AnnotationsPos.IsKnown() {
			check(c)
		}
	}
}

// EachPolicyRule returns a check that calls check for each rule of a role.
func EachPolicyRule(check func(c *Contents, o *judge.ObjectWithRules, path string, r *csv.PolicyRule)) func(*Contents) {
	return func(c *Contents) {
		for _, o := range c.Pass.Judge().ObjectsWithRules(c.Bundle) {
			for i := range o.Rules {
				check(c, &o, fmt.Sprintf("%s[%d]", o.Path, i), &o.Rules[i])
			}
		}
	}
}

// ReportReasons reports what judge finds of the row of a rule.
func ReportReasons(c *Contents) {
	for _, r := range c.Pass.Judge().Find(judge.FindRow(c.Pass.Rule.ID), c.Bundle) {
		tooOld := func(w judge.Condition) bool { return w.Kind == judge.KubernetesBefore && !c.isBefore(w) }
		if !r.NotOnOpenShift() && !slices.ContainsFunc(r.Where, tooOld) { // whoever needs an API of OpenShift is for OpenShift
			c.add(r)
		}
	}
}

// add adds a reason as a fault.
func (c *Contents) add(r *judge.Reason) {
	f := c.ReportOn(r.Manifest, r.Path, r.Fix, "%s", r.Message)
	c.Faults[len(c.Faults)-1].pos, c.Faults[len(c.Faults)-1].messageFormat = r.Pos, r.Format
	f.WithCause(r.Cause...)
	f.Gates, f.WarningGates, f.Faults = r.Gates, r.WarningGates, r.Faults
	f.Severity = map[judge.Weight]lint.Severity{judge.Stops: lint.Error, judge.Endangers: lint.Warning, judge.Notes: lint.Info}[r.Weight]
	for _, d := range r.Details {
		f.Details = append(f.Details, lint.Related{Pos: d.Pos, Message: d.Message})
	}
	for _, where := range r.Where {
		c.condition(f, where)
	}
}

// condition says of a fault that depends on the version of Kubernetes whether the catalog, or the bundle itself, is for such a one.
func (c *Contents) condition(f *lint.Finding, where judge.Condition) {
	target, source := c.Pass.KubeMinor()
	switch where.Kind {
	case judge.KubernetesFrom:
	case judge.KubernetesBefore:
		f.Message += fmt.Sprintf(", but %s is 1.%d: OLM v0 never completes the installation", source, target)
		if mayBeGone(c.Pass) {
			f.Severity = lint.Info
		}
		return
	default:
		return
	}
	least := 0
	if c.CSV != nil {
		if v, ok := versions.ParseMinKubeVersion(strings.TrimSpace(c.CSV.Spec.MinKubeVersion)); ok && v.Major == 1 && v.Minor < 1000 {
			least = int(v.Minor)
		}
	}
	switch gone := where.Minor; {
	case target >= gone:
		f.Message += fmt.Sprintf(", and %s is 1.%d: it cannot be installed", source, target)
	case least >= gone:
		f.Message += fmt.Sprintf(", but needs 1.%d by its minKubeVersion: it cannot be installed", least)
	default:
		f.Message += ": it cannot be installed from that version on"
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
}

// isBefore reports whether the catalog is for a Kubernetes before that of a condition.
func (c *Contents) isBefore(where judge.Condition) bool {
	target, _ := c.Pass.KubeMinor()
	v, _ := versions.ParseMinKubeVersion(where.Name)
	return target > 0 && v.Major == 1 && int(v.Minor) > target
}

// JudgedUpgrades reports what judge finds of the row of a rule in the upgrades of a package, the same change once. An error is a warning, and
// a warning an info, if OLM v0 does not upgrade automatically, and if the new version is published and no head, unless it depends on the cluster. What is
// history is one info.
func JudgedUpgrades(p *lint.Pass) {
	row, same := judge.FindRow(p.Rule.ID), NewFindingGroups(p)
	for _, u := range NewestUpgrades(p) {
		for _, r := range p.Judge().FindBetween(row, u.From, u.To) {
			if r.NotOnOpenShift() && (p.Catalog.OpenShift != "" || p.Catalog.Repository != nil) {
				continue
			}
			f := UpgradeFinding(u, r)
			if row.Gates&judge.GateAdvice == 0 {
				if f.Gates = row.Gates &^ lint.OLMGates(!u.V0, !u.V1); f.Gates == 0 {
					continue
				}
			}
			if p.Rule.Severity > lint.Info && (row.Weight == judge.Stops && !u.V0 || len(r.Where) == 0 && !decides(p, u.To)) {
				f.Severity = p.Rule.Severity - 1
			}
			if why := historyOnly(p, u); why != "" && p.Rule.Severity > lint.Info {
				f.Severity, f.Cause, f.Message = lint.Info, append(lint.OncePerPackage(), "history"), f.Message+"; nobody makes it any more: "+why
				same.Add("history", f)
				continue
			}
			same.AddUnlessHad(strings.Join(slices.Concat(r.Cause, r.Faults, []string{r.Was}), " "), u.Channel, func(head *catalogs.Bundle) bool {
				return slices.ContainsFunc(p.Judge().FindBetween(row, u.From, head), r.SameAs)
			}, f)
		}
	}
	same.Report("upgrade")
}

// UpgradeFinding returns the finding about a reason of an upgrade.
func UpgradeFinding(u *judge.Upgrade, r *judge.Reason) lint.Finding {
	f := lint.Finding{
		Subject: lint.Subject{Channel: u.Channel, Bundle: u.To.Name.Value},
		From:    u.From.Name.Value,
		Cause:   append(lint.OncePerPackage(), r.Cause...), Faults: r.Faults, Fix: r.Fix,
		Message: fmt.Sprintf("the upgrade from %q to %q%s", u.From.Name.Value, u.To.Name.Value, r.Effect()),
	}
	if r.Kind == crd.Kind {
		f.CRD = r.Name
	}
	if r.Old != nil {
		f.Related = []lint.Related{{Pos: r.Old.At(r.OldPath), Message: "before"}}
	}
	return f.At(r.Manifest, r.Path)
}

// NewestUpgrades returns the upgrades of a package in the order in which what several have is told: to what a change adds, or else the newest
// bundle, and from the newest that is upgraded to it.
func NewestUpgrades(p *lint.Pass) (all []*judge.Upgrade) {
	upgrades := p.Judge().Upgrades()
	for i := range upgrades {
		all = append(all, &upgrades[i])
	}
	slices.SortStableFunc(all, func(a, b *judge.Upgrade) int {
		return cmp.Or(AddedFirst(p.BasePackage, a.To, b.To), versions.CompareKnown(b.From, a.From))
	})
	return all
}

// decides reports whether somebody can still change a bundle without more ado: one that the base does not have, or a head.
func decides(p *lint.Pass, b *catalogs.Bundle) bool {
	return p.BaseCatalog != nil && !p.IsPublished(b.Name.Value) ||
		slices.ContainsFunc(p.Package.Channels, func(c *catalogs.Channel) bool { return p.Graph(c).IsHead(b.Name.Value) })
}
