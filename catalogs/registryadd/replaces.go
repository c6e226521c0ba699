package registryadd

import (
	"maps"
	"slices"

	"github.com/blang/semver/v4"
)

// addReplacing adds bundles, by version, at once in replaces-mode: the head of each channel becomes the highest version in it, and the
// channel what that leads to (registry: loadManifestsReplaces, SemverPackageManifest; sqlite: addPackageChannels; lib/registry:
// checkForBundles). What is rejected is all of them.
func (x *index) addReplacing(batch ...int) *Rejection {
	heads, highest, rejected := x.heads(batch)
	if rejected != nil {
		return rejected
	}
	defaultChannel, rejected := x.defaultAfter(batch, heads, highest)
	if rejected != nil {
		return rejected
	}
	for _, b := range batch {
		x.rows[x.bundles[b].Name] = b
	}
	rebuilt, rejected := x.rebuild(batch, heads)
	if rejected != nil {
		for _, b := range batch {
			delete(x.rows, x.bundles[b].Name)
		}
		return rejected
	}
	for _, name := range slices.Sorted(maps.Keys(rebuilt)) {
		x.prune(batch, x.channels[name], rebuilt[name])
	}
	x.defaultChannel, x.channels = defaultChannel, rebuilt
	return nil
}

// addTogether adds several bundles as one batch, and reports whether it is accepted.
func (x *index) addTogether(batch []int) bool {
	names := map[string]bool{}
	for _, b := range batch {
		name := x.bundles[b].Name
		if _, again := x.rows[name]; again || names[name] || !x.valid[b] {
			return false
		}
		names[name] = true
	}
	return len(batch) > 1 && x.mode == modeReplaces && x.addReplacing(batch...) == nil
}

// chain returns b and those of the waiting bundles that it replaces, directly or not, by version; nil if they replace one that is
// neither added nor waiting.
func (x *index) chain(b int, waiting []int) []int {
	byName := map[string]int{}
	for _, w := range waiting {
		byName[x.bundles[w].Name] = w
	}
	all := []int{b}
	for below := x.bundles[b].Replaces; below != ""; {
		if _, added := x.rows[below]; added {
			break
		}
		w, known := byName[below]
		if !known {
			return nil
		}
		delete(byName, below)
		all = append(all, w)
		below = x.bundles[w].Replaces
	}
	slices.SortStableFunc(all, x.compare)
	return all
}

// leader is the highest version of several bundles.
type leader struct {
	version semver.Version
	bundle  int
	count   int // of bundles with that version
}

func (l *leader) consider(version semver.Version, bundle, count int) {
	switch c := compareBuilds(version, l.version); {
	case c > 0, c == 0 && l.count == 0:
		*l = leader{version, bundle, count}
	case c == 0:
		l.count += count
	}
}

// heads returns the head of each channel once a batch is added, and the highest version of the bundles before. A bundle that an entry
// skips is listed as one of that entry's channel, and again as the one that is added: if it is the highest, it is taken for two.
func (x *index) heads(batch []int) (map[string]int, leader, *Rejection) {
	heads := map[string]int{}
	highest := leader{bundle: -1} // registry: maxVersion is 0.0.0 at first
	listed := map[int]bool{}
	for _, name := range slices.Sorted(maps.Keys(x.channels)) {
		c := x.channels[name]
		l := leader{x.versions[c.top], c.top, c.tops}
		if c.top != highest.bundle {
			highest.consider(l.version, l.bundle, 1)
		}
		for _, b := range batch {
			if c.names[x.bundles[b].Name] {
				l.consider(x.versions[b], b, 1)
				listed[b] = true
			}
			if n := countName(x.bundles[b].Channels, name); n > 0 {
				l.consider(x.versions[b], b, n)
			}
		}
		if l.count > 1 {
			return nil, highest, x.rejectContested(batch, l.bundle, name)
		}
		heads[name] = l.bundle
	}
	all := highest
	for _, b := range batch {
		count := 1
		if listed[b] {
			count = 2
		}
		all.consider(x.versions[b], b, count)
	}
	if all.count > 1 {
		return nil, highest, x.rejectContested(batch, all.bundle, "")
	}
	return heads, highest, x.newHeads(batch, heads)
}

// newHeads adds the heads of the channels that a batch opens.
func (x *index) newHeads(batch []int, heads map[string]int) *Rejection {
	opened := map[string]leader{}
	for _, b := range batch {
		for _, name := range slices.Compact(slices.Sorted(slices.Values(x.bundles[b].Channels))) {
			if x.channels[name] != nil {
				continue
			}
			l, known := opened[name]
			if !known {
				l.version = x.versions[b]
			}
			l.consider(x.versions[b], b, countName(x.bundles[b].Channels, name))
			opened[name] = l
		}
	}
	for _, name := range slices.Sorted(maps.Keys(opened)) {
		if heads[name] = opened[name].bundle; opened[name].count > 1 {
			return x.rejectContested(batch, opened[name].bundle, name)
		}
	}
	return nil
}

