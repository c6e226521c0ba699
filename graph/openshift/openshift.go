// Package openshift answers what becomes of the operators of a cluster that goes to another OpenShift version: it keeps what is installed, and gets
// another catalog.
package openshift

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/plan"
)

// Version is the catalog of an OpenShift version.
type Version struct {
	Minor    plan.Minor
	Catalog  *catalogs.Catalog
	Packages map[string]*catalogs.Package
}

// String returns the version as its catalog is named: 4.23 is the same Minor as 5.0, but another catalog.
func (v Version) String() string { return v.Catalog.OpenShift }

// Versions is a package in the catalogs of several OpenShift versions.
type Versions struct {
	Package string
	All     []Version // the oldest first; at least two
}

// NewestFilled returns the index of the newest version whose catalog has at least half as many packages as the one with the most: that of a version which
// is being prepared has few.
func NewestFilled(all []Version) (newest int) {
	most := 0
	for _, v := range all {
		most = max(most, len(v.Packages))
	}
	for i, v := range all {
		if 2*len(v.Packages) >= most {
			newest = i
		}
	}
	return newest
}

// PackageIn returns the package in the catalog of a version, nil if that does not have it.
func (v *Versions) PackageIn(i int) *catalogs.Package { return v.All[i].Packages[v.Package] }

// PreviousIndex returns the index of the version that a cluster is updated from to another one: the newest older one with the package, -1 if there is none.
func (v *Versions) PreviousIndex(to int) int {
	for i := to - 1; i >= 0; i-- {
		if v.All[i].Minor < v.All[to].Minor && v.PackageIn(i) != nil {
			return i
		}
	}
	return -1
}

// Kind is why an operator is not upgraded in a newer catalog.
type Kind int

// The kinds.
const (
	PackageGone Kind = iota // the catalog does not have the package
	ChannelGone             // the package does not have the channel: OLM resolves nothing in the namespace
	HeadLower               // the head of the channel is a lower version
	NoEdge                  // nothing in the channel replaces, skips or covers it
	Stuck                   // it is in the channel, and nothing upgrades it there either
)

// String returns the kind's name, as in JSON.
func (k Kind) String() string {
	return [...]string{"package-gone", "channel-gone", "head-lower", "no-edge", "stuck"}[k]
}

// End is an entry of a channel whose users are not upgraded any more once the cluster is updated.
type End struct {
	From, To       int // indices of the versions
	Channel        string
	Entry, Version string
	Pos            catalogs.Pos // of the entry, in the older catalog
	Head           bool         // of the channel in the older catalog
	Kind           Kind
	NewHead        string // of the channel in the newer catalog, "" if it has no channel
}

// Ends returns the entries of the channels of the package that end when a cluster goes from one version to another: of heads alone, or of all bundles
// that users can have. Those with an olm.maxOpenShiftVersion below the newer version are left out, since OpenShift is not updated with them.
func (v *Versions) Ends(from, to int, heads bool) (all []End, err error) {
	p := v.PackageIn(from)
	if p == nil {
		return nil, nil
	}
	for _, c := range p.Channels {
		g, next := graph.New(p, c), channelIn(v.PackageIn(to), c.Name.Value)
		for _, i := range g.ByVersion() {
			b := c.Entries[i].Bundle
			head := g.IsHead(g.Name(i))
			if b == nil || heads && !head {
				continue
			}
			kind, newHead, ends := channelEnd(graph.InstalledBundle{Name: g.Name(i), Version: b.Version.Value}, v.PackageIn(to), next)
			if !ends {
				continue
			}
			if limit, err := limitBelow(b, v.All[to].Minor); err != nil {
				return nil, err
			} else if limit != "" {
				continue
			}
			all = append(all, End{from, to, c.Name.Value, g.Name(i), b.Version.Value, c.Entries[i].Pos, head, kind, newHead})
		}
	}
	return all, nil
}

// NewEnds returns the heads that end at a step from one version to the next, but for those of channels whose head ended for the same reason before a
// change.
func (v *Versions) NewEnds(before *Versions) (all []End, err error) {
	for i := 1; i < len(v.All); i++ {
		now, err := v.Ends(i-1, i, true)
		if err != nil {
			return nil, err
		}
		was, err := before.Ends(i-1, i, true)
		if err != nil {
			return nil, err
		}
		for _, e := range now {
			if !slices.ContainsFunc(was, func(o End) bool { return o.Channel == e.Channel && o.Kind == e.Kind }) {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

// channelIn returns the graph of a channel of a package, which may be nil; nil if it does not have the channel.
func channelIn(p *catalogs.Package, name string) *graph.Graph {
	if p == nil || p.Channel(name) == nil {
		return nil
	}
	return graph.New(p, p.Channel(name))
}

// channelEnd returns why OLM v0 does not upgrade what is installed in a channel of a newer package, nor leaves it as the head; false if it does.
// The package or the channel is nil if it is gone.
func channelEnd(in graph.InstalledBundle, now *catalogs.Package, next *graph.Graph) (kind Kind, head string, ends bool) {
	switch {
	case now == nil:
		return PackageGone, "", true
	case next == nil:
		return ChannelGone, "", true
	}
	if next.IsHead(in.Name) {
		return 0, "", false
	}
	if _, on := next.NextOfInstalled(in.Name, in.Version); on {
		return 0, "", false
	}
	head = next.HeadName()
	_, member := next.Index(in.Name)
	switch {
	case member:
		return Stuck, head, true
	case graph.Older(next.HeadVersion(), graph.ParseVersion(in.Version)):
		return HeadLower, head, true
	}
	return NoEdge, head, true
}

// limitBelow returns how the olm.maxOpenShiftVersion of a bundle is written that keeps OpenShift from a version; "" if nothing does. An invalid one
// keeps it from each.
func limitBelow(b *catalogs.Bundle, to plan.Minor) (string, error) {
	facts, err := bundled.Facts(b)
	if err != nil {
		return "", err
	}
	limit, text, found, err := plan.OpenShiftLimit(facts)
	switch {
	case !found || err == nil && limit >= to:
		return "", nil
	case err != nil:
		return fmt.Sprintf("%q (invalid)", text), nil
	}
	return text, nil
}
