package api

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

// reportRequirement reports a requirement that makes OLM v0 fail to resolve. The message begins with the name of the bundle.
func reportRequirement(p *lint.Pass, b *catalogs.Bundle, at catalogs.Pos, says, fix string, cause ...string) {
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: b.Name.Value}, Cause: append([]string{b.Name.Value}, cause...), Pos: at, Fix: fix,
		Message: fmt.Sprintf("%q %s: OLM v0 resolves nothing in namespaces where the bundle is a candidate", b.Name.Value, says),
	})
}
