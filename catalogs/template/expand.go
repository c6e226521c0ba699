package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Bundle is what the expansion needs of a bundle: its name, and what its property olm.package says.
type Bundle struct {
	Name, Package, Version string
	Release                string // for substitutions; "" if it has none
}

// Entry is an entry of a generated channel.
type Entry struct {
	Name     string
	Image    Text
	Replaces string
	Skips    []string
}

// Channel is a generated channel, its entries from the lowest version to the head.
type Channel struct {
	Name, Archetype string
	Place           tree.Place // of the key of the stream
	Entries         []Entry
}

// Expansion is what opm generates from a semver template.
type Expansion struct {
	Package        string
	DefaultChannel string    // "" if all versions are 0.0.0 or lower, in candidate only
	Channels       []Channel // by name, as opm prints them
}

// Kinds of channels.
const (
	kindMajor = "major"
	kindMinor = "minor"
)

// release is a bundle of a stream.
type release struct {
	name    string
	image   Text
	version semver.Version
}

// expander expands a semver template.
type expander struct {
	reader
	era
	bundles      map[string]Bundle
	pkg          string
	channels     []Channel
	byName       map[string]int // the index of a channel
	best         candidate      // for the default channel
	preference   string
	major, minor bool
	skips        int // that were generated
}

// maxSkips limits how many skips are generated: opm lets each minor version skip all below it (acrossChannels).
const maxSkips = 500_000

// candidate is a channel that may become the default (opm: highwaterChannel).
type candidate struct {
	archetype  int
	kind, name string
	version    semver.Version
}

// Expand returns what opm of a version makes of a template in which Read found nothing that opm rejects; nil, and all reasons, if opm
// rejects it. The first reason is the one that opm prints; places are those of images. bundles are by image, and an image must have
// one.
//
// Two things opm leaves to chance: the default channel where v1.26.5 and v1.27.0 generate both kinds, which is the minor one here; and the
// order of v1.37 to v1.60 if bundles of two archetypes share a name but not the version, which is that of each one's own version here.
//
// opm: semver.go getVersionsFromStandardChannels, generateChannels, linkChannels.
func (s *SemverTemplate) Expand(bundles map[string]Bundle, v OPM) (*Expansion, []Fault) {
	e := &expander{era: v.era(), bundles: bundles, byName: map[string]int{}, preference: s.Preference.Value, major: s.Major, minor: s.Minor}
	if !e.hasPreference {
		e.older(s, v)
	} else if e.preference == "" {
		e.preference = kindMajor
		if s.Minor {
			e.preference = kindMinor
		}
	}
	streams := make([][]release, len(s.Streams))
	for i := range s.Streams {
		streams[i] = e.releases(&s.Streams[i])
	}
	if len(e.faults) > 0 {
		return nil, e.faults
	}
	for i, stream := range s.Streams {
		e.generate(stream, streams[i])
		if e.skips > maxSkips {
			e.add(fault(stream.Archetype, tooManySkips), stream.Place, "list fewer bundles",
				"the channels of %s and of those before it have more than %d skips: olmgraph does not generate them", stream.Archetype, maxSkips)
			return nil, e.faults
		}
	}
	slices.SortFunc(e.channels, func(a, b Channel) int { return strings.Compare(a.Name, b.Name) })
	return &Expansion{Package: e.pkg, DefaultChannel: e.best.name, Channels: e.channels}, nil
}

// older is for versions without preference, which generate minor channels unless the template says not to.
func (e *expander) older(s *SemverTemplate, v OPM) {
	e.minor = !s.noMinor
	e.preference = kindMinor
	if e.majorFirst {
		e.preference = kindMajor
	}
	if p := s.Preference; p.Place.Line > 0 {
		e.add(fault("defaultChannelTypePreference", unknownToOPM), p.Place, "use opm v1.27.1 or later, or remove it", "defaultChannelTypePreference is not known to opm %s: it rejects the template", v)
	}
	if !e.major && !e.minor && !e.majorFirst { // before, there were just no channels
		at := tree.Place{Line: 1, Col: 1}
		if len(s.Streams) > 0 {
			at = s.Streams[0].Place
		}
		e.add(fault("generateMinorChannels", nothing), at, "generate major or minor channels", "no channels are generated: opm %s crashes", v)
	}
}

// releases returns the bundles of a stream by version.
func (e *expander) releases(s *Stream) []release {
	var found []release
	names, versions := map[string]Text{}, map[string]release{}
	var same []Fault // opm checks them last
	for _, image := range s.Images {
		b, ok := e.bundles[image.Value]
		if !ok {
			e.add(fault(s.Archetype, unknownBundle, image.Value), image.Place, "", "the bundle of image %q is not known", image.Value)
			continue
		}
		r := release{name: b.Name, image: image}
		if !e.check(s, b, &r, names) {
			continue
		}
		names[b.Name] = image
		stripped := r.version
		stripped.Build = nil
		if before, ok := versions[stripped.String()]; ok {
			f := &reader{}
			f.add(fault(s.Archetype, sameVersion, before.name, r.name), image.Place, "list only one of them in "+s.Archetype,
				"%s (%s) and %s (%s, line %d), both in %s, have the same version but for build metadata: opm rejects the template",
				r.name, r.version, before.name, before.version, before.image.Place.Line, s.Archetype)
			same = append(same, f.faults...)
			continue
		}
		versions[stripped.String()] = r
		found = append(found, r)
	}
	e.faults = append(e.faults, same...)
	slices.SortFunc(found, func(a, b release) int { return a.version.Compare(b.version) })
	return found
}

