package contents

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
)

// withoutV1beta1 is the minor of the first Kubernetes that does not serve CRDs in v1beta1.
const withoutV1beta1 = 22

// historyOnly returns why no user of today makes an upgrade, "" if one may: no automatic path of OLM v0 leads from it to the head of a channel that is
// not deprecated, or Kubernetes rejects CRDs of the new bundle from a version on that all have which are still supported.
func historyOnly(p *lint.Pass, u *judge.Upgrade) string {
	minor, _ := p.KubeMinor()
	if (minor == 0 || minor >= withoutV1beta1 || mayBeGone(p)) && len(p.Judge().Find(judge.FindRow("crd/v1beta1"), u.To)) > 0 {
		return "Kubernetes 1.22 and later reject its CRDs in v1beta1"
	}
	if u.V0 && !slices.ContainsFunc(p.Package.Channels, func(c *catalogs.Channel) bool { return leadsOn(p, c, u) }) {
		return "no upgrade path leads from it to a head"
	}
	return ""
}

// mayBeGone reports whether it is not known that there is still an index for the OpenShift version of a catalog.
func mayBeGone(p *lint.Pass) bool {
	return p.Catalog.NamedVersion && p.Config.OpenShift == "" && p.Config.Kube == ""
}

// leadsOn reports whether automatic upgrades of OLM v0 lead from the new bundle to the head of a channel that is not deprecated.
func leadsOn(p *lint.Pass, c *catalogs.Channel, u *judge.Upgrade) bool {
	g := p.Graph(c)
	to, in := g.Index(u.To.Name.Value)
	head, ok := g.Head()
	if !in || !ok || p.Package.Deprecation(catalogs.SchemaChannel, c.Name.Value) != nil {
		return !ok // then graph/multiple-heads and the like are reported
	}
	_, end, ok := g.Hops(to)
	return !ok || end == head
}
