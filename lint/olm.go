package lint

import (
	"github.com/olmgraph/olmgraph/graph"
)

// OLMNames returns the values of Config.OLM, first the default of the command line.
func OLMNames() []string { return []string{"auto", "v0", "v1", "both"} }

// installedOLMs returns the gates of the OLM generations that users of a catalog have, and of those that they may have. OpenShift
// supports OLM v0 before 4.18, and both from 4.18 on. If the version is not known, users have OLM v0 and may have OLM v1.
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

// AsksOLMv1 reports whether OLM v1 is asked about, beside or instead of OLM v0.
func (p *Pass) AsksOLMv1() bool {
	return p.Config.OLM == "v1" || p.Config.OLM == "both" || p.options.Gates&GateOLMv1 != 0
}

// severityForOLMs returns the severity of a finding for the OLM generations that users have. If it affects only those that users
// do not have, it is at most Info; if they may have one of them, at most Warning. Users are assumed to have the requested gates, and not to
// depend on an OLM whose rejection they can override if they have another one.
func (c *Config) severityForOLMs(f *Finding, openShift string, asked Gates) Severity {
	olm := f.Gates & (GateOLMv0 | GateOLMv1)
	have, may := c.installedOLMs(openShift)
	if both := GateOLMv0 | GateOLMv1; c.OLM == "auto" && have == both {
		have, may = have&^f.Overridable, f.Overridable
	}
	have |= asked & (GateOLMv0 | GateOLMv1)
	switch {
	case olm&have&^f.WarningGates != 0:
		return f.Severity
	case olm&(have|may) != 0:
		return min(f.Severity, Warning)
	}
	return min(f.Severity, Info)
}

// generations returns the OLM generations that the users of a catalog have or may have.
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

// OLMGates returns the gates of OLM v0 and OLM v1, each if it is set.
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
