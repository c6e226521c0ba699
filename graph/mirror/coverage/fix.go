package coverage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

// Fix is another image set: one that repairs what is wrong, or, if nothing is, one that mirrors fewer images. It mirrors a later release, and a
// later channel, where the image set does.
type Fix struct {
	Operators []FixedOperator `json:"-"`        // one for each of the image set
	Repairs   bool            `json:"repairs"`  // something is wrong, and only that is changed; else it is smaller
	Exact     bool            `json:"exact"`    // of the packages that are changed there is nothing smaller
	Problems  []string        `json:"problems"` // packages for which there is none, and which stay as they are
	Notes     []string        `json:"notes"`    // what it does not mirror any more, or decides
	Report    *Report         `json:"-"`        // what it leaves
}

// FixedOperator is an operator with other packages.
type FixedOperator struct {
	imageset.Operator
	Changed []string // the packages that are changed or added, in the order of Packages
}

// Changes reports whether it is another image set than there was.
func (f *Fix) Changes() bool {
	return slices.ContainsFunc(f.Operators, func(o FixedOperator) bool { return len(o.Changed) > 0 })
}

// Config returns the operators.
func (f *Fix) Config() []imageset.Operator {
	var all []imageset.Operator
	for i := range f.Operators {
		all = append(all, f.Operators[i].Operator)
	}
	return all
}

// fixer searches a Fix.
type fixer struct {
	*Report
	wrong map[packageAt]bool // to repair; all packages are made smaller if there are none
	must  []requiredProvider
	fix   *Fix
}

// packageAt is a package of a catalog.
type packageAt struct {
	catalog int
	name    string
}

// requiredProvider is one of several bundles that has to be offered in the default channel of a package.
type requiredProvider struct {
	packageAt
	any []string
}

// maxRounds bounds how often packages are repaired or added because of what others leave.
const maxRounds = 20

// Fix repairs what is wrong with the image set, and nothing else; or, if nothing is, it leaves out what nobody needs. The error is the context's,
// or of a source that has changed since it was opened.
func (r *Report) Fix(ctx context.Context) (*Fix, error) {
	f := &fixer{Report: r, wrong: map[packageAt]bool{}}
	repairs := f.addWrong(r) || r.Failed()
	for range maxRounds {
		f.fix = &Fix{Repairs: repairs, Exact: len(f.must) == 0} // other packages may meet a requirement with fewer images
		var operators []imageset.Operator
		for i := range r.Catalogs {
			o := f.operator(i)
			f.fix.Operators = append(f.fix.Operators, o)
			operators = append(operators, o.Operator)
		}
		var whole []*catalogs.Catalog
		for _, c := range r.Catalogs {
			whole = append(whole, c.Whole)
		}
		var err error
		if f.fix.Report, err = of(ctx, r.Config.With(operators), whole, f.like()); err != nil {
			return nil, err
		}
		required := f.require()
		if !f.addWrong(f.fix.Report) && !required {
			break
		}
	}
	return f.fix, nil
}

// addWrong adds the packages of errors, and reports whether there is any new. Of a requirement the provider is added.
func (f *fixer) addWrong(r *Report) bool {
	before := len(f.wrong)
	for i := range r.Findings {
		finding := &r.Findings[i]
		if finding.Severity != Error || finding.Package == "" || finding.Kind == Requirement {
			continue
		}
		for at, c := range r.Catalogs {
			one := packageAt{at, finding.Package}
			if finding.Catalog == "" || finding.Catalog == c.Operator.Catalog.Value {
				f.wrong[one] = true
			}
		}
	}
	return len(f.wrong) > before
}

// like returns a report with the users of the snapshot.
func (f *fixer) like() *Report {
	if f.Cluster == nil {
		return &Report{}
	}
	return f.Report
}

