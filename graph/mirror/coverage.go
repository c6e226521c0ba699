package mirror

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

// Severity is how bad a finding is.
type Severity int

// The severities. Error means that somebody is stranded, or that oc-mirror or opm rejects the result.
const (
	Error Severity = iota
	Warning
	Info
)

// String returns error, warning or info.
func (s Severity) String() string { return [...]string{"error", "warning", "info"}[s] }

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Kind is what a finding is about; kinds are in the order of findings, the worst first.
type Kind int

// The kinds of findings.
const (
	rejected        Kind = iota // oc-mirror rejects the image set, or the catalog that it filters by it
	invalid                     // opm rejects what is left, so no namespace that sees the catalog is resolved
	kindUnmirrored              // the package or channel of a subscription is not left
	Stranded                    // an upgrade path is in the whole catalog only
	kindRequirement             // nothing that is left provides what a bundle requires
	unknown                     // a package or channel that the catalog does not have
	kindRandom                  // oc-mirror chooses one of several bundles
	dropped                     // a channel without a bundle in the range
	defaultMoved                // the package has another default channel
	headMoved                   // the channel has another head
	kindNewer                   // an installed version is newer than what is mirrored
	renamed                     // the CatalogSource has another name
	kindUnneeded                // nobody is upgraded to the bundle
)

// String returns the kind as JSON has it.
func (k Kind) String() string {
	return [...]string{"rejected", "invalid", "unmirrored", "stranded", "requirement", "unknown", "random", "dropped", "default", "head", "newer", "renamed", "unneeded"}[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Finding is one decision.
type Finding struct {
	Kind         Kind     `json:"kind" enum:"graph/mirror.Kind.String"`
	Severity     Severity `json:"severity" enum:"info,warning,error"`
	catalogs.Pos          // in the image set
	Catalog      string   `json:"catalog"` // the image that the image set names
	Package      string   `json:"package"`
	Channel      string   `json:"channel"`
	Message      string   `json:"message"`
	Fix          string   `json:"fix"`
	Bundles      []string `json:"bundles"` // which bundles
	Images       []string `json:"images"`  // of Unneeded
	Users        []User   `json:"users"`   // whom it affects
}

// Catalog is what is left of a catalog.
type Catalog struct {
	Operator *imageset.Operator
	Whole    *catalogs.Catalog
	Left     *catalogs.Catalog // nil if oc-mirror rejects it
	Source   string            // the name of the CatalogSource that oc-mirror generates

	whole, left memo.Map[string, *graph.PackageGraph]
}

// Report is what an image set leaves.
type Report struct {
	Config   *imageset.Config
	Cluster  *Cluster // nil if every version of the mirrored channels counts as installed
	Catalogs []*Catalog
	Users    int // how many installed versions were checked
	Findings []Finding

	users [][]User // by catalog
}

// Failed reports whether somebody is stranded, or oc-mirror or opm rejects the result.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
}

// AddInvalid adds the finding that opm rejects a package of what is left, and why.
func (r *Report) AddInvalid(c *Catalog, pkg string, why []string) {
	if why = r.addEmptied(c, pkg, why); len(why) > 0 {
		r.find(c, invalid, Error, c.pos(pkg, ""), pkg, "", fmt.Sprintf("opm rejects the filtered catalog, so OLM resolves no namespace that sees it: %s", strings.Join(why, "; ")))
	}
	sortFindings(r.Findings)
}

// addEmptied adds the channels of a package that stay without entries because one version is mirrored, and oc-mirror takes a bundle of it that they do
// not have. What was found of them before is the same cause. It returns why opm rejects the package otherwise.
func (r *Report) addEmptied(c *Catalog, pkg string, why []string) []string {
	whole, config := c.wholeGraph(pkg), c.Operator.Package(pkg)
	for _, ch := range c.Left.Package(pkg).Channels {
		name := ch.Name.Value
		if len(ch.Entries) > 0 || config == nil || whole.Graph(name) == nil {
			continue
		}
		only := graph.ParseVersion(config.ChannelBounds(name).Min.Value)
		if only == nil {
			continue
		}
		isOnly := func(b *catalogs.Bundle) bool { return b != nil && b.Semver() != nil && b.Semver().EQ(*only) }
		var taken, has []string
		for _, b := range whole.Package.Bundles {
			if isOnly(b) {
				taken = append(taken, b.Name.Value)
			}
		}
		for _, i := range whole.Graph(name).ByVersion() {
			if b := whole.Graph(name).Channel.Entries[i].Bundle; b != nil && !isOnly(b) {
				has = append(has, b.Version.Value)
			}
		}
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
			return f.Package == pkg && (f.Kind == dropped && f.Channel == name || f.Kind == kindRandom)
		})
		why = slices.DeleteFunc(slices.Clone(why), func(message string) bool {
			return slices.ContainsFunc(append(taken, name), func(of string) bool { return strings.Contains(message, strconv.Quote(of)) })
		})
		f := r.find(c, invalid, Error, c.pos(pkg, name), pkg, name, fmt.Sprintf("channel %q of package %q stays without entries, so opm rejects the filtered catalog, and OLM resolves no namespace that sees it: "+
			"oc-mirror looks for version %s in the whole package (%s), and takes one that the channel does not have", name, pkg, config.ChannelBounds(name).Min.Value, words.Or(taken)))
		if f.Fix = "leave minVersion and maxVersion out"; len(has) > 0 {
			f.Fix = fmt.Sprintf("name a version of the channel (%s), or %s", words.JoinSome(has, 3), f.Fix)
		}
	}
	return why
}

