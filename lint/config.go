package lint

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Config says how the rules are to be read in one repository. The zero Config changes nothing.
type Config struct {
	// Severities by rule. Off silences a rule.
	Severities map[string]Severity
	// Overrides by package and channel; of several that fit the last one counts.
	Overrides []Override
	// Suppressions keep findings from counting.
	Suppressions []Suppression
	// Registries that bundles may come from, as "quay.io/acme"; none: any.
	Registries []string
	// MaxHops is from how many automatic upgrades on graph/many-hops reports a way; 0 means 20.
	MaxHops int
	// OpenShift is the version whose catalog this is, as "4.18"; empty if it is not known.
	OpenShift string
	// Kube is the version of Kubernetes that the catalog is for, as "1.29"; if it is empty, OpenShift tells.
	Kube string
	// OLM is the one that users have: "v0", "v1", "both", or "auto" for what OpenShift has; both if it is empty.
	OLM string
	// Complete says that the catalogs are all that clusters have: what none of them has nobody has.
	Complete bool
	// MigratesStorage has, by package, the version from which on the operator itself moves the objects of its CRDs to their
	// storage version, and takes the others out of status.storedVersions.
	MigratesStorage map[string]semver.Version
}

// MigratesSince returns the version from which on the operator of a package migrates its objects: see MigratesStorage; nil if the
// configuration does not say so, or there is none.
func (c *Config) MigratesSince(pkg *catalogs.Package) *semver.Version {
	if c == nil || pkg == nil {
		return nil
	}
	if since, ok := c.MigratesStorage[pkg.Name.Value]; ok {
		return &since
	}
	return nil
}

// Override changes severities for some packages or channels only. The patterns are those of path.Match; none fits everything.
type Override struct {
	Packages, Channels []string
	Severities         map[string]Severity
}

func (c *Config) severity(f Finding) Severity {
	if AlwaysReported(f.Rule) {
		return f.Severity
	}
	severity := f.Severity
	if s, ok := c.Severities[f.Rule]; ok {
		severity = s
	}
	for i := range c.Overrides {
		o := &c.Overrides[i]
		if s, ok := o.Severities[f.Rule]; ok && matchesAny(o.Packages, f.Package) && matchesAny(o.Channels, f.Channel) {
			severity = s
		}
	}
	return severity
}

func matchesAny(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return matchesPattern(p, name) })
}
