package registryadd

import (
	"maps"
	"slices"

	"github.com/blang/semver/v4"
)

// addReplacing adds a bundle in replaces-mode: the head of each channel becomes the highest version in it, and the channel what that
// leads to (registry: loadManifestsReplaces, SemverPackageManifest; sqlite: addPackageChannels; lib/registry: checkForBundles).
func (x *index) addReplacing(b int) *Refusal {
	heads, highest, refused := x.heads(b)
	if refused != nil {
		return refused
	}
	defaultChannel, refused := x.defaultAfter(b, heads, highest)
	if refused != nil {
		return refused
	}
	x.rows[x.bundles[b].Name] = b
	rebuilt, refused := x.rebuild(b, heads)
	if refused != nil {
		delete(x.rows, x.bundles[b].Name)
		return refused
	}
	for _, name := range slices.Sorted(maps.Keys(rebuilt)) {
		x.prune(b, x.channels[name], rebuilt[name])
	}
	x.defaultChannel, x.channels = defaultChannel, rebuilt
	return nil
}

// leader is the highest version of several bundles.
type leader struct {
	version semver.Version
	bundle  int
	count   int // of bundles with that version
}

func (l *leader) consider(version semver.Version, bundle, count int) {
	switch c := CompareBuilds(version, l.version); {
	case c > 0, c == 0 && l.count == 0:
		*l = leader{version, bundle, count}
	case c == 0:
		l.count += count
	}
}

// heads returns the head of each channel once b is added, and the highest version of the bundles before. A bundle that an entry skips is
// listed as one of that entry's channel, and again as the one that is added: if it is the highest, it is taken for two.
func (x *index) heads(b int) (map[string]int, leader, *Refusal) {
	added := &x.bundles[b]
	heads := map[string]int{}
	highest := leader{bundle: -1} // registry: maxVersion is 0.0.0 at first
	listed := 1
	for _, name := range slices.Sorted(maps.Keys(x.channels)) {
		c := x.channels[name]
		l := leader{x.versions[c.top], c.top, c.tops}
		if c.top != highest.bundle {
			highest.consider(l.version, l.bundle, 1)
		}
		if c.names[added.Name] {
			l.consider(x.versions[b], b, 1)
			listed = 2
		}
		if n := times(added.Channels, name); n > 0 {
			l.consider(x.versions[b], b, n)
		}
		if l.count > 1 {
			return nil, highest, x.contested(b, l.bundle, name)
		}
		heads[name] = l.bundle
	}
	all := highest
	if all.consider(x.versions[b], b, listed); all.count > 1 {
		return nil, highest, x.contested(b, all.bundle, "")
	}
	for _, name := range added.Channels {
		if x.channels[name] != nil {
			continue
		}
		if heads[name] = b; times(added.Channels, name) > 1 {
			return nil, highest, x.contested(b, b, name)
		}
	}
	return heads, highest, nil
}

func times(names []string, name string) int {
	n := 0
	for _, other := range names {
		if other == name {
			n++
		}
	}
	return n
}

// contested returns the refusal of a bundle with the highest version, of a channel or of all, that opm finds twice.
func (x *index) contested(b, other int, channel string) *Refusal {
	switch {
	case other != b:
		return &Refusal{Bundle: b, Reason: SameVersion, Name: x.bundles[other].Name}
	case times(x.bundles[b].Channels, channel) > 1:
		return &Refusal{Bundle: b, Reason: RepeatedChannel, Channel: channel}
	}
	return &Refusal{Bundle: b, Reason: SkippedBefore}
}

// defaultAfter returns the default channel once b is added: that of the highest version, unless that names none.
func (x *index) defaultAfter(b int, heads map[string]int, highest leader) (string, *Refusal) {
	name := ""
	if highest.count > 0 {
		name = x.defaultChannel
	}
	if CompareBuilds(x.versions[b], highest.version) >= 0 && x.bundles[b].DefaultChannel != "" {
		name = x.bundles[b].DefaultChannel
	}
	if _, known := heads[name]; known {
		return name, nil
	}
	if name != "" {
		return "", &Refusal{Bundle: b, Reason: DefaultMissing, Channel: name}
	}
	if len(heads) != 1 {
		return "", &Refusal{Bundle: b, Reason: NoDefault}
	}
	for only := range heads {
		name = only
	}
	return name, nil
}

// rebuild returns the channels with their heads. Those that keep their head are not built again.
func (x *index) rebuild(b int, heads map[string]int) (map[string]*channel, *Refusal) {
	rebuilt := map[string]*channel{}
	for _, name := range slices.Sorted(maps.Keys(heads)) {
		c := x.channels[name]
		if c == nil || c.head != heads[name] {
			var refused *Refusal
			if c, refused = x.follow(b, heads[name]); refused != nil {
				refused.Channel = name
				return nil, refused
			}
		} else {
			kept := *c
			c = &kept
		}
		x.findTop(c)
		rebuilt[name] = c
		if slices.Contains(x.bundles[b].Channels, name) && !c.names[x.bundles[b].Name] {
			return nil, &Refusal{Bundle: b, Reason: Prunes, Name: x.bundles[c.head].Name, Channel: name}
		}
	}
	return rebuilt, nil
}

// follow returns the channel that a head leads to: through bundles of any channel.
func (x *index) follow(b, head int) (*channel, *Refusal) {
	c := &channel{head: head, skips: map[int][]string{}, names: map[string]bool{}}
	for at := head; ; {
		from := &x.bundles[at]
		c.chain = append(c.chain, at)
		c.names[from.Name] = true
		c.skips[at] = from.Skips
		if from.Replaces == "" {
			break
		}
		next, known := x.rows[from.Replaces]
		switch {
		case c.names[from.Replaces]:
			return nil, &Refusal{Bundle: b, Reason: Cycle, Name: from.Replaces}
		case !known:
			return nil, &Refusal{Bundle: b, Reason: ReplacesMissing, Name: from.Replaces}
		}
		at = next
	}
	for _, skips := range c.skips {
		for _, name := range skips {
			if name == x.bundles[head].Name {
				return nil, &Refusal{Bundle: b, Reason: HeadSkipped, Name: name} // sqlite: graphFromEntries finds no head
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

// prune notes what a channel lost by adding b.
func (x *index) prune(b int, before, after *channel) {
	if before == nil || before.head == after.head {
		return
	}
	after.pruned = slices.DeleteFunc(slices.Clone(before.pruned), func(p Pruned) bool { return after.names[x.bundles[p.Bundle].Name] })
	for name := range before.names {
		if row, known := x.rows[name]; known && !after.names[name] {
			after.pruned = append(after.pruned, Pruned{Bundle: row, By: b})
		}
	}
	slices.SortFunc(after.pruned, func(p, q Pruned) int { return x.compare(p.Bundle, q.Bundle) })
}
