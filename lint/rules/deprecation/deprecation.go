// Package deprecation has the rules on deprecations.
package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// eachDeprecation returns a Check that calls check for each entry of olm.deprecations.
func eachDeprecation(check func(*lint.Pass, *catalogs.Deprecation)) func(*lint.Pass) {
	return func(p *lint.Pass) {
		for _, d := range p.Package.Deprecations {
			for i := range d.Entries {
				check(p, &d.Entries[i])
			}
		}
	}
}

// deprecationSubject returns the channel or bundle that an entry deprecates.
func deprecationSubject(d *catalogs.Deprecation) lint.Subject {
	switch d.Schema.Value {
	case catalogs.SchemaChannel:
		return lint.Subject{Channel: d.Name.Value}
	case catalogs.SchemaBundle:
		return lint.Subject{Bundle: d.Name.Value}
	}
	return lint.Subject{}
}

// causeOf returns the cause of a finding about an entry.
func causeOf(d *catalogs.Deprecation) []string { return []string{d.Schema.Value, d.Name.Value} }

// describeDeprecated names what an entry deprecates.
func describeDeprecated(d *catalogs.Deprecation) string {
	switch d.Schema.Value {
	case catalogs.SchemaPackage:
		return "the package"
	case catalogs.SchemaChannel:
		return fmt.Sprintf("channel %q", d.Name.Value)
	case catalogs.SchemaBundle:
		return fmt.Sprintf("bundle %q", d.Name.Value)
	}
	return fmt.Sprintf("%s %q", d.Schema.Value, d.Name.Value)
}

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return []lint.Rule{unknownPackage, duplicateObject, referenceSchema, duplicateReference, danglingReference, packageReferenceName, emptyMessage, head, noWayOut, channelNoWayOut, stuckV1, lowerPreferred, legacyProperty}
}
