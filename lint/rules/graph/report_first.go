package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

// reportFirst reports the first of several findings, with the others in its details: one per package is enough.
func reportFirst(p *lint.Pass, findings []lint.Finding, fix string) {
	if len(findings) == 0 {
		return
	}
	f := findings[0]
	f.Cause, f.Fix = lint.OncePerPackage(), fix
	if more := len(findings) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (%d more in the package)", more)
		f.Details = detailsOf(findings)
	}
	p.Report(f)
}

// detailsOf returns a line for each of several findings that are reported together.
func detailsOf(findings []lint.Finding) []lint.Related {
	var all []lint.Related
	for i := range findings {
		all = append(all, lint.Related{Pos: findings[i].Pos, Message: findings[i].Message})
	}
	return all
}
