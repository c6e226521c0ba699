package coverage

import (
	"context"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

// Fix is the smallest image set that strands nobody: of each package the fewest images, with the same heads of channels.
type Fix struct {
	Operators []FixedOperator // one for each of the image set
	Exact     bool            // there is no smaller one
	Problems  []string        // packages for which there is none, and which stay as they are
	Report    *Report         // what it leaves
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
	must []requiredProvider
	fix  *Fix
}

// requiredProvider is one of several bundles that has to be offered in the default channel of a package.
type requiredProvider struct {
	catalog int
	pkg     string
	any     []string
}

// maxRounds bounds how often packages are added because others require them.
const maxRounds = 20

// Fix searches the smallest image set that strands nobody. The error is the context's, or of a source that has changed since it was opened.
func (r *Report) Fix(ctx context.Context) (*Fix, error) {
	f := &fixer{Report: r}
	for range maxRounds {
		f.fix = &Fix{Exact: len(f.must) == 0} // other packages may meet a requirement with fewer images
		config := *r.Config
		config.Operators = nil
		for i := range r.Catalogs {
			o := f.operator(i)
			f.fix.Operators = append(f.fix.Operators, o)
			config.Operators = append(config.Operators, o.Operator)
		}
		var whole []*catalogs.Catalog
		for _, c := range r.Catalogs {
			whole = append(whole, c.Whole)
		}
		var err error
		if f.fix.Report, err = of(ctx, &config, whole, f.like()); err != nil {
			return nil, err
		}
		if !f.require() {
			break
		}
	}
	return f.fix, nil
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
		if finding.Kind != Requirement || len(finding.providers) == 0 {
			continue
		}
		one := f.provider(finding.providers)
		if one.any != nil && !slices.ContainsFunc(f.must, func(m requiredProvider) bool {
			return m.catalog == one.catalog && m.pkg == one.pkg && slices.Equal(m.any, one.any)
		}) {
			f.must, added = append(f.must, one), true
		}
	}
	return added
}

// provider returns the first package whose default channel offers a provider.
func (f *fixer) provider(all []providers) requiredProvider {
	for _, p := range all {
		a := f.Catalogs[p.catalog].wholeGraph(p.pkg)
		g := a.Graph(a.Package.DefaultChannel.Value)
		if g == nil {
			continue
		}
		offered := slices.DeleteFunc(slices.Clone(p.bundles), func(name string) bool { i, ok := g.Index(name); return !ok || !g.Offers(i) })
		if len(offered) > 0 {
			return requiredProvider{p.catalog, p.pkg, offered}
		}
	}
	return requiredProvider{}
}

// operator returns the fixed operator of a catalog.
func (f *fixer) operator(at int) FixedOperator {
	c := f.Catalogs[at]
	fixed := FixedOperator{Operator: *c.Operator}
	bounded := slices.ContainsFunc(c.Operator.Packages, func(p imageset.Package) bool {
		return p.Set() || slices.ContainsFunc(p.Channels, func(ch imageset.Channel) bool { return ch.Set() })
	})
	full := c.Operator.Full.Value != ""
	if full && len(c.Operator.Packages) == 0 {
		return fixed // all is mirrored
	}
	if full && bounded {
		fixed.Full, full = catalogs.Text{}, false
	}
	fixed.Packages = nil
	for _, name := range f.packages(at) {
		old := c.config(name)
		one, changed := f.fixPackage(at, name, old, full)
		if changed {
			fixed.Changed = append(fixed.Changed, name)
		}
		fixed.Packages = append(fixed.Packages, one)
	}
	if len(c.Operator.Packages) == 0 && len(fixed.Changed) == 0 {
		fixed.Packages = nil
	}
	return fixed
}

// packages returns the packages to mirror of a catalog: those of the image set, or all, and those of users and of requirements.
func (f *fixer) packages(at int) []string {
	c := f.Catalogs[at]
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range c.Operator.Packages {
		add(c.Operator.Packages[i].Name.Value)
	}
	if len(c.Operator.Packages) == 0 {
		for _, p := range c.Whole.Packages {
			add(p.Name.Value)
		}
	}
	for _, u := range f.users[at] {
		if c.Whole.Package(u.Package) != nil {
			add(u.Package)
		}
	}
	for _, m := range f.must {
		if m.catalog == at {
			add(m.pkg)
		}
	}
	return names
}

// fixPackage returns the smallest item for a package, and whether it is another one than there was.
func (f *fixer) fixPackage(at int, name string, old *imageset.Package, full bool) (imageset.Package, bool) {
	c := f.Catalogs[at]
	p := c.Whole.Package(name)
	kept := imageset.Package{Name: catalogs.Text{Value: name, Pos: c.Operator.Catalog.Pos}}
	if old != nil {
		kept = *old
	}
	if p == nil || full && len(kept.Channels) == 0 {
		return kept, old == nil
	}
	if p.Channel(kept.DefaultChannel.Value) == nil {
		kept.DefaultChannel = catalogs.Text{}
	}
	problem := f.problem(at, p, old)
	if len(problem.channels) == 0 {
		f.fix.Problems = append(f.fix.Problems, fmt.Sprintf("package %q: the catalog has neither its default channel nor one that the image set names", name))
		return kept, old == nil
	}
	if full {
		return withChannels(kept, problem, nil), f.misses(c, problem)
	}
	s, err := problem.solve()
	switch {
	case err != nil:
		f.fix.Exact = false
		f.fix.Problems = append(f.fix.Problems, err.Error())
		return kept, old == nil
	case f.leaves(c, problem, s):
		f.fix.Exact = f.fix.Exact && s.exact
		return kept, false
	}
	f.fix.Exact = f.fix.Exact && s.exact
	return simplified(withChannels(kept, problem, s), c.wholeGraph(name), old, s), true
}

