package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

// packageProblem asks which bounds strand nobody of a package with the fewest images.
type packageProblem struct {
	pkg      *catalogs.Package
	own      imageset.Bounds // of the package
	channels []*channelProblem
	others   []*channelProblem // channels that bounds of the package may leave too, with any head
}

// channelProblem is what must be left of a channel: its head, a path to it for each user, and providers.
type channelProblem struct {
	whole  *graph.Graph
	own    imageset.Bounds // what the image set gives
	target string          // the head that is to be left; "" for any
	left   bool            // own bounds leave the target
	users  []User
	must   [][]string // of each, one bundle must be offered
}

// candidate is what bounds leave of a channel.
type candidate struct {
	bounds  imageset.Bounds
	bundles []string // sorted
}

func (ch *channelProblem) name() string { return ch.whole.Channel.Name.Value }

// index returns the index of a channel, -1 if it is none of those that must be left.
func (p *packageProblem) index(channel string) int {
	return slices.IndexFunc(p.channels, func(ch *channelProblem) bool { return ch.name() == channel })
}

// solution has a candidate for each channel.
type solution struct {
	candidates []candidate
	exact      bool // there is none with fewer images
}

// solve returns the solution with the fewest images, then bundles, then bounds. An error says why there is none.
func (p *packageProblem) solve() (*solution, error) {
	var all [][]candidate
	for _, ch := range p.channels {
		found, err := ch.candidates(p.pkg)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	s := &search{pkg: p.pkg, all: all, left: maxNodes}
	s.extend(nil, map[string]int{}, 0)
	return &solution{s.best, s.left > 0}, nil
}

// candidates returns the bounds under which the channel is as it must be: of those that leave the same bundles the first, and none that leaves
// all bundles of another one and more.
func (ch *channelProblem) candidates(p *catalogs.Package) ([]candidate, error) {
	cutter, err := imageset.NewCutter(p, ch.whole.Channel)
	if err != nil {
		return nil, fmt.Errorf("package %q: %w", p.Name.Value, err)
	}
	known := map[string]bool{} // by the bundles that are left: whether they were judged
	var found []candidate
	var why error // the first for which oc-mirror rejects bounds
	for _, b := range alike(ch.own, ch.left, versions(ch.whole.Channel.Entries)) {
		left, outside, err := cutter.Cut(b)
		if err != nil {
			why = cmp.Or(why, err)
			continue
		}
		c := candidate{bounds: b}
		for i := range left.Entries {
			c.bundles = append(c.bundles, left.Entries[i].Name.Value)
		}
		slices.Sort(c.bundles)
		key := strings.Join(append(outside, c.bundles...), "\x00")
		if !known[key] && len(outside) == 0 && ch.accepts(p, left) {
			found = append(found, c)
		}
		known[key] = true
	}
	if len(found) == 0 {
		return nil, ch.unsolved(why)
	}
	return minimal(found), nil
}

// unsolved says that there are no candidates, and why.
func (ch *channelProblem) unsolved(why error) error {
	bound, wanted, because := "minVersion", "one head", ""
	if ch.own.Max.Value != "" {
		bound += " with maxVersion " + ch.own.Max.Value
	}
	if ch.target != "" {
		wanted = ch.target + " as its head"
	}
	if why != nil {
		because = ": " + why.Error()
	}
	return fmt.Errorf("package %q: no %s of channel %q leaves %s without stranding users%s", ch.whole.Package.Name.Value, bound, ch.name(), wanted, because)
}

// alike returns bounds that mirror a later release where own bounds do, those first: with the same maxVersion, or also without if own bounds leave
// no head, and with a minVersion where they have one.
func alike(own imageset.Bounds, left bool, versions []string) []imageset.Bounds {
	all := []imageset.Bounds{own}
	highs := []catalogs.Text{own.Max}
	if !left && own.Max.Value != "" {
		highs = append(highs, catalogs.Text{})
	}
	for _, high := range highs {
		if own.Min.Value == "" {
			all = append(all, imageset.Bounds{Max: high})
		}
		for _, v := range versions {
			all = append(all, imageset.Bounds{Min: catalogs.Text{Value: v}, Max: high})
		}
	}
	return all
}

// versions returns the versions of the bundles of entries, each once, the lowest first; then the same with a pre-release that is below it, since
// pre-releases are in no range that has none itself, and equal bounds are no range.
func versions(entries []catalogs.Entry) []string {
	var all []semver.Version
	for i := range entries {
		if b := entries[i].Bundle; b != nil {
			if v, err := semver.Parse(b.Version.Value); err == nil {
				all = append(all, v)
			}
		}
	}
	semver.Sort(all)
	all = slices.CompactFunc(all, semver.Version.Equals)
	var plain, below []string
	for _, v := range all {
		v.Build = nil
		plain, below = append(plain, v.String()), append(below, v.FinalizeVersion()+"-0")
	}
	return append(plain, below...)
}

// accepts reports whether a channel that is left is valid for opm, has the head, strands no user and offers providers.
func (ch *channelProblem) accepts(p *catalogs.Package, left *catalogs.Channel) bool {
	g := graph.Of(p, left)
	head, ok := g.Head()
	if !ok || ch.target != "" && g.Name(head) != ch.target || g.Chain().Cycle != nil || len(g.Stranded()) > 0 {
		return false
	}
	for _, i := range g.Entries() {
		if left.Entries[i].Bundle == nil {
			return false
		}
	}
	for i := range ch.users {
		if o := judge(&ch.users[i], ch.whole, g); o == stranded || o == unmirrored {
			return false
		}
	}
	for _, any := range ch.must {
		if !slices.ContainsFunc(any, func(name string) bool { i, ok := g.Index(name); return ok && g.Offers(i) }) {
			return false
		}
	}
	return true
}

// solveWhole returns the bounds of the whole package with the fewest images, then bundles; false if there are none.
func (p *packageProblem) solveWhole(item imageset.Package) (imageset.Bounds, bool) {
	type option struct {
		bounds imageset.Bounds
		left   *catalogs.Package
		cost   []int
	}
	var all []option
	kept := !slices.ContainsFunc(p.channels, func(ch *channelProblem) bool { return !ch.left })
	var entries []catalogs.Entry
	for _, ch := range p.pkg.Channels {
		entries = append(entries, ch.Entries...)
	}
	for _, item.Bounds = range alike(p.own, kept, versions(entries)) {
		left := imageset.FilterPackage(p.pkg, &item)
		if left == nil || len(left.Bundles) == 0 {
			continue
		}
		images := len(ImagesOf(left.Bundles))
		all = append(all, option{item.Bounds, left, []int{images, len(left.Bundles) - images}})
	}
	slices.SortStableFunc(all, func(a, b option) int { return slices.Compare(a.cost, b.cost) })
	if i := slices.IndexFunc(all, func(o option) bool { return p.acceptsWhole(o.left) }); i >= 0 {
		return all[i].bounds, true
	}
	return imageset.Bounds{}, false
}

// acceptsWhole reports whether the channels that are left are as they must be.
func (p *packageProblem) acceptsWhole(left *catalogs.Package) bool {
	in := map[string]bool{}
	for i, ch := range slices.Concat(p.channels, p.others) {
		c := left.Channel(ch.name())
		if c == nil && i >= len(p.channels) {
			continue
		}
		if c == nil || len(c.Entries) == 0 { // opm rejects a channel without entries
			return false
		}
		for i := range c.Entries {
			in[c.Entries[i].Name.Value] = true
		}
		if !ch.accepts(p.pkg, c) {
			return false
		}
	}
	return !slices.ContainsFunc(left.Bundles, func(b *catalogs.Bundle) bool { return !in[b.Name.Value] }) // opm rejects a bundle in no channel
}

// minimal returns the candidates that leave no superset of what another one leaves.
func minimal(all []candidate) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(len(a.bundles), len(b.bundles)) })
	var kept []candidate
	for _, c := range all {
		superset := slices.ContainsFunc(kept, func(k candidate) bool {
			return !slices.ContainsFunc(k.bundles, func(name string) bool { _, has := slices.BinarySearch(c.bundles, name); return !has })
		})
		if !superset {
			kept = append(kept, c)
		}
	}
	return kept
}

