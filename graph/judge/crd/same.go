package crd

import (
	"bytes"
	"reflect"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Most schemas of two versions are equal. These functions compare several times faster than reflection; an absent list or map and
// an empty one are equal, as everywhere in the API machinery.

// sameTree reports whether two schemas are equal, including all schemas below.
func sameTree(a, b *v1.JSONSchemaProps) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return sameNode(a, b) && sameMap(a.Properties, b.Properties) && sameItems(a.Items, b.Items)
}

// sameFor reports whether two schemas are equal in all that decides how a value is stored under the first one and whether it is valid
// under either: the fields that the value has, and those that get a default, without descriptions. Compiling the schemas takes far longer.
func sameFor(value any, a, b *v1.JSONSchemaProps) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	described := *a
	described.Description, described.Title = b.Description, b.Title
	switch v := value.(type) {
	case nil: // a default can take its place
		return sameTree(a, b)
	case map[string]any:
		return sameNode(&described, b) && sameFields(v, a, b)
	case []any:
		if a.Items == nil || b.Items == nil || a.Items.Schema == nil || b.Items.Schema == nil {
			return sameTree(a, b)
		}
		return sameNode(&described, b) && !slices.ContainsFunc(v, func(item any) bool { return !sameFor(item, a.Items.Schema, b.Items.Schema) })
	}
	return sameNode(&described, b)
}

func sameFields(value map[string]any, a, b *v1.JSONSchemaProps) bool {
	for name, was := range a.Properties {
		is, kept := b.Properties[name]
		field, has := value[name]
		if has && !(kept && sameFor(field, &was, &is)) || !has && was.Default != nil && !(kept && sameTree(&was, &is)) {
			return false
		}
	}
	for name := range value {
		_, was := a.Properties[name]
		if _, is := b.Properties[name]; is && !was {
			return false
		}
	}
	return true
}

// sameNode reports whether two schemas are equal except for their properties and items.
func sameNode(a, b *v1.JSONSchemaProps) bool {
	return sameTexts(a, b) && sameLimits(a, b) && sameExtensions(a, b) && sameParts(a, b)
}

func sameTexts(a, b *v1.JSONSchemaProps) bool {
	return a.Type == b.Type && a.Description == b.Description && a.Format == b.Format && a.Title == b.Title && a.ID == b.ID &&
		a.Schema == b.Schema && equalPointers(a.Ref, b.Ref) && equalPointers(a.ExternalDocs, b.ExternalDocs) &&
		sameJSON(a.Default, b.Default) && sameJSON(a.Example, b.Example)
}

func sameLimits(a, b *v1.JSONSchemaProps) bool {
	return a.Pattern == b.Pattern && a.UniqueItems == b.UniqueItems && a.Nullable == b.Nullable &&
		sameNumbers(a, b) && slices.Equal(a.Required, b.Required) &&
		slices.EqualFunc(a.Enum, b.Enum, func(x, y v1.JSON) bool { return bytes.Equal(x.Raw, y.Raw) })
}

func sameNumbers(a, b *v1.JSONSchemaProps) bool {
	return a.ExclusiveMaximum == b.ExclusiveMaximum && a.ExclusiveMinimum == b.ExclusiveMinimum &&
		equalPointers(a.Maximum, b.Maximum) && equalPointers(a.Minimum, b.Minimum) && equalPointers(a.MultipleOf, b.MultipleOf) &&
		equalPointers(a.MaxLength, b.MaxLength) && equalPointers(a.MinLength, b.MinLength) && equalPointers(a.MaxItems, b.MaxItems) && equalPointers(a.MinItems, b.MinItems) &&
		equalPointers(a.MaxProperties, b.MaxProperties) && equalPointers(a.MinProperties, b.MinProperties)
}

func sameExtensions(a, b *v1.JSONSchemaProps) bool {
	return a.XEmbeddedResource == b.XEmbeddedResource && a.XIntOrString == b.XIntOrString &&
		equalPointers(a.XPreserveUnknownFields, b.XPreserveUnknownFields) && equalPointers(a.XListType, b.XListType) && equalPointers(a.XMapType, b.XMapType) &&
		slices.Equal(a.XListMapKeys, b.XListMapKeys) &&
		len(a.XValidations) == len(b.XValidations) && (len(a.XValidations) == 0 || reflect.DeepEqual(a.XValidations, b.XValidations))
}

// sameParts compares the schemas below two schemas that are neither properties nor items.
func sameParts(a, b *v1.JSONSchemaProps) bool {
	return sameOthers(a.AdditionalProperties, b.AdditionalProperties) && sameOthers(a.AdditionalItems, b.AdditionalItems) &&
		sameTrees(a.AllOf, b.AllOf) && sameTrees(a.AnyOf, b.AnyOf) && sameTrees(a.OneOf, b.OneOf) && sameTree(a.Not, b.Not) &&
		sameMap(a.PatternProperties, b.PatternProperties) && sameMap(a.Definitions, b.Definitions) &&
		len(a.Dependencies) == len(b.Dependencies) && (len(a.Dependencies) == 0 || reflect.DeepEqual(a.Dependencies, b.Dependencies))
}

func sameTrees(a, b []v1.JSONSchemaProps) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameTree(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

func sameMap(a, b map[string]v1.JSONSchemaProps) bool {
	if len(a) != len(b) {
		return false
	}
	for name, x := range a {
		y, ok := b[name]
		if !ok || !sameTree(&x, &y) {
			return false
		}
	}
	return true
}

func sameItems(a, b *v1.JSONSchemaPropsOrArray) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameTree(a.Schema, b.Schema) && sameTrees(a.JSONSchemas, b.JSONSchemas)
}

func sameOthers(a, b *v1.JSONSchemaPropsOrBool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Allows == b.Allows && sameTree(a.Schema, b.Schema)
}

func sameJSON(a, b *v1.JSON) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Raw, b.Raw)
}

func equalPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
