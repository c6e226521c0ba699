package crds

import (
	"fmt"
	"strings"
	"sync"

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
	schema, ok := d.schemas[version]
	if !ok {
		return nil, fmt.Errorf("%s has no version %s", quote(d.Name), quote(version))
	}
	if d.outline != nil {
		return nil, d.outline
	}
	size := measure(object)
	if err := withinLimits(size); err != nil {
		return nil, err
	}
	var value map[string]any
	if err := json.Unmarshal(object, &value); err != nil {
		return nil, decodeError(object, &value, err)
	}
	compiled, err := schema()
	if err != nil || compiled == nil {
		return nil, err
	}
	if d.size*size.values > maxMatches || compiled.fan*size.values > maxErrors {
		return nil, unchecked("the object and the schema of %s are too large together", quote(d.Name))
	}
	return faultsOf(validation.ValidateCustomResource(nil, value, compiled.validator), strings.Clone), nil
}

// schema is what objects of a version are held against.
type schema struct {
	validator validation.SchemaValidator
	fan       int // errors that one value can give
}

// schemasOf compiles the schema of each version when it is first asked for.
func schemasOf(versions []v1.CustomResourceDefinitionVersion) map[string]func() (*schema, error) {
	schemas := map[string]func() (*schema, error){}
	for i := range versions {
		if v := &versions[i]; schemas[v.Name] == nil {
			schemas[v.Name] = sync.OnceValues(func() (*schema, error) { return compile(schemaOf(v)) })
		}
	}
	return schemas
}

func compile(of *v1.JSONSchemaProps) (s *schema, err error) {
	defer recovered("compiling the schema", &err)
	if of == nil {
		return nil, nil
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(of, internal, nil); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, err
	}
	s = &schema{validator: validator}
	fan(of, &s.fan)
	return s, nil
}

// fan counts the errors that one value can give: one for each field that it lacks and for each schema that it has to satisfy.
// most gets the highest count of all schemas below.
func fan(s *v1.JSONSchemaProps, most *int) int {
	n := 1 + len(s.Required)
	eachChild(s, func(path, _ string, child *v1.JSONSchemaProps) {
		if of := fan(child, most); path == "" {
			n += of
		}
	})
	*most = max(*most, n)
	return n
}
