// Package registryadd builds the channels of a package as opm registry add does from bundles that are added one after the other
// (operator-registry v1.65.0).
package registryadd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
)

// Mode is how opm registry add makes the edges of channels: its flag --mode.
type Mode int

// The modes.
const (
	Replaces  Mode = iota // those of the CSVs
	SemVer                // each version replaces the next lower one
	SkipPatch             // the same, and a patch skips the lower patches of its minor version
)

// Bundle is what is added: the name and edges of a CSV, and the annotations of its bundle.
type Bundle struct {
	Name, Version, Replaces string
	Skips                   []string
	Channels                []string
	DefaultChannel          string
	Published               bool // it was added before those that are not
}

// Package is what was published of bundles, which are named by their indexes.
type Package struct {
	DefaultChannel string
	Channels       []Channel // by name
	Order          []int     // in which the bundles were added
	Refused        []Refusal // by version
}

// Channel is a published channel.
type Channel struct {
	Name    string
	Head    int
	Entries []Entry // the head, what it replaces and so on; then what these skip
	Pruned  []Pruned
}

// Entry is an entry of a channel, with the edges that it has in the index: none where the bundle is in the channel only because it is
// skipped.
type Entry struct {
	Bundle   int
	Replaces string
	Skips    []string
}

// Pruned is a bundle that left a channel when another one was added.
type Pruned struct {
	Bundle, By int
}

// Reason is why a bundle is refused.
type Reason int

// The reasons.
const (
	NameTaken       Reason = iota + 1 // Name is that of a bundle that was added
	VersionSyntax                     // the version is not a semantic version
	SameVersion                       // Name has the same version
	RepeatedChannel                   // it names Channel twice, and is the highest version in it
	NoDefault                         // no default channel is named, and it cannot be inferred
	DefaultMissing                    // the default channel, Channel, does not exist
	ReplacesMissing                   // Name, which Bundle or one that it replaces names, was not added
	Cycle                             // Name, which it replaces, replaces it in the end
	SkippedBefore                     // an entry skips it, and its version is the highest: opm takes it for two bundles
	HeadSkipped                       // the head of Channel, Name, is skipped by one of its entries
	Prunes                            // the head of Channel, Name, does not lead to the bundle
	InvalidGraph                      // the patches that it skips in Channel were the link to lower versions
)

// Refusal is a bundle that opm registry add refuses, and why.
type Refusal struct {
	Bundle        int
	Reason        Reason
	Name, Channel string
}

// index is one package of an index.
type index struct {
	mode           Mode
	bundles        []Bundle
	versions       []semver.Version
	valid          []bool         // whether the text of a version can be parsed
	rows           map[string]int // the table operatorbundle: nothing is ever deleted from it
	channels       map[string]*channel
	defaultChannel string
}

// channel is a channel of an index.
type channel struct {
	head   int
	chain  []int // the head, what it replaces and so on
	skips  map[int][]string
	names  map[string]bool // of its entries, whether they have rows or not
	top    int             // the entry of the highest version that has a row
	tops   int             // how many have that version
	pruned []Pruned
}

// Publish adds bundles: the published ones, then the others, each time the lowest version first. One that is refused is tried again after each one that is added, since it may have
// been published later. Refused are those that opm registry add still refuses in the end, with the first reason.
func Publish(mode Mode, bundles []Bundle) *Package {
	x := &index{mode: mode, bundles: bundles, rows: map[string]int{}, channels: map[string]*channel{}}
	x.parseVersions()
	pending := make([]int, len(bundles))
	for i := range pending {
		pending[i] = i
	}
	slices.SortStableFunc(pending, func(a, b int) int {
		if published := bundles[a].Published; published != bundles[b].Published {
			if published {
				return -1
			}
			return 1
		}
		return x.compare(a, b)
	})
	p := &Package{}
	var waiting []int
	refusals := map[int]*Refusal{}
	for _, b := range pending {
		if refusals[b] = x.add(b); refusals[b] != nil {
			waiting = append(waiting, b)
			continue
		}
		for p.Order = append(p.Order, b); ; {
			i := slices.IndexFunc(waiting, func(w int) bool { return x.add(w) == nil })
			if i < 0 {
				break
			}
			p.Order = append(p.Order, waiting[i])
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
	for _, b := range waiting {
		p.Refused = append(p.Refused, *refusals[b])
	}
	x.describe(p)
	return p
}

func (x *index) parseVersions() {
	for i := range x.bundles {
		text := x.bundles[i].Version
		if text == "" && x.mode == Replaces {
			text = "0.0.0-z" // registry: SemverPackageManifest
		}
		v, err := semver.Parse(text)
		x.versions, x.valid = append(x.versions, v), append(x.valid, err == nil)
	}
}

// compare orders bundles by version, then by name.
func (x *index) compare(a, b int) int {
	return cmp.Or(CompareBuilds(x.versions[a], x.versions[b]), strings.Compare(x.bundles[a].Name, x.bundles[b].Name))
}

// CompareBuilds orders versions as opm does for heads: those that are equal by their build metadata, none first (registry: lib/semver
// BuildIdCompare).
func CompareBuilds(a, b semver.Version) int {
	return cmp.Or(a.Compare(b), buildAsPrerelease(a).Compare(buildAsPrerelease(b)))
}

func buildAsPrerelease(v semver.Version) semver.Version {
	var as semver.Version
	for _, part := range v.Build {
		as.Major = 1
		if p, err := semver.NewPRVersion(part); err == nil {
			as.Pre = append(as.Pre, p)
		}
	}
	return as
}

// add adds a bundle, or returns why it is refused and changes nothing (registry: DirectoryPopulator loadManifests).
func (x *index) add(b int) *Refusal {
	if _, again := x.rows[x.bundles[b].Name]; again {
		return &Refusal{Bundle: b, Reason: NameTaken, Name: x.bundles[b].Name}
	}
	if !x.valid[b] {
		return &Refusal{Bundle: b, Reason: VersionSyntax}
	}
	if x.mode == Replaces {
		return x.addReplacing(b)
	}
	return x.addInOrder(b)
}

// describe sets the published channels.
func (x *index) describe(p *Package) {
	p.DefaultChannel = x.defaultChannel
	for name, c := range x.channels {
		d := Channel{Name: name, Head: c.head, Pruned: c.pruned}
		in := map[int]bool{}
		for _, b := range c.chain {
			in[b] = true
		}
		var skipped []Entry
		for i, b := range c.chain {
			e := Entry{Bundle: b, Skips: c.skips[b]}
			if i+1 < len(c.chain) {
				e.Replaces = x.bundles[c.chain[i+1]].Name
			}
			d.Entries = append(d.Entries, e)
			for _, skip := range e.Skips {
				if row, known := x.rows[skip]; known && !in[row] {
					in[row] = true
					skipped = append(skipped, Entry{Bundle: row})
				}
			}
		}
		d.Entries = append(d.Entries, skipped...)
		p.Channels = append(p.Channels, d)
	}
	slices.SortFunc(p.Channels, func(a, b Channel) int { return strings.Compare(a.Name, b.Name) })
}
