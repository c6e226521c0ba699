package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

// packageProblem asks which bounds of channels strand nobody of a package with the fewest images.
type packageProblem struct {
	pkg      *catalogs.Package
	channels []*channelProblem
}

// channelProblem is what must be left of a channel: its head, a path to it for each user, and providers.
type channelProblem struct {
	whole  *graph.Graph
	target string // the head that is to be left
	users  []User
	must   [][]string // of each, one bundle must be offered
}

// candidate is what bounds leave of a channel.
type candidate struct {
	bounds  imageset.Bounds
	bundles []string // sorted
}

// solution has a candidate for each channel.
type solution struct {
	candidates []candidate
	exact      bool // there is none with fewer images
}

// solve returns the solution with the fewest images, then bundles, then bounds. An error says why there is none.
func (p *packageProblem) solve() (*solution, error) {
	var all [][]candidate
	exact := true
	for _, ch := range p.channels {
		found, whole, err := ch.candidates(p.pkg)
		if err != nil {
			return nil, err
		}
		all, exact = append(all, found), exact && whole
	}
	s := &search{pkg: p.pkg, all: all, images: map[string][]string{}, left: maxNodes}
	s.extend(nil, map[string]int{}, 0)
	return &solution{s.best, exact && s.left > 0}, nil
}

// maxAllBounds is the number of versions up to which every pair of bounds is tried.
const maxAllBounds = 80

// candidates returns the bounds under which the channel is as it must be: of those that leave the same bundles the simplest, and none that
// leaves all bundles of another one and more. whole says that all bounds were tried.
func (ch *channelProblem) candidates(p *catalogs.Package) (found []candidate, whole bool, err error) {
	cutter, err := imageset.NewCutter(p, ch.whole.Channel)
	if err != nil {
		return nil, false, fmt.Errorf("package %q: %w", p.Name.Value, err)
	}
	t := &trial{channelProblem: ch, pkg: p, cutter: cutter, routes: routesOf(ch.whole), known: map[string]bool{}}
	versions := ch.versions()
	if whole = len(versions) <= maxAllBounds; whole {
		for _, b := range allBounds(versions) {
			t.try(b)
		}
	} else {
		t.tryFew(versions)
	}
	if len(t.found) == 0 {
		return nil, false, fmt.Errorf("package %q: no bounds of channel %q leave %s as its head with nobody stranded%s", p.Name.Value, ch.whole.Channel.Name.Value, ch.target, because(t.why))
	}
	return minimal(t.found), whole, nil
}

// trial tries bounds of one channel.
type trial struct {
	*channelProblem
	pkg    *catalogs.Package
	cutter *imageset.Cutter
	routes *routes         // of the whole channel
	known  map[string]bool // by the bundles that are left: whether that is accepted
	found  []candidate
	why    error // the first for which oc-mirror rejects bounds
}

// try reports whether bounds leave the channel as it must be. Of those that leave the same bundles the first is a candidate.
func (t *trial) try(b imageset.Bounds) bool {
	left, outside, err := t.cutter.Cut(b)
	if err != nil {
		t.why = cmp.Or(t.why, err)
		return false
	}
	c := candidate{bounds: b}
	for i := range left.Entries {
		c.bundles = append(c.bundles, left.Entries[i].Name.Value)
	}
	slices.Sort(c.bundles)
	key := strings.Join(append(outside, c.bundles...), "\x00")
	accepted, known := t.known[key]
	if !known {
		accepted = len(outside) == 0 && t.accepts(t.pkg, left, t.routes)
		t.known[key] = accepted
		if accepted {
			t.found = append(t.found, c)
		}
	}
	return accepted
}

func because(why error) string {
	if why == nil {
		return ""
	}
	return ": " + why.Error()
}

func within(low, high string) imageset.Bounds {
	return imageset.Bounds{Min: catalogs.Text{Value: low}, Max: catalogs.Text{Value: high}}
}

// allBounds returns all bounds, the simplest first: none, one, two, equal ones.
func allBounds(versions []string) []imageset.Bounds {
	all := []imageset.Bounds{{}}
	for _, v := range versions {
		all = append(all, within(v, ""))
	}
	for _, v := range versions {
		all = append(all, within("", v))
	}
	for _, low := range versions {
		for _, high := range versions {
			if low != high {
				all = append(all, within(low, high))
			}
		}
	}
	for _, v := range versions {
		all = append(all, within(v, v))
	}
	return all
}

// tryFew tries the head alone, and with some upper bounds the highest lower bound that is accepted.
func (t *trial) tryFew(versions []string) {
	t.try(imageset.Bounds{})
	for _, high := range append([]string{""}, t.fewHighs(versions)...) {
		t.try(within("", high))
		sort.Search(len(versions), func(i int) bool { return !t.try(within(versions[i], high)) })
	}
}

// versions returns the versions of the channel, each once, the lowest first.
func (ch *channelProblem) versions() []string {
	var all []string
	for _, i := range slices.Backward(ch.whole.ByVersion()) {
		b := ch.whole.Channel.Entries[i].Bundle
		if b != nil && b.Version.Value != "" && !slices.Contains(all, b.Version.Value) {
			all = append(all, b.Version.Value)
		}
	}
	return all
}

// fewHighs returns the version of the target and some below it.
func (ch *channelProblem) fewHighs(versions []string) []string {
	const below = 10
	i, _ := ch.whole.Index(ch.target)
	b := ch.whole.Channel.Entries[i].Bundle
	if b == nil {
		return nil
	}
	at := slices.Index(versions, b.Version.Value)
	return versions[max(0, at-below) : at+1]
}

// accepts reports whether a channel that is left is valid for opm, has the head, strands no user and offers providers.
func (ch *channelProblem) accepts(p *catalogs.Package, left *catalogs.Channel, whole *routes) bool {
	g := graph.Of(p, left)
	head, ok := g.Head()
	if !ok || g.Name(head) != ch.target || g.Chain().Cycle != nil || len(g.Stranded()) > 0 {
		return false
	}
	for _, i := range g.Entries() {
		if left.Entries[i].Bundle == nil {
			return false
		}
	}
	after := routesOf(g)
	for i := range ch.users {
		if o := judge(&ch.users[i], whole, after); o == stranded || o == unmirrored {
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
	images map[string][]string // by bundle
	left   int
	best   []candidate
	cost   [2]int // images, bundles
}

func (s *search) imagesOf(bundle string) []string {
	images, known := s.images[bundle]
	if b := s.pkg.Bundle(bundle); b != nil && !known {
		images = ImagesOf([]*catalogs.Bundle{b})
		s.images[bundle] = images
	}
	return images
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
