package resolve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
)

var errMissing = errors.New("what the subscription names does not exist")

var errSeveralNamed = errors.New("several installed operators have this name")

// subscribe finds the candidates of a subscription (OLM: resolver getSubscriptionVariables).
func (s *space) subscribe(sub *Subscription) {
	w := wantedPackage{Subscription: sub}
	for _, o := range s.installed {
		if o.Name != sub.InstalledCSV {
			continue
		}
		if w.current != nil {
			s.faults = append(s.faults, Fault{Kind: SeveralInstalled, Subscription: sub.Name, Operator: o.Operator, Err: errSeveralNamed})
			return
		}
		w.current = o
	}
	if s.unreachable(sub.Source) {
		return // that is a fault of its own
	}
	if s.unknown(sub.Source) {
		if w.current != nil {
			w.options = append(w.options, w.current)
			s.wants = append(s.wants, w)
		}
		return
	}
	source, channels, fault := s.channelsFor(&w)
	if fault != nil {
		s.faults = append(s.faults, *fault)
		return
	}
	for _, ch := range channels {
		for _, e := range s.candidates(&w, source, ch) {
			w.addNamed(s, source, channels, e)
		}
	}
	if w.current != nil {
		for _, o := range w.options {
			if !slices.Contains(o.replaces, w.current) {
				o.replaces = append(o.replaces, w.current)
			}
		}
		w.options = append(w.options, w.current)
	}
	s.wants = append(s.wants, w)
}

// whyUnseen says which CatalogSources OLM uses.
func (n *Namespace) whyUnseen() error {
	if n.OwnCatalogsOnly {
		return fmt.Errorf("OLM looks at those of namespace %q only, since its OperatorGroup has the annotation %s", n.Name, excludeGlobal)
	}
	return fmt.Errorf("OLM looks at those of namespace %q and of the global namespace %q only", n.Name, n.Global)
}

// unreachable reports whether a source exists but OLM cannot read it.
func (s *space) unreachable(key SourceKey) bool {
	return slices.ContainsFunc(s.Sources, func(source Source) bool {
		return source.SourceKey == key && source.Unreachable != "" && s.Sees(key.Namespace)
	})
}

// unknown reports whether a source exists but its catalog was not given.
func (s *space) unknown(key SourceKey) bool {
	return slices.ContainsFunc(s.sources, func(source *Source) bool { return source.SourceKey == key && source.Unknown })
}

// channelsFor returns the channels of a subscription, or a fault that says what of it is missing.
func (s *space) channelsFor(w *wantedPackage) (*Source, []*channel, *Fault) {
	missing := func(kind FaultKind) (*Source, []*channel, *Fault) {
		return nil, nil, &Fault{Kind: kind, Subscription: w.Name, Err: errMissing,
			Operator: Operator{Source: w.Source, Package: w.Package, Channel: w.Channel, Name: w.StartingCSV}}
	}
	at := slices.IndexFunc(s.sources, func(source *Source) bool { return source.SourceKey == w.Source })
	if !s.Sees(w.Source.Namespace) {
		_, _, fault := missing(UnseenCatalog)
		fault.Err, fault.Excluded = s.whyUnseen(), s.OwnCatalogsOnly
		return nil, nil, fault
	}
	if at < 0 || s.sources[at].Catalog == nil || len(s.sources[at].Catalog.bundles) == 0 {
		return missing(MissingCatalog)
	}
	pkg := s.sources[at].Catalog.packages[w.Package]
	if pkg == nil {
		return missing(MissingPackage)
	}
	var channels []*channel
	for _, ch := range pkg.channels {
		if (w.Channel == "" || w.Channel == ch.name) && len(ch.graph.Entries()) > 0 {
			channels = append(channels, ch)
		}
	}
	switch {
	case len(channels) == 0 && w.Channel == "":
		return missing(MissingPackage)
	case len(channels) == 0:
		return missing(MissingChannel)
	case w.usesStartingCSV() && !slices.ContainsFunc(channels, func(ch *channel) bool { return ch.has(w.StartingCSV) }):
		return missing(MissingStartingCSV)
	}
	return s.sources[at], channels, nil
}

// usesStartingCSV reports whether startingCSV is used.
func (w *wantedPackage) usesStartingCSV() bool { return w.current == nil && w.StartingCSV != "" }

func (c *channel) has(name string) bool {
	_, ok := c.graph.Index(name)
	return ok
}

// candidates returns those of one channel, best first.
func (s *space) candidates(w *wantedPackage, source *Source, ch *channel) []*entry {
	switch {
	case w.usesStartingCSV():
		return s.startingCandidates(w, source, ch)
	case w.current == nil:
		return s.order(source, ch, w.Name)
	}
	if len(s.order(source, ch, w.Name)) == 0 {
		return nil
	}
	var entries []*entry
	for e := range ch.graph.Candidates(w.current.Name, w.current.bundle.version) {
		entries = append(entries, ch.entries[e.To])
	}
	return entries
}

// startingCandidates returns the startingCSV. OLM orders the channel as if it had no other entry: so its order has no error, and nothing but
// the entry itself skips it.
func (s *space) startingCandidates(w *wantedPackage, source *Source, ch *channel) []*entry {
	i, ok := ch.graph.Index(w.StartingCSV)
	if !ok {
		return nil
	}
	alone := *ch
	only := *ch.graph.Channel
	only.Entries = only.Entries[i : i+1]
	alone.graph, alone.entries = graph.New(ch.graph.Package, &only), ch.entries[i:i+1]
	return s.order(source, &alone, w.Name)
}

// addNamed adds an entry, and those of its name in the other channels of the subscription: OLM looks candidates up by name
// again, in random order. Here they follow in the order of the channels.
func (w *wantedPackage) addNamed(s *space, source *Source, channels []*channel, e *entry) {
	w.addOption(s.option(source, e))
	for _, ch := range channels {
		if i, ok := ch.graph.Index(e.bundle.name); ok {
			w.addOption(s.option(source, ch.entries[i]))
		}
	}
}

func (w *wantedPackage) addOption(o *option) {
	if !slices.Contains(w.options, o) {
		w.options = append(w.options, o)
	}
}
