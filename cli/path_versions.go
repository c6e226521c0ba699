package cli

import (
	"cmp"
	"iter"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/render"
)

// writeVersionPath writes the path of an operator on a cluster that is updated through several OpenShift versions.
func writeVersionPath(to outputs, q *pathRequest, cats []*catalogs.Catalog, pkg string) error {
	ref := to.c.Args().First()
	if err := checkVersionPath(to, q); err != nil {
		return err
	}
	if err := requireEdges(ref, cats...); err != nil {
		return err
	}
	all, ok := versionedCatalogs(cats, pkg)
	if !ok {
		return misusef("--ocp %s: %s has no catalogs for several OpenShift versions, one for each", to.c.String("ocp"), ref)
	}
	out, err := q.follow(&openshift.Versions{Package: pkg, All: all}, to.c.String("ocp") == "all")
	if err != nil {
		return err
	}
	for i := range out.Stages {
		stage := out.AddStage(catalogKubernetes(out.All[i].Catalog))
		if stage.Dependencies, err = dependencies(stage); err != nil {
			return err
		}
	}
	return answerStatus(write(to, render.VersionPathFormats(), out), false, !out.Complete() || out.Fails())
}

// checkVersionPath rejects flags that are for one catalog.
func checkVersionPath(to outputs, q *pathRequest) error {
	for _, name := range []string{"switch-channels", "all", "images", "imageset", "changes", "kube", "snapshot"} {
		if to.c.IsSet(name) {
			return misusef("--%s is for one OpenShift version, as --ocp 4.18", name)
		}
	}
	switch {
	case q.from == "":
		return noFrom(to.c)
	case q.from == "all":
		return misusef("all is a table of one catalog: give one OpenShift version, as --ocp 4.18")
	case q.olm == graph.V1:
		return misusef("a path through several OpenShift versions is that of OLM v0")
	case len(q.channels) > 1:
		return q.check()
	}
	return checkFormats(to, "a path through several OpenShift versions", render.VersionPathFormats())
}

// follow finds what the question names in the catalogs of several versions, and follows it from the first of them or, if atFirst is set, from the
// first one that has the installed bundle.
func (q *pathRequest) follow(v *openshift.Versions, atFirst bool) (*render.VersionPath, error) {
	begin, err := q.findStart(v)
	if err != nil {
		return nil, err
	}
	to, err := q.newestTarget(v, begin.channel)
	if err != nil {
		return nil, err
	}
	out := &render.VersionPath{Partial: begin.notes.Partial, OtherChannels: begin.notes.OtherChannels}
	rest := *v
	if atFirst {
		rest.All = v.All[begin.at:]
	}
	out.Path, err = rest.Follow(begin.channel, begin.installed, to)
	return out, err
}

// pathStart is an installed bundle in the first catalog that has it.
type pathStart struct {
	at        int
	installed graph.InstalledBundle
	channel   string
	notes     render.Path
}

// findStart returns the installed bundle of the question: that of the first version that has it, else that of the first one that has the package.
func (q *pathRequest) findStart(v *openshift.Versions) (*pathStart, error) {
	var first *pathStart
	var unknown error
	for i, s := range eachSelector(v) {
		b := &pathStart{at: i}
		graphs := s.existingChannels(q.channels)
		if len(q.channels) > 0 && len(graphs) == 0 {
			_, err := s.channels(q.channels)
			unknown = cmp.Or(unknown, err)
			continue
		}
		text, err := s.completeVersion(q.from, graphs, &b.notes)
		if err == nil {
			b.installed, err = s.findInstalled(text, graphs)
		}
		if err != nil {
			unknown = cmp.Or(unknown, err)
			continue
		}
		if len(graphs) == 0 {
			graphs = make([]*graph.Graph, 1)
			graphs[0], b.notes.OtherChannels = s.installedChannel(b.installed)
		}
		b.channel = graphs[0].Channel.Name.Value
		if s.Has(b.installed.Name) {
			return b, nil
		}
		if first == nil {
			first = b
		}
	}
	if first == nil {
		return nil, cmp.Or(unknown, misusef("package %q has no channels", v.Package))
	}
	return first, nil
}

// newestTarget returns the bundle that the question asks for, of the newest version that has it; "" if it asks for none.
func (q *pathRequest) newestTarget(v *openshift.Versions, channel string) (name string, err error) {
	if q.to == "" {
		return "", nil
	}
	for _, s := range eachSelector(v) {
		graphs, text := s.existingChannels([]string{channel}), ""
		if text, err = s.completeVersion(q.to, graphs, &render.Path{}); err != nil {
			return "", err
		}
		switch found := s.filterPreferred(graphs, s.Find(text)); {
		case len(found) > 1:
			return "", ambiguousBundle(text, found)
		case len(found) == 1:
			name = found[0]
		case name == "":
			err = s.unknownBundle(text)
		}
	}
	if name != "" {
		return name, nil
	}
	return "", err
}

// eachSelector yields the package in each version that has channels of it.
func eachSelector(v *openshift.Versions) iter.Seq2[int, selector] {
	return func(yield func(int, selector) bool) {
		for i := range v.All {
			if p := v.PackageIn(i); p != nil && len(p.Channels) > 0 && !yield(i, selector{graph.NewPackageGraph(p)}) {
				return
			}
		}
	}
}
