package bundle

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// ownCRD returns the CRD of that name in the bundle, nil if it cannot be parsed, and whether the bundle contains it.
func ownCRD(c *contents.Contents, name string) (crd *preflight.CRD, present bool) {
	own := c.Pass.Preflight().CRD(c.Bundle, name)
	if own == nil || own.Outline == nil {
		return nil, own != nil
	}
	return own, true
}