// maxNodes bounds the combinations of candidates that are tried.
const maxNodes = 200_000

// search finds the combination of candidates, one for each channel, with the fewest images.
type search struct {
	pkg    *catalogs.Package
	all    [][]candidate
	images memo.Map[string, []string] // by bundle
	left   int
	best   []candidate
	cost   [2]int // images, bundles
}

func (s *search) imagesOf(bundle string) []string {
	return s.images.Get(bundle, func() []string {
		if b := s.pkg.Bundle(bundle); b != nil {
			return ImagesOf([]*catalogs.Bundle{b})
		}
		return nil
	})
}

// extend adds candidates for the next channel. used counts the bundles and images of those chosen, images those among them.
func (s *search) extend(chosen []candidate, used map[string]int, images int) {
	cost := [2]int{images, len(used) - images}
	if s.best != nil && slices.Compare(cost[:], s.cost[:]) >= 0 {
		return
	}
	if len(chosen) == len(s.all) {
		s.best, s.cost = slices.Clone(chosen), cost
		return
	}
	for _, c := range s.all[len(chosen)] {
		if s.left--; s.left < 0 && s.best != nil {
			return
		}
		added := 0
		for _, name := range c.bundles {
			used["\x00"+name]++
			for _, image := range s.imagesOf(name) {
				if used[image]++; used[image] == 1 {
					added++
				}
			}
		}
		s.extend(append(chosen, c), used, images+added)
		for _, name := range c.bundles {
			drop(used, "\x00"+name)
			for _, image := range s.imagesOf(name) {
				drop(used, image)
			}
		}
	}
}

func drop(used map[string]int, key string) {
	if used[key]--; used[key] == 0 {
		delete(used, key)
	}
}
