package render

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Pull is what became of the images of a catalog's bundles.
type Pull struct {
	Out    string
	Cache  bool // Out is the user's cache
	Images int  // that were to be stored
	Stored int  // now
	Had    int  // before
	Known  int  // bundles whose manifests the catalog or its repository has
	Failed []NotPulled

	bytes atomic.Int64
}

// maxSameReason is the number of images that are listed of those that could not be had for the same reason.
const maxSameReason = 10

// NotPulled is an image that could not be had, and why, in the words of the registry where it has some.
type NotPulled struct {
	Bundles []string
	Image   string
	Why     string
}

// Add counts bytes that a registry sent.
func (p *Pull) Add(bytes int64) { p.bytes.Add(bytes) }

// Text writes what became of the images.
func (p *Pull) Text(w io.Writer, style text.Style) error {
	a := answer.New()
	a.Say(fmt.Sprintf("%s of %s in %s", words.Count(p.Stored+p.Had, "image"), words.Count(p.Images, "bundle image"), p.Out),
		fmt.Sprintf(": %d stored now (%s), %d there before.", p.Stored, text.Size(p.bytes.Load()), p.Had))
	if p.Known > 0 {
		a.Say(words.CountPlural(p.Known, "bundle has its", "bundles have their"), " manifests in the catalog or its repository: not stored.")
	}
	if p.Images == 0 && p.Known == 0 {
		a.Say("No bundle that is known has an image. Those of a template are pulled by --pull missing of lint.")
	}
	if len(p.Failed) > 0 {
		a.Section("Could not be pulled")
		var reasons memo.Groups[string, NotPulled]
		for _, f := range p.Failed {
			reasons.Add(f.Why, f)
		}
		for _, same := range reasons.All() {
			a.Item(same[0].Why)
			for _, f := range same[:min(len(same), maxSameReason)] {
				a.Detail(strings.Join(f.Bundles, ", "), ": ", f.Image)
			}
			if more := len(same) - maxSameReason; more > 0 {
				a.Detail(words.Count(more, "more image"))
			}
		}
	}
	if p.Stored+p.Had > 0 {
		a.Section()
		if p.Cache {
			a.Say("next: olmgraph lint CATALOG --pull missing")
		} else {
			a.Say("next: olmgraph lint CATALOG --bundles ", words.ShellFile(p.Out))
		}
	}
	return a.Text(w, style)
}
