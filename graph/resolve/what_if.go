package resolve

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Unmet is a requirement of an installed operator that no installed operator meets.
type Unmet struct {
	Operator
	Requirement *catalogs.Requirement
}

// Unmet returns the requirements of installed operators that none of them meets.
func (n *Namespace) Unmet() []Unmet {
	var lacks []Unmet
	for _, t := range n.InstalledRequirements() {
		if len(t.Met) == 0 {
			lacks = append(lacks, Unmet{t.Operator, t.Requirement})
		}
	}
	return lacks
}

// Operators returns the installed operators.
func (n *Namespace) Operators() []Operator {
	var all []Operator
	for _, o := range n.operators() {
		all = append(all, o.Operator)
	}
	return all
}

func (n *Namespace) operators() []*option {
	s := &space{Namespace: n}
	s.addInstalled()
	return s.installed
}

// Without returns the namespace without the subscriptions and the operators of a package, and those that these are replacing;
// and the names of the operators and subscriptions that were removed.
func (n Namespace) Without(pkg string) (out Namespace, operators, subscriptions []string) {
	for _, o := range n.operators() {
		if o.Package == pkg {
			operators = append(operators, o.Name)
		}
	}
	for i := range n.Subscriptions {
		if sub := &n.Subscriptions[i]; sub.Package == pkg {
			operators, subscriptions = append(operators, sub.InstalledCSV, sub.CurrentCSV), append(subscriptions, sub.Name)
		}
	}
	chains := n.chainsOf(operators)
	n.Subscriptions = slices.DeleteFunc(slices.Clone(n.Subscriptions), func(s Subscription) bool { return s.Package == pkg })
	present := func(i InstalledOperator) bool { return chains[i.Name] }
	gone := slices.DeleteFunc(slices.Clone(n.Installed), func(i InstalledOperator) bool { return !present(i) })
	n.Installed = slices.DeleteFunc(slices.Clone(n.Installed), present)
	operators = nil
	for i := range gone {
		operators = append(operators, gone[i].Name)
	}
	return n, operators, subscriptions
}

// With returns the namespace as if a bundle of a package were installed instead of the present one. The subscription of the
// package has it then; if there is none, the given one is added, under another name if its own is taken.
func (n Namespace) With(in InstalledOperator, sub Subscription) Namespace {
	was, _, subs := n.Without(sub.Package)
	out := n
	out.Subscriptions = slices.Clone(n.Subscriptions)
	out.Installed = append(was.Installed, in)
	for i := range out.Subscriptions {
		if s := &out.Subscriptions[i]; slices.Contains(subs, s.Name) {
			s.InstalledCSV, s.CurrentCSV, s.Plan, s.Pending = in.Name, in.Name, "", false
		}
	}
	if len(subs) == 0 {
		sub.Name = n.unusedName(sub.Name)
		sub.InstalledCSV, sub.CurrentCSV = in.Name, in.Name
		out.Subscriptions = append(out.Subscriptions, sub)
	}
	return out
}

// unusedName returns a name that no subscription has: this one, or with a number appended.
func (n *Namespace) unusedName(name string) string {
	free := name
	for i := 2; slices.ContainsFunc(n.Subscriptions, func(s Subscription) bool { return s.Name == free }); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}
