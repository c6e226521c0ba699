package bundle

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// ownCRD returns the CRD of that name that the bundle brings, nil if that cannot be read.
func ownCRD(c *contents.Contents, name string) (crd *preflight.CRD, brought bool) {
	own := c.Pass.Preflight().CRD(c.Bundle, name)
	if own == nil || own.Outline == nil {
		return nil, own != nil
	}
	return own, true
}
