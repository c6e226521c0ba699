package lint

import (
	"encoding/json"
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

// ConfigSchema returns the JSON Schema (2020-12) of a configuration of these rules.
func ConfigSchema(all []Rule) ([]byte, error) {
	type object = map[string]any
	text := func(what string) object { return object{"type": "string", "description": what} }
	pattern := func(what string) object { return text(what + ", or a pattern: * stands for any characters but /") }
	list := func(item object) object { return object{"type": "array", "items": item} }
	var ids []string
	for _, r := range all {
		if !r.Unchecked.AlwaysReported() {
			ids = append(ids, r.ID)
		}
	}
	severities := []any{false} // an unquoted off in YAML 1.1
	for _, name := range severityNames {
		severities = append(severities, name)
	}
	severity := object{"enum": severities}
	rules := object{"type": "object", "description": "Severities by rule.", "propertyNames": object{"enum": ids}, "additionalProperties": severity}
	closed := func(required []string, properties object) object {
		return object{"type": "object", "additionalProperties": false, "required": required, "properties": properties}
	}
	schema := closed([]string{}, object{
		"rules": rules,
		"overrides": list(closed([]string{"rules"}, object{
			"packages": list(pattern("A package")), "channels": list(pattern("A channel")), "rules": rules,
		})),
		"suppressions": list(closed([]string{"rule", "reason"}, object{
			"rule":    text("A rule, a family or a pattern."),
			"package": pattern("A package"), "channel": pattern("A channel"), "bundle": pattern("A bundle"),
			"reason":  object{"type": "string", "minLength": 1, "description": "Why the findings are suppressed."},
			"expires": object{"type": "string", "pattern": datePattern.String(), "description": "The last day of the suppression."},
		})),
		"registries": object{"type": "array", "items": text("A registry or a part of one, for example quay.io/acme."), "description": "The registries that bundles may come from."},
		"bundles":    object{"type": "array", "items": text("A folder of bundles, relative to this file, for example operators."), "description": "The folders in which the bundles of the catalogs have their manifests."},
		"maxHops":    object{"type": "integer", "minimum": 1, "description": "The number of upgrades above which graph/many-hops reports a path."},
		"openshift":  object{"type": "string", "pattern": openShiftVersion.String(), "description": "The OpenShift version of the catalog."},
		"pipeline":   object{"enum": PipelineNames(), "description": "The pipeline that judges the catalog, if not that of the organization in the repository's config.yaml."},
		"kube":       object{"type": "string", "pattern": kubeVersion.String(), "description": "The Kubernetes version of the catalog."},
		"migratesStorage": object{"type": "object", "additionalProperties": object{"type": "string"},
			"description": "By package, the version from which the operator itself migrates stored objects."},
	})
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = ConfigName
	return json.MarshalIndent(schema, "", "  ")
}

// ConfigExample is a configuration with all settings commented out.
const ConfigExample = `# Settings of olmgraph for this repository. All of them are optional.

# Severities by rule: off, info, warning or error. olmgraph rules lists them.
#rules:
#  graph/many-hops: off
#  graph/head-not-newest: error

# The same for some packages or channels only; the last one that matches applies.
#overrides:
#- packages: [team-*]
#  channels: [candidate*]
#  rules:
#    graph/downgrade: warning

# Suppressed findings. A reason is required; without expires it does not expire.
#suppressions:
#- rule: graph/stuck
#  package: lighthouse
#  bundle: lighthouse.v1.2.0
#  reason: no cluster has 1.0.0 or 1.1.0 installed
#  expires: 2027-01-31

# The registries that bundles may come from.
#registries:
#- quay.io/acme

# The folders of this repository with the bundles of its catalogs, from which these take the manifests that they lack.
#bundles:
#- operators

# The number of upgrades above which graph/many-hops reports a path.
#maxHops: 20

# The OpenShift version of the catalog, if its folder is not named after it.
#openshift: "4.18"

# The Kubernetes version of the catalog, if it does not follow from the OpenShift version.
#kube: "1.29"

# The pipeline that judges the catalog, if not that of the organization in the repository's config.yaml.
#pipeline: community

# Operators that migrate stored objects themselves, from a version on.
#migratesStorage:
#  my-operator: 1.3.0
`
