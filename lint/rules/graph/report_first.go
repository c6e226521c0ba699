package upgrades

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
)

// reportFirst reports the first of several findings, with the number of the others: one per package is enough.
func reportFirst(p *lint.Pass, findings []lint.Finding, fix string) {
	if len(findings) == 0 {
		return
	}
	f := findings[0]
	f.Cause, f.Fix = lint.OncePerPackage(), fix
	if more := len(findings) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (%d more in the package)", more)
	}
	p.Report(f)
}
