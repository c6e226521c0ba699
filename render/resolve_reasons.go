package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph/resolve"
)

// becauseText says why OLM does not take a candidate. That there is one operator of a package, and that an upgrade takes the
// place of what it upgrades, everybody knows: it is said only where nothing else is.
func becauseText(r *resolve.Rejection) string {
	told := slices.DeleteFunc(slices.Clone(r.Because), obvious)
	if len(told) == 0 {
		told = r.Because
	}
	var said []string
	for i := range told {
		said = append(said, reasonText(&told[i]))
	}
	return strings.Join(said, "; ")
}

func obvious(r resolve.Reason) bool {
	return r.Kind == resolve.OnlyPackage || r.Kind == resolve.Replacement
}

// reasonText words one of the constraints that something fails on.
func reasonText(r *resolve.Reason) string {
	names := namesOf(r.Operators)
	switch r.Kind {
	case resolve.Wanted:
		return fmt.Sprintf("subscription %q can only have %s", r.Subscription, orNames(names))
	case resolve.Requires:
		return requiresText(r, names)
	case resolve.OnlyPackage:
		return fmt.Sprintf("there can be one operator of package %q: %s", r.Package, orNames(names))
	case resolve.OnlyAPI:
		return fmt.Sprintf("only one operator can provide API %s: %s", r.API, orNames(names))
	case resolve.Replacement:
		return fmt.Sprintf("%s takes the place of %s", r.Subject.Name, orNames(names))
	case resolve.Stays:
		return fmt.Sprintf("%s is installed, and stays because no subscription owns it", r.Subject.Name)
	case resolve.Prohibited:
		return fmt.Sprintf("%s has the property olm.deprecated, and OLM never installs such a bundle", r.Subject.Name)
	}
	return fmt.Sprintf("OLM has chosen %s before", r.Subject.Name)
}

func requiresText(r *resolve.Reason, names []string) string {
	said := fmt.Sprintf("%s requires %s", r.Subject.Name, r.Requirement)
	if len(names) == 0 {
		return said + ", which nothing in the catalogs meets"
	}
	return fmt.Sprintf("%s, which only %s can give", said, orNames(names))
}

// namesOf returns the names of operators; a bundle can be in several channels, and installed besides.
func namesOf(all []resolve.Operator) []string {
	var names []string
	for _, o := range all {
		if !slices.Contains(names, o.Name) {
			names = append(names, o.Name)
		}
	}
	return names
}

// faultText says what keeps OLM from resolving the namespace, and what to do.
func faultText(f *resolve.Fault) string {
	o := &f.Operator
	sub := fmt.Sprintf("subscription %q", f.Subscription)
	switch f.Kind {
	case resolve.MissingCatalog:
		return fmt.Sprintf("%s: CatalogSource %s in namespace %q is not there, or its catalog is empty; name one that is, or delete the subscription",
			sub, o.Source.Name, o.Source.Namespace)
	case resolve.MissingPackage:
		return fmt.Sprintf("%s: catalog %s has no package %q; delete the subscription, or have the package back", sub, o.Source.Name, o.Package)
	case resolve.MissingChannel:
		return fmt.Sprintf("%s: package %q has no channel %q; move the subscription to one that there is (olmgraph list shows them)", sub, o.Package, o.Channel)
	case resolve.MissingStartingCSV:
		return fmt.Sprintf("%s: its startingCSV %s is not in the channel; name one that is, or none", sub, o.Name)
	case resolve.MalformedRequirement:
		return fmt.Sprintf("%s%s: OLM cannot read its %s: %v", placeOf(f), o.Name, f.Property, f.Err)
	case resolve.UnorderedChannel:
		return fmt.Sprintf("%spackage %q, channel %q: OLM cannot put its entries in order: %v", placeOf(f), o.Package, o.Channel, f.Err)
	}
	return fmt.Sprintf("%s: %v", o.Name, f.Err)
}

// placeOf is where a fault stands, if that is known.
func placeOf(f *resolve.Fault) string {
	if f.Pos.File == "" {
		return ""
	}
	return f.Pos.String() + " "
}
