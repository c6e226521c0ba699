package lint

import (
	"github.com/olmgraph/olmgraph/graph"
)

// OLMNames returns the values of Config.OLM, the default of the command line first.
func OLMNames() []string { return []string{"auto", "v0", "v1", "both"} }

// installedOLMs returns the gates of the OLMs that the users of a catalog have, and of those that they may have. From OpenShift 4.18 on both
// are supported there, before it OLM v0 alone; where the version is not known they may have OLM v1.
func (c *Config) installedOLMs(openShift string) (have, may Gates) {
	switch c.OLM {
	case "v0":
		return GateOLMv0, 0
	case "v1":
		return GateOLMv1, 0
	case "auto":
		switch {
		case !VersionAtLeast(openShift, 4, 0):
			return GateOLMv0, GateOLMv1
		case !VersionAtLeast(openShift, 4, 18):
			return GateOLMv0, 0
		}
	}
	return GateOLMv0 | GateOLMv1, 0
}

// severityForOLMs is the severity of a finding for the OLMs that users have: what only OLMs refuse that they do not have is an info, that
// they may have a warning. An OLM that is asked for as a gate counts as one that they have.
func (c *Config) severityForOLMs(f *Finding, openShift string, asked Gates) Severity {
	olm := f.Gates & (GateOLMv0 | GateOLMv1)
	if olm == 0 || f.Gates&(GateOPM|GateServe|GateHub) != 0 {
		return f.Severity
	}
	have, may := c.installedOLMs(openShift)
	have |= asked & (GateOLMv0 | GateOLMv1)
	switch {
	case olm&have&^f.WarningGates != 0:
		return f.Severity
	case olm&(have|may) != 0:
		return min(f.Severity, Warning)
	}
	return min(f.Severity, Info)
}

// generations are the generations of OLM that the users of a catalog have or may have.
func (c *Config) generations(openShift string) []graph.Generation {
	var all []graph.Generation
	have, may := c.installedOLMs(openShift)
	if have&GateOLMv0 != 0 {
		all = append(all, graph.V0)
	}
	if (have|may)&GateOLMv1 != 0 {
		all = append(all, graph.V1)
	}
	return all
}

func OLMGates(v0, v1 bool) Gates {
	var g Gates
	if v0 {
		g |= GateOLMv0
	}
	if v1 {
		g |= GateOLMv1
	}
	return g
}