// require adds what packages of the fixed image set require, and reports whether there is anything new.
func (f *fixer) require() bool {
	added := false
	for _, finding := range f.fix.Report.Findings {
		if finding.Kind != Requirement {
			continue
		}
		one := f.provider(finding.providers)
		if one.any != nil && !slices.ContainsFunc(f.must, func(m requiredProvider) bool {
			return m.packageAt == one.packageAt && slices.Equal(m.any, one.any)
		}) {
			f.must, added = append(f.must, one), true
		}
	}
	return added
}

// provider returns the first package whose default channel offers a provider.
func (f *fixer) provider(all *memo.Groups[packageAt, string]) requiredProvider {
	for at, bundles := range all.All() {
		a := f.Catalogs[at.catalog].wholeGraph(at.name)
		g := a.Graph(a.Package.DefaultChannel.Value)
		if g == nil {
			continue
		}
		offered := slices.DeleteFunc(slices.Clone(bundles), func(name string) bool { i, ok := g.Index(name); return !ok || !g.Offers(i) })
		if len(offered) > 0 {
			return requiredProvider{at, offered}
		}
	}
	return requiredProvider{}
}

// operator returns the fixed operator of a catalog.
func (f *fixer) operator(at int) FixedOperator {
	c := f.Catalogs[at]
	fixed := FixedOperator{Operator: *c.Operator}
	if c.Operator.Full.Value != "" && len(c.Operator.Packages) == 0 {
		return fixed // all is mirrored
	}
	fixed.Packages = nil
	items := map[string]*imageset.Package{}
	for i := range c.Operator.Packages {
		p := &c.Operator.Packages[i]
		items[p.Name.Value] = cmp.Or(items[p.Name.Value], p)
	}
	for _, name := range f.packages(at) {
		one, changed := f.fixPackage(at, name, items[name])
		if changed {
			fixed.Changed = append(fixed.Changed, name)
		}
		fixed.Packages = append(fixed.Packages, one)
	}
	switch {
	case len(c.Operator.Packages) > len(fixed.Packages):
		f.note("catalog %s: of a package that is listed twice, the first item stays", c.Operator.Catalog.Value)
	case len(c.Operator.Packages) > 0:
	case len(fixed.Changed) == 0:
		fixed.Packages = nil
	default:
		f.note("catalog %s: all its packages are listed, so a new package is not mirrored", c.Operator.Catalog.Value)
	}
	return fixed
}

func (f *fixer) note(format string, args ...any) {
	f.fix.Notes = append(f.fix.Notes, fmt.Sprintf(format, args...))
}

// packages returns the packages to mirror of a catalog: those of the image set, or all, and those of users and of requirements.
func (f *fixer) packages(at int) []string {
	c := f.Catalogs[at]
	names := phrase.Of(c.Operator.Packages, func(p imageset.Package) string { return p.Name.Value })
	if len(c.Operator.Packages) == 0 {
		for _, p := range c.Whole.Packages {
			if p.Defined() {
				names = append(names, p.Name.Value)
			}
		}
	}
	for _, u := range f.users[at] {
		if c.Whole.Package(u.Package) != nil {
			names = append(names, u.Package)
		}
	}
	for _, m := range f.must {
		if m.catalog == at {
			names = append(names, m.name)
		}
	}
	return find.Distinct(names)
}

// fixPackage returns the item for a package, and whether it is another one than there was.
func (f *fixer) fixPackage(at int, name string, old *imageset.Package) (imageset.Package, bool) {
	c := f.Catalogs[at]
	kept := imageset.Package{Name: catalogs.Text{Value: name, Pos: c.Operator.Catalog.Pos}}
	if old != nil {
		kept = *old
	}
	added := old == nil && len(c.Operator.Packages) > 0
	required := slices.ContainsFunc(f.must, func(m requiredProvider) bool { return m.packageAt == packageAt{at, name} })
	p := c.Whole.Package(name)
	if p == nil || !added && !required && len(f.wrong) > 0 && !f.wrong[packageAt{at, name}] {
		return kept, added
	}
	problem := f.problem(at, p, old)
	if len(problem.channels) == 0 {
		f.fix.Problems = append(f.fix.Problems, fmt.Sprintf("package %q: the catalog has neither its default channel nor one that the image set names", name))
		return kept, added
	}
	item := kept
	if wrong := item.DefaultChannel.Value; p.Channel(wrong) == nil {
		item.DefaultChannel = catalogs.Text{}
	}
	fixed, err := f.solved(item, added, c, problem)
	if err != nil {
		f.fix.Exact = false
		f.fix.Problems = append(f.fix.Problems, err.Error())
		return kept, added
	}
	f.chooseDefault(&fixed, problem)
	if was := kept.DefaultChannel.Value; was != "" && item.DefaultChannel.Value == "" {
		f.note("package %q: defaultChannel %q is removed, since the catalog has no such channel", name, was)
	}
	return fixed, added || !kept.Same(fixed)
}

