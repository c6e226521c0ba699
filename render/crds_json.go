package render

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonCRDs is the JSON form of CRDs.
type jsonCRDs struct {
	text.Document
	Package string                 `json:"package"`
	Channel string                 `json:"channel"`
	Unseen  int                    `json:"unseen"` // entries of the channel without manifests, whose CRDs are not known
	CRDs    []preflight.CRDHistory `json:"crds"`
}

func (c CRDs) json() jsonCRDs {
	return jsonCRDs{text.NewDocument(), c.Package.Name.Value, c.Channel.Name.Value, c.Unseen(), c.Histories}
}
