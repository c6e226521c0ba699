package image

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
)

var digest = lint.Rule{
	ID: "image/digest", Severity: lint.Off, Gates: lint.GateAdvice,
	Doc: `an image is referenced by a tag
A tag can be moved: the tested image may differ from the image that is installed later, or from the one in a mirror. The rule is
off unless the configuration enables it.
Reference the image by its digest, as NAME@sha256:….`,
	Reference: "oc-mirror, disconnected clusters",
	Check:     lint.EachBundle(checkDigest),
}

func checkDigest(p *lint.Pass, b *catalogs.Bundle) {
	for _, image := range append([]catalogs.RelatedImage{{Image: b.Image}}, b.RelatedImages...) {
		if text := image.Image; text.Value != "" && !strings.Contains(text.Value, "@") {
			p.Report(lint.Finding{
				Subject: lint.Subject{Bundle: b.Name.Value},
				Cause:   []string{b.Name.Value, text.Value},
				Pos:     text.Pos,
				Message: fmt.Sprintf("%q references %q by a tag: its content can change", b.Name.Value, text.Value),
				Fix:     "reference it by its digest, as NAME@sha256:…",
			})
		}
	}
}
