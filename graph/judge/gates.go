package judge

import (
	"slices"
	"strings"
)

// Gates is a set of the components that reject a catalog because of a finding, or leave its users without upgrades.
type Gates uint16

const (
	GateOPM         Gates = 1 << iota // opm validate: the catalog cannot be built
	GateServe                         // opm serve, packageserver: the catalog cannot be served or shown
	GateOLMv0                         // OLM v0: users cannot install, upgrade or resolve
	GateOLMv1                         // OLM v1's resolver or its CRD upgrade safety preflight
	GateAPIServer                     // the Kubernetes API server rejects the object or its update
	GateCommunity                     // the pipeline of the community catalog
	GateCertified                     // the pipeline of the certified catalog
	GateMarketplace                   // the pipeline of the marketplace catalog
	GateAdvice                        // nothing rejects it; users are affected

	GatePipelines = GateCommunity | GateCertified | GateMarketplace // the pipelines of all catalog repositories
)

// gateNames has the names of the gates in the order of their bits.
var gateNames = [...]string{"opm", "serve", "olmv0", "olmv1", "apiserver", "community", "certified", "marketplace", "advice"}

var gateMeanings = [...]string{
	"opm validate: the catalog cannot be built",
	"opm serve, the package server: the catalog cannot be served or shown",
	"OLM v0: users cannot install, upgrade or resolve",
	"OLM v1: users cannot install, upgrade or resolve",
	"the Kubernetes API server rejects the object or its update",
	"the pipeline of the community catalog (community-operators-prod)",
	"the pipeline of the certified catalog (certified-operators)",
	"the pipeline of the marketplace catalog (redhat-marketplace-operators)",
	"nothing rejects it; users are affected",
}

// Meanings returns a description of each gate in g.
func (g Gates) Meanings() []string { return g.selectNames(gateMeanings[:]) }

// selectNames returns what there is of each gate in g.
func (g Gates) selectNames(each []string) []string {
	all := []string{}
	for i, one := range each {
		if g&(1<<i) != 0 {
			all = append(all, one)
		}
	}
	return all
}

// GateNames returns the names of all gates.
func GateNames() []string { return slices.Clone(gateNames[:]) }

// ParseGate parses the name of one gate.
func ParseGate(name string) (Gates, bool) {
	i := slices.Index(gateNames[:], name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// Names returns the names of the gates in g.
func (g Gates) Names() []string { return g.selectNames(gateNames[:]) }

func (g Gates) String() string { return strings.Join(g.Names(), " ") }
