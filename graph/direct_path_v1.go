package graph

// directPath returns a shortest path along upgrades that a user can request by version, false if there is none. Its cost is linear
// in the bundles, whatever the number of edges.
func (x *Extension) directPath(in InstalledBundle, to string) (path Path, ok bool) {
	end, ok := x.index[to]
	if !ok {
		return nil, false
	}
	installed := x.installedV1(in)
	if installed.unreadable {
		return nil, false
	}
	own, at := x.ownCandidates(), installed.index
	if at < 0 {
		own, at = x.candidatesWith(&installed), len(x.bundles)
	}
	steps := x.stepsTo(end, own)
	for name := in.Name; at != end; at = steps[at].To {
		e := steps[at]
		if e.To < 0 {
			return nil, false
		}
		path = append(path, x.step(name, e, x.Choose(InstalledBundle{name, in.Version}).Bundle == x.name(e.To)))
		name = x.name(e.To)
	}
	return path, true
}

// stepsTo returns, for each candidate, the first edge of a shortest path to a bundle along upgrades that a user can request by
// version.
func (x *Extension) stepsTo(end int, own candidates) []Edge {
	from := func(i int) installedV1 {
		if i == len(x.bundles) {
			return *own.other
		}
		return installedV1{name: x.name(i), release: x.versions[i], index: i}
	}
	return searchBackwards(x.newEdgeAssignment(own), []int{end}, edgeFilter{
		offers: func(to int) bool {
			return to < len(x.bundles) && x.versions[to] != nil && V1Refusal(x.bundles[to]) == nil
		},
		follows: func(e Edge) bool {
			return (e.From == len(x.bundles) || x.versions[e.From] != nil) && !x.isShadowed(from(e.From), e.To)
		},
	}).towards
}

// bundlesReaching returns the names of the bundles from which there is a path to one, newest first.
func (x *Extension) bundlesReaching(to string) []string {
	end, ok := x.index[to]
	if !ok {
		return nil
	}
	steps := x.stepsTo(end, x.ownCandidates())
	var names []string
	for _, i := range x.byVersion() {
		if i != end && steps[i].To >= 0 {
			names = append(names, x.name(i))
		}
	}
	return names
}