// simplified returns an item without channels where that means the same: bounds of the package, unless it had some of channels.
func simplified(p imageset.Package, whole *graph.PackageGraph, old *imageset.Package, s *solution) imageset.Package {
	b, same := s.common()
	ofChannels := old != nil && len(old.Channels) > 0
	if same && len(s.candidates) == len(whole.Graphs) && !(ofChannels && b.Set()) {
		p.Bounds, p.Channels = b, nil
	}
	return p
}

// common returns the bounds of all channels, if they are the same and mean the same for the whole package.
func (s *solution) common() (imageset.Bounds, bool) {
	b := s.candidates[0].bounds
	other := slices.ContainsFunc(s.candidates, func(c candidate) bool { return c.bounds != b })
	return b, !other && (len(s.candidates) == 1 || !b.Set() || b.Min.Value != b.Max.Value)
}

// misses reports whether a channel of the problem is not left.
func (f *fixer) misses(c *Catalog, p *packageProblem) bool {
	return slices.ContainsFunc(p.channels, func(ch *channelProblem) bool {
		return c.channelLeft(p.pkg.Name.Value, ch.whole.Channel.Name.Value) == nil
	})
}

// leaves reports whether the image set leaves exactly what a solution does.
func (f *fixer) leaves(c *Catalog, p *packageProblem, s *solution) bool {
	var left []string
	a := c.leftGraph(p.pkg.Name.Value)
	if a == nil || len(a.Graphs) != len(p.channels) || len(c.Random) > 0 {
		return false
	}
	if slices.ContainsFunc(a.Package.Bundles, func(b *catalogs.Bundle) bool { return len(a.Containing(b.Name.Value)) == 0 }) {
		return false // opm rejects a bundle in no channel
	}
	for i, ch := range p.channels {
		g := a.Graph(ch.whole.Channel.Name.Value)
		if g == nil {
			return false
		}
		left = left[:0]
		for _, e := range g.Entries() {
			left = append(left, g.Name(e))
		}
		if slices.Sort(left); !slices.Equal(left, s.candidates[i].bundles) {
			return false
		}
	}
	return true
}

// withChannels returns an item with the channels of a solution.
func withChannels(p imageset.Package, problem *packageProblem, s *solution) imageset.Package {
	p.Bounds, p.Channels = imageset.Bounds{}, nil
	for i, ch := range problem.channels {
		one := imageset.Channel{Name: catalogs.Text{Value: ch.whole.Channel.Name.Value, Pos: p.Name.Pos}, Pos: p.Name.Pos}
		if s != nil {
			one.Bounds = s.candidates[i].bounds
		}
		p.Channels = append(p.Channels, one)
	}
	return p
}

// problem returns what must be left of a package: the channels that the image set asks for, those of users, and the default channel.
func (f *fixer) problem(at int, p *catalogs.Package, old *imageset.Package) *packageProblem {
	c, name := f.Catalogs[at], p.Name.Value
	problem := &packageProblem{pkg: p}
	byName := map[string]*channelProblem{}
	add := func(g *graph.Graph) *channelProblem {
		if g == nil {
			return &channelProblem{} // there is no such channel
		}
		if known := byName[g.Channel.Name.Value]; known != nil {
			return known
		}
		ch := &channelProblem{whole: g, target: c.target(name, g)}
		byName[g.Channel.Name.Value] = ch
		problem.channels = append(problem.channels, ch)
		return ch
	}
	a := c.wholeGraph(name)
	mustOnly := old == nil && len(c.Operator.Packages) > 0
	if !mustOnly {
		for _, g := range c.asked(name) {
			add(g)
		}
	}
	for _, u := range f.users[at] {
		if u.Package == name {
			ch := add(a.Graph(u.Channel))
			ch.users = append(ch.users, u)
		}
	}
	defaultChannel := a.Graph(p.DefaultChannel.Value)
	if old != nil && a.Graph(old.DefaultChannel.Value) != nil {
		defaultChannel = a.Graph(old.DefaultChannel.Value)
	}
	add(defaultChannel)
	for _, m := range f.must {
		if m.catalog == at && m.pkg == name {
			ch := add(a.Graph(p.DefaultChannel.Value))
			ch.must = append(ch.must, m.any)
		}
	}
	if f.Cluster == nil { // of what is added as well all versions count as installed
		for _, ch := range problem.channels {
			ch.users = versionsOf(a, ch.whole)
		}
	}
	return problem
}

// target returns the head that a channel is to have: the one that the image set leaves, else that of the catalog.
func (c *Catalog) target(pkg string, whole *graph.Graph) string {
	for _, g := range []*graph.Graph{c.channelLeft(pkg, whole.Channel.Name.Value), whole} {
		if g == nil {
			continue
		}
		if head, ok := g.Head(); ok {
			return g.Name(head)
		}
	}
	return ""
}

// Count returns how many bundles and images an image set leaves.
func (r *Report) Count() (bundles, images int) {
	var all []*catalogs.Bundle
	for _, c := range r.Catalogs {
		all = append(all, c.Bundles()...)
	}
	return len(all), len(ImagesOf(all))
}
