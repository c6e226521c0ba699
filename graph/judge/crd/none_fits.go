package crd

import (
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// NoneFits says why no object that is valid under old in a version is valid under new: a field that every object has has another type, or a
// required field is one that no object can have yet; "" if there is no such field. Both definitions must have the version.
func NoneFits(old, new *Definition, version string) string {
	was, is := versionSchema(old.version(version)), versionSchema(new.version(version))
	if was == nil || is == nil || old.PreserveUnknownFields {
		return ""
	}
	return noneFits(was, is, "")
}

func noneFits(was, is *v1.JSONSchemaProps, path string) string {
	if isTrue(was.XPreserveUnknownFields) || was.AdditionalProperties != nil {
		return ""
	}
	for _, name := range sortedNames(was.Properties) {
		before, at := was.Properties[name], path+name
		after, has := is.Properties[name]
		always := slices.Contains(was.Required, name) || path == "" && name == "spec"
		switch {
		case !has || !always:
		case before.Type != "" && after.Type != "" && before.Type != after.Type && !(before.Type == "integer" && after.Type == "number") && !after.XIntOrString && !before.XIntOrString && !before.Nullable:
			return at + " was of the type " + before.Type + ", and is of the type " + after.Type
		case before.Type == "object" && after.Type == "object" && !before.Nullable:
			if why := noneFits(&before, &after, at+"."); why != "" {
				return why
			}
		}
	}
	for _, name := range is.Required {
		if _, had := was.Properties[name]; !had && path != "" && len(was.Properties) > 0 {
			return path + name + " is required, and no object can have it yet"
		}
	}
	return ""
}
