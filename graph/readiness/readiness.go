// Package readiness determines what OLM v1 installs, by release of operator-controller: of the packages of catalogs, and of what OLM v0
// has installed on a cluster.
package readiness

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// Source is a catalog that OLM v1 has.
type Source struct {
	Name     string // of the ClusterCatalog, or what the catalog was opened as
	Catalog  *catalogs.Catalog
	Priority int32
}

// Package says what OLM v1 installs of a package of one catalog.
type Package struct {
	*catalogs.Package
	Source string
	// Choice is what OLM v1 chooses where a ClusterExtension names neither a channel nor a version; nil if there is no bundle. It installs
	// no other one in its place (operator-controller: resolve CatalogResolver.Resolve).
	Choice *Bundle
	// Newest is the best bundle that it installs if its version is requested, as far as is known; nil if there is none.
	Newest     *Bundle
	Channels   []Channel
	Deprecated string // the message of its deprecation; "" if it is not deprecated
	// Tied are the other sources from which OLM v1 would choose as well: it installs none, unless a ClusterExtension selects one.
	Tied []string
	// Instead is the source from which OLM v1 chooses, "" if it is this one.
	Instead string
}

// Channel says what OLM v1 chooses where a ClusterExtension names one channel.
type Channel struct {
	Name    string  `json:"channel"`
	Default bool    `json:"default"`
	Choice  *Bundle `json:"chosen"`
}

// Verdict is that of Choice, or Blocked without one or with a tie.
func (p *Package) Verdict() Verdict {
	if p.Choice == nil || len(p.Tied) > 0 {
		return Blocked
	}
	return p.Choice.Verdict
}

// Obstacles are those of Choice, and a tie.
func (p *Package) Obstacles() []Obstacle {
	var all []Obstacle
	if len(p.Tied) > 0 {
		all = append(all, Obstacle{Kind: kindTie, Pos: p.Pos, Text: "is in several catalogs of one priority, and OLM v1 installs it from none unless the ClusterExtension selects one"})
	}
	if p.Choice != nil {
		all = append(all, p.Choice.Obstacles...)
	}
	return all
}

// judged has the bundles of one package that were judged.
type judged struct {
	release  Release
	pkg      *catalogs.Package
	form     catalogs.Form
	contents *judge.Package
	bundles  map[*catalogs.Bundle]*Bundle
	known    map[*catalogs.Bundle]*contents
}

// newJudged judges bundles of a package with the manifests that are known.
func newJudged(r Release, c *catalogs.Catalog, p *catalogs.Package, known *judge.Package) *judged {
	return &judged{r, p, c.Form, known, map[*catalogs.Bundle]*Bundle{}, map[*catalogs.Bundle]*contents{}}
}

// readContents reads the manifests and properties of a bundle again: an error means that its source cannot be read any more.
func (j *judged) readContents(b *catalogs.Bundle) (*contents, error) {
	if c := j.known[b]; c != nil {
		return c, nil
	}
	facts, err := bundled.Facts(b)
	c := &contents{csv: j.contents.CSV(b), reasons: j.contents.BundleReasons(b), facts: facts, form: j.form}
	for _, unread := range j.contents.Unread() {
		if err == nil && unread.Bundle == b {
			err = unread.Err
		}
	}
	j.known[b] = c
	return c, err
}

// bundle judges a bundle, once.
func (j *judged) bundle(b *catalogs.Bundle) (*Bundle, error) {
	if b == nil || j.bundles[b] != nil {
		return j.bundles[b], nil
	}
	c, err := j.readContents(b)
	if err != nil {
		return nil, err
	}
	j.bundles[b] = j.release.judge(b, c)
	if d := j.pkg.Deprecation(catalogs.SchemaBundle, b.Name.Value); d != nil {
		j.bundles[b].Deprecated = deprecation(d)
	}
	return j.bundles[b], nil
}

// addReleases adds to a bundle which releases install it, with the feature gates that were changed.
func (j *judged) addReleases(b *Bundle) error {
	if b == nil || b.Releases != nil {
		return nil
	}
	c, err := j.readContents(b.Listed)
	if err != nil {
		return err
	}
	b.Releases = []string{}
	for _, r := range releases() {
		if other := j.release.carryGates(r).judge(b.Listed, c); other.Verdict == Ready || other.Verdict == Unknown {
			b.Releases = append(b.Releases, r.String())
		}
	}
	return nil
}

