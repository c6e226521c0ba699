package resolve

import (
	"fmt"
	"slices"
)

// Unmet is a requirement of an installed operator that no installed operator meets.
type Unmet struct {
	Operator    string `json:"operator"`
	Requirement string `json:"requirement"`
}

// Removed is what of a package was removed, by name.
type Removed struct {
	Package                  string
	Operators, Subscriptions []string
	Unneeded                 []Operator // what meets a requirement of it, and none of others
}

// Remove removes what Without does, and reports whether there was anything. An operator whose requirement was unmet before does not break.
func (r *ResolveReport) Remove(pkg string) bool {
	rest, operators, subs := r.Before.Without(pkg)
	r.Removed = &Removed{Package: pkg, Operators: operators, Subscriptions: subs}
	before := r.Before.findUnmet()
	for _, l := range rest.findUnmet() {
		if !slices.ContainsFunc(before, func(b Unmet) bool { return b == l }) {
			r.Unmet = append(r.Unmet, l)
		}
	}
	var needed []Operator
	for _, t := range rest.installedRequirements() {
		needed = append(needed, t.Met...)
	}
	for _, t := range r.Before.installedRequirements() {
		for _, o := range t.Met {
			if t.Package == pkg && o.Package != pkg && !slices.Contains(needed, o) && !slices.Contains(r.Removed.Unneeded, o) {
				r.Removed.Unneeded = append(r.Removed.Unneeded, o)
			}
		}
	}
	r.Before = rest
	return len(operators)+len(subs) > 0
}

// findUnmet returns the requirements of installed operators that none of them meets.
func (n *Namespace) findUnmet() []Unmet {
	var lacks []Unmet
	for _, t := range n.installedRequirements() {
		if len(t.Met) == 0 {
			lacks = append(lacks, Unmet{t.Operator.Name, t.Requirement.String()})
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
	chains := n.replacedChains(operators)
	n.Subscriptions = slices.DeleteFunc(slices.Clone(n.Subscriptions), func(s Subscription) bool { return s.Package == pkg })
	if len(n.Subscriptions) == 0 {
		n.Plans = nil // all Subscriptions of the namespace own them (OLM: catalog gcInstallPlans)
	}
	present := func(i InstalledOperator) bool { return chains[i.Name] }
	gone := slices.DeleteFunc(slices.Clone(n.Installed), func(i InstalledOperator) bool { return !present(i) })
	n.Installed = slices.DeleteFunc(slices.Clone(n.Installed), present)
	operators = nil
	for i := range gone {
		operators = append(operators, gone[i].Name)
	}
	return n, operators, subscriptions
}

// WithInstalled returns the namespace as if a bundle of a package were installed instead of the present one. The subscription of the
// package has it then; if there is none, the given one is added, under another name if its own is taken.
func (n Namespace) WithInstalled(in InstalledOperator, sub Subscription) Namespace {
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
