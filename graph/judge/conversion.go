package judge

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// findLostConversions finds the CRDs of which an upgrade loses the conversion between versions that it serves: nobody rejects it, and clients of one
// of the versions get objects without what the other one has, or none. Either the webhook goes, or the Service that a CRD names for it.
func findLostConversions(c *upgradeCase) {
	p, from, to := c.pkg, c.From, c.To
	if !from.HasManifests() || !to.HasManifests() {
		return
	}
	for _, new := range p.CRDs(to) {
		old := p.ReadableCRD(from, new.Manifest.Name)
		if old == nil || new.Outline == nil {
			continue
		}
		served := new.ServedVersions()
		was, is := p.renderCRD(from, old).webhook || old.Conversion == crd.Webhook, p.renderCRD(to, new).webhook || new.Conversion == crd.Webhook
		says := ""
		switch {
		case len(served) < 2 || !was:
		case !is:
			says = fmt.Sprintf("loses its conversion webhook, and still serves %s: what differs between them is lost", words.QuoteSome(served))
		case !p.renderCRD(to, new).webhook:
			if name := p.definition(new).ConversionService(); name != "" && hasService(p.Manifests(from), name) && !hasService(p.Manifests(to), name) {
				says = fmt.Sprintf("is converted by the Service %q, which the bundle no longer has: requests for its versions fail", name)
			}
		}
		if says != "" {
			c.add(new.Manifest, "spec.versions", "%s", says).WithCause(new.Manifest.Name).Fix = "keep the conversion while several versions are served"
		}
	}
}

func hasService(all []*bundled.Manifest, name string) bool {
	return slices.ContainsFunc(all, func(m *bundled.Manifest) bool { return m.Kind == "Service" && m.Name == name })
}
