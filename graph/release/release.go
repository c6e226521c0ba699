// Package release finds the edges that a release needs, so that no installed bundle is stranded.
package release

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// Request is a wanted release: a bundle for some channels of a package.
type Request struct {
	Name      string   `json:"-"`
	Version   string   `json:"-"`
	Channels  []string `json:"channels"`  // a channel that the package does not have is a new one
	InsteadOf []string `json:"insteadOf"` // bundles that it withdraws: OLM v0 no longer offers them in these channels
	// Prune are the names of entries that these channels drop with the release; a channel need not have all of them. Who has one installed
	// is upgraded as before, so the release names or covers those that nothing else upgrades any more.
	Prune []string `json:"prune"`
	// Before is the package in the catalogs of earlier OpenShift versions, whose users come with an update, the nearest first.
	Before []*catalogs.Package `json:"-"`
}

// Edges are the fields of an entry that declare edges.
type Edges struct {
	Replaces  string   `json:"replaces"`
	Skips     []string `json:"skips"`
	SkipRange string   `json:"skipRange"`
}

// Edit is an entry of a channel to add or to change.
type Edit struct {
	Channel       string `json:"channel"`
	Entry         string `json:"-"`
	NewChannel    bool   `json:"newChannel"` // the package has no such channel
	Added         bool   `json:"added"`      // the entry is new, and Before is empty
	Removed       bool   `json:"removed"`    // the entry is dropped, and After is empty
	Before, After Edges  `json:"-"`
}

// Refusal is why there is no plan.
type Refusal struct {
	Channel    string `json:"channel"`    // "" if it is about several
	Constraint string `json:"constraint"` // what forbids it
	Change     string `json:"change"`     // what would have to change
}

// Plan is the answer to a request. Of a rejected one only the request and the refusal are set.
type Plan struct {
	Request
	Refusal *Refusal `json:"refusal"`
	// Edits are in the order of the requested channels, in each the release first and the dropped entries last, newest first, and then by
	// channel.
	Edits   []Edit      `json:"-"`
	Customs []Customary `json:"-"` // of channels with a convention
	Freed   []Freed     `json:"-"` // published bundles, stuck today, which the release skips
	Frees   []Freed     `json:"-"` // whom more skips would free, all of them together
	Classes []Class     `json:"users"`
	// NotInstalled is why OLM v1 does not install the release; of a new one it is that of the newest bundle. It is nil if OLM v1 does.
	NotInstalled *graph.Refusal `json:"-"`
	// Unused are the bundles that were dropped from all channels, oldest first: opm rejects a package that still has them, or deprecates them.
	Unused []string `json:"unused"`
	// After is the package with the edits, and without the bundles that are unused.
	After *graph.PackageGraph `json:"-"`
}

// NewPlan plans a release. With the edits, of every channel that they change: opm accepts it, and its head is the release, or the head that it
// had if that is higher; every entry, and every name in edges, that was upgraded to the head still is, under OLM v0 and v1; nothing is
// upgraded to a lower version where it was not before; withdrawn bundles are not offered, and under OLM v1 not chosen; the heads of older
// channels are upgraded after a switch as they were before. If all that can be, published bundles that the channels no longer have, and
// never upgrade, are upgraded too.
func NewPlan(pg *graph.PackageGraph, r Request) *Plan {
	plan := &Plan{Request: r}
	p, refusal := newPlanner(pg, r)
	if refusal == nil {
		refusal = p.forbidden()
	}
	if refusal != nil {
		plan.Refusal = refusal
		return plan
	}
	plan.Edits, refusal = p.solve()
	if refusal != nil {
		plan.Refusal = p.blame(refusal)
		return plan
	}
	plan.Edits = p.upgradingPublished(plan.Edits)
	plan.After, plan.Unused = p.apply(plan.Edits), p.unusedBundles(plan.Edits)
	plan.Classes = p.classes(plan)
	plan.NotInstalled = p.refusal
	plan.Customs, plan.Freed, plan.Frees = p.customs(plan.Edits), p.freedPublished(plan.Edits), p.freedBySkips(plan.Edits)
	return plan
}

// maxBlamed bounds how many of the entries to drop are tried one by one.
const maxBlamed = 20

// blame says of a refusal which of the entries to drop cannot be dropped, if it is some of them.
func (p *planner) blame(refusal *Refusal) *Refusal {
	all := p.request.Prune
	if len(all) == 0 || len(all) > maxBlamed {
		return refusal
	}
	if len(all) == 1 {
		without := p.request
		without.Prune = nil
		if NewPlan(p.base, without).Refusal != nil {
			return refusal
		}
		return &Refusal{refusal.Channel, fmt.Sprintf("%s cannot be dropped: %s", all[0], refusal.Constraint), "keep it, or " + refusal.Change}
	}
	for _, name := range all {
		alone := p.request
		alone.Prune = []string{name}
		if one := NewPlan(p.base, alone).Refusal; one != nil && strings.HasPrefix(one.Constraint, name+" cannot be dropped") {
			return one
		}
	}
	return refusal
}

