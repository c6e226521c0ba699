package graph

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Part is what a SingleChange changes.
type Part int

// The parts. NewReplaces is the replaces of an entry that the base does not have; EntryName and BundleName are the names of what was renamed
// alone, so that no bundle has the name of the entry any more.
const (
	DefaultChannelPart Part = iota
	ChannelPart
	EntryPart
	ReplacesPart
	SkipsPart
	SkipRangePart
	NewReplaces
	BundlePart
	VersionPart
	EntryName
	BundleName
)

// String returns the key that has the part in a catalog, or the name of the object.
func (p Part) String() string {
	return [...]string{"defaultChannel", "channel", "entry", "replaces", "skips", "skipRange", "replaces", "bundle", "version", "name", "name"}[p]
}

// SingleChange is one difference between a package and its base that can be taken back alone. The same change of an object in several
// channels is one.
type SingleChange struct {
	Part Part
	Name string // of the channel, the entry or the bundle
	// Was and Is are the values: of skips the names that are gone and those that are new, of a channel that was renamed its names, of
	// an entry its name and the channel that it was moved to. Is is empty where something was removed. Of NewReplaces, Was is the head before, which a new entry usually replaces.
	Was, Is  []string
	Channels []string
	BasePos  catalogs.Pos

	places []catalogs.Pos // of Channels
	undo   []func(*catalogs.Package)
}

// Pos returns where the change is in a channel, or else in the first: of what was removed, what is nearest.
func (s *SingleChange) Pos(channel string) catalogs.Pos {
	return s.places[max(0, slices.Index(s.Channels, channel))]
}

// TakeBack returns a copy of the changed package without the change.
func (s *SingleChange) TakeBack(now *catalogs.Package) *catalogs.Package {
	p := now.WithContents(slices.Clone(now.Channels), slices.Clone(now.Bundles))
	for i, c := range p.Channels {
		one := *c
		one.Entries = slices.Clone(c.Entries)
		p.Channels[i] = &one
	}
	p = p.WithContents(p.Channels, p.Bundles)
	for _, undo := range s.undo {
		undo(p)
	}
	p = p.WithContents(p.Channels, p.Bundles)
	for _, c := range p.Channels {
		for i := range c.Entries {
			if b := p.Bundle(c.Entries[i].Name.Value); b != nil {
				c.Entries[i].Bundle = b
			}
		}
	}
	return p
}

// SingleChanges returns what can be taken back of the changes of a package, in the order of the base. Deprecations, images, and what was
// added are left out, but for the edges of entries.
func SingleChanges(base, now *catalogs.Package) []*SingleChange {
	s := &singleChanges{base: base, now: now}
	if was, is := base.DefaultChannel, now.DefaultChannel; was.Value != is.Value {
		s.add(SingleChange{Part: DefaultChannelPart, Was: texts(was), Is: texts(is), BasePos: was.Pos}, "", catalogs.KnownPos(is.Pos, now.Pos),
			func(p *catalogs.Package) { p.DefaultChannel = was })
	}
	for _, was := range base.Channels {
		if base.Channel(was.Name.Value) != was {
			continue
		}
		if is := now.Channel(was.Name.Value); is != nil {
			s.entries(was, is)
		} else {
			s.channel(was)
		}
	}
	s.bundles()
	return s.all
}

type singleChanges struct {
	base, now *catalogs.Package
	all       []*SingleChange
}

// add adds a change in a channel, at a position.
func (s *singleChanges) add(c SingleChange, channel string, pos catalogs.Pos, undo func(*catalogs.Package)) {
	i := slices.IndexFunc(s.all, func(o *SingleChange) bool {
		return o.Part == c.Part && o.Name == c.Name && slices.Equal(o.Was, c.Was) && slices.Equal(o.Is, c.Is)
	})
	if i < 0 {
		i = len(s.all)
		s.all = append(s.all, &c)
	}
	one := s.all[i]
	one.Channels, one.places, one.undo = append(one.Channels, channel), append(one.places, pos), append(one.undo, undo)
}

// channel adds that a channel was removed or renamed.
func (s *singleChanges) channel(was *catalogs.Channel) {
	name := was.Name.Value
	c := SingleChange{Part: ChannelPart, Name: name, Was: []string{name}, BasePos: catalogs.KnownPos(was.Name.Pos, was.Pos)}
	for _, is := range s.now.Channels {
		if s.base.Channel(is.Name.Value) == nil && len(is.Entries) > 0 && words.Distance(name, is.Name.Value, 3) < 3 {
			c.Is = texts(is.Name)
			s.add(c, name, catalogs.KnownPos(is.Name.Pos, is.Pos), func(p *catalogs.Package) { p.Channel(is.Name.Value).Name = was.Name })
			return
		}
	}
	s.add(c, name, catalogs.KnownPos(s.now.Name.Pos, s.now.Pos), func(p *catalogs.Package) {
		one := *was
		one.Entries = slices.Clone(was.Entries)
		p.Channels = append(p.Channels, &one)
		s.restoreBundles(p, &one)
	})
}

