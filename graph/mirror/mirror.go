// Package mirror answers what oc-mirror has to mirror of a catalog for an upgrade path, and what an image set leaves of catalogs: who is no longer
// upgraded, what is missing, and what nobody needs. That is about OLM v0, where an installed bundle need not be in the catalog for an upgrade from it.
package mirror

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// Selection is what is mirrored of a catalog, in the terms of oc-mirror.
type Selection struct {
	Packages   []imageset.Package // that of the path first, then those that it requires, by name; each with its default channel
	RequiredBy map[string]string  // by package: bundles, separated by commas
	Notes      []string           // what the user has to check
}

// Select returns what is mirrored for an upgrade path. The installed bundle is included, because a cluster may have to pull it again.
// The providers of what the bundles require are looked for in the same catalog, which must hold all packages: the first package
// of the catalog whose default channel has one, and of that channel the bundle that OLM v0 prefers. It fails for a bundle without
// a version, because oc-mirror bounds channels by versions only. Other errors are the context's, or of a source that has changed
// since it was opened.
func Select(ctx context.Context, c *catalogs.Catalog, pkg string, answer *graph.Answer, path graph.Path) (*Selection, error) {
	s := &selector{ctx: ctx, catalog: c, required: map[string]map[string]string{}}
	pg := s.packageGraph(pkg)
	own, err := bounds(pg, answer, path)
	if err != nil {
		return nil, err
	}
	if !pg.Has(answer.From) {
		s.note("%s is no longer in this catalog: mirror it from the catalog it was installed from if clusters may have to pull it again", answer.From)
	}
	names := []string{answer.From}
	for i := range path {
		names = append(names, path[i].To)
	}
	for _, name := range names {
		if err := s.addRequirements(pg.Package.Bundle(name), 0); err != nil {
			return nil, err
		}
	}
	for _, ch := range own {
		s.checkBounds(pg, ch, answer.From)
	}
	delete(s.required, pg.Package.Name.Value)
	s.Packages = []imageset.Package{{Name: catalogs.Text{Value: pg.Package.Name.Value}, Channels: withDefault(pg.Package, own)}}
	s.addRequired()
	return &s.Selection, nil
}

// withDefault adds the default channel, without which oc-mirror rejects the package.
func withDefault(p *catalogs.Package, channels []imageset.Channel) []imageset.Channel {
	name := p.DefaultChannel.Value
	if name == "" || slices.ContainsFunc(channels, func(c imageset.Channel) bool { return c.Name.Value == name }) {
		return channels
	}
	return append(channels, imageset.Channel{Name: catalogs.Text{Value: name}})
}

// bounds returns the channels of a path, each with the lowest and the highest version that the path has of it.
func bounds(pg *graph.PackageGraph, answer *graph.Answer, path graph.Path) ([]imageset.Channel, error) {
	var channels []imageset.Channel
	var err error
	if home := channelOfInstalled(pg, answer); home != nil {
		channels, err = widen(channels, home, pg.Package.Bundle(answer.From), answer.From)
	}
	for i := range path {
		step := &path[i]
		switch {
		case err != nil:
			return nil, err
		case step.Graph == nil:
			return nil, fmt.Errorf("%q is in no channel, and oc-mirror mirrors channels", step.To)
		}
		channels, err = widen(channels, step.Graph, pg.Package.Bundle(step.To), step.To)
	}
	return channels, err
}

// widen adds the channel of a bundle, or widens its bounds to include the version of the bundle.
func widen(channels []imageset.Channel, g *graph.Graph, b *catalogs.Bundle, bundle string) ([]imageset.Channel, error) {
	if b == nil || b.Semver() == nil {
		return nil, fmt.Errorf("%q has no semantic version, which oc-mirror needs to mirror it", bundle)
	}
	name := g.Channel.Name.Value
	at := slices.IndexFunc(channels, func(c imageset.Channel) bool { return c.Name.Value == name })
	if at < 0 {
		at, channels = len(channels), append(channels, imageset.Channel{Name: catalogs.Text{Value: name}})
	}
	channels[at].Include(b)
	return channels, nil
}

// channelOfInstalled returns the channel from which the installed bundle is mirrored: under OLM v0 that of the subscription; under
// OLM v1 the default channel if it has the bundle, else the first that does. Nil if the catalog no longer has the bundle.
func channelOfInstalled(pg *graph.PackageGraph, answer *graph.Answer) *graph.Graph {
	if pg.Package.Bundle(answer.From) == nil {
		return nil
	}
	if answer.Channel != nil {
		return answer.Channel
	}
	containing := pg.GraphsContaining(answer.From)
	if g := pg.Graph(pg.Package.DefaultChannel.Value); slices.Contains(containing, g) {
		return g
	}
	if len(containing) == 0 {
		return nil
	}
	return containing[0]
}

// selector collects a Selection.
type selector struct {
	Selection
	ctx      context.Context
	catalog  *catalogs.Catalog
	graphs   memo.Map[string, *graph.PackageGraph]
	index    *resolve.DependencyIndex     // nil until a bundle has a requirement
	required map[string]map[string]string // by package and bundle: a bundle that requires it
}

func (s *selector) packageGraph(pkg string) *graph.PackageGraph {
	return s.graphs.Get(pkg, func() *graph.PackageGraph { return graph.NewPackageGraph(s.catalog.Package(pkg)) })
}

