package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// option is something that may be in the namespace in the end: a bundle in a channel, or an installed operator.
type option struct {
	Operator
	bundle          *bundle
	source          *Source // nil if it is installed
	entry           *entry
	hasSubscription bool                // installed, and a subscription's
	requirements    []optionRequirement // in the order of its properties
	replaces        []*option           // the installed ones that it would take the place of
	lit             sat.Lit
}

// optionRequirement is a requirement of an option and what meets it, best first.
type optionRequirement struct {
	requirement *catalogs.Requirement
	options     []*option
}

// wantedPackage is a subscription and its candidates, best first, what is installed last.
type wantedPackage struct {
	*Subscription
	current *option
	options []*option
}

// entryIn is an entry of a source's catalog: two sources may have the same one.
type entryIn struct {
	source *Source
	entry  *entry
}

// requirementFrom is a requirement of something from a source.
type requirementFrom struct {
	source *Source
	key    string
}

// space is all options that can be in a namespace.
type space struct {
	*Namespace
	sources        []*Source // in the order in which OLM asks them
	installed      []*option
	options        []*option // the installed ones first
	byEntry        map[entryIn]*option
	providersFound map[requirementFrom][]*option
	unexplored     []*option // whose requirements have not been looked at
	wants          []wantedPackage
	faults         []Fault
	replacements   map[string]*InstalledOperator // by what they replace
	chainEnds      map[*InstalledOperator]chainEnd
}

// newSpace collects all options, and the subscriptions that choose among them (OLM: resolver Resolve). The error is the
// context's.
func newSpace(ctx context.Context, n *Namespace) (*space, error) {
	s := &space{Namespace: n, byEntry: map[entryIn]*option{}, providersFound: map[requirementFrom][]*option{}}
	if n.Groups.invalid() {
		s.faults = append(s.faults, Fault{Kind: InvalidGroups, Groups: n.Groups, Err: fmt.Errorf("found %d OperatorGroups, expected 1", len(n.Groups.Names))})
	}
	s.orderSources()
	s.addInstalled()
	s.explore(ctx)
	for _, sub := range byName(n.Subscriptions) {
		s.subscribe(sub)
		s.explore(ctx)
	}
	return s, ctx.Err()
}

func byName(subs []Subscription) []*Subscription {
	var sorted []*Subscription
	for i := range subs {
		sorted = append(sorted, &subs[i])
	}
	slices.SortStableFunc(sorted, func(a, b *Subscription) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// orderSources sorts the sources by priority, those of the namespace before global ones, then by name (OLM: cache
// sortableSnapshots).
func (s *space) orderSources() {
	for i := range s.Sources {
		source := &s.Sources[i]
		switch {
		case !s.Sees(source.Namespace):
		case source.Unreachable != "":
			s.faults = append(s.faults, Fault{Kind: UnreachableCatalog, Operator: Operator{Source: source.SourceKey}, Err: errors.New(source.Unreachable)})
		default:
			s.sources = append(s.sources, source)
		}
	}
	slices.SortStableFunc(s.sources, func(a, b *Source) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority),
			find.CompareFirst(a.Namespace == s.Name, b.Namespace == s.Name), cmp.Compare(a.Name, b.Name))
	})
}

// option returns the option that an entry of a source is.
func (s *space) option(source *Source, e *entry) *option {
	if known := s.byEntry[entryIn{source, e}]; known != nil {
		return known
	}
	o := &option{bundle: e.bundle, source: source, entry: e, Operator: Operator{Source: source.SourceKey, Package: e.channel.pkg.name,
		Channel: e.channel.name, Name: e.bundle.name}}
	if e.bundle.version != nil {
		o.Version = e.bundle.version.String()
	}
	s.byEntry[entryIn{source, e}] = o
	s.add(o)
	return o
}

func (s *space) add(o *option) {
	s.options = append(s.options, o)
	s.unexplored = append(s.unexplored, o)
}

