package crds

import (
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
)

// Invalid is why a custom resource, given as JSON, does not fit the schema of a version. As in OLM v0 (catalog operator
// validateExistingCRs) only the OpenAPI part counts: no CEL rule is evaluated and no default is set. A version without a
// schema takes everything; a version that d does not have is an error.
func (d *Definition) Invalid(version string, object []byte) (faults []Fault, err error) {
	defer recovered("validating the object", &err)
	v := d.version(version)
	if v == nil {
		return nil, fmt.Errorf("%s has no version %s", d.Name, quote(version))
	}
	schema := schemaOf(v)
	if schema == nil {
		return nil, nil
	}
	size := measure(object)
	if err := withinLimits(size); err != nil {
		return nil, err
	}
	if d.size*size.values > maxMatches {
		return nil, fmt.Errorf("the object and the schema of %s are too large together", d.Name)
	}
	var value map[string]any
	if err := json.Unmarshal(object, &value); err != nil {
		return nil, decodeError(object, &value, err)
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, internal, nil); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, err
	}
	return faultsOf(validation.ValidateCustomResource(nil, value, validator), strings.Clone), nil
}