// solved returns an item with the bounds and channels that a problem needs.
func (f *fixer) solved(item imageset.Package, added bool, c *Catalog, problem *packageProblem) (imageset.Package, error) {
	name := item.Name.Value
	if c.Operator.Full.Value != "" {
		if item.HasBounds() {
			f.note("package %q: its versions are removed, since full: true mirrors all", name)
		}
		if len(item.Channels) == 0 {
			item.Bounds = imageset.Bounds{}
			return item, nil
		}
		return withChannels(item, problem, func(int) imageset.Bounds { return imageset.Bounds{} }), nil
	}
	if len(item.Channels) == 0 && !added {
		if b, ok := problem.solveWhole(item); ok {
			f.noteBounds(fmt.Sprintf("package %q", name), item.Bounds, b)
			item.Bounds = b
			return item, nil
		}
		f.note("package %q: its channels are listed, because no version range fits all of them; a new channel is not mirrored", name)
	}
	s, err := problem.solve()
	if err != nil {
		return item, err
	}
	f.fix.Exact = f.fix.Exact && s.exact
	for i, ch := range problem.channels {
		f.noteBounds(fmt.Sprintf("package %q, channel %q", name, ch.name()), ch.own, s.candidates[i].bounds)
	}
	fixed := withChannels(item, problem, func(i int) imageset.Bounds { return s.candidates[i].bounds })
	b := s.candidates[0].bounds
	other := slices.ContainsFunc(fixed.Channels, func(ch imageset.Channel) bool { return !ch.Bounds.Same(b) })
	switch {
	case other:
	case added && len(fixed.Channels) == len(problem.pkg.Channels) && (len(fixed.Channels) == 1 || b.Min.Value != b.Max.Value):
		fixed.Bounds, fixed.Channels = b, nil
	case item.Set():
		fixed.Bounds = b
		for i := range fixed.Channels {
			fixed.Channels[i].Bounds = imageset.Bounds{}
		}
	}
	return fixed, nil
}

// noteBounds says that a maxVersion is removed.
func (f *fixer) noteBounds(of string, old, now imageset.Bounds) {
	if old.Max.Value != "" && now.Max.Value == "" {
		f.note("%s: maxVersion %s is removed, since no head is left with it", of, old.Max.Value)
	}
}

// chooseDefault sets defaultChannel if the default channel is not mirrored: to the channel with the newest head.
func (f *fixer) chooseDefault(item *imageset.Package, p *packageProblem) {
	if len(item.Channels) == 0 {
		return
	}
	if p.index(cmp.Or(item.DefaultChannel.Value, p.pkg.DefaultChannel.Value)) >= 0 {
		return
	}
	if item.DefaultChannel = (catalogs.Text{Pos: item.Name.Pos}); p.index(p.pkg.DefaultChannel.Value) >= 0 {
		return
	}
	newest := slices.MaxFunc(p.channels, func(a, b *channelProblem) int { return graph.CompareVersions(a.targetVersion(), b.targetVersion()) })
	item.DefaultChannel.Value = newest.name()
	f.note("package %q: defaultChannel is %q, because the image set is larger with the default channel %q, which is not mirrored", item.Name.Value, item.DefaultChannel.Value, p.pkg.DefaultChannel.Value)
}

