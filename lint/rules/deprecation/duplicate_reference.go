package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var duplicateReference = lint.Rule{
	ID: "deprecation/duplicate-reference", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `something is deprecated twice
opm rejects two entries with the same reference, even if their messages are equal.
Keep one.`,
	Reference: "operator-registry alpha/declcfg ConvertToModel",
	Check:     checkDuplicateReference,
}

func checkDuplicateReference(p *lint.Pass) {
	type reference struct{ schema, name string }
	for _, object := range p.Package.Deprecations {
		first := map[reference]*catalogs.Deprecation{}
		for i := range object.Entries {
			d := &object.Entries[i]
			key := reference{d.Schema.Value, d.Name.Value}
			other := first[key]
			if other == nil {
				first[key] = d
				continue
			}
			p.Report(lint.Finding{
				Subject: deprecationSubject(d),
				Cause:   causeOf(d),
				Pos:     words.FirstKnown(d.Name.Pos, d.Schema.Pos, d.Pos),
				Message: fmt.Sprintf("%s is deprecated a second time, which opm rejects", describeDeprecated(d)),
				Fix:     "keep one entry, with the intended message",
				Related: []lint.Related{{Pos: words.FirstKnown(other.Name.Pos, other.Schema.Pos, other.Pos), Message: "first deprecated here"}},
			})
		}
	}
}