// deprecation returns the message of a deprecation, which is never "".
func deprecation(d *catalogs.Deprecation) string {
	if d.Message.Value == "" {
		return "it is deprecated"
	}
	return d.Message.Value
}

// bestBundle returns what an extension chooses where nothing is installed.
func (j *judged) bestBundle(x *graph.Extension) (*Bundle, error) {
	return j.bundle(j.pkg.Bundle(x.Best()))
}

// newestBundle returns the best bundle of an extension that is installed if its version is requested.
func (j *judged) newestBundle(x *graph.Extension) (*Bundle, error) {
	for _, b := range x.RequestedBundles() {
		if known, err := j.bundle(b); err != nil || known.Verdict == Ready || known.Verdict == Unknown {
			return known, err
		}
	}
	return nil, nil
}

// Package returns what a release installs of a package of a catalog, of whose manifests something is known already. An error means that
// the catalog cannot be read any more.
func (r Release) Package(s *Source, p *catalogs.Package, known *judge.Package) (*Package, error) {
	j, a := newJudged(r, s.Catalog, p, known), graph.NewPackageGraph(p)
	out := &Package{Package: p, Source: s.Name}
	if d := p.Deprecation(catalogs.SchemaPackage, ""); d != nil {
		out.Deprecated = deprecation(d)
	}
	x := a.ExtensionFor(r.releaseOrder())
	var err error
	if out.Choice, err = j.bestBundle(x); err != nil {
		return nil, err
	}
	if err := j.addReleases(out.Choice); err != nil {
		return nil, err
	}
	if out.Newest, err = j.newestBundle(x); err != nil {
		return nil, err
	}
	for _, g := range a.Graphs {
		c := Channel{Name: g.Channel.Name.Value, Default: g.Channel.Name.Value == p.DefaultChannel.Value}
		if c.Choice, err = j.bestBundle(a.ExtensionFor(r.releaseOrder(), g)); err != nil {
			return nil, err
		}
		out.Channels = append(out.Channels, c)
	}
	return out, nil
}

// Packages returns what a release installs of the packages of catalogs, in the order of the catalogs; only of packages with these names,
// or of all if there are none. An error means that a catalog cannot be read any more.
func (r Release) Packages(sources []Source, names ...string) ([]*Package, error) {
	type wanted struct {
		from *Source
		p    *catalogs.Package
	}
	var todo []wanted
	for i := range sources {
		for _, p := range sources[i].Catalog.Packages {
			if len(names) == 0 || slices.Contains(names, p.Name.Value) {
				todo = append(todo, wanted{&sources[i], p})
			}
		}
	}
	all, errs := make([]*Package, len(todo)), make([]error, len(todo))
	parallel.Each(len(todo), func(i int) {
		all[i], errs[i] = r.Package(todo[i].from, todo[i].p, judge.New(todo[i].p, judge.Options{}))
	})
	byName := map[string][]rival{}
	for i, one := range all {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if name := todo[i].p.Name.Value; one.Choice != nil {
			byName[name] = append(byName[name], rival{one, todo[i].from.Priority})
		}
	}
	for _, rivals := range byName {
		decide(rivals)
	}
	return all, nil
}

// rival is a package that several catalogs have.
type rival struct {
	*Package
	priority int32
}

// decide says from which source OLM v1 chooses: bundles that are not deprecated come first, then the highest priority (operator-controller:
// resolve CatalogResolver.Resolve).
func decide(rivals []rival) {
	if len(rivals) < 2 {
		return
	}
	left := rivals
	if good := slices.DeleteFunc(slices.Clone(rivals), func(r rival) bool { return r.Choice.Deprecated != "" }); len(good) > 0 {
		left = good
	}
	left = slices.SortedStableFunc(slices.Values(left), func(a, b rival) int { return int(int64(b.priority) - int64(a.priority)) })
	if len(left) == 1 || left[0].priority != left[1].priority {
		left = left[:1]
	}
	for i := range rivals {
		switch at := slices.Index(left, rivals[i]); {
		case at >= 0:
			for k := range left {
				if k != at {
					rivals[i].Tied = append(rivals[i].Tied, left[k].Source)
				}
			}
		case len(left) == 1:
			rivals[i].Instead = left[0].Source
		}
	}
}
