package crd

import (
	"encoding/json"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
)

// An object has few of the fields of its schema, and most of the work would be to convert the others from one form of the
// libraries into the next. What an object cannot meet in a schema says nothing about it (kube-openapi: objectValidator.Validate;
// apiextensions-apiserver: pruning and defaulting go along the object, and along defaults).

// measures are computed for a whole schema before an object is validated against a part of it.
type measures struct {
	errors       int     // see errorBound
	defaultBytes float64 // see defaultBytes
	plain        bool    // see plainSchema
}

func measuresOf(s *v1.JSONSchemaProps) measures {
	var m measures
	errorBound(s, &m.errors)
	defaultBytes(s, &m.defaultBytes)
	m.plain = plainSchema(s) && plainMetadata(s)
	return m
}

// plainSchema reports whether a schema and all schemas below convert to each form of the libraries. Only then can a part of it be
// compiled instead of the whole, for which the libraries could have returned an error.
func plainSchema(s *v1.JSONSchemaProps) bool {
	if !onlyStructural(s) || s.XEmbeddedResource || s.XPreserveUnknownFields != nil && !*s.XPreserveUnknownFields {
		return false
	}
	plain := plainValue(s.Default) && plainValue(s.Example)
	for i := range s.Enum {
		plain = plain && plainValue(&s.Enum[i])
	}
	everyChild(s, func(child *v1.JSONSchemaProps, _ bool) { plain = plain && plainSchema(child) })
	return plain
}

// onlyStructural reports whether a schema has no field that structural schemas must not have.
func onlyStructural(s *v1.JSONSchemaProps) bool {
	return s.ID == "" && s.Schema == "" && s.Ref == nil && s.AdditionalItems == nil &&
		len(s.PatternProperties) == 0 && len(s.Dependencies) == 0 && len(s.Definitions) == 0 &&
		(s.Items == nil || len(s.Items.JSONSchemas) == 0)
}

// plainValue reports whether a JSON value has no number out of range.
func plainValue(value *v1.JSON) bool {
	if value == nil || len(value.Raw) == 0 || value.Raw[0] == '"' {
		return true
	}
	var any any
	return json.Unmarshal(value.Raw, &any) == nil
}

// plainMetadata reports whether the metadata of the object has no defaults, which the libraries coerce.
func plainMetadata(s *v1.JSONSchemaProps) bool {
	metadata, defaults := s.Properties["metadata"], 0.0
	defaultBytes(&metadata, &defaults)
	return metadata.Default == nil && defaults == 0
}

// everyChild calls do for the schemas in s, in any order, with whether they apply to the same value as s.
func everyChild(s *v1.JSONSchemaProps, do func(child *v1.JSONSchemaProps, same bool)) {
	if s.Items != nil {
		if s.Items.Schema != nil {
			do(s.Items.Schema, false)
		}
		everyOf(s.Items.JSONSchemas, do)
	}
	everyOf(s.AllOf, do)
	everyOf(s.AnyOf, do)
	everyOf(s.OneOf, do)
	if s.Not != nil {
		do(s.Not, true)
	}
	if len(s.Properties) > 0 { // most have none
		var child v1.JSONSchemaProps // one variable for all, since schemas are large
		for _, child = range s.Properties {
			do(&child, false)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		do(s.AdditionalProperties.Schema, false)
	}
	eachUnstructural(s, func(path, _ string, child *v1.JSONSchemaProps) { do(child, path == "") })
}

func everyOf(schemas []v1.JSONSchemaProps, do func(child *v1.JSONSchemaProps, same bool)) {
	for i := range schemas {
		do(&schemas[i], true)
	}
}

// relevant returns the part of a plain schema that applies to values: without the properties that none of them has, unless they
// have a default. Schemas below a default are kept whole.
func relevant(s *v1.JSONSchemaProps, values []any) *v1.JSONSchemaProps {
	part := *s
	if s.Default != nil {
		return &part
	}
	byKey, others, items := below(s, values)
	part.Properties = nil
	for name, property := range s.Properties {
		if of := byKey[name]; len(of) > 0 || property.Default != nil {
			if part.Properties == nil {
				part.Properties = map[string]v1.JSONSchemaProps{}
			}
			part.Properties[name] = *relevant(&property, of)
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		part.AdditionalProperties = &v1.JSONSchemaPropsOrBool{Allows: a.Allows, Schema: relevant(a.Schema, others)}
	}
	if s.Items != nil && s.Items.Schema != nil {
		part.Items = &v1.JSONSchemaPropsOrArray{Schema: relevant(s.Items.Schema, items)}
	}
	part.AllOf, part.AnyOf, part.OneOf = relevantParts(s.AllOf, values), relevantParts(s.AnyOf, values), relevantParts(s.OneOf, values)
	if s.Not != nil {
		part.Not = relevant(s.Not, values)
	}
	return &part
}

func relevantParts(parts []v1.JSONSchemaProps, values []any) []v1.JSONSchemaProps {
	if parts == nil {
		return nil
	}
	all := make([]v1.JSONSchemaProps, len(parts))
	for i := range parts {
		all[i] = *relevant(&parts[i], values)
	}
	return all
}

// below groups the values inside values: by name those of the properties of a schema, all other fields, and items.
func below(s *v1.JSONSchemaProps, values []any) (byKey map[string][]any, others, items []any) {
	byKey = map[string][]any{}
	for _, v := range values {
		switch v := v.(type) {
		case []any:
			items = append(items, v...)
		case map[string]any:
			for key, value := range v {
				if _, ok := s.Properties[key]; ok {
					byKey[key] = append(byKey[key], value)
				} else {
					others = append(others, value)
				}
			}
		}
	}
	return byKey, others, items
}

// validatorFor returns a validator that has the same result for a value as one of the whole schema of a version.
func (d *Definition) validatorFor(version string, value any) (validation.SchemaValidator, error) {
	of := schemaOf(d.version(version))
	if d.measures(version).plain {
		return compile(relevant(of, []any{value}))
	}
	return d.compiled[version]()
}
