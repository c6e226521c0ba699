package lint

import "github.com/blang/semver/v4"

// Config says how the rules are to be read in one repository. The zero Config changes nothing.
type Config struct {
	// Severities by rule. Off silences a rule.
	Severities map[string]Severity
	// MaxHops is from how many automatic upgrades on graph/many-hops reports a way; 0 means 20.
	MaxHops int
	// OpenShift is the version whose catalog this is, as "4.18"; empty if it is not known.
	OpenShift string
	// Kube is the version of Kubernetes that the catalog is for, as "1.29"; if it is empty, OpenShift tells.
	Kube string
	// OLM is the one whose upgrades of CRDs are judged, "v0" or "v1"; both if it is empty.
	OLM string
	// MigratesStorage has, by package, the version from which on the operator itself moves the objects of its CRDs to their
	// storage version, and takes the others out of status.storedVersions.
	MigratesStorage map[string]semver.Version
}

func (c *Config) severity(f Finding) Severity {
	if s, ok := c.Severities[f.Rule]; ok && f.Rule != ParseRule {
		return s
	}
	return f.Severity
}
