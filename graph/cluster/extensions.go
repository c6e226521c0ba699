package cluster

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Extension is a ClusterExtension of OLM v1, with what OLM would choose next for it.
type Extension struct {
	Cluster   string                `json:"cluster"` // one of several, or empty
	Name      string                `json:"name"`
	Namespace string                `json:"namespace"`
	Package   string                `json:"package"`
	Channels  []string              `json:"channels"`
	Installed graph.InstalledBundle `json:"installed"`
	Next      graph.InstalledBundle `json:"upgradesTo"`
	Pinned    string                `json:"-"` // spec.source.catalog.version
	// Catalogs are the given catalogs that have the package, and Unknown says that one that may have it was not given.
	Catalogs []string      `json:"-"`
	Unknown  bool          `json:"-"`
	Choice   *graph.Choice `json:"-"` // nil if it is not known
	// Through are the versions that have to be requested one after the other to get to Pinned, which no upgrade leads to directly.
	Through []string `json:"-"`
	// Said is what OLM says if it does not install anything: the conditions Installed or Progressing.
	Said string `json:"-"`
}

// IsBlocked reports whether OLM does not upgrade it and says why, finds no bundle for it, or would choose one that it does not install.
func (e *Extension) IsBlocked() bool {
	return e.Said != "" || e.Choice != nil && (e.Choice.Refusal != nil || e.Choice.Bundle == "")
}

// extensions answers for each ClusterExtension.
func (in *Input) extensions() []Extension {
	var all []Extension
	for i := range in.ClusterExtensions {
		all = append(all, in.extension(&in.ClusterExtensions[i]))
	}
	slices.SortFunc(all, func(a, b Extension) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (in *Input) extension(o *snapshot.ClusterExtension) Extension {
	source := &o.Spec.Source.Catalog
	e := Extension{Name: o.Metadata.Name, Namespace: o.Spec.Namespace, Package: source.Package, Channels: source.Channels, Pinned: source.Version,
		Installed: graph.InstalledBundle{Name: o.Status.Install.Bundle.Name, Version: o.Status.Install.Bundle.Version}}
	for _, c := range o.Status.Conditions { // what fails is Progressing with the reason Retrying; what is Absent is being installed
		stopped := c.Type == "Progressing" && (c.Reason == "Retrying" || c.Status == "False" && c.Reason != "Succeeded")
		if stopped || e.Said == "" && c.Type == "Installed" && c.Status != "True" && c.Reason != "Absent" {
			e.Said = c.Message
		}
	}
	var having []*catalogs.Package
	for i := range in.ClusterCatalogs {
		name := in.ClusterCatalogs[i].Metadata.Name
		given := in.Catalogs[resolve.SourceKey{Name: name}]
		e.Unknown = e.Unknown || given == nil
		if p := given.Package(e.Package); p != nil {
			e.Catalogs, having = append(e.Catalogs, name), append(having, p)
		}
	}
	// With several catalogs, a range of versions or a selector the choice takes more than the graph of one package.
	_, err := semver.Parse(e.Pinned)
	if !e.Unknown && len(having) == 1 && (e.Pinned == "" || err == nil) && source.Selector == nil {
		e.choose(graph.NewPackageGraph(having[0]), e.Installed.Name == "" || source.Policy == "SelfCertified")
	}
	return e
}

// choose sets what OLM would choose of a package, unless the extension names a channel that it does not have: the best bundle, or the best that
// upgrades what is installed, of the pinned version if there is one (operator-controller: resolve/catalog.go Resolve).
func (e *Extension) choose(a *graph.PackageGraph, best bool) {
	var channels []*graph.Graph
	for _, name := range e.Channels {
		if g := a.Graph(name); g != nil {
			channels = append(channels, g)
		}
	}
	if len(channels) < len(e.Channels) {
		return
	}
	x := a.Extension(false, channels...)
	choice := x.Choose(e.Installed)
	if e.Pinned != "" {
		choice, best = e.choosePinned(a, x, best), false
	}
	if b := a.Package.Bundle(x.Best()); best && b != nil {
		choice = graph.Choice{Bundle: x.Best(), Refusal: graph.V1Refusal(b)}
	}
	e.Choice = &choice
	if choice.Step != nil || best && choice.Bundle != e.Installed.Name {
		e.Next = graph.InstalledBundle{Name: choice.Bundle, Version: a.Version(choice.Bundle)}
	}
}

// choosePinned returns what OLM would choose if the extension requests a version, and sets through which versions a path leads to it.
func (e *Extension) choosePinned(a *graph.PackageGraph, x *graph.Extension, any bool) graph.Choice {
	want, _ := semver.Parse(e.Pinned)
	b := find.Value(x.RequestedBundles(), func(b *catalogs.Bundle) bool {
		v, err := semver.Parse(b.Version.Value)
		return err == nil && v.Equals(want) // whatever the build metadata
	})
	switch {
	case b == nil:
		return graph.Choice{}
	case b.Name.Value == e.Installed.Name:
		return graph.Choice{Bundle: e.Installed.Name}
	}
	to := graph.Choice{Bundle: b.Name.Value, Refusal: graph.V1Refusal(b)}
	if any {
		to.Step = &graph.Step{From: e.Installed.Name, To: to.Bundle}
		return to
	}
	paths := a.Ask(graph.Question{Extension: x, From: e.Installed.Name, To: to.Bundle, Limit: 1}).Paths
	if len(paths) == 0 {
		return graph.Choice{}
	}
	if len(paths[0]) == 1 {
		to.Step = &paths[0][0]
		return to
	}
	for _, step := range paths[0] {
		e.Through = append(e.Through, a.Version(step.To))
	}
	return graph.Choice{}
}
