package resolve

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve/sat"
)

// Resolve returns what OLM v0 does in a namespace in one step (OLM: resolver Resolve, ResolveSteps). An unresolvable namespace
// is not an error but an answer; an error is the context's.
//
// The steps of the search and of the explanation are limited, independently of the machine; OLM has no limit.
func Resolve(ctx context.Context, n Namespace) (*Resolution, error) {
	return newBudgets(maxSteps).resolve(ctx, n)
}

// maxSteps is the limit of steps of a question: some seconds. Namespaces of real catalogs take less than a thousandth.
const maxSteps = 50_000_000

// budgets is the budgets for answers, for their explanation, and for other orders.
type budgets struct{ decide, explain, orders *sat.Budget }

func newBudgets(steps int) *budgets {
	return &budgets{sat.NewBudget(steps), sat.NewBudget(2 * steps), sat.NewBudget(steps / 5)}
}

var errTooHard = errors.New("no solution was found within the limit of olmgraph")

func (e *budgets) resolve(ctx context.Context, n Namespace) (*Resolution, error) {
	return e.answer(ctx, n, true)
}

// answer resolves a namespace, with or without explanation: a Conflict is Unexplained then, and there are no Choices.
func (e *budgets) answer(ctx context.Context, n Namespace, explained bool) (*Resolution, error) {
	space, err := newSpace(ctx, &n)
	if err != nil {
		return nil, err
	}
	if len(space.faults) > 0 {
		return &Resolution{Faults: sortFaults(space.faults)}, nil
	}
	s := &search{system: newSystem(space, e)}
	ok, err := s.run(ctx)
	if errors.Is(err, sat.ErrLimit) {
		return &Resolution{Faults: []Fault{{Kind: TooHard, Err: errTooHard}}}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Resolution{}
	switch {
	case !ok && !explained:
		r.Conflict = []Reason{{Kind: Unexplained}}
		return r, nil
	case !ok:
		r.Conflict, err = s.conflict(ctx)
		return r, err
	}
	if r.Faults = s.ambiguous(); len(r.Faults) > 0 {
		return r, nil
	}
	r.Installs = s.installs()
	if explained {
		r.Uncertain = s.uncertain()
		r.Choices, err = s.choices(ctx)
	}
	return r, err
}

// sortFaults sorts faults in the order in which OLM detects them, without duplicates: a channel can be considered more than
// once.
func sortFaults(faults []Fault) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Kind.Stage(), b.Kind.Stage()), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subscription, b.Subscription), compareOperators(a.Operator, b.Operator),
			cmp.Compare(a.Err.Error(), b.Err.Error()))
	})
	return slices.CompactFunc(faults, func(a, b Fault) bool {
		return a.Kind == b.Kind && a.Subscription == b.Subscription && a.Operator == b.Operator && a.Err.Error() == b.Err.Error()
	})
}

func compareOperators(a, b Operator) int {
	return cmp.Or(strings.Compare(a.Source.Namespace, b.Source.Namespace), strings.Compare(a.Source.Name, b.Source.Name),
		strings.Compare(a.Package, b.Package), strings.Compare(a.Channel, b.Channel), strings.Compare(a.Name, b.Name))
}

var errAmbiguous = errors.New("another package of the catalog has a bundle of this name in a channel of this name, and OLM cannot tell them apart")

// ambiguous returns chosen bundles that OLM cannot identify by name (OLM: cache ExactlyOne).
func (s *search) ambiguous() []Fault {
	var faults []Fault
	for _, o := range s.selectedOptions() {
		if o.source != nil && o.source.Catalog.hasDuplicates(o.Channel, o.Name) {
			faults = append(faults, Fault{Kind: ambiguousBundle, Operator: o.Operator, Err: errAmbiguous})
		}
	}
	return faults
}

// hasDuplicates reports whether several bundles of a name are in channels of a name.
func (c *Catalog) hasDuplicates(channel, name string) bool {
	in := func(b *bundle) bool {
		return slices.ContainsFunc(b.entries, func(e *entry) bool { return e.channel.name == channel })
	}
	first := slices.IndexFunc(c.byName[name], in)
	return first >= 0 && slices.ContainsFunc(c.byName[name][first+1:], in)
}

// installs returns what is new, and to which subscriptions (OLM: ResolveSteps).
func (s *search) installs() []Install {
	var all []Install
	ofPackage := map[string][]*Subscription{}
	for _, sub := range byName(s.Subscriptions) {
		ofPackage[sub.Package] = append(ofPackage[sub.Package], sub)
	}
	for _, o := range s.selectedOptions() {
		if o.source == nil {
			continue
		}
		fitting := slices.DeleteFunc(slices.Clone(ofPackage[o.Package]), func(sub *Subscription) bool {
			return sub.Channel != "" && sub.Channel != o.Channel || sub.Source != o.Source
		})
		if len(fitting) > 0 && !slices.ContainsFunc(fitting, func(sub *Subscription) bool { return !s.hasInstalled(sub, o.Name) }) {
			continue
		}
		i := Install{Operator: o.Operator, Replaces: s.replacedName(o), facts: o.bundle.asInstalled()}
		for _, sub := range fitting {
			i.Subscriptions = append(i.Subscriptions, sub.Name)
		}
		if len(fitting) == 0 {
			i.Generated = o.subscription()
		}
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b Install) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), compareOperators(a.Operator, b.Operator))
	})
	return all
}

// hasInstalled reports whether a subscription has had a bundle installed, and it still is.
func (s *search) hasInstalled(sub *Subscription, name string) bool {
	return sub.currentCSV() == name && s.isInstalled(name)
}

func (s *search) isInstalled(name string) bool {
	return slices.ContainsFunc(s.Installed, func(i InstalledOperator) bool { return i.Name == name })
}

func (s *Subscription) currentCSV() string { return cmp.Or(s.CurrentCSV, s.InstalledCSV) }

// replacedName returns the installed operator that an option replaces: that of its subscription, or else of its entry; "" if that is
// not installed.
func (s *search) replacedName(o *option) string {
	name := o.entry.channel.graph.Channel.Entries[o.entry.index].Replaces.Value
	if len(o.replaces) > 0 {
		name = o.replaces[len(o.replaces)-1].Name
	}
	if s.isInstalled(name) {
		return name
	}
	return ""
}

// subscription returns the Subscription that OLM creates for a bundle (OLM: resolver NewSubscriptionStepResource).
func (o *option) subscription() *Subscription {
	return &Subscription{
		Name:    strings.Join([]string{o.Package, o.Channel, o.Source.Name, o.Source.Namespace}, "-"),
		Package: o.Package, Channel: o.Channel, Source: o.Source, StartingCSV: o.Name,
	}
}
