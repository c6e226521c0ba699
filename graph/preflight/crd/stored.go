package crd

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apischema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/util/json"
)

// Stored is a custom resource, given as JSON, as an API server with d stores it when it is written in a version, and gives it out:
// without the fields that d does not know, without nulls where there can be none, and with defaults (apiextensions-apiserver
// customresource_handler: unstructuredSchemaCoercer, unstructuredDefaulter). It does not ask whether it is valid.
func (d *Definition) Stored(version string, object []byte) (stored []byte, err error) {
	defer recovered("reading the object", &err)
	i := slices.IndexFunc(d.Versions, func(v Version) bool { return v.Name == version })
	switch {
	case i < 0:
		return nil, fmt.Errorf("%s has no version %s", quote(d.Name), quote(version))
	case d.schemasErr != nil:
		return nil, d.schemasErr
	case d.PreserveUnknownFields || !d.Versions[i].Schema:
		return object, nil
	}
	size := measure(object)
	if err := withinLimits(size); err != nil {
		return nil, err
	}
	m := d.measures(version)
	if m.defaultBytes*float64(size.values) > maxGrowth {
		return nil, unchecked("the defaults of %s are too large", quote(d.Name))
	}
	var value map[string]any
	if err := json.Unmarshal(object, &value); err != nil {
		return nil, decodeError(object, &value, err)
	}
	of := schemaOf(d.version(version))
	if m.plain {
		of = relevant(of, []any{value})
	}
	s, err := structural(of)
	if err != nil {
		return nil, err
	}
	pruning.Prune(value, s, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(value, s)
	defaulting.Default(value, s)
	return json.Marshal(value)
}

// structural is a schema in the form by which an API server prunes and defaults.
func structural(of *v1.JSONSchemaProps) (*apischema.Structural, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(of, internal, nil); err != nil {
		return nil, err
	}
	s, err := apischema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	s = s.DeepCopy() // its defaults are those of the definition
	return s, defaulting.PruneDefaults(s)
}

// defaultBytes is how many bytes of defaults one value by a schema can get, with those that they get in turn; most gets the highest of
// it and of all schemas below.
func defaultBytes(s *v1.JSONSchemaProps, most *float64) float64 {
	here := 0.0
	everyChild(s, func(child *v1.JSONSchemaProps, _ bool) {
		below := 0.0
		defaultBytes(child, &below)
		if child.Default != nil {
			here += float64(len(child.Default.Raw)) * (1 + below)
		}
		*most = max(*most, below)
	})
	*most = max(*most, here)
	return here
}

// NewlyInvalid is why a custom resource, given as JSON, that is stored under old in a version and is valid there, does not fit new; none
// where that is not known.
func NewlyInvalid(old, new *Definition, version string, object []byte) []Fault {
	if sameTree(schemaOf(old.version(version)), schemaOf(new.version(version))) {
		return nil
	}
	stored, err := old.Stored(version, object)
	if err != nil {
		return nil
	}
	faults, err := new.Invalid(version, stored)
	if err != nil || len(faults) == 0 {
		return nil
	}
	if before, err := old.Invalid(version, stored); err != nil || len(before) > 0 {
		return nil // it never was valid
	}
	return faults
}