func (s *selector) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(s.Notes, note) {
		s.Notes = append(s.Notes, note)
	}
}

// open reads the requirements and providers of the catalog, once.
func (s *selector) open() error {
	if s.index != nil {
		return nil
	}
	ready, err := resolve.NewCatalog(s.ctx, s.catalog)
	if err == nil {
		s.index, err = resolve.NewDependencyIndex(s.ctx, ready)
	}
	return err
}

// maxDepth bounds chains of bundles that require each other.
const maxDepth = 20

// addRequirements adds the providers of what a bundle requires, and of what these require in turn.
func (s *selector) addRequirements(b *catalogs.Bundle, depth int) error {
	if b == nil || depth > maxDepth || !b.MayRequire() {
		return nil
	}
	if err := s.open(); err != nil {
		return err
	}
	asker, ok := s.index.Bundle(0, b.Package.Value, b.Name.Value)
	if !ok {
		return nil // it is in no channel
	}
	for _, f := range asker.Faults() {
		s.note("%s has a requirement that OLM cannot read: property %s: %v", b.Name.Value, f.Type, f.Err)
	}
	for _, r := range s.index.BundleDependencies(asker) {
		if r.Operator == "not" {
			continue // most bundles meet it, also those that are mirrored anyway
		}
		provider := s.provider(r.Dependency)
		switch {
		case provider != nil:
			if err := s.add(provider, b, depth); err != nil {
				return err
			}
		case r.Costly:
			s.note("%s requires %s: which bundles provide it could not be determined within the limit of olmgraph", b.Name.Value, r.Requirement)
		default:
			s.note("%s requires %s, which no default channel of this catalog provides", b.Name.Value, r.Requirement)
		}
	}
	return nil
}

// add adds a required bundle, and what it requires.
func (s *selector) add(b, requiredBy *catalogs.Bundle, depth int) error {
	pkg, name := b.Package.Value, b.Name.Value
	if s.required[pkg] == nil {
		s.required[pkg] = map[string]string{}
	}
	if _, known := s.required[pkg][name]; known {
		return nil
	}
	s.required[pkg][name] = requiredBy.Name.Value
	return s.addRequirements(b, depth+1)
}

// provider returns the bundle that is mirrored to meet a requirement, nil if no default channel has one.
func (s *selector) provider(r *resolve.Dependency) *catalogs.Bundle {
	providers, packages := map[[2]string]bool{}, map[string]bool{} // by package and bundle; by package
	for _, o := range r.Providers() {
		providers[[2]string{o.Package(), o.Name()}], packages[o.Package()] = true, true
	}
	for _, p := range s.catalog.Packages {
		pkg := p.Name.Value
		if p.Channel(p.DefaultChannel.Value) == nil || !packages[pkg] {
			continue
		}
		g := s.packageGraph(pkg).Graph(p.DefaultChannel.Value)
		order, _ := g.Order()
		for _, i := range order {
			if b := g.Channel.Entries[i].Bundle; b != nil && providers[[2]string{pkg, g.Name(i)}] {
				return b
			}
		}
	}
	return nil
}

// addRequired adds the packages of the required bundles, by name.
func (s *selector) addRequired() {
	s.RequiredBy = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.required)) {
		p := s.packageGraph(name).Package
		c := imageset.Channel{Name: catalogs.Text{Value: p.DefaultChannel.Value}}
		for _, bundle := range slices.Sorted(maps.Keys(s.required[name])) {
			c.Include(p.Bundle(bundle))
		}
		s.RequiredBy[name] = strings.Join(slices.Compact(slices.Sorted(maps.Values(s.required[name]))), ", ")
		s.Packages = append(s.Packages, imageset.Package{Name: catalogs.Text{Value: name}, Channels: []imageset.Channel{c}})
	}
}

// checkBounds notes where OLM does not upgrade in the channel as it will be mirrored, with the entries within the bounds only, as
// it does in the whole channel. oc-mirror rejects a channel with several heads.
func (s *selector) checkBounds(pg *graph.PackageGraph, c imageset.Channel, from string) {
	whole := pg.Graph(c.Name.Value).Channel
	low, lowErr := semver.Parse(c.Min.Value)
	high, highErr := semver.Parse(c.Max.Value)
	if lowErr != nil || highErr != nil {
		return
	}
	cut := *whole
	cut.Entries = slices.DeleteFunc(slices.Clone(whole.Entries), func(e catalogs.Entry) bool {
		return e.Bundle == nil || e.Bundle.Semver() == nil || e.Bundle.Semver().LT(low) || e.Bundle.Semver().GT(high)
	})
	g := graph.New(pg.Package, &cut)
	if heads := g.Heads(); len(heads) != 1 {
		s.note("channel %q between %s and %s has %d heads (%s): oc-mirror will reject it; widen the bounds",
			c.Name.Value, c.Min.Value, c.Max.Value, len(heads), strings.Join(g.Names(heads), ", "))
		return
	}
	if i, ok := g.Index(from); ok {
		if _, end, ok := g.Hops(i); !ok || g.Name(end) != g.Name(g.Heads()[0]) {
			s.note("channel %q between %s and %s: OLM v0 upgrades %s no further than %s there; widen the bounds",
				c.Name.Value, c.Min.Value, c.Max.Value, from, g.Name(end))
		}
	}
}
