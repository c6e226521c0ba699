// Package template has the rules on the templates from which opm makes catalogs. What they expand to is judged by the rules on catalogs.
package template

import "github.com/olmgraph/olmgraph/lint"

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule { return []lint.Rule{drift} }
