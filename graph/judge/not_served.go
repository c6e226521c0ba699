package judge

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// otherKinds are the kinds that OLM v0 installs and Kubernetes itself does not serve, and whether OpenShift does (OLM: catalog supportedKinds).
var otherKinds = map[string]bool{
	"ServiceMonitor": true, "PrometheusRule": true, "VerticalPodAutoscaler": false,
	"ConsoleYAMLSample": true, "ConsoleQuickStart": true, "ConsoleCLIDownload": true, "ConsoleLink": true, "ConsolePlugin": true,
}

// findNotServed finds objects of the kinds that Kubernetes itself does not serve, and that a bundle has and the older one does not, one of each
// kind: where the cluster does not serve the kind, the InstallPlan fails (OLM: catalog gvkNotFoundError).
func findNotServed(c *upgradeCase) {
	if !c.From.HasManifests() || !c.To.HasManifests() {
		return
	}
	seen := map[string]bool{}
	for _, m := range c.pkg.Manifests(c.From) {
		seen[m.Kind] = true
	}
	for _, m := range c.pkg.Manifests(c.To) {
		served, other := otherKinds[m.Kind]
		if !other || seen[m.Kind] || c.pkg.provides(c.To, m.Kind) {
			continue
		}
		seen[m.Kind] = true
		r := c.add(m, "kind", "needs %s, which Kubernetes itself does not serve", m.APIVersion).WithCause(m.Kind)
		r.Fix = "let the operator create it where the kind is served, or say in the description what the cluster needs"
		r.Where = []Condition{{Kind: notServed, API: csv.ParseAPI(m.JSON()), OpenShift: served}}
	}
}

// provides reports whether a bundle has the CRD of a kind.
func (p *Package) provides(b *catalogs.Bundle, kind string) bool {
	return slices.ContainsFunc(p.CRDs(b), func(c *CRD) bool { return c.Outline != nil && c.Kind == kind })
}