// planner holds what does not change while shapes are tried.
type planner struct {
	base       *graph.PackageGraph
	request    Request
	bundle     *catalogs.Bundle // of the release
	refusal    *graph.Refusal   // why OLM v1 does not install it
	release    *semver.Version
	with       *catalogs.Package // the base with the bundle
	bans       map[string]bool
	drops      map[string]bool // the pruned
	origins    *graph.Origins
	channels   []*channel // the requested ones
	deprecated map[string]bool
	versions   map[string]*semver.Version
	all        []graph.InstalledBundle // every name of the package
	v1         *routes                 // of all, for a ClusterExtension without channels
	work       int                     // that may still be done: see maxWork
}

// maxWork bounds what is tried. A check of a channel costs as much as it has entries and names in edges.
const maxWork = 1_000_000

func newPlanner(pg *graph.PackageGraph, r Request) (*planner, *Refusal) {
	p := &planner{base: pg, origins: pg.Origins(waiting(r.Before, pg), ""), request: r, bans: map[string]bool{}, drops: map[string]bool{}, deprecated: map[string]bool{}, versions: map[string]*semver.Version{}, work: maxWork}
	v, err := semver.Parse(r.Version)
	if err != nil {
		return nil, &Refusal{Constraint: fmt.Sprintf("%q is not a semantic version: opm and OLM v1 reject the bundle", r.Version), Change: "give it a version like 1.2.3"}
	}
	p.release = &v
	p.versions[r.Name] = p.release
	for _, name := range r.InsteadOf {
		p.bans[name] = true
	}
	for _, name := range r.Prune {
		p.drops[name] = true
	}
	p.addBundle()
	for _, d := range p.with.DeprecationEntries() {
		if d.Schema.Value == catalogs.SchemaBundle {
			p.deprecated[d.Name.Value] = true
		}
	}
	for _, name := range r.Channels {
		p.channels = append(p.channels, p.newChannel(name))
	}
	p.all = p.originUsers(p.origins.All)
	return p, nil
}

// waiting returns a package with those entries of earlier catalogs that are newer than the heads of the same channels: their users wait for a newer version.
// It returns nil if there are none.
func waiting(before []*catalogs.Package, pg *graph.PackageGraph) *catalogs.Package {
	var channels []*catalogs.Channel
	var bundles []*catalogs.Bundle
	for _, p := range before {
		for _, c := range p.Channels {
			g := pg.Graph(c.Name.Value)
			if g == nil {
				continue
			}
			one := *c
			one.Entries = nil
			for _, e := range c.Entries {
				_, has := g.Index(e.Name.Value)
				if b := p.Bundle(e.Name.Value); !has && b != nil && graph.Older(g.HeadVersion(), graph.ParseVersion(b.Version.Value)) {
					one.Entries, bundles = append(one.Entries, e), append(bundles, b)
				}
			}
			channels = append(channels, &one)
		}
	}
	if len(bundles) == 0 {
		return nil
	}
	return before[0].WithContents(channels, bundles)
}

// addBundle sets the package with the bundle of the release. A bundle that the package does not have yet is like the newest one of the
// channels: OLM v1 rejects both or none.
func (p *planner) addBundle() {
	pkg := p.base.Package
	if p.bundle = pkg.Bundle(p.request.Name); p.bundle != nil {
		p.with, p.refusal = pkg, graph.V1Refusal(p.bundle)
		return
	}
	var like catalogs.Bundle
	for _, b := range pkg.Bundles {
		if v, w := p.version(b.Name.Value), p.version(like.Name.Value); v != nil && (w == nil || v.GT(*w)) {
			like = *b
		}
	}
	p.refusal = graph.V1Refusal(&like)
	like.Name, like.Version, like.Release = catalogs.Text{Value: p.request.Name}, catalogs.Text{Value: p.request.Version}, catalogs.Text{}
	p.bundle = &like
	p.with = pkg.WithContents(pkg.Channels, append(slices.Clone(pkg.Bundles), p.bundle))
}

// version returns the version of a bundle, or the one that its name ends in; nil if there is none.
func (p *planner) version(name string) *semver.Version {
	v, known := p.versions[name]
	if known || name == "" {
		return v
	}
	if v = graph.ParseVersion(p.base.Version(name)); v == nil {
		v = graph.ParseVersion(graph.ParseBundleName(name).Version)
	}
	p.versions[name] = v
	return v
}

// older reports whether the version of a is lower than that of b.
func (p *planner) older(a, b string) bool { return graph.Older(p.version(a), p.version(b)) }

func (p *planner) installedBundle(name string) graph.InstalledBundle {
	in := graph.InstalledBundle{Name: name}
	if v := p.version(name); v != nil {
		in.Version = v.String()
	}
	return in
}

// originUsers returns origins as installed bundles, oldest first.
func (p *planner) originUsers(all []graph.Origin) []graph.InstalledBundle {
	users := words.Map(all, func(o graph.Origin) graph.InstalledBundle { return p.installedBundle(o.Name) })
	slices.SortFunc(users, func(a, b graph.InstalledBundle) int { return p.compare(a.Name, b.Name) })
	return users
}

// compare orders names by version, those without one first, and then by name.
func (p *planner) compare(a, b string) int {
	return cmp.Or(graph.CompareVersions(p.version(a), p.version(b)), cmp.Compare(a, b))
}
