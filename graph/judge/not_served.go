package judge

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
)

// otherKinds are the kinds that OLM v0 installs and Kubernetes itself does not serve, and whether OpenShift does (OLM: catalog supportedKinds).
var otherKinds = map[string]bool{
	"ServiceMonitor": true, "PrometheusRule": true, "VerticalPodAutoscaler": false,
	"ConsoleYAMLSample": true, "ConsoleQuickStart": true, "ConsoleCLIDownload": true, "ConsoleLink": true, "ConsolePlugin": true,
}

// ServedByOpenShift reports whether OpenShift serves a kind that Kubernetes itself does not.
func ServedByOpenShift(kind string) bool { return otherKinds[kind] }

// NotServed returns objects of the kinds that Kubernetes itself does not serve, and that a bundle has and the older one does not, one of each
// kind: where the cluster does not serve the kind, the InstallPlan fails (OLM: catalog gvkNotFoundError).
func (p *Package) NotServed(from, to *catalogs.Bundle) (all []*bundled.Manifest) {
	if !from.HasManifests() || !to.HasManifests() {
		return nil
	}
	for _, m := range p.Manifests(to) {
		if _, other := otherKinds[m.Kind]; !other {
			continue
		}
		sameKind := func(o *bundled.Manifest) bool { return o.Kind == m.Kind }
		if !slices.ContainsFunc(p.Manifests(from), sameKind) && !slices.ContainsFunc(all, sameKind) && !p.provides(to, m.Kind) {
			all = append(all, m)
		}
	}
	return all
}

func notServed(m *bundled.Manifest) string {
	said := "fails where the cluster does not serve " + m.APIVersion
	if ServedByOpenShift(m.Kind) {
		return said + "; OpenShift does"
	}
	return said
}

// provides reports whether a bundle has the CRD of a kind.
func (p *Package) provides(b *catalogs.Bundle, kind string) bool {
	return slices.ContainsFunc(p.CRDs(b), func(c *CRD) bool { return c.Outline != nil && c.Kind == kind })
}
