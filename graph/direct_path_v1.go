package graph

// directPath returns a shortest path along upgrades that a user can request by version, false if there is none. Its cost is linear
// in the bundles, whatever the number of edges.
func (x *Extension) directPath(in InstalledBundle, to string) (path Path, ok bool) {
	end, ok := x.index[to]
	if !ok {
		return nil, false
	}
	as := x.installedV1(in)
	if as.unreadable {
		return nil, false
	}
	own, at := x.ownCandidates(), as.index
	if at < 0 {
		own, at = x.candidatesWith(&as), len(x.bundles)
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

// FirstSteps calls do for each of some bundles in turn, with the first steps of the paths to it that Ask finds from installed bundles if a
// user can request any version: nil where there is no path, or the bundle itself is installed. Its cost is linear in the pairs of both.
func (x *Extension) FirstSteps(installed []InstalledBundle, targets []string, do func(first []*Step)) {
	automatic, met := make([]string, len(installed)), make([]*Step, len(installed))
	next, along := make([][]Step, len(installed)), make([]Edge, len(installed)) // next of bundles that the extension does not have; met along an edge
	for i, in := range installed {
		automatic[i] = x.Choose(in).Bundle
		if _, ok := x.index[in.Name]; !ok {
			next[i], _ = x.UpgradesByVersion(in)
		}
	}
	for _, target := range targets {
		first := make([]*Step, len(installed))
		if end, ok := x.index[target]; ok {
			search := x.searchTo(end, x.ownCandidates())
			turns := search.turns()
			for i, in := range installed {
				if at, ok := x.index[in.Name]; !ok {
					first[i] = x.firstMet(next[i], turns)
				} else if e := search.towards[at]; at != end && e.To >= 0 {
					if met[i] == nil || along[i] != e {
						step := x.step(in.Name, e, automatic[i] == x.name(e.To))
						met[i], along[i] = &step, e
					}
					first[i] = met[i]
				}
			}
		}
		do(first)
	}
}

// firstMet returns the step to the bundle that a search visited first, nil if it visited none.
func (x *Extension) firstMet(steps []Step, turns []int) *Step {
	var first *Step
	turn := 0
	for i := range steps {
		if at := turns[x.index[steps[i].To]]; at > 0 && (first == nil || at < turn) {
			first, turn = &steps[i], at
		}
	}
	return first
}

// stepsTo returns, for each candidate, the first edge of a shortest path to a bundle along upgrades that a user can request by
// version.
func (x *Extension) stepsTo(end int, own candidates) []Edge { return x.searchTo(end, own).towards }

// searchTo searches the candidates from which such paths lead to a bundle.
func (x *Extension) searchTo(end int, own candidates) *backwardSearch {
	from := func(i int) installedV1 {
		if i == len(x.bundles) {
			return *own.other
		}
		return installedV1{name: x.name(i), release: x.versions[i], index: i}
	}
	return searchBackwards(x.newEdgeAssignment(own), []int{end}, edgeFilter{
		offers: func(to int) bool {
			return to < len(x.bundles) && x.versions[to] != nil && RefusalOf(x.bundles[to]) == nil
		},
		follows: func(e Edge) bool {
			return (e.From == len(x.bundles) || x.versions[e.From] != nil) && !x.shadowed(from(e.From), e.To)
		},
	})
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