func countName(names []string, name string) int {
	n := 0
	for _, other := range names {
		if other == name {
			n++
		}
	}
	return n
}

// rejectContested returns the rejection of a bundle with the highest version, of a channel or of all, that opm finds twice.
func (x *index) rejectContested(batch []int, other int, channel string) *Rejection {
	switch b := last(batch); {
	case other != b:
		return &Rejection{Bundle: b, Reason: SameVersion, Name: x.bundles[other].Name}
	case countName(x.bundles[b].Channels, channel) > 1:
		return &Rejection{Bundle: b, Reason: RepeatedChannel, Channel: channel}
	}
	return &Rejection{Bundle: other, Reason: SkippedBefore}
}

func last(batch []int) int { return batch[len(batch)-1] }

// defaultAfter returns the default channel once a batch is added: that of the highest version, unless that names none.
func (x *index) defaultAfter(batch []int, heads map[string]int, highest leader) (string, *Rejection) {
	name := ""
	if highest.count > 0 {
		name = x.defaultChannel
	}
	top := highest.version
	for _, b := range batch {
		if compareBuilds(x.versions[b], top) < 0 {
			continue
		}
		if top = x.versions[b]; x.bundles[b].DefaultChannel != "" {
			name = x.bundles[b].DefaultChannel
		}
	}
	b := last(batch)
	if _, known := heads[name]; known {
		return name, nil
	}
	if name != "" {
		return "", &Rejection{Bundle: b, Reason: DefaultMissing, Channel: name}
	}
	if len(heads) != 1 {
		return "", &Rejection{Bundle: b, Reason: NoDefault}
	}
	for only := range heads {
		name = only
	}
	return name, nil
}

// rebuild returns the channels with their heads. Those that keep their head are not built again.
func (x *index) rebuild(batch []int, heads map[string]int) (map[string]*channel, *Rejection) {
	rebuilt := map[string]*channel{}
	for _, name := range slices.Sorted(maps.Keys(heads)) {
		c := x.channels[name]
		if c == nil || c.head != heads[name] || c.stale {
			var rejected *Rejection
			if c, rejected = x.follow(last(batch), heads[name]); rejected != nil {
				rejected.Channel = name
				return nil, rejected
			}
		} else {
			kept := *c
			c = &kept
		}
		x.findTop(c)
		rebuilt[name] = c
		for _, b := range batch {
			if slices.Contains(x.bundles[b].Channels, name) && !c.names[x.bundles[b].Name] {
				return nil, &Rejection{Bundle: b, Reason: prunes, Name: x.bundles[c.head].Name, Channel: name}
			}
		}
	}
	return rebuilt, nil
}

// follow returns the channel that a head leads to: through bundles of any channel.
func (x *index) follow(b, head int) (*channel, *Rejection) {
	c := &channel{replacing: true, head: head, skips: map[int][]string{}, names: map[string]bool{}}
	for at := head; ; {
		from := &x.bundles[at]
		c.chain = append(c.chain, at)
		c.names[from.Name] = true
		c.skips[at] = from.Skips
		next, known := x.rows[from.Replaces]
		if from.Replaces == "" || !known && from.Ends {
			break
		}
		switch {
		case c.names[from.Replaces]:
			return nil, &Rejection{Bundle: b, Reason: Cycle, Name: from.Replaces}
		case !known:
			return nil, &Rejection{Bundle: b, Reason: ReplacesMissing, Name: from.Replaces}
		}
		at = next
	}
	for _, skips := range c.skips {
		for _, name := range skips {
			if name == x.bundles[head].Name {
				return nil, &Rejection{Bundle: b, Reason: HeadSkipped, Name: name} // sqlite: graphFromEntries finds no head
			}
			c.names[name] = true
		}
	}
	return c, nil
}

// findTop sets the highest version of the entries that have rows.
func (x *index) findTop(c *channel) {
	top := leader{version: x.versions[c.head]}
	for name := range c.names {
		if row, known := x.rows[name]; known {
			top.consider(x.versions[row], row, 1)
		}
	}
	c.top, c.tops = top.bundle, top.count
}

// prune notes what a channel lost by adding a batch: to its head, if that is one of them.
func (x *index) prune(batch []int, before, after *channel) {
	if before == nil || before.head == after.head && !before.stale {
		return
	}
	by := last(batch)
	if slices.Contains(batch, after.head) {
		by = after.head
	}
	after.pruned = slices.DeleteFunc(slices.Clone(before.pruned), func(p Pruned) bool { return after.names[x.bundles[p.Bundle].Name] })
	for name := range before.names {
		if row, known := x.rows[name]; known && !after.names[name] {
			after.pruned = append(after.pruned, Pruned{Bundle: row, By: by})
		}
	}
	slices.SortFunc(after.pruned, func(p, q Pruned) int { return x.compare(p.Bundle, q.Bundle) })
}
