package openshift

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/plan"
)

// NewVersion returns the catalog of an OpenShift version; false if it is not known which that is.
func NewVersion(c *catalogs.Catalog) (Version, bool) {
	minor, err := plan.ParseMinor(c.OpenShift)
	v := Version{Minor: minor, Catalog: c, Packages: map[string]*catalogs.Package{}}
	for _, p := range c.Packages {
		v.Packages[p.Name.Value] = p
	}
	return v, err == nil
}

// Path is what becomes of an installed operator on a cluster that is updated from each OpenShift version to the next, where OLM v0 upgrades it
// automatically before each update.
type Path struct {
	*Versions
	Channel string  // of the subscription
	To      string  // the bundle that is kept once it is installed, by manual approval; "" if there is none
	Stages  []Stage // of the versions that the cluster gets to; at least one
}

// Stage is what OLM v0 does at an OpenShift version.
type Stage struct {
	Version  int                   // index in Versions.All
	From, At graph.InstalledBundle // before and after the upgrades
	Package  *graph.PackageGraph   // with From, which the catalog need not have; nil if the catalog does not have the package
	Graph    *graph.Graph          // of the channel; nil if the catalog does not have it
	Upgrades graph.Path
	Loop     bool // they repeat endlessly
	// End is why At is not upgraded to the head of the channel; nil if it is the head, or the bundle that is kept.
	End *End
	// Others are the channels that upgrade At, or have it as their head, if it ends in that of the subscription.
	Others []string
	// OthersBefore are those that upgrade From at the version before to what does not end at this one, if there are no Others.
	OthersBefore []string
	// Limit is the olm.maxOpenShiftVersion of At that keeps the cluster from the next version, with a note if it is invalid; "" if nothing does.
	Limit string
}

// Follow follows an installed bundle from the first version to the last, or to where the cluster gets.
func (v *Versions) Follow(channel string, in graph.InstalledBundle, to string) (*Path, error) {
	p := &Path{Versions: v, Channel: channel, To: to}
	installed := v.bundle(in.Name)
	for i := range v.All {
		s := v.stage(i, channel, in, to)
		if i > 0 && s.End != nil && p.Stages[i-1].End == nil && len(s.Others) == 0 {
			s.OthersBefore = v.leadOn(i-1, in)
		}
		in = s.At
		if len(s.Upgrades) > 0 {
			installed = s.Package.Package.Bundle(in.Name)
		}
		if installed != nil && i+1 < len(v.All) {
			var err error
			if s.Limit, err = limitBelow(installed, v.All[i+1].Minor); err != nil {
				return nil, err
			}
		}
		if p.Stages = append(p.Stages, s); s.Limit != "" {
			break
		}
	}
	return p, nil
}

// bundle returns the bundle of a name in the oldest catalog that has it, nil if none does.
func (v *Versions) bundle(name string) *catalogs.Bundle {
	for i := range v.All {
		if p := v.PackageIn(i); p != nil && p.Bundle(name) != nil {
			return p.Bundle(name)
		}
	}
	return nil
}

func (v *Versions) stage(i int, channel string, in graph.InstalledBundle, to string) Stage {
	s := Stage{Version: i, From: in, At: in}
	if p := v.PackageIn(i); p != nil {
		s.Package = graph.NewPackageGraph(p).WithRemoved(in)
		s.Graph = s.Package.Graph(channel)
	}
	if s.Graph != nil && in.Name != to {
		a := s.Package.Ask(graph.Question{Channel: s.Graph, From: in.Name, To: in.Name, Limit: 1})
		s.Upgrades, s.Loop = a.Automatic, a.Loop
		if at := slices.IndexFunc(s.Upgrades, func(u graph.Step) bool { return u.To == to }); at >= 0 {
			s.Upgrades, s.Loop = s.Upgrades[:at+1], false
		}
		if n := len(s.Upgrades); n > 0 {
			s.At = graph.InstalledBundle{Name: s.Upgrades[n-1].To, Version: s.Package.Version(s.Upgrades[n-1].To)}
		}
	}
	if s.At.Name == to {
		return s
	}
	if kind, head, ends := channelEnd(s.At, v.PackageIn(i), s.Graph); ends {
		s.End = &End{From: max(0, i-1), To: i, Channel: channel, Entry: s.At.Name, Version: s.At.Version, Kind: kind, NewHead: head}
		if now := v.PackageIn(i); now != nil {
			s.Others = ChannelsOn(now, s.At, now)
		}
	}
	return s
}

// ChannelsOn returns the channels of a package, of those that the newer one has, that upgrade what is installed, or have it as their head.
func ChannelsOn(p *catalogs.Package, in graph.InstalledBundle, now *catalogs.Package) (names []string) {
	for _, c := range p.Channels {
		if _, _, ends := channelEnd(in, p, channelIn(p, c.Name.Value)); !ends && now.Channel(c.Name.Value) != nil {
			names = append(names, c.Name.Value)
		}
	}
	return names
}

// leadOn returns the channels that upgrade what is installed at a version to what does not end at the next one.
func (v *Versions) leadOn(i int, in graph.InstalledBundle) (names []string) {
	p, next := v.PackageIn(i), v.PackageIn(i+1)
	if p == nil {
		return nil
	}
	for _, name := range p.ChannelNames() {
		s := v.stage(i, name, in, "")
		if _, _, ends := channelEnd(s.At, next, channelIn(next, name)); len(s.Upgrades) > 0 && !ends {
			names = append(names, name)
		}
	}
	return names
}

// LastStage returns what OLM v0 does at the last version that the cluster gets to.
func (p *Path) LastStage() *Stage { return &p.Stages[len(p.Stages)-1] }

// Complete reports whether the cluster gets to the last version, and has the head of the channel there, or the bundle that was asked for.
func (p *Path) Complete() bool {
	s := p.LastStage()
	return len(p.Stages) == len(p.All) && s.End == nil && !s.Loop && (p.To == "" || s.At.Name == p.To)
}

// EndStage returns where a path ends that is not complete: of the last versions, at which nothing is upgraded any more, the first; nil if it is complete.
func (p *Path) EndStage() *Stage {
	if p.Complete() {
		return nil
	}
	i := len(p.Stages) - 1
	for p.Stages[i].Limit == "" && i > 0 && p.Stages[i].End != nil && len(p.Stages[i].Upgrades) == 0 && p.Stages[i-1].End != nil {
		i--
	}
	return &p.Stages[i]
}

// StageVersion returns the OpenShift version of a stage.
func (p *Path) StageVersion(s *Stage) Version { return p.All[s.Version] }
