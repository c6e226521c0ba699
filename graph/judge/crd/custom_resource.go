package crd

import (
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apischema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/util/json"
)

// asStored returns a custom resource in JSON as an API server with d stores it when it is written in a version, and returns it:
// without unknown fields, without nulls that are not nullable, and with defaults (apiextensions-apiserver customresource_handler:
// unstructuredSchemaCoercer, unstructuredDefaulter). It is not validated.
func (d *Definition) asStored(version string, object []byte) (stored []byte, err error) {
	defer recoverTo("reading the object", &err)
	value, size, err := d.decodeObject(version, object)
	if err != nil {
		return nil, err
	}
	of := versionSchema(d.version(version))
	if d.PreserveUnknownFields || of == nil {
		return object, nil
	}
	if d.measures(version).defaultBytes*float64(size.values) > maxGrowth {
		return nil, uncheckedf("the defaults of %s are too large", quote(d.Name))
	}
	s, err := d.structured[version]()
	if err != nil {
		return nil, err
	}
	pruning.Prune(value, s, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(value, s)
	defaulting.Default(value, s)
	return json.Marshal(value)
}

// structural returns a schema in the form by which an API server prunes and sets defaults.
func structural(of *v1.JSONSchemaProps) (*apischema.Structural, error) {
	internal, err := internalSchema(of)
	if err != nil {
		return nil, err
	}
	s, err := apischema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	return s, defaulting.PruneDefaults(s)
}

// defaultBytes returns how many bytes of defaults one value of a schema can get, including defaults within defaults; most is set to
// the highest of it and of all schemas below.
func defaultBytes(s *v1.JSONSchemaProps, most *float64) float64 {
	here := 0.0
	eachChild(s, func(_, _ string, child *v1.JSONSchemaProps) {
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

// NewlyInvalid returns why a custom resource in JSON that is stored and valid under old in a version is not valid under new; none
// if that is unknown.
func NewlyInvalid(old, new *Definition, version string, object []byte) []Fault {
	var value any
	if json.Unmarshal(object, &value) == nil && sameFor(value, versionSchema(old.version(version)), versionSchema(new.version(version))) {
		return nil
	}
	return newlyInvalid(old, new, version, object)
}

func newlyInvalid(old, new *Definition, version string, object []byte) []Fault {
	stored, err := old.asStored(version, object)
	if err != nil {
		return nil
	}
	faults, err := new.Invalid(version, stored)
	if err != nil || len(faults) == 0 {
		return nil
	}
	if before, err := old.Invalid(version, stored); err != nil || len(before) > 0 {
		return nil // it was not valid before
	}
	return faults
}