// explore adds the providers of what added options require (OLM: resolver getBundleVariables).
func (s *space) explore(ctx context.Context) {
	for len(s.unexplored) > 0 {
		o := s.unexplored[len(s.unexplored)-1]
		s.unexplored = s.unexplored[:len(s.unexplored)-1]
		for _, f := range o.bundle.faults {
			s.faults = append(s.faults, Fault{Kind: MalformedRequirement, Operator: o.Operator, Property: f.Type, Err: f.Err, Pos: f.Pos})
		}
		for _, t := range o.bundle.requires {
			o.requirements = append(o.requirements, optionRequirement{requirement: t.requirement, options: s.providers(ctx, o.source, t)})
			if s.tooCostly(ctx, t) {
				s.faults = append(s.faults, Fault{Kind: CostlyRequirement, Operator: o.Operator, Property: catalogs.TypeConstraint,
					Err: errTooCostly, Pos: t.requirement.Pos})
			}
		}
	}
}

var errTooCostly = errors.New("the bundles that meet it were not found within the limit of olmgraph")

// tooCostly reports whether the limit is reached before the providers of a requirement are known.
func (s *space) tooCostly(ctx context.Context, t *predicate) bool {
	return slices.ContainsFunc(s.sources, func(source *Source) bool {
		return source.Catalog != nil && source.Catalog.findMatching(ctx, t).costly
	})
}

// providers returns what meets a requirement of something from a source, best first: installed operators, then of each source
// the channels that have a provider, without the bundles that OLM does not offer there. The source of the requirement is the
// first.
func (s *space) providers(ctx context.Context, of *Source, t *predicate) []*option {
	asked := requirementFrom{of, requirementKey(t.requirement)}
	if known, ok := s.providersFound[asked]; ok {
		return known
	}
	found := s.installedProviders(t)
	if of != nil {
		found = s.providersIn(ctx, found, of, t)
	}
	for _, source := range s.sources {
		if source != of {
			found = s.providersIn(ctx, found, source, t)
		}
	}
	s.providersFound[asked] = found
	return found
}

var errSeveralOfPackage = errors.New("OLM cannot tell which of several installed operators of a package is the newer")

// installedProviders sorts what is installed by package, as if each package were a channel (OLM: resolver sortBundles).
func (s *space) installedProviders(t *predicate) []*option {
	var found []*option
	for _, o := range s.installed {
		if t.meets(o.bundle) {
			found = append(found, o)
		}
	}
	slices.SortStableFunc(found, func(a, b *option) int { return strings.Compare(a.Package, b.Package) })
	for i := 1; i < len(found); i++ {
		if found[i].Package == found[i-1].Package {
			s.faults = append(s.faults, Fault{Kind: SeveralInstalled, Operator: found[i].Operator, Err: errSeveralOfPackage})
		}
	}
	return found
}

// providersIn appends those of one source (OLM: resolver sortBundles).
func (s *space) providersIn(ctx context.Context, found []*option, source *Source, t *predicate) []*option {
	if source.Catalog == nil {
		return found
	}
	meeting := map[*bundle]bool{}
	var channels []*channel
	for _, b := range source.Catalog.findMatching(ctx, t).bundles {
		meeting[b] = true
		for _, e := range b.entries {
			channels = append(channels, e.channel)
		}
	}
	channels = find.Distinct(channels)
	slices.SortStableFunc(channels, func(a, b *channel) int {
		return cmp.Or(find.CompareFirst(a.isDefault, b.isDefault), cmp.Compare(a.pkg.name, b.pkg.name), cmp.Compare(a.name, b.name))
	})
	for _, ch := range channels {
		for _, e := range s.order(source, ch, "") {
			if meeting[e.bundle] {
				found = append(found, s.option(source, e))
			}
		}
	}
	return found
}

// order returns the entries of a channel in the order of OLM, or adds a fault if it has none (OLM: resolver sortChannel).
func (s *space) order(source *Source, ch *channel, subscription string) []*entry {
	order, err := ch.graph.Order()
	if err != nil {
		s.faults = append(s.faults, Fault{Kind: UnorderedChannel, Subscription: subscription, Err: err,
			Operator: Operator{Source: source.SourceKey, Package: ch.pkg.name, Channel: ch.name}, Pos: ch.graph.Channel.Pos})
		return nil
	}
	entries := make([]*entry, len(order))
	for i, at := range order {
		entries[i] = ch.entries[at]
	}
	return entries
}
