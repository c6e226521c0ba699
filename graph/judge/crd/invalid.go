package crd

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apischema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
)

// Invalid returns why a custom resource in JSON does not match the schema of a version. As in OLM v0 (catalog operator
// validateExistingCRs) only the OpenAPI part counts: no CEL rule is evaluated and no default is set. A version without a schema
// accepts everything; a version that d does not have is an error.
func (d *Definition) Invalid(version string, object []byte) (faults []Fault, err error) {
	defer recoverTo("validating the object", &err)
	value, size, err := d.decodeObject(version, object)
	if err != nil || versionSchema(d.version(version)) == nil {
		return nil, err
	}
	validator, err := d.compiled[version]()
	if err != nil {
		return nil, err
	}
	if d.size*size.values > maxMatches || d.measures(version).errors*size.values > maxErrors {
		return nil, uncheckedf("the object and the schema of %s are too large together", quote(d.Name))
	}
	return convertFaults(validation.ValidateCustomResource(nil, value, validator), strings.Clone), nil
}

// decodeObject decodes a custom resource of a version, and measures it.
func (d *Definition) decodeObject(version string, object []byte) (value map[string]any, size extent, err error) {
	switch {
	case !d.Has(version):
		return nil, size, fmt.Errorf("%s has no version %s", quote(d.Name), quote(version))
	case d.schemasErr != nil:
		return nil, size, d.schemasErr
	}
	size = measure(object)
	if err := withinLimits(size); err != nil {
		return nil, size, err
	}
	if err := json.Unmarshal(object, &value); err != nil {
		return nil, size, decodeError(object, &value, err)
	}
	return value, size, nil
}

// prepare sets the functions that measure and compile the schemas of the versions, each once when it is needed.
func (d *Definition) prepare() {
	d.measured, d.compiled = map[string]func() measures{}, map[string]func() (validation.SchemaValidator, error){}
	d.structured = map[string]func() (*apischema.Structural, error){}
	for i := range d.crd.Spec.Versions {
		v := &d.crd.Spec.Versions[i]
		if of := versionSchema(v); of != nil && d.measured[v.Name] == nil {
			d.measured[v.Name] = sync.OnceValue(func() measures { return measureSchema(of) })
			d.compiled[v.Name] = sync.OnceValues(func() (validation.SchemaValidator, error) { return compile(of) })
			d.structured[v.Name] = sync.OnceValues(func() (*apischema.Structural, error) { return structural(of) })
		}
	}
}

// measures returns the measures of the schema of a version that has one.
func (d *Definition) measures(version string) measures { return d.measured[version]() }

// measures are computed for a schema before an object is validated by it.
type measures struct {
	errors       int     // see errorBound
	defaultBytes float64 // see defaultBytes
}

func measureSchema(s *v1.JSONSchemaProps) measures {
	var m measures
	errorBound(s, &m.errors)
	defaultBytes(s, &m.defaultBytes)
	return m
}

func compile(of *v1.JSONSchemaProps) (validator validation.SchemaValidator, err error) {
	defer recoverTo("compiling the schema", &err)
	internal, err := internalSchema(of)
	if err != nil {
		return nil, err
	}
	validator, _, err = validation.NewSchemaValidator(internal)
	return validator, err
}

// internalSchema returns a schema in the form of which the libraries make others.
func internalSchema(of *v1.JSONSchemaProps) (*apiextensions.JSONSchemaProps, error) {
	internal := &apiextensions.JSONSchemaProps{}
	return internal, v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(of, internal, nil)
}

// errorBound returns how many errors one value can cause: one for each required field and for each schema that it must match. most
// is set to the highest count of all schemas below.
func errorBound(s *v1.JSONSchemaProps, most *int) int {
	n := 1 + len(s.Required)
	eachChild(s, func(path, _ string, child *v1.JSONSchemaProps) {
		if of := errorBound(child, most); path == "" {
			n += of
		}
	})
	*most = max(*most, n)
	return n
}