// check checks a bundle, and sets its version (opm: getVersionsFromChannel).
func (e *expander) check(s *Stream, b Bundle, r *release, names map[string]Text) bool {
	version, err := semver.Parse(b.Version)
	if err != nil {
		e.add(fault(s.Archetype, badVersion, b.Name), r.image.Place, "give the bundle a semantic version", "the version of %s, %q, is not a semantic version (%v): opm rejects the template", b.Name, b.Version, err)
		return false
	}
	r.version = version
	if e.pkg == "" {
		e.pkg = b.Package
	}
	if b.Package != e.pkg {
		e.add(fault(s.Archetype, otherPackage, b.Name, b.Package), r.image.Place, "list it in the template of its package", "%s is of package %q, and the bundles before it are of package %q: opm rejects the template", b.Name, b.Package, e.pkg)
		return false
	}
	if before, ok := names[b.Name]; ok {
		e.add(fault(s.Archetype, repeatedName, b.Name), r.image.Place, "remove one of them", "%s is in %s twice, first in line %d: opm rejects the template", b.Name, s.Archetype, before.Place.Line)
		return false
	}
	return true
}

// generate appends the channels of a stream.
func (e *expander) generate(s Stream, releases []release) {
	for _, r := range releases {
		if e.major {
			e.entry(s, r, kindMajor, majorName(s.Archetype, r.version))
		}
		if e.minor {
			e.entry(s, r, kindMinor, minorName(s.Archetype, r.version))
		}
	}
	for start, end := 0, 0; start < len(releases); start = end {
		for end = start; end < len(releases) && releases[end].version.Major == releases[start].version.Major; end++ {
		}
		if e.link(s.Archetype, releases[start:end]); e.skips > maxSkips {
			return
		}
	}
}

// entry appends an entry to a channel, which it makes if there is none. Only a new channel may become the default, with its lowest
// version, but where the default is chosen without preference.
func (e *expander) entry(s Stream, r release, kind, name string) {
	i, ok := e.byName[name]
	if !ok {
		i = len(e.channels)
		e.byName[name] = i
		e.channels = append(e.channels, Channel{Name: name, Archetype: s.Archetype, Place: s.Place})
	}
	c := candidate{archetype: slices.Index(Archetypes(), s.Archetype), kind: kind, name: name, version: r.version}
	if (!ok || e.majorFirst) && e.isPreferred(c, e.best) {
		e.best = c
	}
	e.channels[i].Entries = append(e.channels[i].Entries, Entry{Name: r.name, Image: r.image})
}

// isPreferred reports whether a channel is preferred to another (opm: highwaterChannel.gt).
func (e *expander) isPreferred(c, d candidate) bool {
	if order := cmp.Or(cmp.Compare(c.archetype, d.archetype), c.version.Compare(d.version)); order != 0 {
		return order > 0
	}
	if d.name == "" && !e.hasPreference {
		return false
	}
	return c.kind != d.kind && c.kind == e.preference
}

// link makes the edges of the releases of one major version. Only the highest patch of each minor version has any.
func (e *expander) link(archetype string, releases []release) {
	var lower []string // the names of all releases below
	replaced := ""     // the highest patch of the minor version before
	for start, end := 0, 0; start < len(releases); start = end {
		for end = start; end < len(releases) && releases[end].version.Minor == releases[start].version.Minor; end++ {
		}
		var own []string // what is below in the minor version
		for _, r := range releases[start : end-1] {
			own = append(own, r.name)
		}
		lower = append(lower, own...)
		head := releases[end-1]
		inMajor, inMinor := Entry{Replaces: replaced, Skips: own}, Entry{Skips: own}
		switch e.linking {
		case acrossChannels:
			if e.skips += len(lower); e.skips > maxSkips {
				return
			}
			slices.Sort(lower)
			inMajor.Skips = without(lower, replaced)
			inMinor = inMajor
		case inChannelSkippingReplaced:
			if replaced != "" {
				inMajor.Skips = slices.Insert(slices.Clone(own), 0, replaced)
			}
		case inChannelByName:
			slices.Sort(own)
		}
		e.setEdges(e.major, majorName(archetype, head.version), end-1, inMajor)
		e.setEdges(e.minor, minorName(archetype, head.version), end-1-start, inMinor)
		lower = append(lower, head.name)
		replaced = head.name
	}
}

func (e *expander) setEdges(generated bool, channel string, i int, edges Entry) {
	if generated {
		entry := &e.channels[e.byName[channel]].Entries[i]
		entry.Replaces, entry.Skips = edges.Replaces, slices.Clip(edges.Skips)
	}
}

func majorName(archetype string, v semver.Version) string {
	return fmt.Sprintf("%s-v%d", archetype, v.Major)
}

func minorName(archetype string, v semver.Version) string {
	return fmt.Sprintf("%s-v%d.%d", archetype, v.Major, v.Minor)
}

// without returns a copy of names that lacks one.
func without(names []string, name string) []string {
	var rest []string
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}