// restoreBundles adds the bundles of a restored channel that were removed with it.
func (s *singleChanges) restoreBundles(p *catalogs.Package, c *catalogs.Channel) {
	for i := range c.Entries {
		name := c.Entries[i].Name.Value
		b := s.base.Bundle(name)
		if b != nil && s.now.Bundle(name) == nil && !slices.Contains(p.Bundles, b) {
			p.Bundles = append(p.Bundles, b)
		}
	}
}

// entries adds the changes of the entries of a channel.
func (s *singleChanges) entries(was, is *catalogs.Channel) {
	before, after := New(s.base, was), New(s.now, is)
	for n, i := range before.members {
		if at, kept := after.Index(before.Name(i)); kept {
			s.edges(&was.Entries[i], is, at)
		} else {
			s.addRemoved(before, after, n)
		}
	}
	head, ok := before.Head()
	if !ok {
		return
	}
	for _, i := range after.members {
		e := &is.Entries[i]
		if _, had := before.Index(e.Name.Value); had || e.Replaces.Value == before.Name(head) || Older(after.Version(i), before.Version(head)) {
			continue // it does not go above the head
		}
		replaced := was.Entries[head].Name
		s.add(SingleChange{Part: NewReplaces, Name: e.Name.Value, Was: texts(replaced), Is: texts(e.Replaces), BasePos: replaced.Pos}, is.Name.Value,
			catalogs.KnownPos(e.Replaces.Pos, e.Name.Pos, e.Pos), func(p *catalogs.Package) {
				c := p.Channel(is.Name.Value)
				c.Entries[i].Replaces.Value = replaced.Value
				for _, n := range before.members { // what registry add has removed from the channel, because of the edge
					if _, kept := after.Index(before.Name(n)); !kept && p.Bundle(before.Name(n)) != nil {
						c.Entries = append(c.Entries, was.Entries[n])
					}
				}
			})
	}
}

// addRemoved adds that an entry was removed, at the next one that is left, or moved.
func (s *singleChanges) addRemoved(before, after *Graph, n int) {
	gone := before.Channel.Entries[before.members[n]]
	name, channel := gone.Name.Value, after.Channel.Name.Value
	pos := catalogs.KnownPos(after.Channel.Name.Pos, after.Channel.Pos)
	above := slices.Clone(before.members[:n])
	slices.Reverse(above)
	for _, i := range slices.Concat(before.members[n+1:], above) {
		if at, ok := after.Index(before.Name(i)); ok {
			e := &after.Channel.Entries[at]
			pos = catalogs.KnownPos(e.Name.Pos, e.Pos)
			break
		}
	}
	if i := s.findRenamed(before, after, &gone); i >= 0 {
		is := &after.Channel.Entries[i]
		s.add(SingleChange{Part: EntryName, Name: is.Name.Value, Was: []string{name}, Is: texts(is.Name), BasePos: gone.Name.Pos}, channel, is.Name.Pos,
			func(p *catalogs.Package) { p.Channel(channel).Entries[i].Name.Value = name })
		return
	}
	c := SingleChange{Part: EntryPart, Name: name, Was: []string{name}, BasePos: catalogs.KnownPos(gone.Name.Pos, gone.Pos)}
	to := ""
	for _, is := range s.now.Channels {
		was := s.base.Channel(is.Name.Value)
		if e := is.Entry(name); e != nil && was != nil && was.Entry(name) == nil {
			to, pos = is.Name.Value, catalogs.KnownPos(e.Name.Pos, e.Pos)
			c.Is = []string{to}
		}
	}
	s.add(c, channel, pos, func(p *catalogs.Package) {
		c := p.Channel(channel)
		c.Entries = append(c.Entries, gone)
		s.restoreBundles(p, c)
		if to := p.Channel(to); to != nil {
			to.Entries = slices.DeleteFunc(to.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })
		}
	})
}

// findRenamed returns the new entry without a bundle that has the place in the channel of one that is gone, or a similar name; -1 if there is none.
func (s *singleChanges) findRenamed(before, after *Graph, gone *catalogs.Entry) int {
	if s.now.Bundle(gone.Name.Value) == nil {
		return -1
	}
	return slices.IndexFunc(after.Channel.Entries, func(e catalogs.Entry) bool {
		_, had := before.Index(e.Name.Value)
		return !had && s.now.Bundle(e.Name.Value) == nil &&
			(words.Distance(e.Name.Value, gone.Name.Value, 3) < 3 || gone.Replaces.Value != "" && e.Replaces.Value == gone.Replaces.Value)
	})
}

