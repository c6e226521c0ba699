package lint

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph"
)

// OLMNames returns the values of Config.OLM, the default of the command line first.
func OLMNames() []string { return []string{"auto", "v0", "v1", "both"} }

// olms returns the gates of the OLMs that the users of a catalog have, and of those that they may have. From OpenShift 4.18 on both
// are supported there, before it OLM v0 alone; where the version is not known they may have OLM v1.
func (c *Config) olms(openShift string) (have, may Gates) {
	switch c.OLM {
	case "v0":
		return GateOLMv0, 0
	case "v1":
		return GateOLMv1, 0
	case "auto":
		switch {
		case !atLeast(openShift, 4, 0):
			return GateOLMv0, GateOLMv1
		case !atLeast(openShift, 4, 18):
			return GateOLMv0, 0
		}
	}
	return GateOLMv0 | GateOLMv1, 0
}

// weighed is the severity of a finding for the OLMs that users have: what only OLMs refuse that they do not have is an info, that
// they may have a warning. An OLM that is asked for as a gate counts as one that they have.
func (c *Config) weighed(f *Finding, openShift string, asked Gates) Severity {
	olm := f.Gates & (GateOLMv0 | GateOLMv1)
	if olm == 0 || f.Gates&(GateOPM|GateServe|GateHub) != 0 {
		return f.Severity
	}
	have, may := c.olms(openShift)
	have |= asked & (GateOLMv0 | GateOLMv1)
	switch {
	case olm&have&^f.Mild != 0:
		return f.Severity
	case olm&(have|may) != 0:
		return min(f.Severity, Warning)
	}
	return min(f.Severity, Info)
}

// judged takes from an upgrade the OLMs that make it but that no user of the catalog has, and reports whether one is left. Upgrades of
// OLM v1 between bundles that it does not install are none.
func (p *Pass) judged(u graph.Upgrade, from, to *catalogs.Bundle) (graph.Upgrade, bool) {
	have, may := p.Config.olms(p.openShift())
	u.V0 = u.V0 && have&GateOLMv0 != 0
	u.V1 = u.V1 && (have|may)&GateOLMv1 != 0 && p.installableV1(from) && p.installableV1(to)
	return u, u.V0 || u.V1
}

// installableV1 reports whether OLM v1 installs a bundle as long as no feature gate is switched on: one that requires no others, can watch
// all namespaces and serves no APIs of its own (operator-controller: resolve NoDependencyValidation; rukpak registryv1 validators). A
// bundle of which no CSV is known counts as one.
func (p *Pass) installableV1(b *catalogs.Bundle) bool {
	if known, ok := p.facts.crds.installable[b]; ok {
		return known
	}
	installs := graph.RefusalOf(b) == nil
	if c := p.facts.csvOf(b); installs && c != nil && c.Err == nil {
		modes := c.InstallModes()
		installs = (len(modes) == 0 || slices.Contains(modes, csv.AllNamespaces)) && len(c.Spec.APIServices.Owned) == 0
	}
	if p.facts.crds.installable == nil {
		p.facts.crds.installable = map[*catalogs.Bundle]bool{}
	}
	p.facts.crds.installable[b] = installs
	return installs
}
