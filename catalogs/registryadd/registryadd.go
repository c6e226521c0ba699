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
	modeReplaces Mode = iota // those of the CSVs
	SemVer                   // each version replaces the next lower one
	SkipPatch                // the same, and a patch skips the lower patches of its minor version
)

// Bundle is what is added: the name and edges of a CSV, and the annotations of its bundle.
type Bundle struct {
	Name, Version, Replaces string
	Skips                   []string
	Channels                []string
	DefaultChannel          string
	Published               bool // it was added before those that are not
	Ends                    bool // in Replaces mode: the index never had what it replaces, and published it nevertheless: a channel ends there
}

// Package is what was published of bundles, which are named by their indexes.
type Package struct {
	DefaultChannel string
	Channels       []Channel   // by name
	Order          []int       // in which the bundles were added
	Rejected       []Rejection // by version
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

// Reason is why a bundle is rejected.
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
	prunes                            // the head of Channel, Name, does not lead to the bundle
	InvalidGraph                      // the patches that it skips in Channel were the link to lower versions
)

// String returns a name that does not change.
func (r Reason) String() string {
	return [...]string{"", "name-taken", "version-syntax", "same-version", "repeated-channel", "no-default", "default-missing", "replaces-missing",
		"cycle", "skipped-before", "head-skipped", "prunes", "invalid-graph"}[r]
}

// Rejection is a bundle that opm registry add rejects, and why.
type Rejection struct {
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
	head      int
	chain     []int // the head, what it replaces and so on
	skips     map[int][]string
	names     map[string]bool // of its entries, whether they have rows or not
	top       int             // the entry of the highest version that has a row
	tops      int             // how many have that version
	pruned    []Pruned
	replacing bool // it was made in Replaces mode
	stale     bool // the mode was changed since
}

// Publish adds bundles: the published ones in one mode, then the others in another one, each time the lowest version first. The others are
// added to the channels that there are: these are not made again in their mode, except by opm in Replaces mode. One that is rejected is tried again
// after each one that is added, since it may have been published later. What is rejected one by one is added as one batch, as opm adds
// several bundles that it gets at once: a bundle and those that it replaces, in the end all that are left. Rejected are those that opm
// registry add still rejects then, with the first reason. If the modes differ, what is rejected in the one is not tried in the other.
func Publish(before, mode Mode, bundles []Bundle) *Package {
	x := &index{mode: before, bundles: bundles, rows: map[string]int{}, channels: map[string]*channel{}}
	x.parseVersions()
	var published, others []int
	for i := range bundles {
		if bundles[i].Published {
			published = append(published, i)
		} else {
			others = append(others, i)
		}
	}
	p := &Package{}
	q := &queue{index: x, rejections: map[int]*Rejection{}}
	slices.SortStableFunc(published, x.compare)
	if len(others) > 0 && before != mode {
		q.addAll(p, published)
		published, q.waiting = nil, nil
		x.changeMode(mode)
	}
	slices.SortStableFunc(others, x.compare)
	q.addAll(p, slices.Concat(published, others))
	p.Order = q.order
	x.describe(p)
	return p
}

// changeMode changes how the next bundles are added.
func (x *index) changeMode(mode Mode) {
	x.mode, x.versions, x.valid = mode, nil, nil
	x.parseVersions()
	for _, c := range x.channels {
		c.stale = true
		c.names = map[string]bool{}
		for _, b := range c.chain {
			c.names[x.bundles[b].Name] = true
			for _, skip := range c.skips[b] {
				c.names[skip] = true
			}
		}
		x.findTop(c)
	}
}

// queue is what is added to an index, and what waits to be tried again.
type queue struct {
	*index
	order, waiting []int
	rejections     map[int]*Rejection
}

// addAll adds bundles in their order, and what is rejected of them to a package.
func (q *queue) addAll(p *Package, bundles []int) {
	for _, b := range bundles {
		q.add(b)
	}
	left := slices.SortedStableFunc(slices.Values(q.waiting), q.compare)
	if q.addTogether(left) {
		q.retryWaiting(left)
	}
	for _, b := range q.waiting {
		p.Rejected = append(p.Rejected, *q.rejections[b])
	}
}

func (q *queue) add(b int) {
	batch := []int{b}
	if q.rejections[b] = q.index.add(b); q.rejections[b] != nil {
		batch = q.chain(b, q.waiting)
		q.waiting = append(q.waiting, b)
		if !q.addTogether(batch) {
			return
		}
	}
	q.retryWaiting(batch)
}

// retryWaiting tries those that wait again.
func (q *queue) retryWaiting(batch []int) {
	for len(batch) > 0 {
		q.order = append(q.order, batch...)
		q.waiting = slices.DeleteFunc(q.waiting, func(w int) bool { return slices.Contains(batch, w) })
		i := slices.IndexFunc(q.waiting, func(w int) bool { return q.index.add(w) == nil })
		if batch = nil; i >= 0 {
			batch = []int{q.waiting[i]}
		}
	}
}

func (x *index) parseVersions() {
	for i := range x.bundles {
		text := x.bundles[i].Version
		if text == "" && x.mode == modeReplaces {
			text = "0.0.0-z" // registry: SemverPackageManifest
		}
		v, err := semver.Parse(text)
		x.versions, x.valid = append(x.versions, v), append(x.valid, err == nil)
	}
}

// compare orders bundles by version, then by name.
func (x *index) compare(a, b int) int {
	return cmp.Or(compareBuilds(x.versions[a], x.versions[b]), strings.Compare(x.bundles[a].Name, x.bundles[b].Name))
}

// compareBuilds orders versions as opm does for heads: those that are equal by their build metadata, none first (registry: lib/semver
// BuildIdCompare).
func compareBuilds(a, b semver.Version) int {
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

// add adds a bundle, or returns why it is rejected and changes nothing (registry: DirectoryPopulator loadManifests).
func (x *index) add(b int) *Rejection {
	if _, again := x.rows[x.bundles[b].Name]; again {
		return &Rejection{Bundle: b, Reason: NameTaken, Name: x.bundles[b].Name}
	}
	if !x.valid[b] {
		return &Rejection{Bundle: b, Reason: VersionSyntax}
	}
	if x.mode == modeReplaces {
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
			switch {
			case i+1 < len(c.chain):
				e.Replaces = x.bundles[c.chain[i+1]].Name
			case c.replacing:
				e.Replaces = x.bundles[b].Replaces
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
