package lint

import (
	"encoding/json"
)

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
