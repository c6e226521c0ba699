package lint

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Config is the configuration of the rules for one repository. The zero Config changes nothing.
type Config struct {
	// Severities are by rule. Off disables a rule.
	Severities map[string]Severity
	// Overrides change severities by package and channel. The last one that matches applies.
	Overrides []Override
	// Suppressions mark findings as suppressed.
	Suppressions []Suppression
	// Registries are those that bundles may come from, for example "quay.io/acme"; if empty, any.
	Registries []string
	// Bundles are the folders of the repository in which its catalogs' bundles have their manifests, for example "operators".
	Bundles []string
	// MaxHops is the number of automatic upgrades above which graph/many-hops reports a path; 0 means 20.
	MaxHops int
	// OpenShift is the OpenShift version of the catalog, for example "4.18"; empty if it is not known.
	OpenShift string
	// Kube is the Kubernetes version of the catalog, for example "1.29"; if empty, it follows from OpenShift.
	Kube string
	// OLM is the generation that users have: "v0", "v1", "both", or "auto" for that of the OpenShift version; "" is "both".
	OLM string
	// Pipeline is the name of the pipeline that judges the catalog, one of PipelineNames; if empty, it follows from the config.yaml of
	// the repository.
	Pipeline string
	// Complete says that clusters have no other catalogs than those of the run.
	Complete bool
	// MigratesStorage has, by package, the first version whose operator migrates the objects of its CRDs to the storage version
	// and removes the other versions from status.storedVersions.
	MigratesStorage map[string]semver.Version
}

// MigratesSince returns the version from MigratesStorage for a package, or nil.
func (c *Config) MigratesSince(pkg *catalogs.Package) *semver.Version {
	if c == nil || pkg == nil {
		return nil
	}
	if since, ok := c.MigratesStorage[pkg.Name.Value]; ok {
		return &since
	}
	return nil
}

// Override changes severities for some packages or channels. The patterns are those of path.Match; an empty list matches
// everything.
type Override struct {
	Packages, Channels []string
	Severities         map[string]Severity
}

// severity returns the configured severity of a finding, by default its own.
func (c *Config) severity(f Finding) Severity {
	if f.Unchecked.AlwaysReported() {
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

// disables reports whether no finding of a rule is reported, whatever its package and channel.
func (c *Config) disables(r *Rule) bool {
	if s, ok := c.Severities[r.ID]; !ok || s > Off {
		return false
	}
	return !slices.ContainsFunc(c.Overrides, func(o Override) bool { return o.Severities[r.ID] > Off })
}

func matchesAny(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return matchesPattern(p, name) })
}