// withChannels returns an item with the channels that it has, and those of a problem, each with the bounds of its own.
func withChannels(p imageset.Package, problem *packageProblem, bounds func(i int) imageset.Bounds) imageset.Package {
	old := p
	p.Bounds, p.Channels = imageset.Bounds{}, nil
	for _, ch := range old.Channels {
		if i := problem.index(ch.Name.Value); i >= 0 {
			ch.Bounds = bounds(i)
		} else if !ch.Set() {
			ch.Bounds = old.Bounds // nothing is left of it, and that is told
		}
		p.Channels = append(p.Channels, ch)
	}
	for i, ch := range problem.channels {
		if old.Channel(ch.name()) == nil {
			p.Channels = append(p.Channels, imageset.Channel{Name: catalogs.Text{Value: ch.name(), Pos: p.Name.Pos}, Bounds: bounds(i), Pos: p.Name.Pos})
		}
	}
	return p
}

// problem returns what must be left of a package: the channels that the image set asks for, and those of users. If the image set names none of
// them, it is the default channel.
func (f *fixer) problem(at int, p *catalogs.Package, old *imageset.Package) *packageProblem {
	c, name := f.Catalogs[at], p.Name.Value
	item := imageset.Package{}
	if old != nil {
		item = *old
	}
	problem := &packageProblem{pkg: p, own: item.Bounds}
	add := func(g *graph.Graph) *channelProblem {
		if g == nil {
			return &channelProblem{} // there is no such channel
		}
		if i := problem.index(g.Channel.Name.Value); i >= 0 {
			return problem.channels[i]
		}
		ch := &channelProblem{whole: g, own: item.BoundsOf(g.Channel.Name.Value)}
		ch.target, ch.left = c.target(name, g)
		problem.channels = append(problem.channels, ch)
		return ch
	}
	a := c.wholeGraph(name)
	if old != nil || len(c.Operator.Packages) == 0 {
		for _, g := range c.asked(name) {
			if named := item.Channel(g.Channel.Name.Value) != nil; named || len(item.Channels) == 0 {
				add(g)
			}
		}
	}
	for _, u := range f.users[at] {
		if u.Package == name {
			ch := add(a.Graph(u.Channel))
			ch.users = append(ch.users, u)
		}
	}
	for _, m := range f.must {
		if m.packageAt == (packageAt{at, name}) {
			ch := add(a.Graph(p.DefaultChannel.Value))
			ch.must = append(ch.must, m.any)
		}
	}
	if g := a.Graph(item.DefaultChannel.Value); g != nil && len(item.Channels) > 0 {
		add(g)
	}
	if len(problem.channels) == 0 {
		add(a.Graph(p.DefaultChannel.Value))
	}
	for _, g := range a.Graphs {
		if problem.index(g.Channel.Name.Value) < 0 {
			problem.others = append(problem.others, &channelProblem{whole: g})
		}
	}
	if f.Cluster == nil { // of what is added as well all versions count as installed
		for _, ch := range slices.Concat(problem.channels, problem.others) {
			ch.users = versionsOf(a, ch.whole)
		}
	}
	return problem
}

// target returns the head that a channel is to have: the one that the image set leaves, and true, else that of the catalog.
func (c *Catalog) target(pkg string, whole *graph.Graph) (string, bool) {
	for _, g := range []*graph.Graph{c.channelLeft(pkg, whole.Channel.Name.Value), whole} {
		if g == nil {
			continue
		}
		if head, ok := g.Head(); ok {
			return g.Name(head), g != whole
		}
	}
	return "", false
}

func (ch *channelProblem) targetVersion() *semver.Version {
	if i, ok := ch.whole.Index(ch.target); ok {
		return ch.whole.Version(i)
	}
	return nil
}

// Count returns how many bundles and images an image set leaves.
func (r *Report) Count() (bundles, images int) {
	var all []*catalogs.Bundle
	for _, c := range r.Catalogs {
		all = append(all, c.Bundles()...)
	}
	return len(all), len(ImagesOf(all))
}
