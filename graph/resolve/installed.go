package resolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// addInstalled adds the installed operators as options (OLM: resolver csvSource Snapshot).
func (s *space) addInstalled() {
	terms := &requirementCompiler{}
	for i := range s.Installed {
		in := &s.Installed[i]
		if s.FailForward && s.ignoredByFailForward(in) {
			continue
		}
		b := s.installedBundle(in)
		terms.readRequirements(b)
		o := &option{bundle: b, hasSubscription: len(s.owners(in.Name)) > 0, Operator: Operator{Source: SourceKey{virtualSource, s.Name}, Package: b.pkg,
			Name: b.name, Version: in.Version.String()}}
		s.installed = append(s.installed, o)
		s.add(o)
	}
}

// owners returns the subscriptions that have installed an operator.
func (s *space) owners(name string) []*Subscription {
	var owners []*Subscription
	for i := range s.Subscriptions {
		if s.Subscriptions[i].InstalledCSV == name {
			owners = append(owners, &s.Subscriptions[i])
		}
	}
	return owners
}

// installedBundle returns an installed operator as a bundle. Its package is that of its last olm.package property.
func (s *space) installedBundle(in *InstalledOperator) *bundle {
	facts := &catalogs.Facts{}
	if in.Facts != nil {
		facts = in.Facts
	}
	if !in.FromAnnotation {
		facts = s.inferPackage(in, facts)
	}
	b := &bundle{name: in.Name, version: &in.Version, facts: facts}
	if n := len(facts.Packages); n > 0 {
		b.pkg = facts.Packages[n-1].Name
	}
	return b
}

// inferPackage adds the package that the subscriptions of an operator agree on (OLM: resolver inferProperties).
func (s *space) inferPackage(in *InstalledOperator, facts *catalogs.Facts) *catalogs.Facts {
	var packages []string
	for _, sub := range s.owners(in.Name) {
		if sub.Package != "" && !slices.Contains(packages, sub.Package) {
			packages = append(packages, sub.Package)
		}
	}
	if len(packages) != 1 {
		return facts
	}
	own := catalogs.PackageProperty{Name: packages[0]}
	if !in.Version.Equals(semver.Version{}) {
		own.Version = in.Version.String()
	}
	out := *facts
	out.Packages = append(slices.Clone(facts.Packages), own)
	if value, err := json.Marshal(own); err == nil {
		out.Properties = append(slices.Clone(facts.Properties), catalogs.PropertyValue{Type: catalogs.TypePackage, Value: value})
	}
	return &out
}

var errReplacementLoop = errors.New("the chain of replacements is a cycle")

// chainEnd is the last operator of a chain of replacements, or why the chain is broken.
type chainEnd struct {
	last *InstalledOperator
	err  error
}

// ignoredByFailForward reports whether an operator is ignored because what replaces it has failed (OLM: resolver
// isReplacementChainThatEndsInFailure).
func (s *space) ignoredByFailForward(in *InstalledOperator) bool {
	end := s.endOfChain(in)
	if end.err != nil {
		s.faults = append(s.faults, Fault{Kind: BrokenReplacement, Err: end.err,
			Operator: Operator{Source: SourceKey{virtualSource, s.Name}, Name: in.Name, Version: in.Version.String()}})
		return false
	}
	return in.Phase == replacing && end.last.Phase == failed
}

// endOfChain returns the end of the chain of what replaces an operator. All operators of a chain have the same.
func (s *space) endOfChain(in *InstalledOperator) chainEnd {
	if s.chainEnds == nil {
		s.chainEnds, s.replacements = map[*InstalledOperator]chainEnd{}, map[string]*InstalledOperator{}
		for i := range s.Installed { // the last of several counts
			s.replacements[s.Installed[i].Replaces] = &s.Installed[i]
		}
	}
	var chain []*InstalledOperator
	var end chainEnd
	for last := in; ; last = s.replacements[last.Name] {
		known, met := s.chainEnds[last]
		if end = known; met {
			break
		}
		s.chainEnds[last] = chainEnd{err: errReplacementLoop} // if this one is met again
		chain = append(chain, last)
		next := s.replacements[last.Name]
		if next == nil || last.Name == "" {
			end.last = last
			break
		}
		if last.Phase != replacing {
			end.err = fmt.Errorf("%s is replaced by %s but is not in the phase %s", last.Name, next.Name, replacing)
			break
		}
	}
	for _, one := range chain {
		s.chainEnds[one] = end
	}
	return end
}

// installedRequirement is a requirement of an installed operator, and the installed operators that meet it: none, one or several. An operator can
// meet its own.
type installedRequirement struct {
	Operator
	Requirement *catalogs.Requirement
	Met         []Operator
}

// installedRequirements returns what installed operators require of each other, in the order of the operators and of their properties.
func (n *Namespace) installedRequirements() []installedRequirement {
	var ties []installedRequirement
	all := n.operators()
	for _, o := range all {
		for _, t := range o.bundle.requires {
			tie := installedRequirement{Operator: o.Operator, Requirement: t.requirement}
			for _, other := range all {
				if t.meets(other.bundle) {
					tie.Met = append(tie.Met, other.Operator)
				}
			}
			ties = append(ties, tie)
		}
	}
	return ties
}