// edges adds the changes of the edges of an entry.
func (s *singleChanges) edges(was *catalogs.Entry, c *catalogs.Channel, at int) {
	is, channel := &c.Entries[at], c.Name.Value
	add := func(part Part, gone, added []string, basePos, pos catalogs.Pos, restore func(*catalogs.Entry)) {
		if !slices.Equal(gone, added) {
			s.add(SingleChange{Part: part, Name: is.Name.Value, Was: gone, Is: added, BasePos: catalogs.KnownPos(basePos, was.Pos)}, channel,
				catalogs.KnownPos(pos, is.Name.Pos, is.Pos), func(p *catalogs.Package) { restore(&p.Channel(channel).Entries[at]) })
		}
	}
	add(ReplacesPart, texts(was.Replaces), texts(is.Replaces), was.Replaces.Pos, is.Replaces.Pos, func(e *catalogs.Entry) { e.Replaces.Value = was.Replaces.Value })
	add(SkipRangePart, texts(was.SkipRange), texts(is.SkipRange), was.SkipRange.Pos, is.SkipRange.Pos, func(e *catalogs.Entry) { e.SkipRange.Value = was.SkipRange.Value })
	gone, added := without(was.Skips, is.Skips), without(is.Skips, was.Skips)
	add(SkipsPart, texts(gone...), texts(added...), firstPos(gone), catalogs.KnownPos(firstPos(added), nextSkip(was, is, gone)), func(e *catalogs.Entry) { e.Skips = was.Skips })
}

// without returns the texts whose values others do not have.
func without(all, others []catalogs.Text) []catalogs.Text {
	known := map[string]bool{}
	for _, o := range others {
		known[o.Value] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(t catalogs.Text) bool { return known[t.Value] })
}

// nextSkip returns the place of the skip that is left after the first of those that are gone.
func nextSkip(was, is *catalogs.Entry, gone []catalogs.Text) catalogs.Pos {
	met := false
	for _, t := range was.Skips {
		met = met || len(gone) > 0 && t.Value == gone[0].Value
		if i := slices.IndexFunc(is.Skips, func(o catalogs.Text) bool { return o.Value == t.Value }); met && i >= 0 {
			return is.Skips[i].Pos
		}
	}
	return firstPos(is.Skips)
}

func firstPos(all []catalogs.Text) catalogs.Pos {
	if len(all) == 0 {
		return catalogs.Pos{}
	}
	return all[0].Pos
}

// bundles adds removed bundles that have an entry, and changed versions.
func (s *singleChanges) bundles() {
	for _, was := range s.base.Bundles {
		name := was.Name.Value
		is := s.now.Bundle(name)
		if s.base.Bundle(name) != was || is != nil && is.Version.Value == was.Version.Value {
			continue
		}
		if is != nil {
			s.add(SingleChange{Part: VersionPart, Name: name, Was: texts(was.Version), Is: texts(is.Version), BasePos: catalogs.KnownPos(was.Version.Pos, was.Pos)}, "",
				catalogs.KnownPos(is.Version.Pos, is.Pos), func(p *catalogs.Package) { p.Bundles[slices.Index(p.Bundles, is)] = was })
			continue
		}
		if i := slices.IndexFunc(s.now.Bundles, func(b *catalogs.Bundle) bool {
			return s.base.Bundle(b.Name.Value) == nil && (b.Version.Value == was.Version.Value || b.Image.Value == was.Image.Value) && !s.now.HasEntry(b.Name.Value)
		}); i >= 0 && s.now.HasEntry(name) {
			is := s.now.Bundles[i]
			s.add(SingleChange{Part: BundleName, Name: is.Name.Value, Was: []string{name}, Is: texts(is.Name), BasePos: was.Name.Pos}, "", is.Name.Pos,
				func(p *catalogs.Package) { p.Bundles[slices.Index(p.Bundles, is)] = was })
			continue
		}
		for _, c := range s.now.Channels {
			if e := c.Entry(name); e != nil {
				s.add(SingleChange{Part: BundlePart, Name: name, Was: []string{name}, BasePos: was.Pos}, c.Name.Value, e.Name.Pos,
					func(p *catalogs.Package) {
						if !slices.Contains(p.Bundles, was) {
							p.Bundles = append(p.Bundles, was)
						}
					})
			}
		}
	}
}

// texts returns the values that are not empty.
func texts(all ...catalogs.Text) []string {
	var values []string
	for _, t := range all {
		if t.Value != "" {
			values = append(values, t.Value)
		}
	}
	return values
}