// sortFindings sorts the worst first, and equal ones by position.
func sortFindings(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Package, b.Package), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Message, b.Message))
	})
}

// Check filters catalogs, one for each operator of the image set, as oc-mirror does, and says what that leaves. cluster may be nil. The error is the
// context's, or of a source that has changed since it was opened.
func Check(ctx context.Context, config *imageset.Config, whole []*catalogs.Catalog, cluster *Cluster) (*Report, error) {
	r := &Report{Config: config, Cluster: cluster}
	for _, f := range config.Faults {
		r.find(nil, rejected, Error, f.Pos, f.Package, f.Channel, "oc-mirror rejects the image set: "+f.Message).Fix = f.Fix
	}
	for i := range config.Operators {
		r.Catalogs = append(r.Catalogs, r.filter(&config.Operators[i], whole[i]))
	}
	r.findUsers()
	for i, c := range r.Catalogs {
		if c.Left == nil {
			continue
		}
		r.checkUnknown(c)
		r.checkUsers(c, r.users[i])
		r.checkChannels(c)
		r.checkNames(i)
	}
	if err := r.checkRequirements(ctx); err != nil {
		return nil, err
	}
	sortFindings(r.Findings)
	return r, nil
}

func (r *Report) findUsers() {
	if r.Cluster != nil {
		r.Cluster.assign(r.Catalogs)
	}
	for i := range r.Catalogs {
		r.users = append(r.users, r.catalogUsers(i))
		r.Users += len(r.users[i])
	}
}

// find adds a finding. The pointer is valid until the next one is added.
func (r *Report) find(c *Catalog, k Kind, s Severity, at catalogs.Pos, pkg, channel, message string) *Finding {
	f := Finding{Kind: k, Severity: s, Pos: at, Package: pkg, Channel: channel, Message: message}
	if c != nil {
		f.Catalog = c.Operator.Catalog.Value
	}
	r.Findings = append(r.Findings, f)
	return &r.Findings[len(r.Findings)-1]
}

// filter filters one catalog.
func (r *Report) filter(o *imageset.Operator, whole *catalogs.Catalog) *Catalog {
	filtered := imageset.Filter(whole, o)
	c := &Catalog{Operator: o, Whole: whole, Left: filtered.Catalog}
	c.Source, _ = o.CatalogSource()
	for i, f := range filtered.Rejections {
		if !slices.ContainsFunc(filtered.Rejections[:i], func(g imageset.Fault) bool { return g.Message == f.Message }) {
			r.find(c, rejected, Error, f.Pos, f.Package, f.Channel, "oc-mirror rejects the image set: "+f.Message)
		}
	}
	for _, random := range filtered.Random {
		r.find(c, kindRandom, Warning, random.Version.Pos, random.Package, "",
			fmt.Sprintf("version %s of package %q is that of %s: oc-mirror takes one of them at random", random.Version.Value, random.Package, words.And(random.Bundles))).Bundles = random.Bundles
	}
	return c
}

// wholeGraph and filteredGraph return the graphs of a package before and after the filter; nil if the catalog does not have it.
func (c *Catalog) wholeGraph(pkg string) *graph.PackageGraph {
	return c.whole.Get(pkg, func() *graph.PackageGraph { return packageGraph(c.Whole.Package(pkg)) })
}

func (c *Catalog) filteredGraph(pkg string) *graph.PackageGraph {
	return c.left.Get(pkg, func() *graph.PackageGraph { return packageGraph(c.filteredPackage(pkg)) })
}

func packageGraph(p *catalogs.Package) *graph.PackageGraph {
	if p == nil {
		return nil
	}
	return graph.NewPackageGraph(p)
}

// filteredPackage returns what is left of a package: also if oc-mirror rejects another one, or this one.
func (c *Catalog) filteredPackage(pkg string) *catalogs.Package {
	if c.Left != nil {
		return c.Left.Package(pkg)
	}
	item, p := c.Operator.Package(pkg), c.Whole.Package(pkg)
	switch {
	case p == nil || item == nil && len(c.Operator.Packages) > 0:
		return nil
	case item == nil:
		item = &imageset.Package{Name: p.Name}
	}
	return cmp.Or(imageset.FilterPackage(p, item), p.WithContents(filteredChannels(p, item), p.Bundles))
}

// filteredChannels returns what is left of each channel of a package that oc-mirror rejects, if the channel alone is mirrored.
func filteredChannels(p *catalogs.Package, item *imageset.Package) []*catalogs.Channel {
	var all []*catalogs.Channel
	for _, ch := range p.Channels {
		if len(item.Channels) > 0 && item.Channel(ch.Name.Value) == nil {
			continue
		}
		alone := imageset.Package{Name: p.Name, DefaultChannel: ch.Name, Channels: []imageset.Channel{{Name: ch.Name, Bounds: item.ChannelBounds(ch.Name.Value)}}}
		if left := imageset.FilterPackage(p, &alone); left != nil {
			all = append(all, left.Channels...)
		}
	}
	return all
}

// pos returns where the image set selects a package or a channel of it.
func (c *Catalog) pos(pkg, channel string) catalogs.Pos {
	p := c.Operator.Package(pkg)
	if p == nil {
		return c.Operator.Catalog.Pos
	}
	ch := p.Channel(channel)
	switch {
	case ch != nil && ch.Set():
		return ch.Bounds.Pos()
	case ch != nil:
		return ch.Name.Pos
	case p.Set() && channel != "":
		return p.Bounds.Pos()
	}
	return p.Name.Pos
}
